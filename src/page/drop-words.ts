import type { FeedbackDrop, ImpressionDrop } from '../vocabulary/drops.ts';

/** Why an event did not count, for each reason. docs/concepts.md says more, and what to do. */
export const DROP_WORDS: Readonly<Record<ImpressionDrop | FeedbackDrop, string>> = {
  undecodable: 'its record batch cannot be decoded',
  tombstone: 'its record has no value',
  invalid: 'it cannot be read, or a field is wrong',
  future: 'its time lies in the future',
  excluded: 'a condition of the configuration leaves it out',
  late: 'it was read after its time was over',
  duplicate: 'it was counted already',
  orphan: 'no list with its request id was shown in time',
  not_in_list: 'the list does not hold its item',
  capped: 'its list has more feedback than is counted',
};
