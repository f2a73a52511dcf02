import type { z } from 'zod';
import { isSameSet, type Referred, setsOf } from './referred.ts';
import { group, groupingSets } from './values.ts';

export const statisticsSchema = group({
  clustered: groupingSets.optional().meta({
    description:
      'which of cohorts keep sums by user bucket, for standard errors; other sets borrow from the finest of these that is coarser. Default: [] and [variant], as far as cohorts has them',
  }),
});

/** The grouping sets that keep sums by user bucket. */
export function clusteredOf(
  { clustered }: z.output<typeof statisticsSchema>,
  referred: Referred,
): readonly (readonly string[])[] {
  return clustered === undefined
    ? referred.cohorts.filter((set) => set.length === 0 || isSameSet(set, ['variant']))
    : setsOf(clustered, ['statistics', 'clustered'], referred);
}
