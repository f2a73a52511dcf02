/** For mutations that few histories show, the number of one that does: tried first, so that the test is quick. */
export const HISTORIES: Readonly<Record<string, number>> = {
  'a record at the future skew of the wall clock is future': 29,
  'wall-clock verdicts below the position are let go': 29,
  'wall-clock verdicts forgotten at replay': 29,
  'impressions H apart are duplicates': 34,
  'clock verdicts that became bits of a block are forgotten': 35,
  'replay offset without what is remembered after closing': 40,
  'index: waiting feedback at the longest horizon is in time': 44,
  'index: feedback at the longest horizon is in time': 54,
  'feedback after its impression does not fit at -b': 86,
  'index: one that is late decides, though an earlier one holds the item': 105,
  'replay offset without predecessors': 177,
  'a verdict is the bit of its neighbour': 246,
  'duplicates of the slice after are not seen': 3003,
  'a block goes though a replay may begin in it': 4010,
};
