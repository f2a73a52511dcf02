import type { Closing, Joined } from '../../vocabulary/events.ts';
import { BUCKETS } from '../../vocabulary/user-words.ts';
import type { Engine } from '../engine/engine.ts';
import { CLOSES, CLOSING, MOST_QUEUED_EVENTS, QUEUED_EVENT } from '../engine/engine-layout.ts';
import { readText, textEnd } from '../packed/text.ts';
import type { ClosingNames } from './api.ts';

/** Size of a queued closing; its events follow its head. */
export const QUEUED_BYTES = CLOSING.BYTES + MOST_QUEUED_EVENTS * QUEUED_EVENT.BYTES;

const AT = CLOSES.AT >>> 2;

/** The arrays of a list's events, as `Joined` has them. */
interface EventArrays {
  readonly slot: Int32Array;
  readonly action: Int32Array;
  readonly value: Float64Array;
  readonly ts: Float64Array;
}

/** The list that closes, as views of the engine's memory. All joins of a process share one. */
export class Closings {
  readonly names: ClosingNames;
  readonly #engine: Engine;
  readonly #list: Joined;
  readonly #closing: Closing;
  /** For lists that are passed singly: views of the arrays at this address. */
  #eventsAt = 0;
  #events: EventArrays;
  /** Events of queued lists. */
  readonly #queuedEvents: EventArrays;
  #slotArrays = -1;
  #ranks = new Int32Array(0);
  #firstSlots = new Int32Array(0);
  #scores = new Float64Array(0);
  readonly #items: string[] = [];
  readonly #categories: string[] = [];

