import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { errorNotes } from '../../src/experiment/comparison-words.ts';
import { evaluate } from '../../src/experiment/evaluate.ts';
import { decodeLooks, encodeLooks, MOST_POINTS, NO_EXPERIMENT_LOOKS } from '../../src/experiment/experiment-looks.ts';
import { isoTime } from '../../src/experiment/run-settings.ts';
import { takeLooks, Watcher } from '../../src/experiment/take-looks.ts';
import { AS_OF, SETTINGS, sampleOf, state, variant } from './states.ts';

const HOUR = 3_600_000;
const GUARDED = { ...SETTINGS, guardrails: ['hit@10'] };

/** Both measures of both variants, with an error of .0007 for each mean. */
function arms(difference: number, guard: number) {
  const means = (primary: number, second: number) =>
    new Map([
      ['ndcg@10', { value: primary, stderr: 0.0007, df: 255, weight: 5000 }],
      ['hit@10', { value: second, stderr: 0.0007, df: 255, weight: 4000 }],
    ]);
  return { A: variant(means(0.3, 0.6)), B: variant(means(0.3 + difference, 0.6 + guard)) };
}

function guarded(difference: number, guard: number, more: Parameters<typeof state>[1] = {}) {
  return state(arms(difference, guard), { settings: GUARDED, measures: ['ndcg@10', 'hit@10'], ...more });
}

const steps = fc.array(
  fc.record({
    difference: fc.double({ min: -0.006, max: 0.006, noNaN: true }),
    guard: fc.double({ min: -0.006, max: 0.006, noNaN: true }),
  }),
  { minLength: 1, maxLength: 12 },
);

