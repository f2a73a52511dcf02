/**
 * The fast way from a parsed record to an event: one pass, no validation library. It returns an event only if the record is
 * certainly valid; else undefined, and the schemas of canonical.ts decide and explain. A differential test compares the two.
 * Measured on Node 20 with 20 items of {id, score}: 0.5 us per impression, compared with 6.1 us for JSON.parse and 6.5 us for
 * the schemas.
 */
import { type EpochMs, type Feedback, type Impression, LARGEST_VALUE, type Rank } from '../../vocabulary/events.ts';
import type { DecoderOptions } from './decoder-settings.ts';
import type { Dimensions } from './dimensions.ts';
import { isFields, isItem, isModel, isVariants, type RawItem, type RawRecord } from './raw.ts';
import type { TimeZone } from './time-zone.ts';
import { timeOf, zoneOf } from './times.ts';

/** Most slots before a page. */
export const MAX_OFFSET = 1_000_000;
/** Ranks are kept in 32 bits. */
export const MAX_RANK: Rank = 2 ** 31 - 1;

type ReaderOptions = Pick<
  DecoderOptions,
  'itemsPerList' | 'positionBase' | 'tsUnit' | 'timeZone' | 'clock' | 'carries'
>;

export class Reader {
  readonly #options: ReaderOptions;
  readonly #dimensions: Dimensions;
  readonly #zone: TimeZone | undefined;

  constructor(options: ReaderOptions, dimensions: Dimensions) {
    this.#options = options;
    this.#zone = zoneOf(options);
    this.#dimensions = dimensions;
  }

