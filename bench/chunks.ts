import type { BatchRun } from '../src/consumers/source/kafka/codecs/records.ts';
import type { Offset } from '../src/vocabulary/events.ts';
import { runOf } from '../test/consumers/source/run-of.ts';

/** Records of one topic that are read together, as a fetched batch holds them. */
export interface Chunk {
  readonly topic: 0 | 1;
  readonly run: BatchRun;
  readonly next: Offset;
}

const PER_TURN = 200;

/** Cuts records into turns of 200, each with a chunk for each topic that has records in it; offsets begin at 0. */
export class Chunks {
  readonly #next: [Offset, Offset] = [0, 0];

  *turns(records: readonly { readonly topic: 0 | 1; readonly value: Buffer }[]): Generator<readonly Chunk[]> {
    for (let from = 0; from < records.length; from += PER_TURN) {
      const turn = records.slice(from, from + PER_TURN);
      const chunks: Chunk[] = [];
      for (const topic of [0, 1] as const) {
        const values = turn.flatMap((record) => (record.topic === topic ? [record.value] : []));
        if (values.length > 0) chunks.push(this.#chunk(topic, values));
      }
      yield chunks;
    }
  }

  #chunk(topic: 0 | 1, values: readonly Buffer[]): Chunk {
    const run = runOf(values.map((value) => ({ offset: this.#next[topic]++, timestamp: undefined, value })));
    return { topic, run, next: this.#next[topic] };
  }
}
