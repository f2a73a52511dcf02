/** Much of what counts misses a horizon: the numbers of that horizon are of the rest alone, which may be another traffic. */
import { grouped } from '../vocabulary/grouped.ts';
import { percent } from '../vocabulary/numbers.ts';
import type { Finding } from './finding.ts';

/** A smaller share is usual. */
export const MUCH_MISSED = 0.05;
/** Fewer events are no share. */
const LEAST = 30;

export const MISSED_REMEDY =
  'Either a clock is ahead of the others and moves time on (look for a host that dates records minutes ahead), or records come later than ' +
  'attribution.outOfOrderness allows: raise it, or leave that horizon out.';

/** What came too late, and what counts, of one side. */
interface MissedFacts {
  readonly counted: number;
  /** By horizon. */
  readonly late: Readonly<Record<string, number>>;
}

/** Of a run over files. What misses a horizon misses all that are shorter, so the shortest is missed most. */
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
