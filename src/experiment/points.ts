import type { EpochMs } from '../vocabulary/events.ts';

/** What one look saw of the primary measure. */
export interface LookPoint {
  /** Event time of the look. */
  readonly at: EpochMs;
  readonly effect: number;
  /** The confidence sequence at this look. */
  readonly lower: number;
  readonly upper: number;
}

/** So many looks of a variant are remembered: more cannot be told apart in a picture. */
export const MOST_POINTS = 256;

/**
 * The points with one more. There are places for a fixed number of them, so that a store writes one place for a look: when
 * all are taken, the new one comes into the place of the one that is missed least, which is the earliest of those with
 * the shortest time between their neighbours. So what remains lies evenly over the run, its first and its last look among
 * it. A look that is taken again changes nothing.
 *
 * Example, four places: looks at 1, 2, 3, 4, 5 leave 1, 5, 3, 4, in this order of the places.
 *
 * @param points by place, not in the order of time; at most `most` of them
 */
export function withPoint(
  points: readonly LookPoint[],
  point: LookPoint,
  most: number = MOST_POINTS,
): readonly LookPoint[] {
  const same = points.findIndex(({ at }) => at === point.at);
  if (same >= 0) return points.with(same, point);
  if (points.length < most) return [...points, point];
  const ordered = inOrder([...points, point]);
  let missed = point;
  let shortest = Number.POSITIVE_INFINITY;
  for (let i = 1; i + 1 < ordered.length; i++) {
    const between = ordered[i + 1].at - ordered[i - 1].at;
    if (between >= shortest) continue;
    shortest = between;
    missed = ordered[i];
  }
  return missed === point ? points : points.with(points.indexOf(missed), point);
}

export function inOrder(points: readonly LookPoint[]): readonly LookPoint[] {
  return [...points].sort((a, b) => a.at - b.at);
}
