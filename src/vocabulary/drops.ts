/** Why an event leaves the pipeline without counting, and what follows from that. */
interface Drop {
  readonly reason: string;
  /** What finds it: the record alone, its topic before the rules of the join, or these rules (wasm/engine/rules.ts). */
  readonly by: 'record' | 'topic' | 'rules';
  /** Whether impressions are dropped for it, too. */
  readonly ofImpressions: boolean;
  /** Whether an event is lost. Otherwise it was counted already, or is not wanted. */
  readonly isLoss: boolean;
  /** Why the event did not count, for readers. docs/concepts.md says more, and what to do. */
  readonly words: string;
}

/**
 * The closed list of reasons, in the order of the rules: the first that applies is used (specification: join 3.1). Every event that is read
 * either counts, waits, or is counted here exactly once.
 */
const DROPS = [
  {
    reason: 'undecodable',
    by: 'record',
    ofImpressions: true,
    isLoss: true,
    words: 'its record batch cannot be decoded',
  },
  { reason: 'tombstone', by: 'record', ofImpressions: true, isLoss: true, words: 'its record has no value' },
  {
    reason: 'invalid',
    by: 'record',
    ofImpressions: true,
    isLoss: true,
    words: 'it cannot be read, or a field is wrong',
  },
  { reason: 'future', by: 'topic', ofImpressions: true, isLoss: true, words: 'its time lies in the future' },
  {
    reason: 'excluded',
    by: 'topic',
    ofImpressions: true,
    isLoss: false,
    words: 'a condition of the configuration leaves it out',
  },
  { reason: 'late', by: 'rules', ofImpressions: true, isLoss: true, words: 'it was read after its time was over' },
  {
    reason: 'orphan',
    by: 'rules',
    ofImpressions: false,
    isLoss: true,
    words: 'no list with its request id was shown in time',
  },
  { reason: 'not_in_list', by: 'rules', ofImpressions: false, isLoss: true, words: 'the list does not hold its item' },
  { reason: 'duplicate', by: 'rules', ofImpressions: true, isLoss: false, words: 'it was counted already' },
  {
    reason: 'capped',
    by: 'rules',
    ofImpressions: false,
    isLoss: true,
    words: 'its list has more feedback than is counted',
  },
] as const satisfies readonly Drop[];

type Dropped = (typeof DROPS)[number];

export type ImpressionDrop = Extract<Dropped, { readonly ofImpressions: true }>['reason'];
export type FeedbackDrop = Dropped['reason'];
/** Those that the engine counts. */
export type RuleDrop<Reason extends FeedbackDrop> = Extract<
  Dropped,
  { readonly by: 'rules'; readonly reason: Reason }
>['reason'];

export const IMPRESSION_DROPS = DROPS.filter((drop) => drop.ofImpressions).map(({ reason }) => reason);
export const FEEDBACK_DROPS = DROPS.map(({ reason }) => reason);

/** The row of a reason. undefined: there is none of this name. */
export function dropNamed(name: string): Drop | undefined {
  return DROPS.find(({ reason }) => reason === name);
}

/** Number of events that were to count: what conditions leave out is no part of any share. */
export function wanted({
  read,
  drops,
}: {
  readonly read: number;
  readonly drops: { readonly excluded: number };
}): number {
  return read - drops.excluded;
}

/**
 * Why a record is `invalid`. Decoding never throws: it returns an event or one of these.
 * A code says what the producer must fix; the offending value is never kept or printed.
 */
export const INVALID_CODES = [
  'too_large', // more bytes than limits.impressionBytes or limits.feedbackBytes, or entries that share too much
  'not_utf8', // bytes that are not UTF-8
  'not_json', // not a JSON text
  'not_an_object', // JSON, but not an object
  'not_csv', // not a row of the adapter's columns, or not a line as it reads them
  'wrong_kind', // an impression on a feedback topic, or the reverse
  'missing_field', // a required field is absent or null
  'wrong_type', // a field has the wrong type
  'bad_id', // an id that is empty, or a number that is not a safe integer
  'bad_time', // not a time, or outside 1970 to 9999
  'bad_number', // not finite, or outside the field's range
  'bad_position', // a position that is not a whole number, or below the base
  'mixed_positions', // some items with a position and some without
  'duplicate_position', // two items at one position
  'too_many_items', // more items than limits.itemsPerList
  'split_list', // rows of a list that had ended before them in its file
  'adapter_failed', // the adapter could not read the record
] as const;
export type InvalidCode = (typeof INVALID_CODES)[number];
