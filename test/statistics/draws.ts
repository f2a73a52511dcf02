import type { Random } from '../../src/simulate/random.ts';

/** Gamma(shape, 1): Marsaglia and Tsang, ACM TOMS 2000; below 1 by their boost. */
export function gamma(random: Random, shape: number): number {
  if (shape < 1) return gamma(random, shape + 1) * (1 - random.next()) ** (1 / shape);
  const d = shape - 1 / 3;
  const c = 1 / Math.sqrt(9 * d);
  for (;;) {
    const x = random.normal();
    const v = (1 + c * x) ** 3;
    if (v > 0 && Math.log(1 - random.next()) < x * x * 0.5 + d * (1 - v + Math.log(v))) return d * v;
  }
}

export function beta(random: Random, a: number, b: number): number {
  const x = gamma(random, a);
  return x / (x + gamma(random, b));
}

/** Poisson by inversion. @param mean below 700, where e^-mean is still a number */
export function poisson(random: Random, mean: number): number {
  let chance = Math.exp(-mean);
  let left = random.next() - chance;
  let count = 0;
  while (left >= 0 && chance > 0) {
    count++;
    chance *= mean / count;
    left -= chance;
  }
  return count;
}
