import type { DurationMs, EpochMs, Feedback } from '../../events.ts';
import { Arena } from './arena.ts';
import { TimeBuckets } from './buckets.ts';
import { HASH_WORD, NEXT_WORD, RequestTable } from './requests.ts';
import { readText, textBound, textEnd, textEquals, writeText } from './text.ts';

/**
 * Feedback that no impression took yet, packed: found by request id, and by deadline through a doubly linked list for each
 * slice of time.
 *
 * u32 hash, next | flags, previous of the slice | f64 deadline | f64 ts | f64 watermark | f64 value | u32 next of the slice, - | request id, item, action, event id?
 */
const FLAGS_WORD = 2;
const BEFORE_WORD = 3;
const DEADLINE = 2;
const TS = 3;
const WATERMARK = 4;
const VALUE = 5;
const AFTER_WORD = 12;
const BYTES = 56;

const TOPIC_MASK = 0xff;
const MET = 0x100;
const BELOW = 0x200;
const HAS_EVENT_ID = 0x400;

export class WaitingFeedback {
  readonly #arena = new Arena();
  readonly #table = new RequestTable(this.#arena);
  readonly #sliceMs: DurationMs;
  readonly #slices = new TimeBuckets<{ first: number }>(() => ({ first: 0 }));
  #count = 0;

  constructor(sliceMs: DurationMs) {
    this.#sliceMs = sliceMs;
  }

  get count(): number {
    return this.#count;
  }

  get bytes(): number {
    return this.#arena.bytes + this.#table.bytes;
  }

  /** `below`: its record lies below the committed offset. `met`: an impression is there that it fits, without its item. */
  add(
    feedback: Feedback,
    hash: number,
    topic: number,
    watermark: EpochMs,
    deadline: EpochMs,
    below: boolean,
    met: boolean,
  ): void {
    const arena = this.#arena;
    const { requestId, itemId, action, eventId } = feedback;
    const handle = arena.reserve(
      BYTES + textBound(requestId) + textBound(itemId) + textBound(action) + textBound(eventId ?? ''),
    );
    const { u32, f64, u8 } = arena.segment(handle);
    const at = arena.unit(handle);
    const word = at * 2;
    u32[word + HASH_WORD] = hash;
    u32[word + NEXT_WORD] = 0;
    u32[word + FLAGS_WORD] = topic | (met ? MET : 0) | (below ? BELOW : 0) | (eventId === undefined ? 0 : HAS_EVENT_ID);
    f64[at + DEADLINE] = deadline;
    f64[at + TS] = feedback.ts;
    f64[at + WATERMARK] = watermark;
    f64[at + VALUE] = feedback.value ?? Number.NaN;
    const from = at * 8;
    let to = writeText(u8, from + BYTES, requestId);
    to = writeText(u8, to, itemId);
    to = writeText(u8, to, action);
    if (eventId !== undefined) to = writeText(u8, to, eventId);
    arena.commit(to - from);
    this.#table.insert(handle);
    this.#enlist(handle, deadline);
    this.#count++;
  }

  /** Handles of the feedback that waits for this request, oldest first, put into `found`; answers how many. */
  find(requestId: string, hash: number, found: number[]): number {
    if (this.#count === 0) return 0;
    let n = 0;
    for (let at = this.#table.chain(hash); at !== 0; at = this.#table.next(at)) {
      if (this.#table.hash(at) === hash && this.#isOf(at, requestId)) found[n++] = at;
    }
    for (let i = 0, j = n - 1; i < j; i++, j--) {
      const swapped = found[i];
      found[i] = found[j];
      found[j] = swapped;
    }
    return n;
  }

  /** `requestId`: as it was found by. */
  read(handle: number, requestId: string): Feedback {
    const { f64, u8 } = this.#arena.segment(handle);
    const at = this.#arena.unit(handle);
    const item = textEnd(u8, at * 8 + BYTES);
    const action = textEnd(u8, item);
    const value = f64[at + VALUE];
    return {
      kind: 'feedback',
      requestId,
      itemId: readText(u8, item),
      ts: f64[at + TS],
      action: readText(u8, action),
      eventId: (this.#flags(handle) & HAS_EVENT_ID) === 0 ? undefined : readText(u8, textEnd(u8, action)),
      value: Number.isNaN(value) ? undefined : value,
    };
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
    this.#delist(handle);
    this.#arena.free(handle);
    this.#count--;
  }

  /** Removes all whose deadline is at or below `until`, after telling of each. */
  settle(until: EpochMs, settled: (topic: number, met: boolean, deadline: EpochMs) => void): void {
    const slices = this.#slices;
    let done = 0;
    for (; done < slices.size && slices.key(done) * this.#sliceMs <= until; done++) {
      for (let at = slices.value(done).first; at !== 0; ) {
        const after = this.#word(at, AFTER_WORD);
        const deadline = this.#arena.segment(at).f64[this.#arena.unit(at) + DEADLINE];
        if (deadline <= until) {
          const flags = this.#flags(at);
          this.remove(at);
          settled(flags & TOPIC_MASK, (flags & MET) !== 0, deadline);
        }
        at = after;
      }
      if ((slices.key(done) + 1) * this.#sliceMs > until) break;
    }
    slices.dropOldest(done);
  }

  #isOf(handle: number, requestId: string): boolean {
    return textEquals(this.#arena.segment(handle).u8, this.#arena.unit(handle) * 8 + BYTES, requestId);
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

  #enlist(handle: number, deadline: EpochMs): void {
    const slice = this.#slices.at(Math.floor(deadline / this.#sliceMs));
    this.#setWord(handle, BEFORE_WORD, 0);
    this.#setWord(handle, AFTER_WORD, slice.first);
    if (slice.first !== 0) this.#setWord(slice.first, BEFORE_WORD, handle);
    slice.first = handle;
  }

  #delist(handle: number): void {
    const before = this.#word(handle, BEFORE_WORD);
    const after = this.#word(handle, AFTER_WORD);
    if (after !== 0) this.#setWord(after, BEFORE_WORD, before);
    if (before !== 0) this.#setWord(before, AFTER_WORD, after);
    else this.#slices.at(Math.floor(this.#deadline(handle) / this.#sliceMs)).first = after;
  }

  #deadline(handle: number): EpochMs {
    return this.#arena.segment(handle).f64[this.#arena.unit(handle) + DEADLINE];
  }
}
