/**
 * The fields of valid events (specification: events 1, 2, 3, 4, 5): one row for each, in the order in which they are judged. The first in which
 * something is wrong says why the record is refused; what comes behind it is not read. The rows are calls in one expression, which V8
 * compiles into one function: a loop over names took three times as long.
 */
import type { InvalidCode } from '../../vocabulary/drops.ts';
import { type EpochMs, LARGEST_VALUE, type Rank } from '../../vocabulary/events.ts';
import type { DecoderOptions } from './decoder-settings.ts';
import { isFields, isItem, isModel, isVariants, type RawItem, type RawRecord } from './raw.ts';

export interface Invalid {
  readonly code: InvalidCode;
  /** Path of the field, such as `items[3].position`; no part of it comes from the event. */
  readonly field: string;
}

interface Range {
  readonly least: number;
  readonly most: number;
  readonly isWhole: boolean;
  /** The code of a number outside of the range. */
  readonly code: InvalidCode;
}

const SAFE: Range = { least: Number.MIN_SAFE_INTEGER, most: Number.MAX_SAFE_INTEGER, isWhole: true, code: 'bad_id' };
const FINITE: Range = { least: -Number.MAX_VALUE, most: Number.MAX_VALUE, isWhole: false, code: 'bad_number' };
/** What measures can take. */
const MEASURED: Range = { least: -LARGEST_VALUE, most: LARGEST_VALUE, isWhole: false, code: 'bad_number' };
/** Slots before a page. */
const OFFSET: Range = { least: 0, most: 1_000_000, isWhole: true, code: 'bad_number' };
/** Ranks are kept in 32 bits. */
const RANK: Range = { least: 1, most: 2 ** 31 - 1, isWhole: true, code: 'bad_position' };

/** @param ts what is read of `record.ts`; NaN: no time */
export function wrongImpression(
  record: RawRecord,
  ts: EpochMs,
  options: Pick<DecoderOptions, 'itemsPerList' | 'positionBase' | 'joinBy'>,
): Invalid | undefined {
  return (
    wrongEvent(record, ts, options) ??
    wrongList(record.items, options) ??
    at('offset', optionalNumber(record.offset, OFFSET)) ??
    wrongContext(record)
  );
}

/** @param ts what is read of `record.ts`; NaN: no time */
export function wrongFeedback(
  record: RawRecord,
  ts: EpochMs,
  options: Pick<DecoderOptions, 'joinBy'>,
): Invalid | undefined {
  return (
    wrongEvent(record, ts, options) ??
    at('itemId', id(record.itemId)) ??
    at('action', record.action === '' ? 'missing_field' : text(record.action)) ??
    at('value', optionalNumber(record.value, MEASURED))
  );
}

function wrongEvent(record: RawRecord, ts: EpochMs, { joinBy }: Pick<DecoderOptions, 'joinBy'>): Invalid | undefined {
  return (
    at('requestId', joinBy === undefined ? id(record.requestId) : optionalId(record.requestId)) ??
    at('ts', time(record.ts, ts)) ??
    at('eventId', optionalId(record.eventId)) ??
    at('userId', optionalId(record.userId)) ??
    at('sessionId', optionalId(record.sessionId)) ??
    (joinBy === undefined || !isNoId(record.requestId) || !isNoId(record[joinBy])
      ? undefined
      : at(joinBy, 'missing_field'))
  );
}

/** The fields that dimensions come from. */
export function wrongContext({ surface, variant, experiments, cohorts, model }: RawRecord): Invalid | undefined {
  return (
    at('surface', optionalText(surface)) ??
    at('variant', optionalText(variant)) ??
    at('experiments', isAbsent(experiments) || isVariants(experiments) ? undefined : 'wrong_type') ??
    at('cohorts', isAbsent(cohorts) || isFields(cohorts) ? undefined : 'wrong_type') ??
    (isAbsent(model) ? undefined : wrongModel(model))
  );
}

