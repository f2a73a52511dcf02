import type { FeedbackTexts } from '../packed/feedback.ts';
import { copyText, sameText, textEnd } from '../packed/text.ts';
import { Arena } from './arena.ts';

/**
 * Attributed feedback, packed, in the chain of its impression's body until that is freed.
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

export class FeedbackRecords {
  readonly #arena = new Arena();

  get bytes(): number {
    return this.#arena.bytes;
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

  freeChain(first: number): void {
    for (let at = first; at !== 0; ) {
      const next = this.next(at);
      this.#arena.free(at);
      at = next;
    }
  }
}