describe('looks', () => {
  test('p never rises, stays in (0, 1], and a look that is repeated changes nothing', () => {
    fc.assert(
      fc.property(steps, (history) => {
        let looks = NO_EXPERIMENT_LOOKS;
        let before = [1, 1];
        history.forEach(({ difference, guard }, i) => {
          const now = guarded(difference, guard, { asOf: AS_OF + i * HOUR, looks });
          looks = takeLooks(now);
          expect(takeLooks({ ...now, looks })).toEqual(looks);
          const ps = evaluate({ ...now, looks }).variants[0].measures.map(({ p }) => p ?? Number.NaN);
          ps.forEach((p, m) => {
            expect(p > 0 && p <= before[m]).toBe(true);
          });
          before = ps;
        });
      }),
      { seed: 11, numRuns: 60 },
    );
  });

  test('looks come back from their fields as they were', () => {
    fc.assert(
      fc.property(steps, (history) => {
        let looks = NO_EXPERIMENT_LOOKS;
        for (const [i, { difference, guard }] of history.entries()) {
          looks = takeLooks(guarded(difference, guard, { asOf: AS_OF + i * HOUR, looks }));
        }
        const stored = JSON.parse(JSON.stringify([...encodeLooks(looks, SETTINGS)])) as [string, string][];
        expect(decodeLooks(new Map(stored), '30m')).toEqual(looks);
      }),
      { seed: 13, numRuns: 40 },
    );
  });

  test('of a measure that came back to the run are no evidence if their lists closed before; those of others stay', () => {
    const measures = ['ndcg@10', 'hit@10'];
    const looks = takeLooks(guarded(-0.01, -0.01));
    const { ms } = SETTINGS.horizon;
    const after = (since: number) =>
      takeLooks(guarded(-0.001, -0.001, { asOf: AS_OF + HOUR, measures, since: { 'hit@10': since }, looks }));
    const seen = (since: number, measure: string) => after(since).measures.get('B')?.get(measure)?.worse;
    expect(seen(AS_OF + ms - 1, 'hit@10')).toEqual(looks.measures.get('B')?.get('hit@10')?.worse);
    expect(seen(AS_OF + ms, 'hit@10')?.at).toBe(AS_OF + HOUR);
    expect(seen(AS_OF + ms, 'ndcg@10')).toEqual(looks.measures.get('B')?.get('ndcg@10')?.worse);
  });

  test('and a comparison says since when a measure counts that was added', () => {
    const state = guarded(-0.01, -0.01, { since: { 'hit@10': AS_OF - 1000 } });
    const comparison = evaluate({ ...state, looks: takeLooks(state) });
    const [{ measures }] = comparison.variants;
    expect(measures.map(({ measure, since }) => [measure, since])).toEqual([
      ['ndcg@10', undefined],
      ['hit@10', isoTime(AS_OF - 1000)],
    ]);
    expect(errorNotes(comparison)).toEqual([
      `hit@10 was added later: it counts the lists that closed after ${isoTime(AS_OF - 1000)}.`,
    ]);
  });

  test('fields are named by horizon, variant, measure and direction', () => {
    const looks = takeLooks(guarded(-0.01, -0.01));
    expect([...encodeLooks(looks, SETTINGS).keys()]).toEqual([
      'settings',
      'rules',
      'srm',
      '30m|B|ndcg@10|worse',
      '30m|B|hit@10|worse',
      '30m|B|hit@10|guard',
      '30m|B|decision',
      '30m|B|point|0',
      'fields',
    ]);
  });

  test('fields of another horizon are left out, also where a measure holds the sign between the parts', () => {
    const fields = new Map([
      ['rules', '2'],
      ['5m|B|mrr|worse', '[1,2]'],
      ['30m|B|rate(action=a|b)|better', '[3,4]'],
    ]);
    const { measures } = decodeLooks(fields, '30m');
    expect(measures.get('B')?.get('rate(action=a|b)')).toMatchObject({ better: { logE: 3, at: 4 }, worse: undefined });
    expect(measures.get('B')?.has('mrr')).toBe(false);
  });

  test.each([
    ['srm', '{}'],
    ['30m|B|mrr|worse', '["1",2]'],
    ['30m|B|decision', '["healthy","srm",1]'],
    ['30m|B|point|0', '[1,2,3]'],
  ])('a damaged field is named: %s', (field, text) => {
    const fields = new Map([
      ['rules', '2'],
      [field, text],
    ]);
    expect(() => decodeLooks(fields, '30m')).toThrow(field);
  });

  test('of evidence and decisions that older rules have left nothing is read; the split and the picture are the same', () => {
    const looks = takeLooks(guarded(-0.01, -0.01));
    const { rules, ...older } = Object.fromEntries(encodeLooks(looks, SETTINGS));
    expect(rules).toBe('2');
    const { srm, points } = looks;
    expect(decodeLooks(new Map(Object.entries(older)), '30m')).toEqual({ ...NO_EXPERIMENT_LOOKS, srm, points });
  });

  test('a point whose place before it is empty is refused, and names the place', () => {
    const fields = new Map([
      ['30m|B|point|0', '[1,0,-1,1]'],
      ['30m|B|point|2', '[3,0,-1,1]'],
    ]);
    expect(() => decodeLooks(fields, '30m')).toThrow('looks: 30m|B|point|1: ');
  });

  test('one more look writes one point, however many there are', () => {
    let looks = NO_EXPERIMENT_LOOKS;
    let before = new Map<string, string>();
    for (let i = 0; i < MOST_POINTS + 50; i++) {
      looks = takeLooks(guarded(-0.0001 * (i % 7), 0, { asOf: AS_OF + i * HOUR, looks }));
      const fields = encodeLooks(looks, SETTINGS);
      const changed = [...fields].filter(([field, text]) => field.includes('|point|') && before.get(field) !== text);
      expect(changed).toHaveLength(1);
      before = fields;
    }
    expect([...before.keys()].filter((field) => field.includes('|point|'))).toHaveLength(MOST_POINTS);
    expect(decodeLooks(before, '30m')).toEqual(looks);
  });

  test('nothing is seen before anything is final', () => {
    expect(takeLooks(guarded(-0.01, 0, { asOf: undefined }))).toBe(NO_EXPERIMENT_LOOKS);
  });

  test('a better guardrail is no evidence that it is worse', () => {
    expect(takeLooks(guarded(0, 0.01)).measures.get('B')?.get('hit@10')?.guard).toBeUndefined();
  });
});

/** What makes a look unsound. */
const FLAWS = {
  incomplete: { missing: 500 },
  srm: { sample: sampleOf([300, 900]) },
  crossover: { sample: crossed() },
  no_user_ids: {},
} as const;
type Flaw = keyof typeof FLAWS;

function crossed() {
  const sample = sampleOf([300, 300]);
  for (let i = 0; i < 10; i++) sample.add(`u-0-${i}`, 1, AS_OF + 1);
  return sample;
}

/** A quarter of the lists of one may be without a user. */
function flawed(flaw: Flaw | undefined, difference: number, guard: number, more: Parameters<typeof state>[1]) {
  const { A, B } = arms(difference, guard);
  const userless = { ...B, userless: flaw === 'no_user_ids' ? 1251 : 1250 };
  return state(
    { A, B: userless },
    { settings: GUARDED, measures: ['ndcg@10', 'hit@10'], ...(flaw === undefined ? {} : FLAWS[flaw]), ...more },
  );
}

