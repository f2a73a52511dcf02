import { ABSENT_DIMENSION, INVALID_DIMENSION, OTHER_COHORT } from '../vocabulary/events.ts';
import { grouped } from '../vocabulary/grouped.ts';
import type { Comparison } from './comparison.ts';

/** Values of an experiment's dimension that name no variant. */
const NAMELESS: ReadonlyMap<string, string> = new Map([
  [ABSENT_DIMENSION, 'without a variant'],
  [INVALID_DIMENSION, 'with a name that is not allowed'],
  [OTHER_COHORT, 'with a variant that is not configured'],
]);

/** Impressions that do not take part, by variant: `D 1,500, without a variant 7`. Empty if there are none. */
export function otherVariants({ others }: Pick<Comparison, 'others'>): string {
  return Object.entries(others)
    .map(([name, n]) => `${NAMELESS.get(name) ?? name} ${grouped(n)}`)
    .join(', ');
}
