/** Which lists count where files end (specification: join 4.1). */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { addToSum, type Row, sumsStarts } from '../../src/accumulators/row.ts';
import { rowCodec } from '../../src/accumulators/row-codec.ts';
import { parseField, rowField, setText } from '../../src/accumulators/store/layout.ts';
import { MemoryStore } from '../../src/accumulators/store/memory-store.ts';
import { loadSettings } from '../../src/config/load.ts';
import { createDecoder } from '../../src/consumers/decode/decoder.ts';
import { compile } from '../../src/measures/scorer.ts';
import { measureValue } from '../../src/measures/value.ts';
import { type ReplayInputs, replay } from '../../src/replay/file-replay.ts';
import type { ReplayResult } from '../../src/replay/replay-result.ts';
import type { ResultRow } from '../../src/replay/result-rows.ts';
import { NO_PERMISSIONS } from '../../src/unit/resume.ts';
import { Unit } from '../../src/unit/unit.ts';
import { decoderLimits, unitShape } from '../../src/unit/unit-settings.ts';
import { runs } from '../runs.ts';

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'receval-end-'));
});
afterAll(() => rmSync(folder, { recursive: true }));

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const OUT_OF_ORDER = 10 * SECOND;
const BEGIN = Date.UTC(2026, 10, 21, 8);
const YAML = 'attribution: {horizons: [1m, 5m], outOfOrderness: 10s}\nmeasures: [mrr]\ncohorts: [[], [variant]]';
const HORIZONS = { '1m': MINUTE, '5m': 5 * MINUTE };
type Horizon = keyof typeof HORIZONS;
const NAMES: readonly Horizon[] = ['1m', '5m'];

interface Line {
  readonly ts: number;
  /** When it is in the log. */
  readonly arrives: number;
  readonly event: object;
}

interface Log {
  readonly impressions: readonly Line[];
  readonly feedback: readonly Line[];
}

const load = (yaml: string) => loadSettings({ readFile: () => yaml, env: {}, command: 'replay' });

let files = 0;
function write(lines: readonly object[]) {
  const path = join(folder, `f${files++}.ndjson`);
  writeFileSync(path, lines.map((line) => `${JSON.stringify(line)}\n`).join(''));
  return [{ path, defaults: new Map<string, string>() }];
}

function written({ impressions, feedback }: Log): ReplayInputs {
  return {
    impressions: write(impressions.map(({ event }) => event)),
    feedback: write(feedback.map(({ event }) => event)),
  };
}

function replayed(inputs: ReplayInputs, yaml = YAML, closeAll = false): Promise<ReplayResult> {
  const settings = load(yaml);
  return replay({
    settings,
    inputs,
    adapter: undefined,
    order: 'time',
    closeAll,
    newId: () => 'id',
    hashSeed: 0,
    onProgress: () => {},
  });
}

function shown(n: number, ts: number, variant: string, delay = 0): Line {
  return {
    ts,
    arrives: ts + delay,
    event: { requestId: `r${n}`, ts, userId: `u${n % 7}`, variant, items: ['a', 'b'] },
  };
}

function clicked(n: number, ts: number, itemId = 'b', delay = 0): Line {
  return { ts, arrives: ts + delay, event: { requestId: `r${n}`, itemId, ts, action: 'click' } };
}

function sorted({ impressions, feedback }: Log): Log {
  const byArrival = (lines: readonly Line[]) => [...lines].sort((a, b) => a.arrives - b.arrives);
  return { impressions: byArrival(impressions), feedback: byArrival(feedback) };
}

function cutAt({ impressions, feedback }: Log, shownUpTo: number, doneUpTo = shownUpTo): Log {
  return {
    impressions: impressions.filter(({ arrives }) => arrives < shownUpTo),
    feedback: feedback.filter(({ arrives }) => arrives < doneUpTo),
  };
}

function whole({ rows }: ReplayResult, horizon: Horizon): ResultRow | undefined {
  return rows.find((row) => row.by.length === 0 && row.horizon === horizon);
}

