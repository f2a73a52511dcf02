import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { evaluate } from '../../src/experiment/evaluate.ts';
import { decodeLooks, encodeLooks, MOST_POINTS, NO_EXPERIMENT_LOOKS } from '../../src/experiment/experiment-looks.ts';
import { takeLooks, Watcher } from '../../src/experiment/take-looks.ts';
import { AS_OF, SETTINGS, state, variant } from './states.ts';

const HOUR = 3_600_000;
const GUARDED = { ...SETTINGS, guardrails: ['hit@10'] };

/** Both measures of both variants, with an error of .0007 for each mean. */
function arms(difference: number, guard: number) {
  const means = (primary: number, second: number) =>
    new Map([
      ['ndcg@10', { value: primary, stderr: 0.0007, df: 255 }],
      ['hit@10', { value: second, stderr: 0.0007, df: 255 }],
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
        const stored = JSON.parse(JSON.stringify([...encodeLooks(looks, '30m')])) as [string, string][];
        expect(decodeLooks(new Map(stored), '30m')).toEqual(looks);
      }),
      { seed: 13, numRuns: 40 },
    );
  });

  test('fields are named by horizon, variant, measure and direction', () => {
    const looks = takeLooks(guarded(-0.01, -0.01));
    expect([...encodeLooks(looks, '30m').keys()]).toEqual([
      'srm',
      '30m|B|ndcg@10|worse',
      '30m|B|hit@10|worse',
      '30m|B|hit@10|guard',
      '30m|B|decision',
      '30m|B|point|0',
    ]);
  });

  test('fields of another horizon are left out, also where a measure holds the sign between the parts', () => {
    const fields = new Map([
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
    expect(() => decodeLooks(new Map([[field, text]]), '30m')).toThrow(field);
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
      const fields = encodeLooks(looks, '30m');
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

describe('a watcher', () => {
  const { looks: _, ...worse } = guarded(-0.01, 0);
  const { looks: __, ...better } = guarded(0.01, 0, { asOf: AS_OF + 2 * HOUR });
  const { looks: ___, ...same } = guarded(0, 0, { asOf: AS_OF + HOUR });

  test('keeps a finding that later looks no longer show, since its first look', () => {
    const watcher = new Watcher();
    watcher.look(worse);
    const [compared] = watcher.look(same).variants;
    expect(compared).toMatchObject({ decision: 'regressed', since: new Date(AS_OF).toISOString() });
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
