import { setImmediate as nextTurn } from 'node:timers/promises';
import type { EpochMs, Offset } from '../../vocabulary/events.ts';
import type { Batch, Bounds, LogRecord, LogSource, SourceHandler } from './source-port.ts';

/** Records of one topic partition, from offset `start` on. */
class Part {
  start: Offset = 0;
  records: LogRecord[] = [];

  get end(): Offset {
    return this.start + this.records.length;
  }
}

/** A log in memory: topics with partitions, append at the end, trim at the front. For the demo and for tests. */
export class MemoryLog {
  readonly partitions: number;
  readonly topics: number;
  readonly #parts: readonly (readonly Part[])[];
  readonly #wake = new Set<() => void>();

  constructor(topics: number, partitions: number) {
    this.topics = topics;
    this.partitions = partitions;
    this.#parts = Array.from({ length: topics }, () => Array.from({ length: partitions }, () => new Part()));
  }

  append(topic: number, partition: number, value: Uint8Array | null, timestamp: EpochMs | undefined): Offset {
    const part = this.#parts[topic][partition];
    const offset = part.end;
    part.records.push({ offset, timestamp, value });
    for (const wake of this.#wake) wake();
    return offset;
  }

  bounds(partition: number, topic: number): Bounds {
    const { start, end } = this.#parts[topic][partition];
    return { start, end };
  }

  /** Deletes the records below an offset, as retention does. */
  trim(topic: number, partition: number, below: Offset): void {
    const part = this.#parts[topic][partition];
    const gone = Math.min(below, part.end) - part.start;
    if (gone <= 0) return;
    part.records = part.records.slice(gone);
    part.start += gone;
  }

  /** At most `limit` records from an offset on. */
  read(partition: number, topic: number, from: Offset, limit: number): readonly LogRecord[] {
    const part = this.#parts[topic][partition];
    const first = Math.max(from, part.start) - part.start;
    return part.records.slice(first, first + limit);
  }

  /** Calls back at every append until the returned function is called. */
  onAppend(wake: () => void): () => void {
    this.#wake.add(wake);
    return () => this.#wake.delete(wake);
  }
}

const CHUNK_RECORDS = 200;

/** Follows a memory log; owns all of its partitions. */
export class MemorySource implements LogSource {
  readonly #log: MemoryLog;
  /** Next offset by partition, then topic. */
  readonly #positions: Offset[][];
  /** Whether reading is paused, by partition, then topic. */
  readonly #paused: boolean[][];
  #stopping = false;
  #wake: () => void = () => {};
  #ended: Promise<void> = Promise.resolve();

  constructor(log: MemoryLog) {
    this.#log = log;
    this.#positions = Array.from({ length: log.partitions }, () => new Array<Offset>(log.topics).fill(0));
    this.#paused = this.#positions.map((topics) => topics.map(() => false));
  }

  async run(handler: SourceHandler): Promise<void> {
    this.#ended = this.#follow(handler);
    await this.#ended;
  }

  async #follow(handler: SourceHandler): Promise<void> {
    const forget = this.#log.onAppend(() => this.#wake());
    try {
      await handler.assigned(this.#positions.map((_, partition) => partition));
      while (!this.#stopping) {
        if (await this.#deliver(handler)) {
          // While a backlog is read, nothing else in the process would run without this.
          await nextTurn();
          continue;
        }
        if (!this.#stopping)
          await new Promise<void>((resolve) => {
            this.#wake = resolve;
          });
      }
    } finally {
      forget();
    }
  }

  /** Delivers a chunk of every topic partition that has one; returns whether there was any. */
  async #deliver(handler: SourceHandler): Promise<boolean> {
    let any = false;
    for (let partition = 0; partition < this.#positions.length; partition++) {
      for (let topic = 0; topic < this.#log.topics && !this.#stopping; topic++) {
        const batch = this.#next(partition, topic);
        if (batch === undefined) continue;
        any = true;
        await handler.batch(batch);
      }
    }
    return any;
  }

  #next(partition: number, topic: number): Batch | undefined {
    if (this.#paused[partition][topic]) return undefined;
    const records = this.#log.read(partition, topic, this.#positions[partition][topic], CHUNK_RECORDS);
    if (records.length === 0) return undefined;
    const next = records[records.length - 1].offset + 1;
    this.#positions[partition][topic] = next;
    return { partition, topic, records, next };
  }

  seek(partition: number, topic: number, offset: Offset): void {
    this.#positions[partition][topic] = offset;
    this.#wake();
  }

  pause(partition: number, topic: number): void {
    this.#paused[partition][topic] = true;
  }

  resume(partition: number, topic: number): void {
    this.#paused[partition][topic] = false;
    this.#wake();
  }

  /** Does nothing: nobody else reads this log. */
  sendOffsets(): void {}

  async bounds(partition: number, topic: number): Promise<Bounds> {
    return this.#log.bounds(partition, topic);
  }

  async stop(): Promise<void> {
    this.#stopping = true;
    this.#wake();
    await this.#ended.catch(() => {});
  }
}