function wrongModel(model: unknown): Invalid | undefined {
  if (!isModel(model)) return at('model', 'wrong_type');
  const { name, version } = model;
  return (
    at('model.name', text(name)) ?? at('model.version', isText(version) ? undefined : optionalNumber(version, FINITE))
  );
}

function wrongList(
  list: unknown,
  { itemsPerList, positionBase }: Pick<DecoderOptions, 'itemsPerList' | 'positionBase'>,
): Invalid | undefined {
  if (!Array.isArray(list)) return at('items', untyped(list));
  if (list.length > itemsPerList) return at('items', 'too_many_items');
  const ranks: number[] = [];
  for (let i = 0; i < list.length; i++) {
    const item: unknown = list[i];
    // An id alone: so are most items that are no objects.
    if (typeof item === 'string' && item.length > 0) continue;
    const rank = rankOf(item, positionBase);
    const wrong = isItem(item) ? wrongItem(item, rank) : at('id', id(item));
    if (wrong !== undefined) return { code: wrong.code, field: `items[${i}].${wrong.field}` };
    if (rank !== undefined) ranks.push(rank);
  }
  if (ranks.length === 0) return undefined;
  if (ranks.length < list.length) return at('items', 'mixed_positions');
  if (ranks.every((rank, i) => i === 0 || rank > ranks[i - 1])) return undefined;
  return at('items', new Set(ranks).size < ranks.length ? 'duplicate_position' : undefined);
}

function wrongItem(item: RawItem, rank: number | undefined): Invalid | undefined {
  return (
    at('id', id(item.id)) ??
    at('position', optionalNumber(rank ?? item.position, RANK)) ??
    at('score', optionalNumber(item.score, MEASURED)) ??
    at('propensity', optionalNumber(item.propensity, FINITE)) ??
    at('team', optionalText(item.team)) ??
    at('category', optionalText(item.category))
  );
}

/** The rank at the position of an item; undefined: it has none that is a number. */
function rankOf(item: unknown, positionBase: number): Rank | undefined {
  return isItem(item) && typeof item.position === 'number' ? item.position - positionBase + 1 : undefined;
}

function at(field: string, code: InvalidCode | undefined): Invalid | undefined {
  return code === undefined ? undefined : { code, field };
}

function isAbsent(value: unknown): boolean {
  return value === undefined || value === null;
}

function isText(value: unknown): boolean {
  return typeof value === 'string';
}

/** The code of a value that is of none of the types of its field. */
function untyped(value: unknown): InvalidCode {
  return isAbsent(value) ? 'missing_field' : 'wrong_type';
}

function text(value: unknown): InvalidCode | undefined {
  return isText(value) ? undefined : untyped(value);
}

function optionalText(value: unknown): InvalidCode | undefined {
  return isAbsent(value) ? undefined : text(value);
}

function number(value: unknown, { least, most, isWhole, code }: Range): InvalidCode | undefined {
  if (typeof value !== 'number') return untyped(value);
  return value >= least && value <= most && (!isWhole || Number.isInteger(value)) ? undefined : code;
}

function optionalNumber(value: unknown, range: Range): InvalidCode | undefined {
  return isAbsent(value) ? undefined : number(value, range);
}

function id(value: unknown): InvalidCode | undefined {
  if (typeof value === 'string') return value.length > 0 ? undefined : 'bad_id';
  return number(value, SAFE);
}

function optionalId(value: unknown): InvalidCode | undefined {
  return isNoId(value) ? undefined : id(value);
}

/** Producers write an empty text if they know no user or have no id for the event. */
function isNoId(value: unknown): boolean {
  return isAbsent(value) || value === '';
}

function time(value: unknown, ts: EpochMs): InvalidCode | undefined {
  if (!Number.isNaN(ts)) return undefined;
  return isText(value) || typeof value === 'number' ? 'bad_time' : untyped(value);
}
