import type { EpochMs } from '../vocabulary/events.ts';
import { attractionAt, type ShopItems } from './shop-items.ts';
import type { VariantSettings } from './simulation-settings.ts';

/** Writes canonical events as JSON (specification: events 1), by joining texts that were made once. */
export class Encoder {
  readonly #ids: readonly string[];
  readonly #slots: readonly string[];
  readonly #variants: readonly string[];
  readonly #plainItems: boolean;

  constructor(shopItems: ShopItems, variants: readonly VariantSettings[], plainItems: boolean) {
    this.#ids = shopItems.ids.map((id) => JSON.stringify(id));
    this.#slots = plainItems ? this.#ids : this.#ids.map((id) => `{"id":${id},"score":`);
    this.#variants = variants.map(({ name }) => JSON.stringify(name));
    this.#plainItems = plainItems;
  }

  impression(list: {
    readonly requestId: string;
    readonly ts: EpochMs;
    readonly user: number;
    readonly surface: string;
    readonly variant: number;
    readonly cohorts: string;
    readonly offset: number;
    /** Items and scores of the whole ranking; the page is [offset, end). */
    readonly items: Int32Array;
    readonly scores: Float64Array;
    readonly end: number;
    /** The ranker's quality: what its scores say about the utility. */
    readonly quality: number;
  }): string {
    let text = `{"requestId":"${list.requestId}","ts":${list.ts},"userId":"u${list.user + 1}","surface":"${list.surface}","variant":${this.#variants[list.variant]},"cohorts":${list.cohorts}`;
    text += list.offset > 0 ? `,"offset":${list.offset},"items":[` : ',"items":[';
    for (let place = list.offset; place < list.end; place++) {
      if (place > list.offset) text += ',';
      text += this.#slots[list.items[place]];
      if (!this.#plainItems) text += SCORES[Math.round(1e4 * attractionAt(list.quality * list.scores[place]))];
    }
    return `${text}]}`;
  }

  /** @param value NaN: the event has none */
  feedback(requestId: string, eventId: string, item: number, ts: EpochMs, action: string, value: number): string {
    const tail = Number.isNaN(value) ? '}' : `,"value":${value}}`;
    return `{"requestId":"${requestId}","itemId":${this.#ids[item]},"ts":${ts},"action":"${action}","eventId":"${eventId}"${tail}`;
  }
}

/** The end of a slot by its score in 1e-4. */
const SCORES: readonly string[] = Array.from({ length: 10_001 }, (_, n) => `${n / 1e4}}`);

/** Eight hexadecimal digits of a number of 32 bits. */
export function hex(value: number): string {
  return (value + 0x1_0000_0000).toString(16).slice(1);
}

/** How a record can be malformed; none of them decodes. */
export const DAMAGES = ['cut', 'wrong_time', 'wrong_id', 'no_time', 'no_id', 'not_an_object'] as const;

/** A malformed copy of a record. @param choice uniform in [0, 1): which damage, and where a text is cut */
export function spoil(value: string, choice: number): string {
  const kind = Math.floor(choice * DAMAGES.length);
  const damage = DAMAGES[kind];
  if (damage === 'cut') {
    const where = choice * DAMAGES.length - kind;
    return value.slice(0, 1 + Math.floor(where * (value.length - 2)));
  }
  const event: Record<string, unknown> = JSON.parse(value);
  const { requestId, ts, ...rest } = event;
  if (damage === 'wrong_time') return JSON.stringify({ ...event, ts: 'yesterday' });
  if (damage === 'wrong_id') return JSON.stringify({ ...event, requestId: [requestId] });
  if (damage === 'no_time') return JSON.stringify({ requestId, ...rest });
  if (damage === 'no_id') return JSON.stringify({ ts, ...rest });
  return JSON.stringify([event]);
}
