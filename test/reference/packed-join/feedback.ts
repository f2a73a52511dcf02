import { Buffer } from 'node:buffer';
import type { FeedbackTexts } from '../../../src/consumers/packed/packed-feedback.ts';
import { textEnd } from '../../../src/consumers/packed/text.ts';
import { Arena } from './arena.ts';
import { ByteTable, ItemHash } from './byte-table.ts';
import { copyText, sameText } from './text-copies.ts';

/**
 * Attributed feedback, packed, in the chain of its impression's body until the body is freed.
 *
 * u32 next, slot | kind (topic, has event id, action + 1), missed horizons | f64 ts | f64 value | event id, or the name of an unlisted action.
 */
const NEXT_WORD = 0;
const SLOT_WORD = 1;
const KIND_WORD = 2;
const MISSED_WORD = 3;
const TS = 2;
const VALUE = 3;
const BYTES = 32;

const TOPIC_MASK = 0xff;
const HAS_EVENT_ID = 0x100;
const ACTION_SHIFT = 9;

/** The feedback attributed to one body: its identities, and how many there are of each topic. */
interface Chain {
  readonly identities: ByteTable;
  readonly counts: number[];
}

/** Bytes of an identity before its text. */
const IDENTITY_BYTES = 32;
/** Bytes of a chain with an index, besides its table. */
const CHAIN_BYTES = 256;

export class FeedbackRecords {
  /** Records compared one by one, or links followed instead. */
  steps = 0;
  readonly #arena = new Arena();
  readonly #hash: ItemHash;
  readonly #longChain: number;
  /** The long chains, by body. */
  readonly #chains = new Map<number, Chain>();
  #chainBytes = 0;
  #identity = Buffer.alloc(256);
  #numbers = new DataView(this.#identity.buffer, this.#identity.byteOffset);

  /**
   * @param seed of the hash of identities
   * @param longChain a chain of more records is given an index
   */
  constructor(seed: number, longChain: number) {
    this.#hash = new ItemHash(seed);
    this.#longChain = longChain;
  }

  get bytes(): number {
    return this.#arena.bytes + this.#chainBytes;
  }

  /** `action`: its index among the listed ones, or -1. */
  add(feedback: FeedbackTexts, topic: number, action: number, slot: number, missed: number): number {
    const arena = this.#arena;
    const { u8: source, eventId } = feedback;
    const hasText = eventId >= 0 || action < 0;
    const text = eventId >= 0 ? eventId : feedback.action;
    const handle = arena.reserve(BYTES + (hasText ? textEnd(source, text) - text : 0));
    const { u32, f64, u8 } = arena.segment(handle);
    const at = arena.unit(handle);
    u32[at * 2 + NEXT_WORD] = 0;
    u32[at * 2 + SLOT_WORD] = slot;
    u32[at * 2 + KIND_WORD] = topic | (eventId >= 0 ? HAS_EVENT_ID : 0) | ((action + 1) << ACTION_SHIFT);
    u32[at * 2 + MISSED_WORD] = missed;
    f64[at + TS] = feedback.ts;
    f64[at + VALUE] = feedback.value;
    const from = at * 8;
    arena.commit(hasText ? copyText(u8, from + BYTES, source, text) - from : BYTES);
    return handle;
  }

  /**
   * Number of events of the topic in the chain of the body, which starts at `first`; -1: one of them has the identity of this
   * feedback.
   */
  countOf(topic: number, body: number, first: number, feedback: FeedbackTexts, action: number, slot: number): number {
    const chain = this.#chains.size === 0 ? undefined : this.#chains.get(body);
    if (chain !== undefined) return this.#countIn(chain, topic, feedback, action, slot);
    let ofTopic = 0;
    let steps = 0;
    for (let at = first; at !== 0; at = this.next(at)) {
      steps++;
      if (this.topic(at) !== topic) continue;
      if (this.isSame(at, feedback, action, slot)) {
        ofTopic = -1;
        break;
      }
      ofTopic++;
    }
    this.steps += steps;
    if (steps > this.#longChain) this.#index(body, first);
    return ofTopic;
  }

  #countIn(
    { identities, counts }: Chain,
    topic: number,
    feedback: FeedbackTexts,
    action: number,
    slot: number,
  ): number {
    const { eventId, u8 } = feedback;
    const text = eventId >= 0 ? eventId : action < 0 ? feedback.action : -1;
    const end = this.#writeIdentity(topic, eventId >= 0, slot, action, feedback.ts, feedback.value, u8, text);
    const before = identities.steps;
    const same = identities.find(
      this.#identity,
      0,
      end,
      (at) => this.topic(at) === topic && this.isSame(at, feedback, action, slot),
    );
    this.steps += 1 + identities.steps - before;
    return same >= 0 ? -1 : (counts[topic] ?? 0);
  }

