import type { EngineBlocks } from '../consumers/engine/engine-blocks.ts';
import { PENDING_BUCKETS } from '../consumers/engine/engine-layout.ts';
import type { Vector } from './vector.ts';

/** What the engine has added by user bucket for one row, until it is folded into the row's vector. The row was touched by the list before. */
export class PendingBuckets {
  /** Where it is. */
  readonly place: number;
  readonly bytes: number;
  readonly #blocks: EngineBlocks;
  readonly #vector: Vector;

  constructor(blocks: EngineBlocks, vector: Vector) {
    const { buckets, width } = vector;
    this.#blocks = blocks;
    this.#vector = vector;
    this.bytes = PENDING_BUCKETS.BYTES + 8 * buckets * width + 2 * buckets;
    this.place = blocks.take(this.bytes);
    blocks.engine.words[(this.place >>> 2) + PENDING_BUCKETS.buckets] = buckets;
  }

  fold(): void {
    const { words, doubles, buffer } = this.#blocks.engine;
    const count = (this.place >>> 2) + PENDING_BUCKETS.changed;
    const changed = words[count];
    if (changed === 0) return;
    const { buckets, width } = this.#vector;
    const sums = (this.place + PENDING_BUCKETS.BYTES) >>> 3;
    const list = new Uint16Array(buffer, 8 * (sums + buckets * width), changed);
    for (const bucket of list) {
      const at = sums + bucket * width;
      this.#vector.addAll(bucket, doubles, at);
      doubles.fill(0, at, at + width);
    }
    words[count] = 0;
  }

  /** What it holds is lost. */
  close(): void {
    this.#blocks.give(this.place);
  }
}
