/** From a parsed record to an event, or to what is wrong with it: each field is judged once, by the table of event-fields.ts. */
import { type EpochMs, type Feedback, type Impression, NO_ID, type Rank } from '../../vocabulary/events.ts';
import { fmix32, fnv1a32 } from '../../vocabulary/user-words.ts';
import type { DecoderOptions, TimeZone } from './decoder-settings.ts';
import type { Dimensions } from './dimensions.ts';
import { type Invalid, wrongFeedback, wrongImpression } from './event-fields.ts';
import { together } from './field-source.ts';
import { isItem, type RawRecord } from './raw.ts';
import { timeOf, zoneOf } from './times.ts';

type ReaderOptions = Pick<
  DecoderOptions,
  'itemsPerList' | 'positionBase' | 'tsUnit' | 'timeZone' | 'clock' | 'carries' | 'joinBy'
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

  impression(record: RawRecord): Impression | Invalid {
    const ts = this.#time(record.ts);
    const wrong = wrongImpression(record, ts, this.#options);
    if (wrong !== undefined) return wrong;
    const { carries, positionBase, joinBy } = this.#options;
    const pageOffset = (numberOf(record.offset) ?? 0) + 0;
    const given: readonly unknown[] = Array.isArray(record.items) ? record.items : [];
    const isPlaced = positionIn(given[0]) !== undefined;
    const slots = isPlaced ? inOrder(given) : given;
    const items = slots.map(itemId);
    const impression = {
      kind: 'impression',
      requestId: optionalId(record.requestId) ?? madeId(record[joinBy ?? 'userId'], ts, pageOffset, items),
      ts,
      userId: optionalId(record.userId),
      pageOffset,
      items,
      ranks: isPlaced ? ranksToStore(slots, positionBase, pageOffset) : undefined,
      dimensions: this.#dimensions.read(record),
    } as const;
    if (carries === undefined) return impression;
    return {
      ...impression,
      ...(carries.scores ? { scores: carriedScores(slots) } : {}),
      ...(carries.categories ? { categories: carriedCategories(slots) } : {}),
    };
  }

  feedback(record: RawRecord): Feedback | Invalid {
    const ts = this.#time(record.ts);
    const wrong = wrongFeedback(record, ts, this.#options);
    if (wrong !== undefined) return wrong;
    return {
      kind: 'feedback',
      requestId: optionalId(record.requestId) ?? NO_ID,
      itemId: String(record.itemId),
      ts,
      action: String(record.action),
      eventId: optionalId(record.eventId),
      value: numberOf(record.value),
    };
  }

  #time(value: unknown): EpochMs {
    return typeof value === 'number' || typeof value === 'string'
      ? timeOf(value, this.#options.tsUnit, this.#zone)
      : Number.NaN;
  }
}

/** The id of a list that has none, of its user or session and its time (specification: join 10.2). */
function madeId(key: unknown, ts: EpochMs, pageOffset: number, items: readonly string[]): string {
  let [a, b] = [fnv1a32(`${pageOffset}`), fnv1a32(`page ${pageOffset}`)];
  for (const item of items) {
    a = fnv1a32(item, fnv1a32(' ', a));
    b = fnv1a32(item, fnv1a32(' ', b));
  }
  const hash = [a, b].map((word) => fmix32(word).toString(16).padStart(8, '0')).join('');
  return String(together([key, ts, hash]));
}

/** The position of an item of a valid list; undefined: it has none. */
function positionIn(item: unknown): number | undefined {
  return isItem(item) ? numberOf(item.position) : undefined;
}

/** Items that all have positions. */
function inOrder(items: readonly unknown[]): readonly unknown[] {
  return items.toSorted((a, b) => Number(positionIn(a)) - Number(positionIn(b)));
}

/** undefined: the ranks are pageOffset + 1, pageOffset + 2, ..., and need not be stored. */
function ranksToStore(items: readonly unknown[], positionBase: number, pageOffset: number): Rank[] | undefined {
  const ranks = items.map((item) => Number(positionIn(item)) - positionBase + 1);
  return ranks.every((rank, i) => rank === pageOffset + i + 1) ? undefined : ranks;
}

function itemId(item: unknown): string {
  return typeof item === 'string' ? item : String(isItem(item) ? item.id : item);
}

function numberOf(value: unknown): number | undefined {
  return typeof value === 'number' ? value : undefined;
}

/** Text of an id that may be absent, of a valid record. */
export function optionalId(value: unknown): string | undefined {
  return value === undefined || value === null || value === '' ? undefined : String(value);
}

/** The scores of valid items in the order of their ranks. NaN: the item has none. undefined: no item has one. */
function carriedScores(items: readonly unknown[]): readonly number[] | undefined {
  const scores = items.map((item) => (isItem(item) ? numberOf(item.score) : undefined) ?? Number.NaN);
  return scores.every(Number.isNaN) ? undefined : scores;
}

/** The same of their categories. '': the item has none. */
function carriedCategories(items: readonly unknown[]): readonly string[] | undefined {
  const categories = items.map((item) => (isItem(item) && typeof item.category === 'string' ? item.category : ''));
  return categories.every((category) => category === '') ? undefined : categories;
}
