import { describe, expect, it } from 'vitest';
import { acceptLevel, withdrawLevel } from '../../src/accumulators/store/accepted-level.ts';
import { MemoryStore } from '../../src/accumulators/store/memory-store.ts';
import type { QualityDecision } from '../../src/exporter/cohort-watch.ts';
import { Exporter } from '../../src/exporter/exporter.ts';
import { parseMeasures } from '../../src/measures/grammar/measure-name.ts';
import type { Closing } from '../accumulators/histories.ts';
import { StoredUnit } from '../stored-units.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const HORIZON = { text: '1m', ms: MINUTE };
const { measures } = parseMeasures(['mrr'], { relevantFrom: 1 });
const SETS = [[], ['country']];
/** Lists per step of 5 minutes, of one country: enough for a block. */
const LISTS = 240;
const STEP = 5 * MINUTE;
const NOON = Date.UTC(2026, 10, 20, 12);

/** Reciprocal ranks. */
const RANKS = [1, 0.5, 0.25, 0, 1, 0.5, 0.2, 0];

/** A whole number below `n` that looks drawn, the same for equal arguments. */
function drawn(seed: number, n: number): number {
  let x = Math.imul(seed | 0, 0x9e3779b1);
  x = Math.imul(x ^ (x >>> 15), 0x85ebca6b);
  x = Math.imul(x ^ (x >>> 13), 0xc2b2ae35);
  return ((x ^ (x >>> 16)) >>> 0) % n;
}

/** Lists of [from, to), each worth `share` of a usual one. */
function lists(from: number, to: number, share = 1, country = 'DE'): Closing[] {
  const closings: Closing[] = [];
  for (let i = 0, ts = from; ts < to; i++, ts = from + (i * STEP) / LISTS) {
    const value = Math.round(RANKS[drawn(ts, RANKS.length)] * share * 1e9) / 1e9;
    const positive = value > 0;
    const out = Float64Array.from([positive ? 2 : 1, value, 0]);
    const at = ts + HORIZON.ms;
    const one = {
      at,
      ts,
      horizon: 0,
      values: [country],
      userless: false,
      bucket: drawn(ts + 1, 256),
      leftOut: 0,
      positive,
      out,
    };
    closings.push({ ...one, impression: ts, last: true });
  }
  return closings;
}

interface World {
  readonly store: MemoryStore;
  readonly units: readonly StoredUnit[];
  readonly exporter: Exporter;
  /** One more on the same store. */
  readonly another: () => Exporter;
}

function worldOf(
  histories: readonly (readonly Closing[])[],
  {
    cohortsPerSet = 10,
    history = 22 * DAY,
    incompleteBefore = [],
  }: { readonly cohortsPerSet?: number; readonly history?: number; readonly incompleteBefore?: readonly number[] } = {},
): World {
  const store = new MemoryStore();
  const settings = {
    paneSize: MINUTE,
    hour: HOUR,
    horizons: [HORIZON],
    dimensions: ['country'],
    sets: SETS,
    clustered: [[]],
    shape: { names: ['mrr'], kinds: ['mean'] as const },
    cohortsPerSet,
    keepMinutes: 27 * HOUR + 12 * MINUTE,
    keepHours: history,
    keepVectors: 25 * HOUR,
    totals: [],
    runs: [],
    closedUpTo: Number.NEGATIVE_INFINITY,
  };
  const units = histories.map((history, unit) => {
    const owner = { namespace: 'ns', unit, generation: '1' };
    return new StoredUnit(store, { ...settings, owner }, history, incompleteBefore[unit]);
  });
  const another = (): Exporter =>
    new Exporter(
      {
        measures,
        cohorts: SETS,
        experiments: [],
        statistics: { clustered: [[]] },
        detect: {
          sets: SETS,
          measures: ['mrr'],
          horizon: HORIZON,
          step: STEP,
          history,
          k: 0.5,
          h: 20,
          tolerance: 0.01,
          lowerIsBetter: new Set<string>(),
        },
        paneSize: { text: '1m', ms: MINUTE },
        windows: [{ text: '5m', ms: STEP }],
        attribution: { horizons: [HORIZON], window: HORIZON, unitTimeout: 10 * MINUTE },
      },
      { store, namespace: 'ns', partitions: histories.length },
    );
  return { store, units, exporter: another(), another };
}

/** What the exporter says once it has read all of the past. */
async function said({ exporter }: World): Promise<readonly string[]> {
  let decisions: readonly QualityDecision[] = [];
  for (let i = 0; i < 30; i++) ({ decisions } = await exporter.refresh());
  return decisions.map(({ by, values, decision: { label, reason, newest } }) =>
    `${[...by, ...values].join('=')} ${label} ${reason} ${newest?.baseline?.kind ?? '-'}`.trim(),
  );
}

/** The unit has everything that was shown before `end`, at the horizon. */
const closeAll = async ({ units }: World, end: number): Promise<void> => {
  for (const unit of units) await unit.close(end + HORIZON.ms);
};

