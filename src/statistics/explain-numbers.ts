import type { Bounds, EffectFacts } from './decision-facts.ts';

/** `2.1 %` of .021: one digit after the point, and below .1 % one digit that counts. */
export function percent(fraction: number): string {
  const value = Math.abs(fraction) * 100;
  if (!Number.isFinite(value)) return 'an unknown part';
  if (value >= 1e6) return `${value.toExponential(1)} %`;
  if (value >= 0.05 || value === 0) return `${value.toFixed(1)} %`;
  return `${decimal(value, 1)} %`;
}

/** The same with its sign: `-2.1 %`, `+0.3 %`. */
export function signedPercent(fraction: number): string {
  return `${sign(fraction)}${percent(fraction)}`;
}

/** `below 0.001`, or `0.012`. */
export function probability(p: number): string {
  return p < 0.001 ? 'below 0.001' : p.toFixed(3);
}

/** How far apart two variants are, without direction: `2.1 % to 4.0 %`; without bounds of the lift in the measure's unit. */
export function sizes({ lift, lower, upper }: EffectFacts): string {
  const [from, to, print] = lift === undefined ? [lower, upper, plain] : [lift.lower, lift.upper, percent];
  const [least, most] = [Math.abs(from), Math.abs(to)].sort((a, b) => a - b);
  return `${print(least)} to ${print(most)}`;
}

/** Where the difference lies: `-1.3 % and +1.2 %`; without bounds of the lift in the measure's unit. */
export function ends(effect: EffectFacts): string {
  const { lift, lower, upper } = effect;
  if (lift !== undefined) return `${signedPercent(lift.lower)} and ${signedPercent(lift.upper)}`;
  return `${sign(lower)}${plain(lower)} and ${sign(upper)}${plain(upper)}`;
}

/** Whether 0 lies outside, on the side of `direction`. */
export function excludesZero({ lower, upper }: Bounds, direction: 1 | -1): boolean {
  return direction === 1 ? lower > 0 : upper < 0;
}

function sign(value: number): string {
  return value < 0 ? '-' : '+';
}

/** Three digits that count, without sign. */
function plain(value: number): string {
  return Number.isFinite(value) ? decimal(Math.abs(value), 3) : 'an unknown amount';
}

function decimal(value: number, digits: number): string {
  return value >= 1e-6 && value < 1e6
    ? String(Number(value.toPrecision(digits)))
    : value === 0
      ? '0'
      : value.toExponential(digits - 1);
}
