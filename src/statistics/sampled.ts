import type { EpochMs } from '../vocabulary/events.ts';

/** More variants than this have no place in the set of variants seen. */
export const MOST_VARIANTS = 31;

/** The first word and 21 bits of the second. */
export const KEY_BITS = 53;
export const HIGHEST_LEVEL = 32;

/** Keys below are in the sample of this level. */
export function limitOf(level: number): number {
  return 2 ** (KEY_BITS - level);
}

/** One user of the sample; no user id is kept. */
export interface SampledUser {
  /** 53 bits, `sampleKey`. */
  readonly key: number;
  /** Bit v is set if the user saw variant v. */
  readonly seen: number;
  /** First exposure: the smallest event time, of equal ones the first variant. */
  readonly ts: EpochMs;
  readonly variant: number;
}

/** What a reader sees of a sample, whoever keeps it. */
export interface Sampled {
  /** j. */
  readonly level: number;
  /** Number of sampled users. */
  readonly size: number;
  /** Shows each user once, in no particular order: the fields of `SampledUser`. */
  each(see: (key: number, seen: number, ts: EpochMs, variant: number) => void): void;
}
