/**
 * The closed list of reasons for which an event leaves the pipeline without counting, in the order of the rules: the first that applies
 * is used (specification: join 3.1). Every event that is read either counts, waits, or is counted here exactly once.
 */
export const IMPRESSION_DROPS = [
  'undecodable',
  'tombstone',
  'invalid',
  'future',
  'excluded',
  'late',
  'duplicate',
] as const;
export const FEEDBACK_DROPS = [
  'undecodable',
  'tombstone',
  'invalid',
  'future',
  'excluded',
  'late',
  'orphan',
  'not_in_list',
  'duplicate',
  'capped',
] as const;

export type ImpressionDrop = (typeof IMPRESSION_DROPS)[number];
export type FeedbackDrop = (typeof FEEDBACK_DROPS)[number];

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
