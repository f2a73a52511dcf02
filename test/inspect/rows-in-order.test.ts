/** Rows of items are judged by the times of their lists, as a replay judges them, not by those of what was done with the items. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { LogsInFolder, wrongIn } from './logs-in-folder.ts';
import { MADE_AT } from './made-log.ts';

let logs: LogsInFolder;
beforeEach(() => {
  logs = new LogsInFolder();
});
afterEach(() => logs.remove());

const LISTS = 60;
const MINUTE = 60_000;

/** Every list is clicked, at ranks 1, 2, 3, 1, ...; `at` says when a list was shown. */
function table(at: (n: number) => number, delay: number | undefined): string {
  const text = (ms: number): string => new Date(MADE_AT + ms).toISOString().replace('T', ' ').slice(0, 19);
  const rows = Array.from({ length: LISTS }, (_, n) => n).flatMap((n) =>
    [0, 1, 2].map((i) => {
      const isClicked = i === n % 3;
      const done = delay === undefined ? Number(isClicked) : isClicked ? text(at(n) + delay * (n % 7)) : '';
      return [`s${100 + n}`, text(at(n)), `u${n % 17}`, `p${(7 * n + i) % 23}`, i + 1, done].join(',');
    }),
  );
  const head = `search_id,shown_at,user_id,item_id,rank,${delay === undefined ? 'clicked' : 'clicked_at'}`;
  return `${[head, ...rows].join('\n')}\n`;
}

const MRR = 0.611111;

describe('rows of items', () => {
  it('whose clicks come long after later lists are in order', async () => {
    logs.write(
      'rows.csv',
      table((n) => 2 * MINUTE * n, 8 * MINUTE),
    );
    const inspection = await logs.look('rows.csv');
    expect(wrongIn(inspection)).toEqual([]);
    expect(inspection.facts.disorder.overtaken).toBe(0);
    expect(await logs.mrr(inspection)).toBe(MRR);
  });

  it('sorted by the ids of their lists are a note where the proposal bears it, and give the right numbers', async () => {
    logs.write(
      'rows.csv',
      table((n) => 2 * MINUTE * ((37 * n) % LISTS), undefined),
    );
    const inspection = await logs.look('rows.csv');
    expect(wrongIn(inspection)).toEqual([]);
    expect(inspection.findings.map(({ code }) => code)).toContain('out_of_order');
    expect(await logs.mrr(inspection)).toBe(MRR);
  });

  it.each(['rows.csv', 'rows.tsv'])('of many days in %s are sorted by the command that is shown', async (name) => {
    const text = table((n) => 120 * MINUTE * ((37 * n) % LISTS), undefined);
    logs.write(name, name === 'rows.csv' ? text : text.replaceAll(',', '\t'));
    const [{ code, command }] = wrongIn(await logs.look(name));
    expect(code).toBe('out_of_order');
    logs.run(command);
    const sorted = await logs.look(`mended-${name}`);
    expect(wrongIn(sorted)).toEqual([]);
    expect(await logs.mrr(sorted)).toBe(MRR);
  });
});
