/**
 * Counts what became of events, by topic of a unit, in doubles that the host reads (src/consumers/join/counts.ts). compile.ts lists these
 * numbers, so that the host finds them.
 */

/** Counts of impressions; those late for each horizon follow. */
export const ACCEPTED: usize = 0;
export const LATE: usize = 1;
export const DUPLICATE: usize = 2;
export const IMPRESSION_COUNTS: usize = 3;

/** Counts of feedback: attributed, then the reasons for drops; those late for each horizon follow. */
export const ATTRIBUTED: usize = 0;
export const FEEDBACK_LATE: usize = 1;
export const FEEDBACK_DUPLICATE: usize = 2;
export const CAPPED: usize = 3;
export const NOT_IN_LIST: usize = 4;
export const ORPHAN: usize = 5;
export const FEEDBACK_COUNTS: usize = 6;

/** Number of doubles per topic. */
export function countsOfTopic(horizons: u32): usize {
  return IMPRESSION_COUNTS + FEEDBACK_COUNTS + <usize>horizons * 2;
}

function add(counts: usize, index: usize): void {
  store<f64>(counts + 8 * index, load<f64>(counts + 8 * index) + 1);
}

export function countImpression(counts: usize, what: usize): void {
  add(counts, what);
}

export function countFeedback(counts: usize, horizons: u32, what: usize): void {
  add(counts, IMPRESSION_COUNTS + <usize>horizons + what);
}

/** Adds one for each horizon whose bit is set. */
export function countLateImpression(counts: usize, missed: u32): void {
  for (let bits = missed; bits !== 0; bits &= bits - 1) add(counts, IMPRESSION_COUNTS + <usize>ctz(bits));
}

export function countLateFeedback(counts: usize, horizons: u32, missed: u32): void {
  const first = IMPRESSION_COUNTS + <usize>horizons + FEEDBACK_COUNTS;
  for (let bits = missed; bits !== 0; bits &= bits - 1) add(counts, first + <usize>ctz(bits));
}
