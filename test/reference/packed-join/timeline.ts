import type { DurationMs, EpochMs } from '../../../src/vocabulary/events.ts';

/**
 * Remembered impressions by event time. Since every horizon adds the same length to all of them, one order by (time, log
 * order) serves all horizons: a slice of time is sorted when it is first read, and each horizon moves a cursor over it.
 */
class Slice {
  handles = new Uint32Array(4);
  bodies = new Uint32Array(4);
  /** Milliseconds since the start of the slice. */
  times = new Uint16Array(4);
  count = 0;
  /** The first `ordered` entries are sorted. */
  ordered = 0;
}

/** Bytes of a slice besides its numbers: four objects, three of them with a buffer. */
const SLICE_BYTES = 700;
/** Slices are at most this long, so that a time within one fits 16 bits. */
const LONGEST_SLICE_MS = 1000;

export class Timeline {
  readonly #horizons: readonly DurationMs[];
  readonly #logOrder: (a: number, b: number) => number;
  readonly #sliceMs: DurationMs;
  readonly #slices = new TimeBuckets<Slice>(() => new Slice());
  #bytes = 0;
  #keys = new Float64Array(64);
  /** By horizon: the position of its cursor, the record there, and when that closes. */
  readonly #place: number[];
  readonly #index: number[];
  readonly #handle: number[];
  readonly #body: number[];
  readonly #at: number[];

  /** `logOrder(a, b)` below 0: `a` comes first in the log. */
  constructor(horizons: readonly DurationMs[], logOrder: (a: number, b: number) => number) {
    this.#horizons = horizons;
    this.#logOrder = logOrder;
    this.#sliceMs = Math.min(LONGEST_SLICE_MS, Math.max(1, Math.floor(horizons[horizons.length - 1] / 256)));
    this.#place = horizons.map(() => 0);
    this.#index = horizons.map(() => 0);
    this.#handle = horizons.map(() => 0);
    this.#body = horizons.map(() => 0);
    this.#at = horizons.map(() => 0);
  }

  get bytes(): number {
    return this.#bytes + this.#keys.byteLength;
  }

  /** Time of the oldest slice; undefined: nothing is remembered. */
  get oldest(): EpochMs | undefined {
    return this.#slices.size === 0 ? undefined : this.#slices.key(0) * this.#sliceMs;
  }

