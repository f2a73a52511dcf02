/** What is written of all that is dropped, against what is counted. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, describe, expect, it } from 'vitest';
import { loadSettings } from '../../src/config/load.ts';
import type { Dropped } from '../../src/replay/drop-watch.ts';
import { droppedLine } from '../../src/replay/dropped-line.ts';
import { type ReplayInputs, replay } from '../../src/replay/file-replay.ts';
import type { ReplayResult } from '../../src/replay/replay-result.ts';

const folder = mkdtempSync(join(tmpdir(), 'receval-dropped-'));
afterAll(() => rmSync(folder, { recursive: true }));

const BEGIN = Date.parse('2026-11-21T08:00:00Z');
/** Of the horizon, 40 s: so coarse that all boundaries are met. */
const STEP = 5000;
const NOW = BEGIN + 60 * STEP;
const LISTS = '{when: {/kind: list}, map: {requestId: /id, ts: /ts, items: /items, offset: /page}}';
const ACTS =
  '{when: {/kind: act, /test: {exists: false}}, map: {requestId: /id, ts: /ts, itemId: /item, action: /name, eventId: /event}}';
const CONFIG = `
measures: [mrr]
cohorts: [[]]
attribution: {horizons: [10s, 40s], outOfOrderness: 5s, futureSkew: 1m}
limits: {feedbackPerImpression: 1}
inputs:
  events: {adapter: {maps: [${LISTS}, ${ACTS}]}, drop: [{requestId: other, offset: 10}, {action: buy, itemId: b}]}
  impressions: {adapter: {maps: [${LISTS}]}, drop: {requestId: other, offset: 10}}
  feedback: {adapter: {maps: [${ACTS}]}, drop: {action: buy, itemId: b}}
`;

type Line = Record<string, unknown>;

const when = fc.integer({ min: 0, max: 80 }).map((step) => BEGIN + step * STEP);
const id = fc.constantFrom('r1', 'r2', 'r3', 'other');
const list: fc.Arbitrary<Line> = fc.record({
  kind: fc.constant('list'),
  id,
  ts: when,
  items: fc.constantFrom(['a', 'b'], ['b']),
  page: fc.constantFrom(0, 0, 10),
});
const act: fc.Arbitrary<Line> = fc.record({
  kind: fc.constant('act'),
  id,
  ts: when,
  item: fc.constantFrom('a', 'b', 'z'),
  name: fc.constantFrom('click', 'buy'),
  event: fc.constantFrom(undefined, undefined, 'e1'),
  test: fc.constantFrom(undefined, undefined, undefined, undefined, 'u-1'),
});
const other: fc.Arbitrary<Line | string> = fc.oneof(
  fc.record({ kind: fc.constantFrom('ping', null, 7), ts: when }),
  fc.constant('{"kind":'),
  fc.record({ kind: fc.constant('list'), id, ts: fc.constant('noon') }),
);
/** More or less in order: a log is read as it comes. */
const log = (rows: fc.Arbitrary<Line | string>) =>
  fc.array(rows, { maxLength: 60, size: 'max' }).chain((lines) =>
    fc.constantFrom(
      lines,
      [...lines].sort((a, b) => timeOf(a) - timeOf(b)),
    ),
  );

function timeOf(line: Line | string): number {
  return typeof line === 'string' || typeof line['ts'] !== 'number' ? 0 : line['ts'];
}

const weighted = (...rows: (readonly [number, fc.Arbitrary<Line | string>])[]) =>
  fc.oneof(...rows.map(([weight, arbitrary]) => ({ weight, arbitrary })));

let files = 0;

async function dropsOf(
  sides: Readonly<Record<string, readonly (Line | string)[]>>,
  config: string,
): Promise<{ readonly result: ReplayResult; readonly dropped: readonly Dropped[]; readonly lines: readonly Line[] }> {
  const fileOf = (lines: readonly (Line | string)[]) => {
    const path = join(folder, `log${files++}.ndjson`);
    const text = lines.map((line) => `${typeof line === 'string' ? line : JSON.stringify(line)}\n`).join('');
    writeFileSync(path, text);
    return [{ path, defaults: new Map<string, string>() }];
  };
  const { events, impressions = [], feedback = [] } = sides;
  const inputs: ReplayInputs =
    events === undefined
      ? { impressions: fileOf(impressions), feedback: fileOf(feedback) }
      : { events: fileOf(events) };
  const dropped: Dropped[] = [];
  const lines: Line[] = [];
  const result = await replay({
    settings: loadSettings({ readFile: () => config, env: {}, overrides: {}, command: 'replay' }),
    inputs,
    adapter: undefined,
    order: 'time',
    now: NOW,
    newId: () => String(files++),
    hashSeed: 0,
    onProgress: () => {},
    onDropped: (one) => {
      dropped.push(one);
      lines.push(JSON.parse(droppedLine(one)));
    },
  });
  return { result, dropped, lines };
}

