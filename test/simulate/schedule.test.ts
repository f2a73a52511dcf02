import fc from 'fast-check';
import { expect, test } from 'vitest';
import { Choice, hashUniform, Random } from '../../src/simulate/random.ts';
import { Schedule } from '../../src/simulate/traffic.ts';
import { fmix32 } from '../../src/vocabulary/user-words.ts';
import { deviations } from './reading.ts';

interface Entry {
  readonly at: number;
  readonly n: number;
}

test('a schedule gives what a stable sort by time gives, and nothing that might be overtaken', () => {
  const step = fc.record({ advance: fc.nat(3000), delays: fc.array(fc.nat(20_000), { maxLength: 4 }) });
  fc.assert(
    fc.property(fc.array(step, { maxLength: 60 }), fc.constantFrom(1, 500, 1000), (steps, width) => {
      const schedule = new Schedule<Entry>(width);
      const added: Entry[] = [];
      const taken: Entry[] = [];
      let clock = 1_000_000;
      for (const { advance, delays } of steps) {
        for (const delay of delays) {
          const entry = { at: clock + delay, n: added.length };
          added.push(entry);
          schedule.add(entry);
        }
        clock += advance;
        for (let entry = schedule.take(clock); entry !== undefined; entry = schedule.take(clock)) {
          expect(entry.at).toBeLessThan(clock);
          taken.push(entry);
        }
        // At most one bucket is held back.
        const overdue = added.filter(({ at }) => at < clock - width).length;
        expect(taken.length).toBeGreaterThanOrEqual(overdue);
      }
      for (let e = schedule.take(Infinity); e !== undefined; e = schedule.take(Infinity)) taken.push(e);
      expect(schedule.isEmpty).toBe(true);
      expect(taken).toEqual([...added].sort((a, b) => a.at - b.at || a.n - b.n));
    }),
  );
});

test('a record for a time that was taken already is a fault', () => {
  const schedule = new Schedule<Entry>(1000);
  schedule.add({ at: 5000, n: 0 });
  expect(schedule.take(7000)?.at).toBe(5000);
  expect(schedule.take(7000)).toBeUndefined();
  expect(() => schedule.add({ at: 6999, n: 1 })).toThrow(/6999/);
  schedule.add({ at: 7000, n: 2 });
});

test('a choice draws by weight, and never what has weight 0', () => {
  fc.assert(
    fc.property(
      fc.array(fc.integer({ min: 0, max: 20 }), { minLength: 1, maxLength: 12 }),
      fc.nat(),
      (weights, seed) => {
        const total = weights.reduce((a, b) => a + b, 0);
        fc.pre(total > 0);
        const choice = new Choice(weights);
        const random = new Random(seed, 'test');
        const counts = weights.map(() => 0);
        for (let n = 0; n < 5000; n++) counts[choice.pick(random)]++;
        for (const [i, weight] of weights.entries()) {
          if (weight === 0 || weight === total) expect(counts[i]).toBe(weight === 0 ? 0 : 5000);
          else expect(deviations(counts[i], 5000, weight / total)).toBeLessThan(6);
        }
      },
    ),
    { numRuns: 50 },
  );
});

test('streams of one seed, and one stream of two seeds, are unlike', () => {
  const draw = (seed: number, name: string) => {
    const random = new Random(seed, name);
    return Array.from({ length: 20_000 }, () => random.next());
  };
  const correlation = (a: number[], b: number[]): number =>
    (12 / a.length) * a.reduce((sum, x, i) => sum + (x - 0.5) * (b[i] - 0.5), 0);
  const base = draw(1, 'clicks');
  for (const other of [draw(1, 'late'), draw(2, 'clicks'), draw(1, 'pilot clicks'), draw(0, 'clicks')]) {
    expect(Math.abs(correlation(base, other))).toBeLessThan(4 / Math.sqrt(20_000));
  }
});

test('random numbers have the moments of their distributions', () => {
  const random = new Random(5, 'moments');
  const N = 100_000;
  const moments = (draw: () => number) => {
    let [sum, squares] = [0, 0];
    for (let n = 0; n < N; n++) {
      const x = draw();
      sum += x;
      squares += x * x;
    }
    return { mean: sum / N, variance: squares / N - (sum / N) ** 2 };
  };
  const uniform = moments(() => random.next());
  expect(uniform.mean).toBeCloseTo(1 / 2, 2);
  expect(uniform.variance).toBeCloseTo(1 / 12, 2);
  const normal = moments(() => random.normal());
  expect(Math.abs(normal.mean)).toBeLessThan(4 / Math.sqrt(N));
  expect(Math.abs(normal.variance - 1)).toBeLessThan(4 * Math.sqrt(2 / N));
  const exponential = moments(() => random.exponential(3));
  expect(Math.abs(exponential.mean - 3)).toBeLessThan((4 * 3) / Math.sqrt(N));
  // Mean of an exponential cut at its mean: m (1 - e^-1 - e^-1) / (1 - e^-1).
  const cut = moments(() => random.exponentialBelow(3, 3));
  expect(Math.abs(cut.mean - (3 * (1 - 2 / Math.E)) / (1 - 1 / Math.E))).toBeLessThan(0.02);
});

test('the mix of 32 bits is one to one where request ids need it', () => {
  const seen = new Set<number>();
  for (let n = 0; n < 200_000; n++) seen.add(fmix32(n));
  expect(seen.size).toBe(200_000);
});

test('the hash of an index is uniform', () => {
  let below = 0;
  for (let n = 0; n < 50_000; n++) if (hashUniform(1, 'variant', n) < 0.3) below++;
  expect(deviations(below, 50_000, 0.3)).toBeLessThan(4);
});
