import type { DurationMs, EpochMs, Offset } from '../../vocabulary/events.ts';

interface Note {
  /** It is needed until the end of this slice of time. */
  readonly slice: number;
  readonly offset: Offset;
  readonly watermark: EpochMs;
}

/**
 * Where a topic must be read again from, should another owner take over. A record that is still needed until some
 * watermark is noted with the topic's watermark just before it. Coarse on purpose: by slices of time, since any lower offset with
 * its own watermark is as good (specification: join 5.3).
 *
 * A note is kept only while no lower offset is needed longer, so the first is the least, however far the times lie apart.
 */
export class ReplayNotes {
  readonly #sliceMs: DurationMs;
  /** Ascending, by slice and by offset. */
  readonly #notes: Note[] = [];

  /** `attribution`: the longest time for which a record can be needed; a slice is a small part of it. */
  constructor(attribution: DurationMs) {
    this.#sliceMs = Math.max(1, Math.floor(attribution / 128));
  }

  /** The record at `offset` is needed until W reaches `until`. */
  note(offset: Offset, watermark: EpochMs, until: EpochMs): void {
    const notes = this.#notes;
    const slice = Math.floor(until / this.#sliceMs);
    const at = this.#firstFrom(slice);
    if (at < notes.length && notes[at].offset <= offset) return;
    // One of this slice has a higher offset, and so have some of the slices before.
    const end = at < notes.length && notes[at].slice === slice ? at + 1 : at;
    let from = at;
    while (from > 0 && notes[from - 1].offset >= offset) from--;
    notes.splice(from, end - from, { slice, offset, watermark });
  }

  /** Forgets what is needed no longer than `watermark`. */
  forget(watermark: EpochMs): void {
    const notes = this.#notes;
    let done = 0;
    while (done < notes.length && (notes[done].slice + 1) * this.#sliceMs <= watermark) done++;
    if (done > 0) notes.splice(0, done);
  }

  /** The least offset that is still needed and the watermark before it; undefined: none is. */
  least(): { readonly offset: Offset; readonly watermark: EpochMs } | undefined {
    return this.#notes.length === 0 ? undefined : this.#notes[0];
  }

  /** Place of the first note of this slice or a later one. */
  #firstFrom(slice: number): number {
    const notes = this.#notes;
    let low = 0;
    let high = notes.length;
    if (high > 0 && notes[high - 1].slice < slice) return high;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (notes[middle].slice < slice) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}