/** Lists of twenty minutes with feedback up to six minutes later, delayed by up to `most`. */
function logs(most: number): fc.Arbitrary<Log> {
  const delay = fc.integer({ min: 0, max: most });
  const list = fc.record({
    at: fc.integer({ min: 0, max: 20 * MINUTE }),
    variant: fc.constantFrom('A', 'A', 'B'),
    delay,
    clicks: fc.array(
      fc.record({ after: fc.integer({ min: 1, max: 6 * MINUTE }), delay, item: fc.constantFrom('a', 'b', 'z') }),
      {
        maxLength: 2,
      },
    ),
  });
  return fc.array(list, { maxLength: 40 }).map((lists) =>
    sorted({
      impressions: lists.map(({ at, variant, delay }, n) => shown(n, BEGIN + at, variant, delay)),
      feedback: lists.flatMap(({ at, clicks }, n) =>
        clicks.map(({ after, item, delay }) => clicked(n, BEGIN + at + after, item, delay)),
      ),
    }),
  );
}

const CUT = fc.integer({ min: 0, max: 30 * MINUTE }).map((at) => BEGIN + at);

describe('where files end', () => {
  it('each accepted list counts, is open, or came late, at every horizon and in every set', async () => {
    await fc.assert(
      fc.asyncProperty(logs(2 * MINUTE), CUT, CUT, fc.boolean(), async (log, shownUpTo, doneUpTo, closeAll) => {
        const result = await replayed(written(cutAt(log, shownUpTo, doneUpTo)), YAML, closeAll);
        const { accepted, open, late } = result.impressions;
        for (const horizon of NAMES) {
          for (const by of [0, 1]) {
            const rows = result.rows.filter((row) => row.by.length === by && row.horizon === horizon);
            const counted = rows.reduce((sum, row) => sum + row.impressions, 0);
            expect(counted + open[horizon] + late[horizon]).toBe(accepted);
            expect(rows.reduce((sum, row) => sum + row.open, 0)).toBe(open[horizon]);
          }
          if (closeAll) expect(open[horizon]).toBe(0);
        }
      }),
      { numRuns: runs(40) },
    );
  });

  it('the numbers are final: those of the old lists in the log that goes on', async () => {
    await fc.assert(
      fc.asyncProperty(logs(OUT_OF_ORDER - 1), CUT, CUT, async (log, shownUpTo, doneUpTo) => {
        const cut = cutAt(log, shownUpTo, doneUpTo);
        const result = await replayed(written(cut));
        const reach = Math.max(...cut.feedback.map(({ ts }) => ts)) - OUT_OF_ORDER;
        for (const horizon of NAMES) {
          const old = cut.impressions.filter(({ ts }) => ts + HORIZONS[horizon] <= reach);
          const inFull = await replayed(written({ ...log, impressions: old }), YAML, true);
          const counted = result.rows.filter((row) => row.horizon === horizon && row.impressions > 0);
          const without = counted.map(({ open, knownFrom, allKnownFrom, ...row }) => row);
          const expected = inFull.rows.filter((row) => row.horizon === horizon).map(({ open, ...row }) => row);
          expect(without).toEqual(expected);
        }
      }),
      { numRuns: runs(25) },
    );
  });

  it('the rows are those of a service that has read as far', async () => {
    await fc.assert(
      fc.asyncProperty(logs(2 * MINUTE), CUT, CUT, async (log, shownUpTo, doneUpTo) => {
        const cut = cutAt(log, shownUpTo, doneUpTo);
        const { rows } = await replayed(written(cut));
        const counted = rows.filter(({ impressions }) => impressions > 0);
        const ofFiles = new Map(
          counted.map(({ by, labels, horizon, impressions, positives, measures: { mrr } }) => [
            rowField(horizon, setText(by), by.map((name) => labels[name]).join(',')),
            { impressions, positives, mrr: mrr.value },
          ]),
        );
        expect(ofFiles).toEqual(await ofService(cut));
      }),
      { numRuns: runs(40) },
    );
  });
});