describe('a watched cohort', () => {
  const since = (end: number): number => NOON - end;

  it.each([
    [35, 'insufficient warming_up'],
    [36, 'healthy in_control'],
    [37, 'healthy in_control'],
  ])('that has %i steps is %s', async (steps, expected) => {
    const end = NOON + 30 * MINUTE;
    const world = worldOf([lists(end - steps * STEP, end)], { incompleteBefore: [end - steps * STEP] });
    await closeAll(world, end);
    const decisions = await said(world);
    expect(decisions).toHaveLength(2);
    for (const decision of decisions) expect(decision).toContain(expected);
  });

  it.each([
    [0.5, 'regressed below_baseline'],
    [1, 'healthy in_control'],
    [1.5, 'improved above_baseline'],
  ])('whose values change to %f of what they were is %s', async (share, expected) => {
    const world = worldOf([[...lists(since(6 * HOUR), NOON), ...lists(NOON, NOON + HOUR, share)]]);
    await closeAll(world, NOON + HOUR);
    expect(await said(world)).toEqual([`${expected} startup`, `country=DE ${expected} startup`]);
  });

  it('is compared with the same hour of the days before, where there are three of them', async () => {
    const days = (n: number, share: number): Closing[] =>
      Array.from({ length: n }, (_, i) => NOON - (n - i) * DAY).flatMap((hour) => lists(hour, hour + HOUR, share));
    const today = lists(since(4 * HOUR), NOON + HOUR, 0.5);
    const end = NOON + HOUR;
    for (const [n, expected] of [
      [3, 'regressed below_baseline daily'],
      [2, 'healthy in_control startup'],
    ] as const) {
      const world = worldOf([[...days(n, 1), ...today]]);
      await closeAll(world, end);
      expect(await said(world)).toEqual([expected, `country=DE ${expected}`]);
    }
  });

  it('is compared with the same hour of the weeks before, where there are two of them', async () => {
    const weeks = [2, 1].flatMap((n) => lists(NOON - n * 7 * DAY, NOON - n * 7 * DAY + HOUR));
    const world = worldOf([[...weeks, ...lists(since(4 * HOUR), NOON + HOUR, 0.5)]]);
    await closeAll(world, NOON + HOUR);
    expect((await said(world))[0]).toBe('regressed below_baseline weekly');
  });

  it('stays regressed as long as hours from before the fall are kept', async () => {
    const noons = (from: number, to: number, share: number): Closing[] =>
      Array.from({ length: from - to }, (_, i) => NOON - (from - i) * DAY).flatMap((at) => lists(at, at + HOUR, share));
    const shown = [...noons(35, 25, 1), ...noons(25, 0, 0.5), ...lists(NOON, NOON + HOUR, 0.5)];
    for (const [days, expected] of [
      [22, 'healthy in_control weekly'],
      [36, 'regressed below_baseline weekly'],
    ] as const) {
      const world = worldOf([shown], { history: days * DAY });
      await closeAll(world, NOON + HOUR);
      expect((await said(world))[0], `${days} days`).toBe(expected);
    }
  });

  it('is not compared with hours of which a unit misses something', async () => {
    const days = [3, 2, 1].flatMap((n) => lists(NOON - n * DAY, NOON - n * DAY + HOUR));
    const history = [...days, ...lists(since(4 * HOUR), NOON + HOUR, 0.5)];
    for (const [missing, kind] of [
      [NOON - 3 * DAY, 'daily'],
      [NOON - 3 * DAY + 1, 'startup'],
    ] as const) {
      const world = worldOf([history], { incompleteBefore: [missing] });
      await closeAll(world, NOON + HOUR);
      expect((await said(world))[0]).toContain(kind);
    }
  });

  it('is summed over all units', async () => {
    const history = [...lists(since(6 * HOUR), NOON), ...lists(NOON, NOON + HOUR, 0.5)];
    const whole = worldOf([history]);
    const parts = worldOf([history.filter((_, i) => i % 3 > 0), history.filter((_, i) => i % 3 === 0)]);
    for (const world of [whole, parts]) await closeAll(world, NOON + HOUR);
    await said(whole);
    await said(parts);
    const { decisions } = await parts.exporter.refresh();
    expect(decisions.map(({ decision }) => decision.newest?.block)).toEqual(
      (await whole.exporter.refresh()).decisions.map(({ decision }) => decision.newest?.block),
    );
    expect(decisions[0].decision.newest?.block.impressions).toBe(LISTS);
  });

  it('is incomplete while a unit is missing, or too far behind to be waited for', async () => {
    const history = lists(since(6 * HOUR), NOON + HOUR);
    const world = worldOf([history, history]);
    await world.units[0].close(NOON + HORIZON.ms);
    expect((await said(world))[0]).toContain('invalid incomplete');
    await world.units[1].close(NOON + HORIZON.ms);
    await world.units[0].close(NOON + HORIZON.ms + STEP);
    await world.units[1].close(NOON + HORIZON.ms + STEP);
    expect((await said(world))[0]).toContain('healthy in_control');
    await world.units[0].close(NOON + HORIZON.ms + 5 * STEP);
    expect((await said(world))[0]).toContain('invalid incomplete');
  });

  it('has too few impressions with fewer than 200 an hour', async () => {
    const rare = lists(since(8 * HOUR), NOON, 1, 'FR').filter((_, i) => i % 16 === 0);
    const world = worldOf([[...lists(since(8 * HOUR), NOON), ...rare].sort((a, b) => a.at - b.at)]);
    await closeAll(world, NOON);
    expect(await said(world)).toContain('country=FR insufficient few_impressions -');
  });

  it('has no series when it does not go by its own name', async () => {
    const history = [...lists(since(6 * HOUR), NOON), ...lists(since(6 * HOUR), NOON, 1, 'FR')];
    const world = worldOf([history.sort((a, b) => a.at - b.at)], { cohortsPerSet: 1 });
    await closeAll(world, NOON);
    expect((await said(world)).map((line) => line.split(' ')[0])).toEqual(['healthy', 'country=DE']);
  });

  it('is judged once per step', async () => {
    const world = worldOf([lists(since(4 * HOUR), NOON + HOUR)]);
    await closeAll(world, NOON);
    await said(world);
    const { decisions } = await world.exporter.refresh();
    await closeAll(world, NOON + STEP - 1);
    expect((await world.exporter.refresh()).decisions).toBe(decisions);
    await closeAll(world, NOON + STEP);
    const next = (await world.exporter.refresh()).decisions;
    expect(next).not.toBe(decisions);
    expect(next[0].decision.newest?.block).toMatchObject({ start: NOON, end: NOON + STEP });
  });

  it('has no series before anything is there', async () => {
    const world = worldOf([lists(since(4 * HOUR), NOON)]);
    expect(await said(world)).toEqual([]);
    await closeAll(world, NOON);
    expect(await said(world)).toHaveLength(2);
  });

  it('has no series until all of its past has been read, some hours at a time', async () => {
    const world = worldOf([lists(since(4 * HOUR), NOON)]);
    await closeAll(world, NOON);
    expect((await world.exporter.refresh()).decisions).toEqual([]);
    expect(await said(world)).toHaveLength(2);
  });

  it('is compared with nothing from before its level was accepted, and with all of it when that was withdrawn', async () => {
    const fallen = lists(NOON, NOON + 5 * HOUR, 0.5);
    const world = worldOf([[...lists(since(6 * HOUR), NOON), ...fallen]]);
    await closeAll(world, NOON + 5 * HOUR);
    expect(await said(world)).toEqual([
      'regressed below_baseline startup',
      'country=DE regressed below_baseline startup',
    ]);
    let ids = 0;
    const newId = (): string => `id-${++ids}`;
    const level = { by: ['country'], values: ['DE'], measure: 'mrr', from: NOON, at: NOON + 5 * HOUR, note: 'meant' };
    await acceptLevel(world.store, 'ns', level, newId);
    const accepted = ['regressed below_baseline startup', 'country=DE healthy in_control startup'];
    expect(await said(world)).toEqual(accepted);
    const [everything, germany] = (await world.exporter.refresh()).decisions;
    expect([everything.accepted, germany.accepted]).toEqual([undefined, level]);
    expect(await said({ ...world, exporter: world.another() })).toEqual(accepted);
    await acceptLevel(world.store, 'ns', { ...level, from: NOON + 4 * HOUR }, newId);
    expect((await said(world))[1]).toBe('country=DE insufficient warming_up -');
    await acceptLevel(world.store, 'ns', { ...level, from: NOON + 9 * HOUR }, newId);
    expect((await said(world))[1]).toBe('country=DE insufficient warming_up -');
    await withdrawLevel(world.store, 'ns', level, newId);
    expect((await said(world))[1]).toBe('country=DE regressed below_baseline startup');
  });

  it('that has no click any more is regressed, not too small to be judged', async () => {
    const days = [3, 2, 1].flatMap((n) => lists(NOON - n * DAY, NOON - n * DAY + 2 * HOUR));
    const dead = lists(NOON, NOON + 2 * HOUR).map((one) => ({
      ...one,
      positive: false,
      out: Float64Array.from([1, 0, 0]),
    }));
    const world = worldOf([[...days, ...lists(since(4 * HOUR), NOON), ...dead]]);
    await closeAll(world, NOON + 2 * HOUR);
    expect((await said(world))[0]).toBe('regressed below_baseline daily');
  });

  it('is said alike by an exporter that has just started, and after a unit started over', async () => {
    const days = [3, 2, 1].flatMap((n) => lists(NOON - n * DAY, NOON - n * DAY + 2 * HOUR));
    const world = worldOf([[...days, ...lists(since(4 * HOUR), NOON + 2 * HOUR, 0.9)]]);
    for (let end = NOON; end <= NOON + HOUR; end += STEP) {
      await closeAll(world, end);
      await said(world);
    }
    const late = world.another();
    await said({ ...world, exporter: late });
    const { decisions } = await world.exporter.refresh();
    expect((await late.refresh()).decisions).toEqual(decisions);
    const [unit] = world.units;
    await unit.claim('2');
    await unit.close(NOON + 2 * HOUR + HORIZON.ms);
    for (const line of await said(world)) expect(line).toContain('insufficient');
  });
});
