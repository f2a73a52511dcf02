/** Finds that much of what counts misses a horizon: the numbers of this horizon represent the rest, which may be different traffic. */
import { grouped } from '../vocabulary/grouped.ts';
import { percent } from '../vocabulary/numbers.ts';
import type { Finding } from './finding.ts';

/** A smaller share is usual. */
export const MUCH_MISSED = 0.05;
/** Fewer events give no reliable share. */
const LEAST = 30;

export const MISSED_REMEDY =
  'Either a clock is ahead of the others and moves time on (look for a host that dates records minutes ahead), or records come later than ' +
  'attribution.outOfOrderness allows: raise it, or leave that horizon out.';

/** The events of one side that count, and those of them that came too late. */
interface MissedFacts {
  readonly counted: number;
  /** Number of events that missed each horizon. */
  readonly late: Readonly<Record<string, number>>;
}

/** The finding for a run over files. What misses a horizon misses all shorter ones, so the shortest is missed most. */
export function lateForHorizon(impressions: MissedFacts, feedback: MissedFacts): readonly Finding[] {
  const sides = [
    ['impressions', impressions],
    ['feedback events', feedback],
  ] as const;
  const texts = sides.flatMap(([what, { counted, late }]) => {
    const [horizon, most] = Object.entries(late).reduce((a, b) => (b[1] > a[1] ? b : a), ['', 0]);
    const isMuch = counted >= LEAST && most >= MUCH_MISSED * counted;
    return isMuch
      ? [
          `${grouped(most)} of ${grouped(counted)} ${what} (${percent(most / counted)}) come too late for the horizon ${horizon}`,
        ]
      : [];
  });
  if (texts.length === 0) return [];
  return [
    {
      code: 'late_for_horizon',
      cause: `${texts.join(', and ')}: its numbers are of the others alone.`,
      example: null,
      remedy: MISSED_REMEDY,
    },
  ];
}