  /** Must be called in log order. `body` is handed to `close`, so that closing need not look for it. */
  add(ts: EpochMs, handle: number, body: number): void {
    const key = Math.floor(ts / this.#sliceMs);
    const slice = this.#slices.at(key);
    const n = slice.count;
    if (n === 0) this.#bytes += bytesOf(slice);
    if (n === slice.handles.length) this.#widen(slice);
    const time = ts - key * this.#sliceMs;
    slice.handles[n] = handle;
    slice.bodies[n] = body;
    slice.times[n] = time;
    if (slice.ordered === n && (n === 0 || time >= slice.times[n - 1])) slice.ordered = n + 1;
    slice.count = n + 1;
  }

  /** Visits the body of every (record, horizon) with from < ts + horizon <= to, in the order of that time, then of the log. */
  close(from: EpochMs, to: EpochMs, visit: (body: number, horizon: number, at: EpochMs, handle: number) => void): void {
    const horizons = this.#horizons;
    const at = this.#at;
    for (let h = 0; h < horizons.length; h++) this.#seek(h, from - horizons[h]);
    for (;;) {
      let next = 0;
      for (let h = 1; h < horizons.length; h++) {
        const later = at[h] - at[next];
        if (later < 0 || (later === 0 && this.#logOrder(this.#handle[h], this.#handle[next]) < 0)) next = h;
      }
      const time = at[next];
      if (!(time <= to)) return;
      const handle = this.#handle[next];
      const body = this.#body[next];
      this.#index[next]++;
      this.#load(next);
      visit(body, next, time, handle);
    }
  }

  /** Visits and drops the slices that end at or before `until`. */
  forget(until: EpochMs, visit: (handle: number) => void): void {
    const slices = this.#slices;
    let done = 0;
    for (; done < slices.size && (slices.key(done) + 1) * this.#sliceMs <= until; done++) {
      const slice = slices.value(done);
      for (let i = 0; i < slice.count; i++) visit(slice.handles[i]);
      this.#bytes -= bytesOf(slice);
    }
    slices.dropOldest(done);
  }

  /** Puts the cursor of horizon h on the first record with ts > after. */
  #seek(h: number, after: EpochMs): void {
    const slices = this.#slices;
    const key = Math.floor(after / this.#sliceMs);
    const place = slices.lowerBound(key);
    let index = 0;
    if (place < slices.size && slices.key(place) === key) {
      const slice = this.#sorted(place);
      const time = after - key * this.#sliceMs;
      let high = slice.count;
      while (index < high) {
        const middle = (index + high) >>> 1;
        if (slice.times[middle] <= time) index = middle + 1;
        else high = middle;
      }
    }
    this.#place[h] = place;
    this.#index[h] = index;
    this.#load(h);
  }

  /** Reads the record under the cursor, moving on to the next slice at the end of one. */
  #load(h: number): void {
    const slices = this.#slices;
    while (this.#place[h] < slices.size) {
      const slice = this.#sorted(this.#place[h]);
      const index = this.#index[h];
      if (index < slice.count) {
        this.#handle[h] = slice.handles[index];
        this.#body[h] = slice.bodies[index];
        this.#at[h] = slices.key(this.#place[h]) * this.#sliceMs + slice.times[index] + this.#horizons[h];
        return;
      }
      this.#place[h]++;
      this.#index[h] = 0;
    }
    this.#at[h] = Number.POSITIVE_INFINITY;
  }

  /** Sorts what was added since, and merges it from the end, so that a slice that is read often is not sorted as a whole each time. */
  #sorted(place: number): Slice {
    const slice = this.#slices.value(place);
    const { count, ordered, handles, bodies, times } = slice;
    const added = count - ordered;
    if (added === 0) return slice;
    if (this.#keys.length < added) this.#keys = new Float64Array(2 * added);
    const keys = this.#keys.subarray(0, added);
    // The place in the slice is the order of the log among equal times, so time * 2^32 + place sorts by both.
    for (let i = 0; i < added; i++) keys[i] = times[ordered + i] * 0x100000000 + i;
    keys.sort();
    const addedHandles = handles.slice(ordered, count);
    const addedBodies = bodies.slice(ordered, count);
    let before = ordered - 1;
    for (let last = added - 1, to = count - 1; last >= 0; to--) {
      const time = Math.floor(keys[last] / 0x100000000);
      if (before >= 0 && times[before] > time) {
        handles[to] = handles[before];
        bodies[to] = bodies[before];
        times[to] = times[before--];
      } else {
        const from = keys[last--] % 0x100000000;
        handles[to] = addedHandles[from];
        bodies[to] = addedBodies[from];
        times[to] = time;
      }
    }
    slice.ordered = count;
    return slice;
  }

  #widen(slice: Slice): void {
    const { handles, bodies, times } = slice;
    this.#bytes -= bytesOf(slice);
    slice.handles = new Uint32Array(2 * handles.length);
    slice.handles.set(handles);
    slice.bodies = new Uint32Array(2 * bodies.length);
    slice.bodies.set(bodies);
    slice.times = new Uint16Array(2 * times.length);
    slice.times.set(times);
    this.#bytes += bytesOf(slice);
  }
}

function bytesOf({ handles, bodies, times }: Slice): number {
  return SLICE_BYTES + handles.byteLength + bodies.byteLength + times.byteLength;
}

/** Values by slice of time, found by key and visited from the oldest on. Few keys at a time (thousands), mostly added at the end. */
class TimeBuckets<T> {
  readonly #make: (key: number) => T;
  readonly #keys: number[] = [];
  readonly #values: T[] = [];

  constructor(make: (key: number) => T) {
    this.#make = make;
  }

  get size(): number {
    return this.#keys.length;
  }

  /** The bucket of a key, which is created if it is missing. */
  at(key: number): T {
    const keys = this.#keys;
    const end = keys.length;
    if (end > 0 && keys[end - 1] === key) return this.#values[end - 1];
    const i = this.lowerBound(key);
    if (i < end && keys[i] === key) return this.#values[i];
    const value = this.#make(key);
    keys.splice(i, 0, key);
    this.#values.splice(i, 0, value);
    return value;
  }

  /** Place of the first key at or above the given one. */
  lowerBound(key: number): number {
    let low = 0;
    let high = this.#keys.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (this.#keys[middle] < key) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  key(place: number): number {
    return this.#keys[place];
  }

  value(place: number): T {
    return this.#values[place];
  }

  /** Removes the `count` oldest. */
  dropOldest(count: number): void {
    if (count === 0) return;
    this.#keys.splice(0, count);
    this.#values.splice(0, count);
  }
}
