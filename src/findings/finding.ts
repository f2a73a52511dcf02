/**
 * What a reader should know before trusting a number: a mistake in the logs or in the configuration that gives zeros or wrong
 * numbers without an error. The order is that in which they are shown: first what the result says, then what causes it.
 */
export const FINDING_CODES = [
  'nothing_counted', // no impression counted
  'nothing_joined', // no feedback counted
  'few_joined', // less than half of the feedback counted
  'many_dropped', // a twentieth of a side or more is dropped for one reason
  'late_for_horizon', // a twentieth or more of what counts misses the shortest horizon
  'feedback_missing', // there is no feedback, so no list has a positive
  'feedback_partial', // there is none of a time with many lists
  'feedback_to_come', // many lists are younger than the longest horizon at the end of the logs
  'empty_lists', // many lists are empty, and count as lists without a positive
  'nothing_relevant', // no judged item is relevant, so measures of relevant items are 0
  'files_swapped', // the impressions are feedback, and the reverse
  'most_invalid', // most records of a file are refused
  'some_invalid', // some of them are
  'dated_ahead', // events are dated later than the wall clock allows
  'unit_of_time', // seconds are read as milliseconds
  'times_shortened', // times lack their last digits, as a spreadsheet writes them
  'clock_change', // clocks were set back or forward while times without a zone were written
  'out_of_order', // a log of both sides is not in time order
  'ids_differ_by_prefix', // request ids of the two sides differ by a prefix
  'ids_differ_by_suffix', // they differ by a suffix
  'ids_differ_by_case', // they differ in case, blanks or punctuation
  'other_type_of_id', // they are numbers written differently: 1 and 1.0, 7 and 007
  'clock_offset', // the clocks of the two sides differ
  'before_list', // some feedback is dated a little before its list
  'beyond_horizon', // much feedback comes later than the longest horizon
  'items_never_match', // the request is known, but the item is not in its list
  'unjudged_items', // of a run, many at the top are not judged, or more than of another run
  'close_scores', // scores of a run are equal as 32-bit floats, and other tools keep no more
  'unknown_actions', // actions without a grade
  'values_missing', // feedback whose value is its grade has none
  'no_user_ids', // impressions name no user
  'one_variant', // an experiment has a variant without an impression
  'variant_not_named', // impressions do not name the variant where the experiment reads it
] as const;
export type FindingCode = (typeof FINDING_CODES)[number];

export interface Finding {
  readonly code: FindingCode;
  /** What is wrong, with counts. One sentence, ending with a full stop. */
  readonly cause: string;
  /** An example from the logs, such as two request ids; null: there is none, or it must not be shown. */
  readonly example: string | null;
  /** What to do, in sentences. */
  readonly remedy: string;
}

/** Sorts findings in the order of the codes. */
export function inOrder(findings: readonly Finding[]): readonly Finding[] {
  return [...findings].sort((a, b) => FINDING_CODES.indexOf(a.code) - FINDING_CODES.indexOf(b.code));
}

const LONGEST_TEXT = 80;

/** Text from the logs, safe to print: in quotes, without control characters, cut if long. */
export function quoted(text: string): string {
  const plain = text.replace(/[\p{Cc}\p{Zl}\p{Zp}\p{Bidi_Control}]/gu, '?');
  return `"${plain.length > LONGEST_TEXT ? `${plain.slice(0, LONGEST_TEXT)}...` : plain}"`;
}
