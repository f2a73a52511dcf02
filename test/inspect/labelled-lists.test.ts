/** Lists with what was clicked behind each id are read on both sides by the map that is proposed; and Snowplow's own table is known. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { LogsInFolder, lines, wrongIn } from './logs-in-folder.ts';
import { MADE_AT } from './made-log.ts';

let logs: LogsInFolder;
beforeEach(() => {
  logs = new LogsInFolder();
});
afterEach(() => logs.remove());

const numbers = Array.from({ length: 40 }, (_, n) => n);
/** Every second list is clicked at rank 1, 2, 3, 1, ... */
const MRR = Number(((7 + 7 / 2 + 6 / 3) / 40).toFixed(6));
const label = (n: number, sign: string): readonly string[] =>
  [0, 1, 2].map((i) => `N-${(7 * n + i) % 31}${sign}${n % 2 === 0 && i === (n / 2) % 3 ? 1 : 0}`);
const history = (n: number): string => [0, 1, 2].map((i) => `N-${(5 * n + i) % 31}`).join(' ');

describe('labels behind the ids of lists', () => {
  it.each([
    ['behaviors.tsv', '\t', ' '],
    ['behaviors.csv', ',', '|'],
  ])('in %s, without a header and out of order', async (name, delimiter, separator) => {
    const when = (n: number): string => {
      const at = new Date(MADE_AT + 90_000 * ((17 * n) % 40));
      const hour = at.getUTCHours();
      return `${at.getUTCMonth() + 1}/${at.getUTCDate()}/${at.getUTCFullYear()} ${hour % 12 === 0 ? 12 : hour % 12}:${String(at.getUTCMinutes()).padStart(2, '0')}:${String(at.getUTCSeconds()).padStart(2, '0')} ${hour < 12 ? 'AM' : 'PM'}`;
    };
    const rows = numbers.map((n) =>
      [n + 1, `U${n % 9}`, when(n), history(n), label(n, '-').join(separator)].join(delimiter),
    );
    logs.write(name, `${rows.join('\n')}\n`);
    const found = await logs.look(name);
    expect(wrongIn(found)).toEqual([]);
    expect(found.mends.map(({ finding }) => finding.cause)).toEqual([
      expect.stringContaining('in column 5, with 1 behind the ids that were clicked'),
      expect.stringContaining('(/column_3) are written as'),
    ]);
    expect(found.findings.map(({ code }) => code)).not.toContain('lists_of_clicks');
    expect(await logs.mrr(found)).toBe(MRR);
  });

  it.each([true, false])('in JSON, as a list: %s', async (isList) => {
    const shown = (n: number) => (isList ? label(n, ':') : label(n, ':').join(' '));
    logs.write(
      'log.ndjson',
      lines(numbers.map((n) => ({ id: `q${n}x`, at: MADE_AT + 9000 * n, user: `u${n % 9}`, shown: shown(n) }))),
    );
    const found = await logs.look('log.ndjson');
    expect([wrongIn(found), found.mends.length]).toEqual([[], 1]);
    expect(await logs.mrr(found)).toBe(MRR);
  });

  it('are none where ids end otherwise', async () => {
    logs.write(
      'log.ndjson',
      lines(
        numbers.map((n) => ({
          id: `q${n}x`,
          at: MADE_AT + 9000 * n,
          shown: [0, 1, 2].map((i) => `sku-${(7 * n + i) % 31}`),
        })),
      ),
    );
    expect(wrongIn(await logs.look('log.ndjson')).map(({ code }) => code)).toEqual(['feedback_missing']);
  });
});

describe('the enriched stream of Snowplow', () => {
  it('is told by the schemas in its columns, with what its page says', async () => {
    const context = JSON.stringify({
      schema: 'iglu:com.acme/contexts/jsonschema/1-0-0',
      data: [{ schema: 'iglu:x', data: { id: 'p' } }],
    });
    const row = (n: number) =>
      ['shop', 'web', new Date(MADE_AT + n).toISOString(), ...Array(40).fill(''), context, ...Array(20).fill('')].join(
        '\t',
      );
    logs.write('enriched.tsv', `${numbers.map(row).join('\n')}\n`);
    const found = wrongIn(await logs.look('enriched.tsv'));
    expect(found.map(({ code }) => code)).toEqual(['format_not_read']);
    expect(found[0].remedy).toContain('docs/adapters/snowplow.md');
  });
});
