import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { splitRow } from '../../src/consumers/decode/csv-line.ts';
import { csvTable } from '../../src/output/table.ts';

/** What a spreadsheet may take for a formula: OWASP, "CSV Injection". */
const TRIGGERS = ['=', '+', '-', '@', '\t', '\r', '\n', '＝', '＋', '－', '＠'];
const anyText = fc.oneof(
  fc.string({ unit: 'binary' }),
  fc
    .tuple(
      fc.constantFrom('', ' ', '\u00a0', '\ufeff', '\u200b', '\u0000', '"', "'"),
      fc.constantFrom(...TRIGGERS),
      fc.string(),
    )
    .map((parts) => parts.join('')),
  fc.array(fc.constantFrom(...TRIGGERS, ',', ';', '"', "'", 'a', ' '), { maxLength: 8 }).map((parts) => parts.join('')),
);
const anyNumber = fc.double({ noNaN: true, noDefaultInfinity: true });

/** The fields of a table of one line, as a reader of CSV gives them that also takes line ends inside of quotes. */
function fieldsOf(csv: string): readonly string[] {
  return splitRow(csv) ?? [];
}

/** A reader with another separator: the cells of a line, quotes understood. */
function partedAt(line: string, separator: string): readonly string[] {
  const cells: string[] = [];
  let cell = '';
  let quoted = false;
  for (const sign of line.slice(0, -1)) {
    if (sign === '"') quoted = !quoted;
    if (sign === separator && !quoted) {
      cells.push(cell);
      cell = '';
    } else cell += sign;
  }
  return [...cells, cell];
}

describe('cells of text in CSV', () => {
  it.each([
    ["=cmd|'/C calc'!A0", "\"'=cmd|'/C calc'!A0\""],
    ['@x', '"\'@x"'],
    ['+1', '"\'+1"'],
    ['-1', '"\'-1"'],
    ['\tx', '"\'\tx"'],
    ['\rx', '"\'\rx"'],
    ['\nx', '"\'\nx"'],
    ['＝1', '"\'＝1"'],
    [' =1', '"\' =1"'],
    ['="a"', '"\'=""a"""'],
    ['a=1', 'a=1'],
    ['a;=1', '"a;=1"'],
    ['ndcg(gain=exp)@10', 'ndcg(gain=exp)@10'],
    ['', ''],
  ])('are never formulas: %j', (text, cell) => {
    expect(csvTable([text], [[text]])).toBe(`${cell}\n${cell}\n`);
  });

  it('do not begin as a formula does, whatever they are, and lose nothing but that', () => {
    let changed = 0;
    fc.assert(
      fc.property(fc.array(anyText, { minLength: 2, maxLength: 4 }), (texts) => {
        const csv = csvTable(texts, []);
        const fields = fieldsOf(csv);
        expect(fields.length).toBe(texts.length);
        for (const [i, field] of fields.entries()) {
          expect(field.trimStart()).not.toMatch(/^[=+\-@\t\r\n＝＋－＠]/);
          expect([texts[i], `'${texts[i]}`]).toContain(field);
          if (field !== texts[i]) changed++;
        }
        // Nor do they where another sign parts the cells: no cell ends inside of a text.
        for (const separator of [';', '\t']) {
          for (const part of partedAt(csv, separator)) expect(part).not.toMatch(/^"?[=+\-@\t\r＝＋－＠]/);
        }
      }),
      { numRuns: 2000 },
    );
    expect(changed).toBeGreaterThan(100);
  });
});

describe('cells of numbers in CSV', () => {
  it('are read back as the same double, also below 0', () => {
    fc.assert(
      fc.property(fc.array(anyNumber, { minLength: 2 }), (numbers) => {
        const fields = fieldsOf(csvTable(['x'], [numbers]).slice(2));
        expect(fields.map(Number)).toEqual(numbers.map((number) => number + 0));
      }),
    );
    expect(csvTable(['x'], [[-0.5, undefined, 1e-7]])).toBe('x\n-0.5,,1e-7\n');
  });

  it('may have a fixed number of digits', () => {
    expect(
      csvTable(
        ['x'],
        [
          [
            { number: -0.25, digits: 4 },
            { number: 2, digits: 0 },
          ],
        ],
      ),
    ).toBe('x\n-0.2500,2\n');
  });
});
