/** A record that holds a list and the item of it that was clicked is read on both sides, whatever else is in the log. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { LogsInFolder, lines, wrongIn } from './logs-in-folder.ts';
import { MADE_AT } from './made-log.ts';

let logs: LogsInFolder;
beforeEach(() => {
  logs = new LogsInFolder();
});
afterEach(() => logs.remove());

const numbers = Array.from({ length: 40 }, (_, n) => n);
const at = (n: number): number => MADE_AT / 1000 + 60 * n;
const items = (n: number): readonly string[] => [0, 1, 2, 3].map((rank) => String(2000 + ((7 * n + rank) % 31)));
const visit = (n: number): string => `v${Math.floor(n / 2)}`;

describe('records with a list and its click', () => {
  it('are told from the other steps of a session by their kind, and have an id of two fields', async () => {
    const rows = numbers.flatMap((n) => [
      [`u${n % 7}`, visit(n), at(n), 2 * (n % 2), 'change of sort', `${n % 3} stars`, 'DE', '', ''],
      [
        `u${n % 7}`,
        visit(n),
        at(n) + 9,
        2 * (n % 2) + 1,
        'checkout',
        items(n)[n % 4],
        'DE',
        items(n).join('|'),
        '10|20|30|40',
      ],
    ]);
    const head = ['user_id', 'session', 'time', 'step', 'action_type', 'chosen', 'country', 'seen', 'prices'];
    logs.write('steps.csv', `${[head, ...rows].map((row) => row.join(',')).join('\n')}\n`);
    const inspection = await logs.look('steps.csv');
    expect(wrongIn(inspection)).toEqual([]);
    const ids = inspection.impressions?.fits.filter(({ as }) => as === 'requestId').map(({ path }) => path);
    expect(ids).toEqual(['/session', '/step']);
    expect(inspection.findings.find(({ code }) => code === 'kinds_skipped')?.cause).toContain('change of sort (40)');
    expect(inspection.findings.map(({ code }) => code)).toContain('lists_of_clicks');
    expect(await logs.mrr(inspection)).toBe(0.520833);
  });

  it('without a kind are told by what they hold; lists that nobody clicked count, and are not said to be missing', async () => {
    const records = numbers.map((n) => ({
      id: `q${n}x`,
      when: at(n) * 1000,
      visitor: `u${n % 7}`,
      docs: items(n),
      ...(n % 2 === 0 ? { opened: items(n)[(n / 2) % 4] } : {}),
    }));
    logs.write('log.ndjson', lines(records));
    const inspection = await logs.look('log.ndjson');
    expect(wrongIn(inspection)).toEqual([]);
    expect(inspection.findings.map(({ code }) => code)).not.toContain('lists_of_clicks');
    expect(await logs.mrr(inspection)).toBe(0.260417);
  });

  it('of Amazon Personalize are recognised, and told to be of clicks alone', async () => {
    const rows = numbers.map((n) =>
      [
        `u${n % 7}`,
        items(n)[n % 4],
        at(n),
        n % 2 === 0 ? 'click' : 'watch',
        n % 9 === 0 ? '' : items(n).join('|'),
      ].join(','),
    );
    logs.write('interactions.csv', `${['USER_ID,ITEM_ID,TIMESTAMP,EVENT_TYPE,IMPRESSION', ...rows].join('\n')}\n`);
    const inspection = await logs.look('interactions.csv');
    expect(inspection.files[0].known?.system).toBe('Amazon Personalize');
    const [{ code, cause, remedy }] = wrongIn(inspection);
    expect(code).toBe('lists_of_clicks');
    expect(cause).toContain('has a click by construction');
    expect(remedy).toContain('docs/adapters/amazon-personalize.md');
  });

  it('are others where the field is always the first of the list', async () => {
    const records = numbers.map((n) => ({ id: `q${n}x`, when: at(n) * 1000, docs: items(n), best: items(n)[0] }));
    logs.write('log.ndjson', lines(records));
    expect(wrongIn(await logs.look('log.ndjson')).map(({ code }) => code)).toEqual(['feedback_missing']);
  });
});
