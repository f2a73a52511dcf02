import { Buffer } from 'node:buffer';
import type { FeedbackTexts, PackedFeedback } from '../../../src/consumers/packed/packed-feedback.ts';
import { textEnd } from '../../../src/consumers/packed/text.ts';
import type { DurationMs, EpochMs } from '../../../src/vocabulary/events.ts';
import { Arena } from './arena.ts';
import type { ItemHash } from './byte-table.ts';
import type { Texts } from './pages.ts';
import { copyOf, HASH_WORD, LongRequests, NEXT_WORD, RequestTable, WaitingOfRequest } from './requests.ts';
import { copyText, sameText } from './text-copies.ts';
import { spanAround } from './time-trees.ts';

/**
 * Feedback that was not attributed yet, packed: found by request id, and by deadline through a heap.
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
/** It is in the index of its request, if there is one. */
const INDEXED = 0x100;
const REPLAYED = 0x200;
const HAS_EVENT_ID = 0x400;

export class WaitingFeedback {
  #steps = 0;
  readonly #hash: ItemHash;
  readonly #searchUpTo: number;
  readonly #reach: DurationMs;
  readonly #long = new LongRequests<WaitingOfRequest>();
  readonly #arena = new Arena();
  readonly #table = new RequestTable(this.#arena, BEFORE_WORD);
  readonly #deadlines = new Deadlines((handle, place) => this.#setWord(handle, PLACE_WORD, place));
  readonly #read: { -readonly [Field in keyof FeedbackTexts]: FeedbackTexts[Field] } = {
    ts: 0,
    value: 0,
    u8: Buffer.alloc(0),
    request: 0,
    item: 0,
    action: 0,
    eventId: -1,
  };
  #count = 0;

  /**
   * @param searchUpTo a request for which more feedback waits is given an index
   * @param reach the times of feedback that waits for one request are mostly within this span
   */
  constructor(hash: ItemHash, searchUpTo: number, reach: DurationMs) {
    this.#hash = hash;
    this.#searchUpTo = searchUpTo;
    this.#reach = reach;
  }

  /** Records that `find` examined, or links followed instead. */
  get steps(): number {
    return this.#steps + this.#long.steps;
  }

  get count(): number {
    return this.#count;
  }

  get bytes(): number {
    return this.#arena.bytes + this.#table.bytes + this.#deadlines.bytes + this.#long.bytes;
  }

  /** `below`: its record is below the committed offset. */
  add(
    feedback: PackedFeedback,
    hash: number,
    topic: number,
    watermark: EpochMs,
    deadline: EpochMs,
    isReplayed: boolean,
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
    u32[word + FLAGS_WORD] = topic | (isReplayed ? REPLAYED : 0) | (eventId < 0 ? 0 : HAS_EVENT_ID);
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
    const index = this.#long.of(hash, source, request);
    if (index === undefined) return;
    if (index.covers(feedback.ts)) this.#index(index, handle);
    else this.#long.remove(hash, index);
  }

  /**
   * Puts handles of the feedback that waits for the request of `shown`, whose id is at 0 of its texts, into `found`, oldest
   * first, and returns their number. These are all with from <= time < to that an impression that closes at `closed` decides:
   * it holds their item, or they are late for it. They must be removed before the next call.
   */
  find(shown: Texts, hash: number, from: EpochMs, to: EpochMs, closed: EpochMs, found: number[]): number {
    if (this.#count === 0) return 0;
    const index = this.#long.of(hash, shown.u8, 0);
    if (index !== undefined) return this.#findIn(index, shown, hash, from, to, closed, found);
    let n = 0;
    let steps = 0;
    for (let at = this.#table.chain(hash); at !== 0; at = this.#table.next(at)) {
      steps++;
      if (this.#table.hash(at) === hash && this.#isOf(at, shown.u8, 0)) found[n++] = at;
    }
    this.#steps += steps;
    for (let i = 0, j = n - 1; i < j; i++, j--) {
      const swapped = found[i];
      found[i] = found[j];
      found[j] = swapped;
    }
    if (n > this.#searchUpTo) this.#makeIndex(shown, hash, found, n);
    return n;
  }

  #findIn(
    index: WaitingOfRequest,
    shown: Texts,
    hash: number,
    from: EpochMs,
    to: EpochMs,
    closed: EpochMs,
    found: number[],
  ): number {
    let n = 0;
    for (let late = index.lateFor(from, to, closed); late !== 0; late = index.lateFor(from, to, closed)) {
      this.#removeFrom(index, late, hash);
      this.#setWord(late, FLAGS_WORD, this.#flags(late) & ~INDEXED);
      found[n++] = late;
    }
    return index.takeFor(shown, from, to, found, n);
  }

  #makeIndex(shown: Texts, hash: number, found: readonly number[], n: number): void {
    let least = Number.POSITIVE_INFINITY;
    let most = Number.NEGATIVE_INFINITY;
    for (let i = 0; i < n; i++) {
      least = Math.min(least, this.ts(found[i]));
      most = Math.max(most, this.ts(found[i]));
    }
    const index = new WaitingOfRequest(copyOf(shown.u8, 0), this.#hash, spanAround(least, most, this.#reach));
    this.#long.add(hash, index);
    for (let i = 0; i < n; i++) this.#index(index, found[i]);
  }

  #index(index: WaitingOfRequest, handle: number): void {
    const { u8 } = this.#arena.segment(handle);
    const before = index.bytes;
    index.add(handle, this.ts(handle), this.watermark(handle), u8, this.#itemOf(handle));
    this.#setWord(handle, FLAGS_WORD, this.#flags(handle) | INDEXED);
    this.#long.grew(index.bytes - before);
  }

  #removeFrom(index: WaitingOfRequest, handle: number, hash: number): void {
    index.remove(handle, this.ts(handle), this.#arena.segment(handle).u8, this.#itemOf(handle));
    // Names of removed feedback take memory: when most was removed, the next search that needs an index builds a new one.
    if (2 * index.live < index.added) this.#long.remove(hash, index);
  }

  #itemOf(handle: number): number {
    return textEnd(this.#arena.segment(handle).u8, this.requestOf(handle));
  }

  /** The content of the record, in memory that is reused: valid until the next record is read, added or removed. */
  read(handle: number): FeedbackTexts {
    const { f64, u8 } = this.#arena.segment(handle);
    const at = this.#arena.unit(handle);
    const read = this.#read;
    read.u8 = u8;
    read.ts = f64[at + TS];
    read.value = f64[at + VALUE];
    read.request = at * 8 + BYTES;
    read.item = textEnd(u8, read.request);
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

  isReplayed(handle: number): boolean {
    return (this.#flags(handle) & REPLAYED) !== 0;
  }

  hash(handle: number): number {
    return this.#word(handle, HASH_WORD);
  }

  /** The bytes that hold its texts; the request id is at `requestOf`. */
  texts(handle: number): Uint8Array {
    return this.#arena.segment(handle).u8;
  }

  requestOf(handle: number): number {
    return this.#arena.unit(handle) * 8 + BYTES;
  }

  remove(handle: number): void {
    if ((this.#flags(handle) & INDEXED) !== 0) {
      const hash = this.hash(handle);
      const index = this.#long.of(hash, this.texts(handle), this.requestOf(handle));
      if (index !== undefined) this.#removeFrom(index, handle, hash);
    }
    this.#table.remove(handle);
    this.#deadlines.removeAt(this.#word(handle, PLACE_WORD));
    this.#arena.free(handle);
    this.#count--;
  }

  /** Removes all feedback whose deadline is at or below `until`, after calling `settled` for each. */
  settle(until: EpochMs, settled: (handle: number, deadline: EpochMs) => void): void {
    const deadlines = this.#deadlines;
    for (let deadline = deadlines.least; deadline <= until; deadline = deadlines.least) {
      const handle = deadlines.first;
      settled(handle, deadline);
      this.remove(handle);
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

/** Bytes of the text at `at`; -1: there is no text. */
function sizeOf(u8: Uint8Array, at: number): number {
  return at < 0 ? 0 : textEnd(u8, at) - at;
}

/**
 * Handles by deadline: a binary heap, so that what is due is found without examining the rest. The owner of a handle is told
 * its place in the heap, by which it removes the handle.
 */
const LEAST = 64;

export class Deadlines {
  readonly #moved: (handle: number, place: number) => void;
  #times = new Float64Array(LEAST);
  #handles = new Uint32Array(LEAST);
  #size = 0;

  /** @param moved called when a handle has moved to this place */
  constructor(moved: (handle: number, place: number) => void) {
    this.#moved = moved;
  }

  get bytes(): number {
    return this.#times.byteLength + this.#handles.byteLength;
  }

  /** The least deadline; Infinity: nothing waits. */
  get least(): number {
    return this.#size === 0 ? Number.POSITIVE_INFINITY : this.#times[0];
  }

  /** A handle with the least deadline, if something waits. */
  get first(): number {
    return this.#handles[0];
  }

  add(deadline: number, handle: number): void {
    if (this.#size === this.#handles.length) this.#resize(2 * this.#size);
    this.#up(this.#size++, deadline, handle);
  }

  removeAt(place: number): void {
    const last = --this.#size;
    if (place < last) {
      const deadline = this.#times[last];
      const handle = this.#handles[last];
      if (place > 0 && deadline < this.#times[(place - 1) >>> 1]) this.#up(place, deadline, handle);
      else this.#down(place, deadline, handle);
    }
    if (last > LEAST && last < this.#handles.length >>> 2) this.#resize(this.#handles.length >>> 1);
  }

  #up(from: number, deadline: number, handle: number): void {
    let place = from;
    while (place > 0) {
      const parent = (place - 1) >>> 1;
      if (!(deadline < this.#times[parent])) break;
      this.#put(place, this.#times[parent], this.#handles[parent]);
      place = parent;
    }
    this.#put(place, deadline, handle);
  }

  #down(from: number, deadline: number, handle: number): void {
    const times = this.#times;
    let place = from;
    for (;;) {
      let child = 2 * place + 1;
      if (child >= this.#size) break;
      if (child + 1 < this.#size && times[child + 1] < times[child]) child++;
      if (!(times[child] < deadline)) break;
      this.#put(place, times[child], this.#handles[child]);
      place = child;
    }
    this.#put(place, deadline, handle);
  }

  #put(place: number, deadline: number, handle: number): void {
    this.#times[place] = deadline;
    this.#handles[place] = handle;
    this.#moved(handle, place);
  }

  #resize(room: number): void {
    const times = new Float64Array(room);
    times.set(this.#times.subarray(0, this.#size));
    this.#times = times;
    const handles = new Uint32Array(room);
    handles.set(this.#handles.subarray(0, this.#size));
    this.#handles = handles;
  }
}