describe('an unsound look', () => {
  const history = fc.array(
    fc.record({
      flaw: fc.option(fc.constantFrom(...(Object.keys(FLAWS) as Flaw[])), { nil: undefined, freq: 2 }),
      difference: fc.integer({ min: -10, max: 2 }).map((n) => n / 1000),
      guard: fc.double({ min: -0.006, max: 0.006, noNaN: true }),
    }),
    { minLength: 1, maxLength: 12 },
  );

  test('leaves a run as if nobody had looked at it, but for its split', () => {
    let [found, withdrawn] = [0, 0];
    fc.assert(
      fc.property(history, (steps) => {
        let looks = NO_EXPERIMENT_LOOKS;
        let fresh = NO_EXPERIMENT_LOOKS;
        for (const [i, { flaw, difference, guard }] of steps.entries()) {
          const now = flawed(flaw, difference, guard, { asOf: AS_OF + i * HOUR });
          const before = looks.decisions.get('B')?.label;
          looks = takeLooks({ ...now, looks });
          const { srm, measures, decisions } = looks;
          const decision = decisions.get('B');
          if (decision?.label === 'regressed' || decision?.label === 'improved') found++;
          if (decision?.reason === 'effect_changed') return;
          if (flaw !== undefined) {
            expect(decision?.reason).toBe(flaw);
            expect([...measures]).toEqual([]);
            if (before === 'regressed' || before === 'improved') withdrawn++;
            fresh = { ...NO_EXPERIMENT_LOOKS, srm };
            continue;
          }
          fresh = takeLooks({ ...now, looks: fresh });
          expect(measures).toEqual(fresh.measures);
          expect([decision?.label, decision?.reason]).toEqual([
            fresh.decisions.get('B')?.label,
            fresh.decisions.get('B')?.reason,
          ]);
        }
      }),
      { seed: 17, numRuns: 100 },
    );
    expect(Math.min(found, withdrawn)).toBeGreaterThan(20);
  });

  test.each(Object.keys(FLAWS) as Flaw[])('shows no p, and why: %s', (flaw) => {
    const now = flawed(flaw, -0.01, 0, {});
    const [{ decision, reason, measures }] = evaluate({ ...now, looks: takeLooks(now) }).variants;
    expect([decision, reason]).toEqual([flaw === 'no_user_ids' ? 'insufficient' : 'invalid', flaw]);
    expect(measures.map(({ p, pAdjusted, reason: why }) => [p, pAdjusted, why])).toEqual([
      [null, null, flaw],
      [null, null, flaw],
    ]);
    expect(measures[0].ci === null).toBe(flaw === 'no_user_ids');
  });

  test('takes its fields away, and leaves those of the split and of the picture', () => {
    const looks = takeLooks(guarded(-0.01, -0.01));
    const after = takeLooks(guarded(-0.01, -0.01, { asOf: AS_OF + HOUR, missing: 500, looks }));
    expect([...encodeLooks(after, SETTINGS).keys()]).toEqual([
      'settings',
      'rules',
      'srm',
      '30m|B|decision',
      '30m|B|point|0',
      '30m|B|point|1',
      'fields',
    ]);
    expect(decodeLooks(encodeLooks(after, SETTINGS), '30m')).toEqual(after);
  });

  test('of one variant says nothing of another', () => {
    const { A, B } = arms(-0.01, 0);
    const settings = { ...GUARDED, variants: new Map([...GUARDED.variants, ['C', 0.5]]) };
    const now = state({ A, B, C: { ...B, userless: 4000 } }, { settings, measures: ['ndcg@10', 'hit@10'] });
    const looks = takeLooks(now);
    expect(looks.decisions.get('B')?.reason).toBe('primary_worse');
    expect(looks.decisions.get('C')?.reason).toBe('no_user_ids');
    expect([...looks.measures.keys()]).toEqual(['B']);
  });
});

describe('a watcher', () => {
  const { looks: _, ...worse } = guarded(-0.01, 0);
  const { looks: __, ...better } = guarded(0.01, 0, { asOf: AS_OF + 2 * HOUR });
  const { looks: ___, ...same } = guarded(0, 0, { asOf: AS_OF + HOUR });

  test('keeps a finding that later looks no longer show, since its first look', () => {
    const watcher = new Watcher();
    watcher.look(worse);
    const [compared] = watcher.look(same).variants;
    expect(compared).toMatchObject({ decision: 'regressed', decidedAsOf: new Date(AS_OF).toISOString() });
    expect(compared.explanation).toContain('at an earlier look');
  });

  test('finds that an effect in both directions is no effect, for good', () => {
    const watcher = new Watcher();
    watcher.look(worse);
    watcher.look(better);
    expect(watcher.look({ ...same, asOf: AS_OF + 3 * HOUR }).variants[0].reason).toBe('effect_changed');
  });

  test('leaves a trail of the primary measure, one point for each time', () => {
    const watcher = new Watcher();
    watcher.look(worse);
    watcher.look(worse);
    watcher.look(same);
    const trail = watcher.trail.get('B') ?? [];
    expect(trail.map(({ at }) => at)).toEqual([AS_OF, AS_OF + HOUR]);
    expect(trail[0].effect).toBeCloseTo(-0.01, 12);
    expect(trail[0].lower < -0.01 && trail[0].upper > -0.01).toBe(true);
  });
});
