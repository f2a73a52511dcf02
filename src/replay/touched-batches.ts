/** What files deliver, once feedback without the id of its list has been given one (specification: join 10). */
import { Touch, type TouchCounts, type TouchSettings } from '../consumers/join/touch.ts';
import type { Batch, LogRecord } from '../consumers/source/source-port.ts';
import type { Watch } from './watch.ts';

export class TouchedBatches {
  readonly #touch: Touch<LogRecord>;
  readonly #watch: Watch;
  readonly #topics: readonly number[];
  readonly #ended = new Set<number>();

  constructor(settings: TouchSettings, watch: Watch) {
    this.#touch = new Touch(settings);
    this.#watch = watch;
    this.#topics = settings.topics.map((_, topic) => topic);
  }

  get counts(): TouchCounts {
    return this.#touch.counts;
  }

  /** The records that can be judged now. @param source of the batch */
  take({ topic, records }: Batch, source: { hasEnded(topic: number): boolean }): readonly Batch[] {
    for (const record of records) this.#touch.read(topic, record);
    for (const each of this.#topics) if (source.hasEnded(each)) this.#end(each);
    return this.#released();
  }

  /** The records that are still held back. Nothing may be read after them. */
  rest(): readonly Batch[] {
    for (const topic of this.#topics) this.#end(topic);
    return this.#released();
  }

  #end(topic: number): void {
    if (this.#ended.has(topic)) return;
    this.#ended.add(topic);
    this.#touch.ended(topic);
  }

  #released(): readonly Batch[] {
    return this.#topics.flatMap((topic) => {
      const records = this.#touch.release(topic);
      if (records.length === 0) return [];
      for (const record of records) this.#watch.sees(record);
      return [{ partition: 0, topic, records, next: records[records.length - 1].offset + 1 }];
    });
  }
}
