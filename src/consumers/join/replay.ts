import type { DurationMs, EpochMs, Offset } from '../../events.ts';
import { TimeBuckets } from './buckets.ts';

/**
 * Where a topic must be read again from, should another owner take over. A record that is still needed until some
 * watermark is noted with the topic's watermark just before it. Coarse on purpose: one place for each slice of time,
 * since any lower offset with its own watermark is as good (semantics.md section 1, Memory).
 */
export class ReplayNotes {
  readonly #sliceMs: DurationMs;
  readonly #slices = new TimeBuckets<{ offset: Offset; watermark: EpochMs }>(() => ({
    offset: Number.POSITIVE_INFINITY,
    watermark: Number.NEGATIVE_INFINITY,
  }));

  /** `attribution`: the longest time for which a record can be needed; a slice is a small part of it. */
  constructor(attribution: DurationMs) {
    this.#sliceMs = Math.max(1, Math.floor(attribution / 128));
  }

  /** The record at `offset` is needed until W reaches `until`. */
  note(offset: Offset, watermark: EpochMs, until: EpochMs): void {
    const slice = this.#slices.at(Math.floor(until / this.#sliceMs));
    if (offset >= slice.offset) return;
    slice.offset = offset;
    slice.watermark = watermark;
  }

  /** Forgets what is needed no longer than `watermark`. */
  forget(watermark: EpochMs): void {
    const slices = this.#slices;
    let done = 0;
    while (done < slices.size && (slices.key(done) + 1) * this.#sliceMs <= watermark) done++;
    slices.dropOldest(done);
  }

  /** The least offset that is still needed and the watermark before it; undefined: none is. */
  least(): { readonly offset: Offset; readonly watermark: EpochMs } | undefined {
    let least: { offset: Offset; watermark: EpochMs } | undefined;
    for (let i = 0; i < this.#slices.size; i++) {
      const slice = this.#slices.value(i);
      if (least === undefined || slice.offset < least.offset) least = slice;
    }
    return least;
  }
}
