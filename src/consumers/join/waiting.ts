import { Buffer } from 'node:buffer';
import type { EpochMs } from '../../events.ts';
import type { FeedbackTexts, PackedFeedback } from '../packed/feedback.ts';
import { copyText, sameText, textEnd } from '../packed/text.ts';
import { Arena } from './arena.ts';
import { Deadlines } from './deadlines.ts';
import { HASH_WORD, NEXT_WORD, RequestTable } from './requests.ts';

/**
 * Feedback that no impression took yet, packed: found by request id, and by deadline through a heap.
 *
 * u32 hash, next | flags, place in the heap | f64 ts | f64 watermark | f64 value | u32 before | request id, item, action, event id?
 */
const FLAGS_WORD = 2;
const PLACE_WORD = 3;
const TS = 2;
const WATERMARK = 3;
const VALUE = 4;
const BEFORE_WORD = 10;
const BYTES = 44;

const TOPIC_MASK = 0xff;
const MET = 0x100;
const BELOW = 0x200;
const HAS_EVENT_ID = 0x400;

export class WaitingFeedback {
  /** Records gone through by `find`. */
  steps = 0;
  readonly #arena = new Arena();
  readonly #table = new RequestTable(this.#arena, BEFORE_WORD);
  readonly #deadlines = new Deadlines((handle, place) => this.#setWord(handle, PLACE_WORD, place));
  readonly #read: { -readonly [Field in keyof FeedbackTexts]: FeedbackTexts[Field] } = {
    ts: 0,
    value: 0,
    u8: Buffer.alloc(0),
    item: 0,
    action: 0,
    eventId: -1,
  };
  #count = 0;

  get count(): number {
    return this.#count;
  }

  get bytes(): number {
    return this.#arena.bytes + this.#table.bytes + this.#deadlines.bytes;
  }

  /** `below`: its record lies below the committed offset. `met`: an impression is there that it fits, without its item. */
  add(
    feedback: PackedFeedback,
    hash: number,
    topic: number,
    watermark: EpochMs,
    deadline: EpochMs,
    below: boolean,
    met: boolean,
  ): void {
    const arena = this.#arena;
    const { u8: source, request, item, action, eventId } = feedback;
    const texts = sizeOf(source, request) + sizeOf(source, item) + sizeOf(source, action) + sizeOf(source, eventId);
    const handle = arena.reserve(BYTES + texts);
    const { u32, f64, u8 } = arena.segment(handle);
    const at = arena.unit(handle);
    const word = at * 2;
    u32[word + HASH_WORD] = hash;
    u32[word + NEXT_WORD] = 0;
    u32[word + FLAGS_WORD] = topic | (met ? MET : 0) | (below ? BELOW : 0) | (eventId < 0 ? 0 : HAS_EVENT_ID);
    f64[at + TS] = feedback.ts;
    f64[at + WATERMARK] = watermark;
    f64[at + VALUE] = feedback.value;
    const from = at * 8;
    let to = copyText(u8, from + BYTES, source, request);
    to = copyText(u8, to, source, item);
    to = copyText(u8, to, source, action);
    if (eventId >= 0) to = copyText(u8, to, source, eventId);
    arena.commit(to - from);
    this.#table.insert(handle);
    this.#deadlines.add(deadline, handle);
    this.#count++;
  }

  /** Handles of the feedback that waits for the request at `request` of `texts`, oldest first, put into `found`; answers how many. */
  find(texts: Uint8Array, request: number, hash: number, found: number[]): number {
    if (this.#count === 0) return 0;
    let n = 0;
    let steps = 0;
    for (let at = this.#table.chain(hash); at !== 0; at = this.#table.next(at)) {
      steps++;
      if (this.#table.hash(at) === hash && this.#isOf(at, texts, request)) found[n++] = at;
    }
    this.steps += steps;
    for (let i = 0, j = n - 1; i < j; i++, j--) {
      const swapped = found[i];
      found[i] = found[j];
      found[j] = swapped;
    }
    return n;
  }

  /** What the record says, in memory that is used again: good until the next record is read, added or removed. */
  read(handle: number): FeedbackTexts {
    const { f64, u8 } = this.#arena.segment(handle);
    const at = this.#arena.unit(handle);
    const read = this.#read;
    read.u8 = u8;
    read.ts = f64[at + TS];
    read.value = f64[at + VALUE];
    read.item = textEnd(u8, at * 8 + BYTES);
    read.action = textEnd(u8, read.item);
    read.eventId = (this.#flags(handle) & HAS_EVENT_ID) === 0 ? -1 : textEnd(u8, read.action);
    return read;
  }

  ts(handle: number): EpochMs {
    return this.#arena.segment(handle).f64[this.#arena.unit(handle) + TS];
  }

  topic(handle: number): number {
    return this.#flags(handle) & TOPIC_MASK;
  }

  watermark(handle: number): EpochMs {
    return this.#arena.segment(handle).f64[this.#arena.unit(handle) + WATERMARK];
  }

  isBelow(handle: number): boolean {
    return (this.#flags(handle) & BELOW) !== 0;
  }

  setMet(handle: number): void {
    this.#arena.segment(handle).u32[this.#arena.unit(handle) * 2 + FLAGS_WORD] |= MET;
  }

  remove(handle: number): void {
    this.#table.remove(handle);
    this.#deadlines.removeAt(this.#word(handle, PLACE_WORD));
    this.#arena.free(handle);
    this.#count--;
  }

  /** Removes all whose deadline is at or below `until`, after telling of each. */
  settle(until: EpochMs, settled: (topic: number, met: boolean, deadline: EpochMs) => void): void {
    const deadlines = this.#deadlines;
    for (let deadline = deadlines.least; deadline <= until; deadline = deadlines.least) {
      const handle = deadlines.first;
      const flags = this.#flags(handle);
      this.remove(handle);
      settled(flags & TOPIC_MASK, (flags & MET) !== 0, deadline);
    }
  }

  #isOf(handle: number, texts: Uint8Array, request: number): boolean {
    return sameText(this.#arena.segment(handle).u8, this.#arena.unit(handle) * 8 + BYTES, texts, request);
  }

  #flags(handle: number): number {
    return this.#word(handle, FLAGS_WORD);
  }

  #word(handle: number, word: number): number {
    return this.#arena.segment(handle).u32[this.#arena.unit(handle) * 2 + word];
  }

  #setWord(handle: number, word: number, value: number): void {
    this.#arena.segment(handle).u32[this.#arena.unit(handle) * 2 + word] = value;
  }
}

/** Bytes of the text at `at`; -1 is the place of none. */
function sizeOf(u8: Uint8Array, at: number): number {
  return at < 0 ? 0 : textEnd(u8, at) - at;
}
