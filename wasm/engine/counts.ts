/** What became of events, by topic of a unit, as doubles that the host reads: src/consumers/join/counts.ts has the same order. */

/** Of impressions, then the late ones by horizon. */
export const ACCEPTED: usize = 0;
export const LATE: usize = 1;
export const DUPLICATE: usize = 2;
const IMPRESSIONS: usize = 3;

/** Of feedback, as reasons for which it is dropped; then the late ones by horizon. */
export const ATTRIBUTED: usize = 0;
export const FEEDBACK_LATE: usize = 1;
export const FEEDBACK_DUPLICATE: usize = 2;
export const CAPPED: usize = 3;
export const NOT_IN_LIST: usize = 4;
export const ORPHAN: usize = 5;
const FEEDBACK: usize = 6;

/** Number of doubles of a topic. */
export function countsOfTopic(horizons: u32): usize {
  return IMPRESSIONS + FEEDBACK + <usize>horizons * 2;
}

function add(counts: usize, index: usize): void {
  store<f64>(counts + 8 * index, load<f64>(counts + 8 * index) + 1);
}

export function countImpression(counts: usize, what: usize): void {
  add(counts, what);
}

export function countFeedback(counts: usize, horizons: u32, what: usize): void {
  add(counts, IMPRESSIONS + <usize>horizons + what);
}

/** One for each horizon whose bit is set. */
export function countLateImpression(counts: usize, missed: u32): void {
  for (let bits = missed; bits !== 0; bits &= bits - 1) add(counts, IMPRESSIONS + <usize>ctz(bits));
}

export function countLateFeedback(counts: usize, horizons: u32, missed: u32): void {
  const first = IMPRESSIONS + <usize>horizons + FEEDBACK;
  for (let bits = missed; bits !== 0; bits &= bits - 1) add(counts, first + <usize>ctz(bits));
}