  impression(record: RawRecord): Impression | undefined {
    const requestId = idOf(record.requestId);
    const ts = this.#time(record.ts);
    const userId = idOf(record.userId);
    const pageOffset = record.offset ?? 0;
    if (requestId === undefined || !(ts >= 0)) return undefined;
    if (typeof pageOffset !== 'number' || !isWithin(pageOffset, 0, MAX_OFFSET)) return undefined;
    if (userId === undefined && !isOptionalId(record.userId)) return undefined;
    if (!isOptionalId(record.sessionId) || !isOptionalId(record.eventId)) return undefined;
    if (!hasValidContext(record)) return undefined;

    const list = record.items;
    if (!Array.isArray(list) || list.length > this.#options.itemsPerList) return undefined;
    const length = list.length;
    let items: string[] = [];
    let ranks: Rank[] | undefined;
    let order: readonly number[] | undefined;
    for (let i = 0; i < length; i++) {
      const item: unknown = list[i];
      if (!isItem(item)) {
        const id = idOf(item);
        if (id === undefined || ranks !== undefined) return undefined;
        items.push(id);
        continue;
      }
      const id = idOf(item.id);
      if (id === undefined || !isPlainItem(item)) return undefined;
      items.push(id);
      const position = item.position ?? undefined;
      if (position === undefined) {
        if (ranks !== undefined) return undefined;
        continue;
      }
      if (typeof position !== 'number') return undefined;
      const rank = position - this.#options.positionBase + 1;
      if (!isWithin(rank, 1, MAX_RANK)) return undefined;
      if (ranks === undefined) {
        if (i > 0) return undefined;
        ranks = [];
      }
      ranks.push(rank);
    }
    if (ranks !== undefined && !isAscending(ranks)) {
      const given = ranks;
      const ascending = given.map((_, i) => i).sort((a, b) => given[a] - given[b]);
      ranks = ascending.map((i) => given[i]);
      items = ascending.map((i) => items[i]);
      order = ascending;
      if (!isAscending(ranks)) return undefined;
    }
    if (ranks !== undefined && isPlain(ranks, pageOffset)) ranks = undefined;
    const dimensions = this.#dimensions.read(record);
    const impression = {
      kind: 'impression',
      requestId,
      ts,
      userId,
      pageOffset: pageOffset + 0,
      items,
      ranks,
      dimensions,
    } as const;
    const { carries } = this.#options;
    if (carries === undefined) return impression;
    const slots = (order?.map((i): unknown => list[i]) ?? list).map((item: unknown) => (isItem(item) ? item : NO_ITEM));
    return {
      ...impression,
      ...(carries.scores ? { scores: carriedScores(slots) } : {}),
      ...(carries.categories ? { categories: carriedCategories(slots) } : {}),
    };
  }

  feedback(record: RawRecord): Feedback | undefined {
    const requestId = idOf(record.requestId);
    const itemId = idOf(record.itemId);
    const ts = this.#time(record.ts);
    const action = record.action;
    const eventId = idOf(record.eventId);
    const value = record.value ?? undefined;
    if (requestId === undefined || itemId === undefined || !(ts >= 0)) return undefined;
    if (typeof action !== 'string' || action.length === 0) return undefined;
    if (eventId === undefined && !isOptionalId(record.eventId)) return undefined;
    if (value !== undefined && !isMeasured(value)) return undefined;
    if (!isOptionalId(record.userId) || !isOptionalId(record.sessionId)) return undefined;
    return { kind: 'feedback', requestId, itemId, ts, action, eventId, value };
  }

  #time(value: unknown): EpochMs {
    return typeof value === 'number' || typeof value === 'string'
      ? timeOf(value, this.#options.tsUnit, this.#zone)
      : Number.NaN;
  }
}

const NO_ITEM: RawItem = {};

/** Index of the first item that is not certainly valid by itself; -1: there is none. */
export function firstDoubtful(items: readonly unknown[], positionBase: number): number {
  return items.findIndex((item) => {
    if (!isItem(item)) return idOf(item) === undefined;
    const position = item.position ?? undefined;
    if (idOf(item.id) === undefined || !isPlainItem(item)) return true;
    return (
      position !== undefined && (typeof position !== 'number' || !isWithin(position - positionBase + 1, 1, MAX_RANK))
    );
  });
}

/** Whether the fields that dimensions come from are certainly valid. */
export function hasValidContext({ surface, variant, cohorts, experiments, model }: RawRecord): boolean {
  if (!isOptionalText(surface) || !isOptionalText(variant)) return false;
  if (isPresent(cohorts) && !isFields(cohorts)) return false;
  if (isPresent(experiments) && !isVariants(experiments)) return false;
  return !isPresent(model) || isValidModel(model);
}

/** Text of an id; undefined: none. */
function idOf(value: unknown): string | undefined {
  if (typeof value === 'string') return value.length > 0 ? value : undefined;
  return typeof value === 'number' && Number.isSafeInteger(value) ? String(value) : undefined;
}

function isPresent(value: unknown): boolean {
  return value !== undefined && value !== null;
}

function isOptionalId(value: unknown): boolean {
  return !isPresent(value) || value === '' || idOf(value) !== undefined;
}

function isOptionalText(value: unknown): boolean {
  return !isPresent(value) || typeof value === 'string';
}

function isOptionalNumber(value: unknown): boolean {
  return !isPresent(value) || (typeof value === 'number' && Number.isFinite(value));
}

/** A value or a score that measures can take. */
function isMeasured(value: unknown): value is number {
  return typeof value === 'number' && Math.abs(value) <= LARGEST_VALUE;
}

function isWithin(value: number, low: number, high: number): boolean {
  return value >= low && value <= high && Number.isInteger(value);
}

function isPlainItem(item: RawItem): boolean {
  return (
    (!isPresent(item.score) || isMeasured(item.score)) &&
    isOptionalNumber(item.propensity) &&
    isOptionalText(item.team) &&
    isOptionalText(item.category)
  );
}

function isValidModel(model: unknown): boolean {
  if (!isModel(model) || typeof model.name !== 'string') return false;
  return isOptionalText(model.version) || isOptionalNumber(model.version);
}

/** Whether the ranks are pageOffset + 1, pageOffset + 2, ..., and need not be stored. */
function isPlain(ranks: readonly Rank[], pageOffset: number): boolean {
  for (let i = 0; i < ranks.length; i++) if (ranks[i] !== pageOffset + i + 1) return false;
  return true;
}

/** Strictly, so that no rank repeats. */
function isAscending(ranks: readonly Rank[]): boolean {
  for (let i = 1; i < ranks.length; i++) if (ranks[i] <= ranks[i - 1]) return false;
  return true;
}

/** The scores of valid items in the order of their ranks. NaN: the item has none. undefined: no item has one. */
export function carriedScores(items: readonly { readonly score?: unknown }[]): readonly number[] | undefined {
  const scores = items.map(({ score }) => (typeof score === 'number' ? score : Number.NaN));
  return scores.every(Number.isNaN) ? undefined : scores;
}

/** The same of their categories. '': the item has none. */
export function carriedCategories(items: readonly { readonly category?: unknown }[]): readonly string[] | undefined {
  const categories = items.map(({ category }) => (typeof category === 'string' ? category : ''));
  return categories.every((category) => category === '') ? undefined : categories;
}
