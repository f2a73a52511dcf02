import type { EpochMs } from '../vocabulary/events.ts';
import { chiSquareUpper } from './distributions.ts';
import type { Arrivals } from './exposure.ts';
import { MISMATCH_P } from './sample-ratio.ts';

/** A variant's smallest and largest share of the new users. */
export interface SplitChange {
  readonly least: SplitSpan;
  readonly most: SplitSpan;
}

export interface SplitSpan {
  readonly from: EpochMs;
  readonly to: EpochMs;
  /** A share from 0 to 1. */
  readonly share: number;
}

/** A span in which fewer users are expected shows nothing. */
const LEAST_EXPECTED = 8;

/**
 * Tests whether a variant's share of the new users changed over time, as it does when one variant alone is ramped up. This is Pearson's
 * test of homogeneity over the spans, at the level of the sample ratio. It explains a split that is off, and decides nothing
 * (specification: statistics 5.3).
 *
 * Example: 1 of 100 new users, then 50 of 100: X² 63.2, p below .001.
 * @returns undefined: no change was found
 */
export function splitChange(spans: readonly Arrivals[], variant: number): SplitChange | undefined {
  const of = ({ users }: Arrivals): number => users.reduce((sum, n) => sum + n, 0);
  const all = spans.reduce((sum, span) => sum + of(span), 0);
  const share = spans.reduce((sum, { users }) => sum + users[variant], 0) / all;
  const large = spans.filter((span) => of(span) * Math.min(share, 1 - share) >= LEAST_EXPECTED);
  const squares = large.reduce((sum, span) => {
    const expected = of(span) * share;
    return sum + (span.users[variant] - expected) ** 2 / (expected * (1 - share));
  }, 0);
  if (large.length < 2 || !(chiSquareUpper(squares, large.length - 1) < MISMATCH_P)) return undefined;
  const shares = large
    .map((span): SplitSpan => ({ from: span.from, to: span.to, share: span.users[variant] / of(span) }))
    .sort((a, b) => a.share - b.share);
  return { least: shares[0], most: shares[shares.length - 1] };
}
