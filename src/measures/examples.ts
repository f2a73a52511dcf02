/** The lists of worked examples. */
import type { ExampleList } from './definition.ts';

/** Positives at ranks 1, 3, 4 and 6 of 8. */
export const BINARY = { grades: [1, 0, 1, 1, 0, 1, 0, 0] } satisfies ExampleList;

export const GRADED = { grades: [3, 2, 3, 0, 1, 2] } satisfies ExampleList;

/** The same, with two more items of grades 3 and 2 that were not shown. */
export const GRADED_KNOWN = { ...GRADED, known: [...GRADED.grades, 3, 2] } satisfies ExampleList;

export const RATED = { scores: [1, 2, 3, 4, 5], ratings: [2, 1, 2, 4, 5] } satisfies ExampleList;
