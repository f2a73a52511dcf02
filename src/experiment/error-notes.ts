import { LARGE_AMOUNTS } from '../statistics/explain.ts';
import type { Comparison } from './comparison.ts';

/** Whether any difference has an error. */
export function hasIntervals({ variants }: Pick<Comparison, 'variants'>): boolean {
  return variants.some(({ measures }) => measures.some(({ ci }) => ci !== null));
}

/** Sentences for readers about numbers and errors that are not what they seem. Empty: nothing is unusual. */
export function errorNotes({
  notes,
  carriedBy,
  primary,
  variants,
}: Pick<Comparison, 'notes' | 'carriedBy' | 'primary' | 'variants'>): string[] {
  const later = (variants[0]?.measures ?? []).filter(({ since }) => since !== undefined);
  const rests = Object.entries(carriedBy).map(
    ([name, buckets]) => `in ${name} it rests on about ${Math.round(buckets)}`,
  );
  return [
    ...later.map(({ measure, since }) => `${measure} was added later: it counts the lists that closed after ${since}.`),
    ...(notes.includes('unclustered') && hasIntervals({ variants })
      ? ['Errors take lists without a user for independent: they are too small where users come back.']
      : []),
    ...(rests.length === 0
      ? []
      : [
          `Few users with large amounts make most of the error of ${primary} (${rests.join(', ')} of 256 user buckets), so only large effects can be seen. Cap ${LARGE_AMOUNTS}`,
        ]),
  ];
}