/** The rows in the store of a service that has read these logs to their end, as the sums of its panes. */
async function ofService({ impressions, feedback }: Log) {
  const settings = load(YAML);
  const scorer = compile(settings.measures, settings.grading);
  const roles = [
    { impressions: true, feedback: false },
    { impressions: false, feedback: true },
  ];
  const shape = unitShape(settings, scorer, 0);
  const hashes = new Map<string, Map<string, string>>();
  const unit = await Unit.claim(
    {
      ...shape,
      namespace: 'service',
      partition: 0,
      partitions: 1,
      generation: '1',
      permissions: NO_PERMISSIONS,
      fingerprint: { shape: '', additive: '' },
      join: { ...shape.join, topics: roles },
      sources: ['', ''],
    },
    {
      store: new MemoryStore(hashes),
      scorer,
      decoders: roles.map((role) =>
        createDecoder({ ...decoderLimits(settings), role, adapter: 'canonical', tsUnit: 'auto', positionBase: 1 }),
      ),
      newId: () => 'id',
      now: () => undefined,
    },
  );
  for (const [topic, lines] of [impressions, feedback].entries()) {
    const records = lines.map(({ event }, offset) => ({
      offset,
      timestamp: undefined,
      value: Buffer.from(JSON.stringify(event)),
    }));
    unit.feed({ partition: 0, topic, records, next: records.length });
  }
  // The lists of files have ended. To a service that is silence: the wall clock takes their watermark on (join 6).
  unit.idle(0, unit.join.topicWatermark(1));
  await unit.commit();
  const codec = rowCodec(shape.panes.shape);
  const sums = new Map<string, Row>();
  for (const [key, fields] of hashes) {
    if (!key.includes(':pane:m:')) continue;
    for (const [field, text] of fields) addToSum(sums, field, codec.decode(text));
  }
  const [start, end] = sumsStarts(shape.panes.shape);
  return new Map(
    [...sums].map(([field, { impressions, positives, sums }]) => {
      expect(parseField(field)).toBeDefined();
      const mrr = measureValue(settings.measures[0], sums.slice(start, end)) ?? null;
      return [field, { impressions, positives, mrr }];
    }),
  );
}

describe('a list', () => {
  const end = BEGIN + 5 * MINUTE + OUT_OF_ORDER;

  it.each([
    ['a millisecond before', -1, 0],
    ['at', 0, 1],
    ['a millisecond after', 1, 1],
  ] as const)('counts with feedback up to its horizon and outOfOrderness, in threes: %s', async (_, more, counted) => {
    const inputs = written({
      impressions: [shown(0, BEGIN, 'A')],
      feedback: [clicked(0, BEGIN + 5), clicked(9, end + more)],
    });
    const row = whole(await replayed(inputs), '5m');
    expect(row).toMatchObject({ impressions: counted, open: 1 - counted });
    if (counted === 0) {
      const [value, time] = [row?.measures['mrr'].value, new Date(end).toISOString()];
      expect([value, row?.knownFrom, row?.allKnownFrom]).toEqual([null, time, time]);
    }
  });

  it('counts without a later one, where the feedback goes on', async () => {
    const inputs = written({ impressions: [shown(0, BEGIN, 'A')], feedback: [clicked(0, BEGIN + 5), clicked(9, end)] });
    expect(await replayed(inputs)).toMatchObject({ impressions: { open: { '1m': 0, '5m': 0 } }, isEmpty: false });
  });

  it('is open where the feedback ends first, however many lists follow', async () => {
    const lists = Array.from({ length: 60 }, (_, n) => shown(n, BEGIN + n * MINUTE, n < 30 ? 'A' : 'B'));
    const done = [clicked(0, BEGIN + 5), clicked(9, BEGIN + 9.5 * MINUTE)];
    const result = await replayed(written({ impressions: lists, feedback: done }));
    // Up to 09:20, less a minute.
    expect(whole(result, '1m')).toMatchObject({ impressions: 9, open: 51, positives: 1 });
    const ofB = result.rows.filter(({ labels }) => labels['variant'] === 'B');
    expect(ofB.map(({ horizon, impressions, open }) => [horizon, impressions, open])).toEqual([
      ['1m', 0, 30],
      ['5m', 0, 30],
    ]);
  });

  it('is open at all horizons without any feedback, which is as good as no result', async () => {
    const result = await replayed(written({ impressions: [shown(0, BEGIN, 'A')], feedback: [] }));
    expect(result).toMatchObject({ isEmpty: true, feedbackEnd: null, impressions: { open: { '1m': 1, '5m': 1 } } });
  });

  it('is in no mean over users', async () => {
    const yaml = 'attribution: {horizons: [1m]}\nmeasures: ["mrr(per=user)"]\ncohorts: [[]]';
    const log = {
      impressions: [shown(0, BEGIN, 'A'), shown(1, BEGIN + 2 * MINUTE, 'A')],
      feedback: [clicked(0, BEGIN + 5), clicked(1, BEGIN + 2 * MINUTE + 5)],
    };
    const [row] = (await replayed(written(log), yaml)).rows;
    expect(row).toMatchObject({ impressions: 1, open: 1, measures: { 'mrr(per=user)': { n: 1, value: 0.5 } } });
  });

  it('is in no count by rank', async () => {
    const log = {
      impressions: [shown(0, BEGIN, 'A'), shown(1, BEGIN + 9 * MINUTE, 'A')],
      feedback: [clicked(1, BEGIN + 9 * MINUTE + 1)],
    };
    const row = whole(await replayed(written(log), `${YAML}\npositions: {ranks: 2, sets: [[]]}`), '5m');
    expect(row?.positions).toEqual({ exposed: [1, 1], positives: [0, 0] });
  });
});