  constructor(engine: Engine) {
    this.#engine = engine;
    const slot = new Int32Array(MOST_QUEUED_EVENTS);
    const action = new Int32Array(MOST_QUEUED_EVENTS);
    const value = new Float64Array(MOST_QUEUED_EVENTS);
    const ts = new Float64Array(MOST_QUEUED_EVENTS);
    this.#queuedEvents = { slot, action, value, ts };
    this.#events = this.#queuedEvents;
    this.#list = {
      length: 0,
      pageOffset: 0,
      ranks: undefined,
      firstSlot: undefined,
      events: 0,
      slot,
      action,
      value,
      ts,
      known: undefined,
      scores: undefined,
      items: undefined,
      categories: undefined,
    };
    this.#closing = { horizon: 0, at: 0, ts: 0, tag: 0, userless: false, bucket: 0, list: this.#list };
    const { words, bytes } = engine;
    this.names = {
      get handle() {
        return words[AT + CLOSES.entry];
      },
      requestId: () => readText(bytes, words[AT + CLOSES.request]),
      items: (most) => {
        const items: string[] = [];
        this.#readItems(Math.min(most, words[AT + CLOSES.length]), items);
        return items;
      },
    };
  }

  /**
   * The closing that the engine has put at CLOSES.AT.
   * @param namesItems whether its items and categories are read
   */
  read(namesItems: boolean): Closing {
    const { words } = this.#engine;
    const list = this.#list;
    this.#readHead(CLOSES.AT);
    if (words[AT + CLOSES.eventArrays] !== this.#eventsAt) this.#viewEvents();
    this.#show(this.#events);
    if (words[AT + CLOSES.slotArrays] !== this.#slotArrays) this.#viewSlots();
    list.ranks = words[AT + CLOSES.hasRanks] === 0 ? undefined : this.#ranks;
    list.firstSlot = words[AT + CLOSES.hasFirstSlots] === 0 ? undefined : this.#firstSlots;
    list.scores = words[AT + CLOSES.hasScores] === 0 ? undefined : this.#scores;
    if (namesItems) this.#readTexts(list);
    return this.#closing;
  }

  /** Reads the fields that all closings have. */
  #readHead(place: number): void {
    const { words, doubles } = this.#engine;
    const at = place >>> 2;
    const closing = this.#closing;
    const list = this.#list;
    closing.at = doubles[(place >>> 3) + CLOSING.at];
    closing.ts = doubles[(place >>> 3) + CLOSING.ts];
    closing.horizon = words[at + CLOSING.horizon];
    closing.tag = words[at + CLOSING.tag];
    closing.userless = words[at + CLOSING.isUserless] !== 0;
    closing.bucket = words[at + CLOSING.userWord] & (BUCKETS - 1);
    list.length = words[at + CLOSING.length];
    list.pageOffset = words[at + CLOSING.page];
    list.events = words[at + CLOSING.events];
    list.items = undefined;
    list.categories = undefined;
  }

  /** Kind of the queued closing at this address: CLOSES_LIST, UNREFS_TAG, or both. */
  kindOf(place: number): number {
    return this.#engine.words[(place >>> 2) + CLOSING.kind];
  }

  tagOf(place: number): number {
    return this.#engine.words[(place >>> 2) + CLOSING.tag];
  }

  /** The queued closing at this address. */
  queued(place: number): Closing {
    const { words, doubles } = this.#engine;
    const list = this.#list;
    this.#readHead(place);
    list.ranks = undefined;
    list.firstSlot = undefined;
    list.scores = undefined;
    const { events } = list;
    const { slot, action, value, ts } = this.#queuedEvents;
    for (let n = 0, from = place + CLOSING.BYTES; n < events; n++, from += QUEUED_EVENT.BYTES) {
      ts[n] = doubles[(from >>> 3) + QUEUED_EVENT.ts];
      value[n] = doubles[(from >>> 3) + QUEUED_EVENT.value];
      slot[n] = words[(from >>> 2) + QUEUED_EVENT.slot];
      action[n] = words[(from >>> 2) + QUEUED_EVENT.action];
    }
    this.#show(this.#queuedEvents);
    return this.#closing;
  }

  #show(events: EventArrays): void {
    const list = this.#list;
    if (list.slot === events.slot) return;
    list.slot = events.slot;
    list.action = events.action;
    list.value = events.value;
    list.ts = events.ts;
  }

  #viewEvents(): void {
    const { words, buffer } = this.#engine;
    const at = words[AT + CLOSES.eventArrays];
    const room = words[AT + CLOSES.eventRoom];
    this.#eventsAt = at;
    this.#events = {
      ts: new Float64Array(buffer, at, room),
      value: new Float64Array(buffer, at + 8 * room, room),
      slot: new Int32Array(buffer, at + 16 * room, room),
      action: new Int32Array(buffer, at + 20 * room, room),
    };
  }

  #viewSlots(): void {
    const { words, buffer } = this.#engine;
    const at = words[AT + CLOSES.slotArrays];
    const room = words[AT + CLOSES.slotRoom];
    this.#slotArrays = at;
    this.#scores = new Float64Array(buffer, at, room);
    this.#ranks = new Int32Array(buffer, at + 8 * room, room);
    this.#firstSlots = new Int32Array(buffer, at + 12 * room, room);
  }

  #readTexts(list: Joined): void {
    const { words, bytes } = this.#engine;
    this.#readItems(list.length, this.#items);
    list.items = this.#items;
    let at = words[AT + CLOSES.categories];
    if (at === 0) return;
    for (let s = 0; s < list.length; s++) {
      this.#categories[s] = readText(bytes, at);
      at = textEnd(bytes, at);
    }
    list.categories = this.#categories;
  }

  /** Reads the items of the first `count` slots. */
  #readItems(count: number, items: string[]): void {
    const { words, bytes } = this.#engine;
    const list = words[AT + CLOSES.items];
    const shared = readText(bytes, list);
    let at = textEnd(bytes, list);
    if (words[AT + CLOSES.isNumeric] !== 0) {
      this.#readNumbers(shared, at, count, items);
      return;
    }
    for (let s = 0; s < count; s++) {
      items[s] = shared + readText(bytes, at);
      at = textEnd(bytes, at);
    }
  }

  /**
   * Reads items that differ only by a number (wasm/engine/numbers.ts).
   * @param head the address after the common prefix
   */
  #readNumbers(shared: string, head: number, count: number, items: string[]): void {
    const { words, bytes } = this.#engine;
    const digits = bytes[head] & 15;
    const width = bytes[head] >>> 4;
    const least = bytes.readUInt32LE(head + 1);
    const lower = head + 5;
    const upper = lower + 2 * words[AT + CLOSES.length];
    for (let s = 0; s < count; s++) {
      let number = least + bytes.readUInt16LE(lower + 2 * s);
      if (width === 3) number += bytes[upper + s] * 0x10000;
      else if (width === 4) number += bytes.readUInt16LE(upper + 2 * s) * 0x10000;
      items[s] = shared + String(number).padStart(digits, '0');
    }
  }
}