/** The reasons that were counted, and how often. */
function counted({ impressions, feedback, unmapped }: ReplayResult): Readonly<Record<string, number>> {
  const counts: [string, number][] = [
    ...Object.entries(impressions.drops).map(([reason, n]): [string, number] => [`impressions ${reason}`, n]),
    ...Object.entries(feedback.drops).map(([reason, n]): [string, number] => [`feedback ${reason}`, n]),
    ...Object.entries(unmapped).map(([input, of]): [string, number] => [
      `${input === 'events' ? undefined : input} unmapped`,
      of.reduce((sum, { records }) => sum + records, 0),
    ]),
  ];
  return Object.fromEntries(counts.filter(([, n]) => n > 0));
}

function written(lines: readonly Line[]): Readonly<Record<string, number>> {
  const counts = new Map<string, number>();
  for (const { side, reason } of lines) {
    const key = `${side} ${reason}`;
    counts.set(key, (counts.get(key) ?? 0) + 1);
  }
  return Object.fromEntries(counts);
}

const logs = fc.oneof(
  fc.record({ events: log(weighted([5, list], [8, act], [2, other])) }),
  fc.record({
    impressions: log(weighted([8, list], [1, other])),
    feedback: log(weighted([12, act], [1, other])),
  }),
);
const met = new Set<string>();

describe('what is dropped', () => {
  it('is written exactly as it is counted, each with its own record (specification: commands 3.2)', async () => {
    await fc.assert(
      fc.asyncProperty(logs, async (sides) => {
        const { result, lines } = await dropsOf(sides, CONFIG);
        const counts = counted(result);
        expect(written(lines)).toEqual(counts);
        for (const key of Object.keys(counts)) met.add(key);
        const places = new Set<string>();
        for (const line of lines) {
          const { file, row, value, side, requestId, itemId, action, ts, offset } = line;
          const all = 'events' in sides ? sides.events : side === 'feedback' ? sides.feedback : sides.impressions;
          const source = all[Number(row) - 1];
          expect(value).toBe(typeof source === 'string' ? source : JSON.stringify(source));
          places.add(`${file} ${row}`);
          if (requestId === undefined || typeof source === 'string') continue;
          expect({ requestId, ts }).toEqual({
            requestId: source['id'],
            ts: new Date(Number(source['ts'])).toISOString(),
          });
          if (side === 'feedback')
            expect({ itemId, action }).toEqual({ itemId: source['item'], action: source['name'] });
          else expect(offset).toBe(source['page']);
        }
        // Each record here holds one event, so it is dropped once.
        expect(places.size).toBe(lines.length);
      }),
      { numRuns: 150 },
    );
    const reasons = [...new Set([...met].map((key) => key.split(' ')[1]))].sort();
    expect(reasons).toEqual(
      ['capped', 'duplicate', 'excluded', 'future', 'invalid', 'late', 'not_in_list', 'orphan', 'unmapped'].sort(),
    );
  });

  it('is never the whole feedback without a finding', async () => {
    await fc.assert(
      fc.asyncProperty(logs, async (sides) => {
        const { result } = await dropsOf(sides, CONFIG);
        if (result.feedback.attributed === 0) expect(result.findings).not.toEqual([]);
      }),
      { numRuns: 60 },
    );
  });

  it('is late for all horizons: what counts at a longer one is not dropped', async () => {
    const at = (s: number): number => BEGIN + 1000 * s;
    const { result, lines } = await dropsOf(
      {
        events: [
          { kind: 'list', id: 'r1', ts: at(0), items: ['a'], page: 0 },
          { kind: 'list', id: 'r2', ts: at(30), items: ['a'], page: 0 },
          { kind: 'act', id: 'r1', ts: at(5), item: 'a', name: 'click' },
        ],
      },
      CONFIG,
    );
    expect(result.feedback).toMatchObject({ attributed: 1, late: { '10s': 1 } });
    expect(lines).toEqual([]);
  });

  it('names the event of a record that holds several', async () => {
    const config = `
measures: [mrr]
cohorts: [[]]
attribution: {horizons: [5m]}
inputs:
  feedback: {adapter: {map: {requestId: /id, ts: /ts, action: {const: buy}, each: /lines, each.itemId: /sku}}}
`;
    const shown = { requestId: 'r1', ts: BEGIN, items: ['a', 'b'] };
    const order = { id: 'r1', ts: BEGIN + 1000, lines: [{ sku: 'a' }, { sku: 'x' }, { sku: 'y' }] };
    const { lines } = await dropsOf({ impressions: [shown], feedback: [order] }, config);
    expect(lines.map(({ file: _, ...line }) => line)).toEqual(
      ['x', 'y'].map((itemId) => ({
        row: 1,
        side: 'feedback',
        reason: 'not_in_list',
        requestId: 'r1',
        itemId,
        action: 'buy',
        ts: '2026-11-21T08:00:01.000Z',
        value: JSON.stringify(order),
      })),
    );
  });
});
