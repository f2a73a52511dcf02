/**
 * CUSUM of residuals (Page 1954), low and high, with a scale, a clip and hysteresis (specification: statistics 10.3):
 *
 *     u = clip(z / scale, -8, 8)
 *     S_low = min(h, max(0, S_low - u_low - k))   S_high = min(h, max(0, S_high + u_high - k))   on at S >= h, off at S <= h/2
 *
 * The scale (watched-path.ts) absorbs errors that are wrong by a factor. The clip makes one wild block not enough, at h of 8 and more.
 */
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

const CLIP = 8;

const QUIET: CusumSide = { s: 0, on: false };
/** The state before the first block. */
export const CUSUM_START: Cusum = { low: QUIET, high: QUIET };

/** u: a residual in scales, at most 8 to either side. */
export function clipped(z: number, scale: number): number {
  return Math.max(-CLIP, Math.min(CLIP, z / scale));
}

/** One u for both directions, or one for each where a tolerance keeps them apart. */
export interface Steps {
  readonly low: number;
  readonly high: number;
}

/** The state after one more block. */
export function cusumStep(state: Cusum, u: Steps, settings: CusumSettings): Cusum {
  return { low: sideStep(state.low, -u.low, settings), high: sideStep(state.high, u.high, settings) };
}

/** The same state where the limit is `factor` times as high: S keeps its share of it. */
export function rescaled({ low, high }: Cusum, factor: number): Cusum {
  return { low: { ...low, s: low.s * factor }, high: { ...high, s: high.s * factor } };
}

/** Whether the alarm is on at S, if it was or was not on before. */
export function isOn(s: number, was: boolean, h: number): boolean {
  return s >= h || (was && s > h / 2);
}

function sideStep(side: CusumSide, rise: number, { k, h }: CusumSettings): CusumSide {
  const s = Math.min(h, Math.max(0, side.s + rise - k));
  return { s, on: isOn(s, side.on, h) };
}