  #index(body: number, first: number): void {
    const chain: Chain = { identities: new ByteTable(this.#hash), counts: [] };
    this.#chains.set(body, chain);
    this.#chainBytes += CHAIN_BYTES + chain.identities.bytes;
    for (let at = first; at !== 0; at = this.next(at)) this.#addTo(chain, at);
  }

  #addTo({ identities, counts }: Chain, at: number): void {
    const { u8, u32 } = this.#arena.segment(at);
    const unit = this.#arena.unit(at);
    const topic = this.topic(at);
    const hasEventId = (u32[unit * 2 + KIND_WORD] & HAS_EVENT_ID) !== 0;
    const text = hasEventId || this.action(at) < 0 ? unit * 8 + BYTES : -1;
    const end = this.#writeIdentity(
      topic,
      hasEventId,
      this.slot(at),
      this.action(at),
      this.ts(at),
      this.value(at),
      u8,
      text,
    );
    const before = identities.bytes;
    identities.add(this.#identity, 0, end, at);
    this.#chainBytes += identities.bytes - before;
    counts[topic] = (counts[topic] ?? 0) + 1;
  }

  /** Writes the identity of the event to `#identity` and returns where it ends. `text`: place of its event id or action; -1: none. */
  #writeIdentity(
    topic: number,
    hasEventId: boolean,
    slot: number,
    action: number,
    ts: number,
    value: number,
    source: Uint8Array,
    text: number,
  ): number {
    const bytes = text < 0 ? 0 : textEnd(source, text) - text;
    if (IDENTITY_BYTES + bytes > this.#identity.length) {
      this.#identity = Buffer.alloc(2 * (IDENTITY_BYTES + bytes));
      this.#numbers = new DataView(this.#identity.buffer, this.#identity.byteOffset);
    }
    const numbers = this.#numbers;
    numbers.setUint32(0, topic | (hasEventId ? HAS_EVENT_ID : 0));
    numbers.setUint32(4, hasEventId ? 0 : slot);
    numbers.setInt32(8, hasEventId ? 0 : action);
    numbers.setFloat64(16, hasEventId ? 0 : ts);
    // A single zero and a single NaN, as the comparison treats them.
    numbers.setFloat64(24, hasEventId ? 0 : Number.isNaN(value) ? Number.NaN : value + 0);
    return text < 0 ? IDENTITY_BYTES : copyText(this.#identity, IDENTITY_BYTES, source, text);
  }

  /** The record at `handle` was put at the end of the body's chain. */
  appended(body: number, handle: number): void {
    const chain = this.#chains.size === 0 ? undefined : this.#chains.get(body);
    if (chain !== undefined) this.#addTo(chain, handle);
  }

  /** Whether the record has the identity of this feedback: the event id, else item, action, value and time. */
  isSame(handle: number, feedback: FeedbackTexts, action: number, slot: number): boolean {
    const { u32, f64, u8 } = this.#arena.segment(handle);
    const at = this.#arena.unit(handle);
    const kind = u32[at * 2 + KIND_WORD];
    const text = at * 8 + BYTES;
    const { eventId, value } = feedback;
    if ((kind & HAS_EVENT_ID) !== 0) return eventId >= 0 && sameText(u8, text, feedback.u8, eventId);
    if (eventId >= 0) return false;
    const stored = f64[at + VALUE];
    return (
      u32[at * 2 + SLOT_WORD] === slot &&
      kind >>> ACTION_SHIFT === action + 1 &&
      f64[at + TS] === feedback.ts &&
      (Number.isNaN(value) ? Number.isNaN(stored) : stored === value) &&
      (action >= 0 || sameText(u8, text, feedback.u8, feedback.action))
    );
  }

  next(handle: number): number {
    return this.#arena.segment(handle).u32[this.#arena.unit(handle) * 2 + NEXT_WORD];
  }

  link(handle: number, next: number): void {
    this.#arena.segment(handle).u32[this.#arena.unit(handle) * 2 + NEXT_WORD] = next;
  }

  slot(handle: number): number {
    return this.#arena.segment(handle).u32[this.#arena.unit(handle) * 2 + SLOT_WORD];
  }

  topic(handle: number): number {
    return this.#arena.segment(handle).u32[this.#arena.unit(handle) * 2 + KIND_WORD] & TOPIC_MASK;
  }

  action(handle: number): number {
    return (this.#arena.segment(handle).u32[this.#arena.unit(handle) * 2 + KIND_WORD] >>> ACTION_SHIFT) - 1;
  }

  /** Bit h is set: the event does not count at horizon h. */
  missed(handle: number): number {
    return this.#arena.segment(handle).u32[this.#arena.unit(handle) * 2 + MISSED_WORD];
  }

  ts(handle: number): number {
    return this.#arena.segment(handle).f64[this.#arena.unit(handle) + TS];
  }

  value(handle: number): number {
    return this.#arena.segment(handle).f64[this.#arena.unit(handle) + VALUE];
  }

  /** Frees the records of a body, starting at `first`. */
  freeChain(body: number, first: number): void {
    const chain = this.#chains.size === 0 ? undefined : this.#chains.get(body);
    if (chain !== undefined) {
      this.#chains.delete(body);
      this.#chainBytes -= CHAIN_BYTES + chain.identities.bytes;
    }
    for (let at = first; at !== 0; ) {
      const next = this.next(at);
      this.#arena.free(at);
      at = next;
    }
  }
}
