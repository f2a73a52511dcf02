/** Lists among the lines of a file of objects. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { Lines } from '../../../../src/consumers/source/files/rows.ts';

/** The rows of a text that is cut into chunks at these places. */
function rowsOf(text: string, places: readonly number[] = [], hasLists = true): string[] {
  const bytes = Buffer.from(text);
  const cutter = new Lines(100, hasLists);
  const bounds = [...places.map((at) => at % (bytes.length + 1)), bytes.length].sort((a, b) => a - b);
  const rows = bounds.flatMap((to, i) => cutter.push(bytes.subarray(bounds[i - 1] ?? 0, to)));
  rows.push(...cutter.end());
  expect(rows.map(({ row }) => row)).toEqual(rows.map((_, i) => i + 1));
  return rows.map(({ value }) => Buffer.from(value).toString());
}

const cuts = fc.array(fc.nat(2000), { maxLength: 8 });
const record = fc
  .record({ a: fc.constantFrom(1, 'x', ']', '[{', '\n', '"', '\\', [{ b: [1] }], []), b: fc.constantFrom('', {}) })
  .map((value) => JSON.stringify(value));
/** Some records, and text that holds them. */
const part = fc
  .tuple(fc.array(record, { maxLength: 4 }), fc.constantFrom(',', ', ', ',\n', '\n'), fc.boolean())
  .map(([records, between, isPadded]): readonly [readonly string[], string] => {
    if (between === '\n') return [records, records.join('\n')];
    const [open, close] = isPadded ? [' [ ', '\r\n]'] : ['[', ']'];
    return [records, `${open}${between.endsWith('\n') ? '\n' : ''}${records.join(between)}${close}`];
  });

test('hold the records that lines of them would, in any order, wherever the bytes are cut', () => {
  fc.assert(
    fc.property(fc.array(part, { maxLength: 6 }), cuts, (parts, places) => {
      const text = parts.map(([, lines]) => `${lines}\n`).join('');
      expect(rowsOf(text, places)).toEqual(parts.flatMap(([records]) => records));
    }),
  );
});

test('a line without a list is cut as if there were none', () => {
  const line = fc.oneof(
    record,
    fc.constantFrom('[1,2]', '["a"]', '[2026-11-30 08:00] started {', '[', '{"a":[{', ' x [{}]', '[[{"a":1}]]', '"[{"'),
  );
  fc.assert(
    fc.property(fc.array(line, { maxLength: 8 }), cuts, (lines, places) => {
      const text = lines.map((one) => `${one === '[' ? '[x' : one}\r\n`).join('');
      expect(rowsOf(text, places)).toEqual(rowsOf(text, [], false));
    }),
  );
});

test.each([
  ['[{"a":1},{"b\n{"c":1}\n', ['{"a":1}', '{"b\n', '{"c":1}']],
  ['[{"a":1},{"b":\n{"c":1}\n', ['{"a":1}', '{"b":\n', '{"c":1}']],
  ['[{"a":1},{"b":', ['{"a":1}', '{"b":']],
  ['[{"a":1}', ['{"a":1}', '[']],
  ['[{"a":1}] x\n{"c":1}\n', ['{"a":1}', 'x', '{"c":1}']],
  ['[{"a":1}][{"b":1}],\n{"c":1}\n', ['{"a":1}', '{"b":1}', ',', '{"c":1}']],
  [`[{"a":"${'x'.repeat(1000)}"},{"b":1}]\n`, [`{"a":"${'x'.repeat(95)}`, '{"b":1}']],
])('damage costs no more than the rest of its line: %j', (text, rows) => {
  for (let at = 0; at <= text.length; at++)
    expect(rowsOf(text, [at]).map((row) => row.trim())).toEqual(rows.map((row) => row.trim()));
});
