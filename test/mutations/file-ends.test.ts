import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { loadSettings } from '../../src/config/load.ts';
import type { ReplayInputs } from '../../src/replay/file-replay.ts';
import { FILE_END_MUTATIONS } from './file-ends.ts';
import { withMutation } from './loader.ts';
import type { Change } from './mutation.ts';

type Replay = Pick<typeof import('../../src/replay/file-replay.ts'), 'replay'>;
type Compare = Pick<typeof import('../../src/replay/compare-files.ts'), 'compareFiles'>;

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'receval-file-ends-'));
});
afterAll(() => rmSync(folder, { recursive: true }));

const MINUTE = 60_000;
const BEGIN = Date.UTC(2026, 10, 21, 8) + 1;
const HORIZONS = 'attribution: {horizons: [1m, 5m], outOfOrderness: 10s}';

/** 60 lists in half an hour, each other one clicked, and a click on something else at the end. */
const LISTS = Array.from({ length: 60 }, (_, n) => ({
  requestId: `r${n}`,
  ts: BEGIN + n * 30_000,
  userId: `u${n}`,
  variant: n % 4 < 2 ? 'A' : 'B',
  items: ['a', 'b'],
}));
const clicks = (delay: number, last: number) => [
  ...LISTS.filter((_, n) => n % 2 === 0).map(({ requestId, ts }) => click(requestId, ts + delay)),
  click('other', BEGIN + last),
];
function click(requestId: string, ts: number) {
  return { requestId, ts, itemId: 'b', action: 'click' };
}
const rows = LISTS.flatMap(({ requestId, ts, items }, n) =>
  items.map((item, i) => ({
    requestId,
    ts: ts + 1000 * i,
    item,
    clicked: n % 2 === i ? 1 : 0,
    at: n % 2 === i ? ts + 2000 : null,
  })),
);

let files = 0;
function file(lines: readonly object[]) {
  const path = join(folder, `f${files++}.ndjson`);
  writeFileSync(path, lines.map((line) => `${JSON.stringify(line)}\n`).join(''));
  return [{ path, defaults: new Map<string, string>() }];
}

function optionsOf(yaml: string, inputs: ReplayInputs, closeAll = false) {
  const settings = loadSettings({ readFile: () => `${HORIZONS}\n${yaml}`, env: {}, command: 'replay' });
  const rest = { adapter: undefined, order: 'time', newId: () => 'id', hashSeed: 0, onProgress: () => {} } as const;
  return { settings, inputs, closeAll, ...rest };
}

/** What each scene says; every rule changes one of them. */
async function scenes({ replay, compareFiles }: Replay & Compare): Promise<readonly unknown[]> {
  const counted = async (yaml: string, inputs: ReplayInputs, closeAll = false) => {
    const result = await replay(optionsOf(`cohorts: [[]]\n${yaml}`, inputs, closeAll));
    const row = result.rows.find(({ horizon }) => horizon === '5m');
    return [row?.impressions, row?.open, row?.positives];
  };
  const sides = (delay: number, last: number) => ({ impressions: file(LISTS), feedback: file(clicks(delay, last)) });
  const inRows = (feedback: string) =>
    counted(
      `measures: [mrr]\ninputs: {impressions: {adapter: {list: {by: requestId}, map: {ts: /ts, itemId: /item}, feedback: ${feedback}}}}`,
      { impressions: file(rows), feedback: [] },
    );
  const dense = Array.from({ length: 600 }, (_, n) => ({ ...LISTS[0], requestId: `d${n}`, ts: BEGIN + 100 * n }));
  const hourly = LISTS.map((list) => ({ ...list, ts: BEGIN - 1 }));
  const sorted = [...LISTS, ...clicks(2000, 30 * MINUTE)].sort((a, b) => a.ts - b.ts);
  const experiment = async (start: string) => {
    const yaml = `measures: [mrr]\nexperiments: {default: {control: A, variants: {A: 1, B: 1}, horizon: 5m${start}}}`;
    const options = optionsOf(yaml, sides(2000, 29.4 * MINUTE));
    const { comparison } = await compareFiles(options, options.settings.experiments[0]);
    const [{ decidedAsOf, decidedAt }] = comparison.variants;
    const { users, impressions, open } = comparison;
    return [users, impressions, open, Date.parse(decidedAt ?? '') - Date.parse(decidedAsOf ?? '')];
  };
  return [
    await counted('measures: [mrr]', sides(2000, 40 * MINUTE)),
    await counted('measures: [mrr]', sides(2000, 29.4 * MINUTE)),
    await counted('measures: [mrr]', {
      impressions: file(LISTS),
      feedback: file(clicks(2000, 10 * MINUTE).filter(({ ts }) => ts <= BEGIN + 10 * MINUTE)),
    }),
    await counted('measures: [mrr]', { events: file(sorted) }),
    await inRows('{clicked: click}'),
    await inRows('{clicked: {action: click, ts: /at}}'),
    await counted('measures: [mrr]', { impressions: file(LISTS), feedback: file(clicks(0, 0)) }),
    await counted('measures: [mrr]', {
      impressions: file(hourly),
      feedback: file(hourly.map(({ requestId, ts }) => click(requestId, ts))),
    }),
    await counted('measures: [length]', sides(2000, 30 * MINUTE)),
    await counted('measures: [mrr]', sides(2000, 30 * MINUTE), true),
    await counted('measures: [mrr]', { impressions: file(dense), feedback: file([click('other', BEGIN + 340_000)]) }),
    await experiment(''),
    await experiment(`, start: "${new Date(BEGIN + 26 * MINUTE).toISOString()}"`),
  ];
}

const KNOWN_AFTER = 4.5 * MINUTE + 1;
/** Lists that count at 5 m, that are open, and that have a positive; of experiments users, lists, open lists, and how long after its look a decision is known. */
const EXPECTED: readonly unknown[] = [
  [60, 0, 30],
  // Up to 24:14, while the next list is of the same minute; up to 4:50 and 24:50.
  [49, 11, 25],
  [10, 50, 5],
  [50, 10, 25],
  [60, 0, 60],
  // The last click is of 29:32.
  [49, 11, 49],
  [60, 0, 30],
  [0, 60, 0],
  [60, 0, 30],
  [60, 0, 30],
  // In one minute, up to its half.
  [301, 299, 0],
  // The pane of the last look goes on to 25:00. The last list is of 29:30.
  [{ A: 25, B: 24 }, { A: 25, B: 24 }, { A: 5, B: 6 }, KNOWN_AFTER],
  [{ A: 0, B: 0 }, { A: 0, B: 0 }, { A: 4, B: 4 }, Number.NaN],
];

async function mutated(changes: readonly Change[]): Promise<readonly unknown[]> {
  const entries = ['replay/file-replay.ts', 'replay/compare-files.ts'];
  const load = async ([replay, compare]: readonly string[]) => ({
    ...((await import(/* @vite-ignore */ replay)) as Replay),
    ...((await import(/* @vite-ignore */ compare)) as Compare),
  });
  return scenes(await withMutation<Replay & Compare>(changes, entries, load));
}

describe('a weakened rule of where files end is caught', () => {
  it.each(FILE_END_MUTATIONS.map((each) => [each.name, each] as const))('%s', async (_, { changes }) => {
    expect(await mutated(changes)).not.toEqual(EXPECTED);
  });

  it('and the rules as they are pass', async () => {
    expect(await mutated([])).toEqual(EXPECTED);
  });
});
