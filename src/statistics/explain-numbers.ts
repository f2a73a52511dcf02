/** Numbers and times in sentences about decisions. */
import type { EpochMs } from '../vocabulary/events.ts';

/** `2.1 %` for .021 and -.021: one digit after the point, and below .1 % one significant digit. */
export function percent(fraction: number): string {
  const value = Math.abs(fraction) * 100;
  if (!Number.isFinite(value)) return 'an unknown part';
  if (value >= 1e6) return `${value.toExponential(1)} %`;
  if (value >= 0.05 || value === 0) return `${value.toFixed(1)} %`;
  return `${decimal(value, 1)} %`;
}

/** Like `percent`, with sign: `-2.1 %`, `+0.3 %`. */
export function signedPercent(fraction: number): string {
  return `${sign(fraction)}${percent(fraction)}`;
}

/** Three significant digits, without sign. */
export function plain(value: number): string {
  return Number.isFinite(value) ? decimal(Math.abs(value), 3) : 'an unknown amount';
}

/** Like `plain`, with sign. */
export function signedPlain(value: number): string {
  return `${sign(value)}${plain(value)}`;
}

/** A p-value: `below 0.001`, or `0.012`. */
export function probability(p: number): string {
  return p < 0.001 ? 'below 0.001' : p.toFixed(3);
}

/** A time to the minute: `2026-01-05T08:30Z`. */
export function minute(at: EpochMs): string {
  return `${new Date(at).toISOString().slice(0, 16)}Z`;
}

/** The end of a span that begins at `from`, without its date if that is the same. */
export function minuteAfter(from: EpochMs, at: EpochMs): string {
  const [begin, end] = [minute(from), minute(at)];
  const date = begin.slice(0, 'YYYY-MM-DDT'.length);
  return end.startsWith(date) ? end.slice(date.length) : end;
}

function sign(value: number): string {
  return value < 0 ? '-' : '+';
}

function decimal(value: number, digits: number): string {
  if (value === 0) return '0';
  return value >= 1e-6 && value < 1e6 ? String(Number(value.toPrecision(digits))) : value.toExponential(digits - 1);
}
