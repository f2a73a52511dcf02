/** Rows of items whose columns have names that nothing knows: the place has gaps, items recur, and several columns say what was done. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { LogsInFolder, wrongIn } from './logs-in-folder.ts';
import { MADE_AT } from './made-log.ts';

let logs: LogsInFolder;
beforeEach(() => {
  logs = new LogsInFolder();
});
afterEach(() => logs.remove());

interface Cell {
  readonly n: number;
  readonly i: number;
  readonly isClicked: boolean;
}

/** Lists of four, written from the last place to the first, with every second place left out; each is clicked at place 1, 3, 5, 7, 1, ... */
function table(columns: Readonly<Record<string, (cell: Cell) => string | number>>): string {
  const rows = Array.from({ length: 60 }, (_, n) => n).flatMap((n) =>
    [3, 2, 1, 0].map((i) => {
      const cell = { n, i, isClicked: i === n % 4 };
      return Object.values(columns).map((of) => of(cell));
    }),
  );
  return `${[Object.keys(columns), ...rows].map((row) => row.join(',')).join('\n')}\n`;
}

/** The mean of 1, 1/3, 1/5 and 1/7: what is not in the log was shown between. */
const MRR = 0.419048;
const at = ({ n }: Cell): string => new Date(MADE_AT + 90_000 * n).toISOString();
const COLUMNS = {
  grp: ({ n }: Cell) => 500 + n,
  dt: at,
  region: ({ n }: Cell) => 7 + (n % 3),
  thing: ({ n, i }: Cell) => 900 + ((7 * n + i) % 31),
  cost: ({ n, i }: Cell) => `${10 + n}.${10 + i}`,
  at_place: ({ i }: Cell) => 1 + 2 * i,
  deal: ({ n, i }: Cell) => (n + i) % 2,
  clk: ({ isClicked }: Cell) => Number(isClicked),
};

describe('rows of items with names of their own', () => {
  it('are lists by their shape, with each action, and what a column of yes and no may be is told', async () => {
    const { clk, ...others } = COLUMNS;
    logs.write(
      'rows.csv',
      table({ ...others, was_click: clk, is_kept: ({ isClicked, n }) => Number(isClicked && n % 3 === 0) }),
    );
    const inspection = await logs.look('rows.csv');
    expect(wrongIn(inspection)).toEqual([]);
    expect(Object.fromEntries(inspection.facts.actions)).toEqual({ click: 60, kept: 20 });
    const left = inspection.findings.find(({ code }) => code === 'flags_not_read');
    expect(left?.cause).toMatch(/^\/deal of .* is yes or no/);
    expect(await logs.mrr(inspection)).toBe(MRR);
  });

  it('have their place without any name, where a column is of clicks', async () => {
    const { at_place, clk, ...others } = COLUMNS;
    logs.write('rows.csv', table({ ...others, f3: at_place, clicked: clk }));
    const inspection = await logs.look('rows.csv');
    expect(await logs.mrr(inspection)).toBe(MRR);
  });

  it('are no lists where each row has a time of its own: they are steps', async () => {
    const { dt: _, ...others } = COLUMNS;
    logs.write(
      'rows.csv',
      table({ dt: ({ n, i }) => new Date(MADE_AT + 90_000 * n + 900 * i).toISOString(), ...others }),
    );
    expect((await logs.look('rows.csv')).impressions).toBeUndefined();
  });
});
