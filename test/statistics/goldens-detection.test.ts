import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { pastBaseline, residual } from '../../src/statistics/baseline.ts';
import { decide } from '../../src/statistics/decision.ts';
import type { Estimate } from '../../src/statistics/watched-blocks.ts';
import { CUSUM_START, clipped, cusumStep, isOn, RunningScale } from '../../src/statistics/watched-path.ts';
import { type DecisionInputs, factsOf } from './facts.ts';
import { expectGolden, type Golden } from './golden.ts';

/** The inputs of each kind of case, under one roof: each test takes those of its own. */
interface Inputs {
  readonly z: readonly number[];
  readonly k: number;
  readonly h: number;
  readonly scale: number;
  readonly S: readonly number[];
  readonly lambda: number;
  readonly L: readonly number[];
  readonly weeks: readonly Estimate[];
  readonly block: Estimate;
}

const GOLDENS = JSON.parse(
  readFileSync(new URL('./goldens-detection.json', import.meta.url), 'utf8'),
) as readonly (Golden & { readonly inputs: Inputs & DecisionInputs })[];

function golden(id: string): (typeof GOLDENS)[number] {
  const found = GOLDENS.find((candidate) => candidate.id === id);
  if (found === undefined) throw new Error(`goldens-detection.json has no case ${id}`);
  return found;
}

function both(u: number): { readonly low: number; readonly high: number } {
  return { low: u, high: u };
}

/** The stream of CUSUM-1: residuals by the first 30 values, from the 31st on. */
function stream(): { readonly mean: number; readonly sd: number; readonly z: readonly number[] } {
  const x = Array.from({ length: 1000 }, (_, i) => {
    const wave = 0.05 * Math.sin((2 * Math.PI * i) / 7);
    const noise = (((7919 * i) % 101) / 100 - 0.5) * 0.04;
    return 0.3 + wave + noise - (i >= 600 ? 0.06 : 0);
  });
  const past = x.slice(0, 30);
  const mean = past.reduce((sum, value) => sum + value, 0) / past.length;
  const sd = Math.sqrt(past.reduce((sum, value) => sum + (value - mean) ** 2, 0) / (past.length - 1));
  return { mean, sd, z: x.slice(30).map((value) => (value - mean) / sd) };
}

function firstLow<State>(
  start: State,
  z: readonly number[],
  step: (state: State, z: number) => State,
  low: (state: State) => boolean,
): number {
  let state = start;
  const at = z.findIndex((value) => {
    state = step(state, value);
    return low(state);
  });
  return at < 0 ? -1 : at + 30;
}

describe('detection against reference values', () => {
  it('CUSUM-1: the first low alarm on a fixed stream', () => {
    const { mean, sd, z } = stream();
    const { k } = golden('CUSUM-1').inputs;
    const firstAlarm = [5, 8, 12, 20].map((limit) =>
      firstLow(
        CUSUM_START,
        z,
        (state, value) => cusumStep(state, both(value), { k, h: limit }),
        ({ low }) => low.on,
      ),
    );
    expectGolden({ mean, sd, firstAlarm }, golden('CUSUM-1'));
  });

  it('CUSUM-2: the recursion by hand', () => {
    const { z, k, h, scale } = golden('CUSUM-2').inputs;
    let state = CUSUM_START;
    const S = z.map((value) => {
      state = cusumStep(state, both(clipped(value, scale)), { k, h });
      return state.low.s;
    });
    expectGolden({ S }, golden('CUSUM-2'));
  });

  it('CUSUM-2 high: the same with every sign turned', () => {
    const { z, k, h, scale } = golden('CUSUM-2').inputs;
    let state = CUSUM_START;
    const S = z.map((value) => {
      state = cusumStep(state, both(clipped(-value, scale)), { k, h });
      return state.high.s;
    });
    expectGolden({ S }, golden('CUSUM-2'));
  });

  it('CUSUM-3: on at h, off at h/2', () => {
    const { S, h } = golden('CUSUM-3').inputs;
    let on = false;
    const alarm = S.map((s) => {
      on = isOn(s, on, h);
      return on;
    });
    expectGolden({ alarm }, golden('CUSUM-3'));
  });

  it('SCALE-1: the robust scale', () => {
    const scale = new RunningScale();
    // As often as is enough for a scale: the median stays.
    for (let i = 0; i < 24; i++) for (const z of golden('SCALE-1').inputs.z) scale.add(z);
    expectGolden({ scale: scale.value }, golden('SCALE-1'));
  });

  it('BASE-1: a weekly baseline of three values and the residual of a block', () => {
    const { weeks, block } = golden('BASE-1').inputs;
    const baseline = pastBaseline(weeks, []);
    if (baseline === undefined) throw new Error('no baseline');
    expect(baseline.kind).toBe('weekly');
    const { value, stderr, between } = baseline;
    expectGolden({ baseline: value, baselineStderr: stderr, between, z: residual(block, baseline) }, golden('BASE-1'));
  });

  /** Rules that are others by now: a split off by .2 % is a mismatch, and positives in one variant are enough. */
  const CHANGED: ReadonlyMap<string, object> = new Map([
    ['DEC-6', { label: 'invalid', reason: 'srm' }],
    ['DEC-10', { label: 'healthy', reason: 'within_tolerance' }],
  ]);

  it.each(GOLDENS.filter(({ id }) => id.startsWith('DEC-')))('$id', ({ id, inputs, expected }) => {
    expect(decide(factsOf(inputs), undefined)).toMatchObject(CHANGED.get(id) ?? Object(expected));
  });

  it('uses every case of the file', () => {
    const used = /^(?:CUSUM-[123]|SCALE-1|BASE-1|DEC-(?:[1-9]|1[0-8]))$/;
    expect(GOLDENS.filter(({ id }) => !used.test(id))).toEqual([]);
    expect(GOLDENS).toHaveLength(23);
  });
});
