/**
 * CUSUM of residuals (Page 1954), low and high, with a robust scale, a clip and hysteresis (statistics.md section 11.1):
 *
 *     scale = max(.5, 1.4826 · median |z|)        u = clip(z / scale, -8, 8)
 *     S_low = min(h, max(0, S_low - u - k))       S_high = min(h, max(0, S_high + u - k))       on at S >= h, off at S <= h/2
 *
 * The scale absorbs errors that are wrong by a factor. The clip makes one wild block not enough at h = 20.
 */
import { MAD_TO_SD, median } from './baseline-spread.ts';

export interface CusumSettings {
  /** What is taken off at each step, in scales: falls below it are not seen. */
  readonly k: number;
  /** Limit of S, above 0. */
  readonly h: number;
}

/** One direction. */
export interface CusumSide {
  /** S, 0 to h. */
  readonly s: number;
  readonly on: boolean;
}

export interface Cusum {
  readonly low: CusumSide;
  readonly high: CusumSide;
}

const LEAST_SCALE = 0.5;
const CLIP = 8;

const QUIET: CusumSide = { s: 0, on: false };
/** The state before the first block. */
export const CUSUM_START: Cusum = { low: QUIET, high: QUIET };

/** The scale of residuals; the least one if there are none. */
export function scaleOf(z: readonly number[]): number {
  return z.length === 0 ? LEAST_SCALE : Math.max(LEAST_SCALE, MAD_TO_SD * median(z.map(Math.abs)));
}

/** u: a residual in scales, at most 8 to either side. */
export function clipped(z: number, scale: number): number {
  return Math.max(-CLIP, Math.min(CLIP, z / scale));
}

/** The state after one more u. */
export function cusumStep(state: Cusum, u: number, settings: CusumSettings): Cusum {
  return { low: sideStep(state.low, -u, settings), high: sideStep(state.high, u, settings) };
}

/** Whether the alarm is on at S, if it was or was not on before. */
export function isOn(s: number, was: boolean, h: number): boolean {
  return s >= h || (was && s > h / 2);
}

function sideStep(side: CusumSide, rise: number, { k, h }: CusumSettings): CusumSide {
  const s = Math.min(h, Math.max(0, side.s + rise - k));
  return { s, on: isOn(s, side.on, h) };
}