describe('nothing is open', () => {
  const lists = [shown(0, BEGIN + 1, 'A'), shown(1, BEGIN + MINUTE, 'B')];
  const counted = async (inputs: ReplayInputs, yaml: string, closeAll = false) => {
    const result = await replayed(inputs, yaml, closeAll);
    return [whole(result, '5m')?.impressions, whole(result, '5m')?.open, result.feedbackEnd];
  };

  it('where all measures are of the list alone', async () => {
    const yaml = YAML.replace('[mrr]', '[length]');
    expect(await counted({ impressions: write(lists.map(({ event }) => event)), feedback: [] }, yaml)).toEqual([
      2,
      0,
      null,
    ]);
    expect(await counted(written({ impressions: lists, feedback: [clicked(0, BEGIN + 9)] }), yaml)).toEqual([
      2,
      0,
      null,
    ]);
  });

  it('with --close-all', async () => {
    const inputs = written({ impressions: lists, feedback: [clicked(0, BEGIN + 9)] });
    expect(await counted(inputs, YAML)).toEqual([0, 2, new Date(BEGIN + 9).toISOString()]);
    expect(await counted(inputs, YAML, true)).toEqual([2, 0, null]);
  });

  it('where no feedback was named', async () => {
    expect(await counted({ impressions: write(lists.map(({ event }) => event)), feedback: [] }, YAML)).toEqual([
      2,
      0,
      null,
    ]);
  });

  it('where all feedback has the time of its list, unless all lists have whole hours', async () => {
    const done = lists.map(({ ts }, n) => clicked(n, ts));
    expect(await counted(written({ impressions: lists, feedback: done }), YAML)).toEqual([2, 0, null]);
    const hour = lists.map((_, n) => [shown(n, BEGIN, 'A'), clicked(n, BEGIN)]);
    const [impressions, feedback] = [0, 1].map((side) => hour.map((pair) => pair[side]));
    expect(await counted(written({ impressions, feedback }), YAML)).toEqual([0, 2, new Date(BEGIN).toISOString()]);
  });

  /** One row per shown item; the first list is clicked at rank 2 after ten seconds. */
  const rows = lists.flatMap(({ ts }, n) =>
    ['a', 'b'].map((item, rank) => ({
      request: `r${n}`,
      ts: ts + rank * SECOND,
      item,
      clicked: n === 0 && rank === 1 ? 1 : 0,
      clicked_at: n === 0 && rank === 1 ? ts + 10 * SECOND : null,
    })),
  );
  const list = (feedback: string): string =>
    `${YAML}\ninputs: {impressions: {adapter: {list: {by: request}, map: {ts: /ts, itemId: /item}, feedback: ${feedback}}}}`;

  it('where rows say what was clicked, and not when', async () => {
    expect(await counted({ impressions: write(rows), feedback: [] }, list('{clicked: click}'))).toEqual([2, 0, null]);
  });

  it('but where they say when, their log must reach beyond the list', async () => {
    const yaml = list('{clicked: {action: click, ts: /clicked_at}}');
    const later = { ...rows[0], request: 'r9', ts: BEGIN + 6 * MINUTE };
    const end = (ts: number) => new Date(ts).toISOString();
    expect(await counted({ impressions: write(rows), feedback: [] }, yaml)).toEqual([0, 2, end(BEGIN + MINUTE)]);
    expect(await counted({ impressions: write([...rows, later]), feedback: [] }, yaml)).toEqual([1, 2, end(later.ts)]);
  });

  it('but where files of feedback stand beside the rows, these must reach beyond the list', async () => {
    const inputs = { impressions: write(rows), feedback: write([clicked(0, BEGIN + 6 * MINUTE).event]) };
    expect(await counted(inputs, list('{clicked: click}'))).toEqual([1, 1, new Date(BEGIN + 6 * MINUTE).toISOString()]);
  });

  it('in one log of both sides only for lists that it reaches beyond', async () => {
    const events = [...lists, clicked(0, BEGIN + 30 * SECOND), clicked(9, BEGIN + 5.5 * MINUTE)].map(
      ({ event }) => event,
    );
    expect(await counted({ events: write(events) }, YAML)).toEqual([
      1,
      1,
      new Date(BEGIN + 5.5 * MINUTE).toISOString(),
    ]);
  });
});
