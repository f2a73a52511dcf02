import type { JoinEngine } from '../consumers/join/api.ts';
import type { Batch, LogRecord } from '../consumers/source/port.ts';
import type { DurationMs, EpochMs, Offset } from '../vocabulary/events.ts';
import type { CommittedState } from './contract.ts';
import { type Divergence, LastRecords } from './last-records.ts';

/** What a unit knows of its logs: where reading goes on, what must still be there, and whether they are those it has read. */
export class UnitReading {
  readonly #join: Pick<JoinEngine, 'position'>;
  readonly #outOfOrderness: DurationMs;
  readonly #committed: () => CommittedState;
  readonly #lastRecords: LastRecords;
  /** By topic: what was read first since this claim. */
  readonly #firstRecords: (Pick<LogRecord, 'offset' | 'timestamp'> | undefined)[] = [];
  #diverged: Divergence | undefined;

  /** `stored`: of the last records, by topic. */
  constructor(
    { topics, outOfOrderness }: { readonly topics: readonly unknown[]; readonly outOfOrderness: DurationMs },
    join: Pick<JoinEngine, 'position'>,
    committed: () => CommittedState,
    stored: readonly (string | undefined)[],
  ) {
    this.#join = join;
    this.#outOfOrderness = outOfOrderness;
    this.#committed = committed;
    this.#lastRecords = new LastRecords(topics.length, stored);
  }

  /** A last record is still to be read again: nothing may be stored before. */
  get awaits(): boolean {
    return this.#lastRecords.awaits;
  }

  /** Another record stands where one was applied: nothing is taken or stored any more. undefined: none was seen. */
  get diverged(): Divergence | undefined {
    return this.#diverged;
  }

  /** The next offset to read: below the position while the last record is to be read again, which counts nothing. */
  from(topic: number): Offset {
    return Math.min(this.#join.position(topic), this.#lastRecords.awaited(topic) ?? Number.POSITIVE_INFINITY);
  }

  /** The log has held all records below this offset. */
  heldUpTo(topic: number): Offset {
    const awaited = this.#lastRecords.awaited(topic) ?? -1;
    return Math.max(this.#join.position(topic), this.#committed().offsets[topic], awaited + 1);
  }

  /**
   * When the oldest record was written that a new owner would read, as of the last commit: the greatest time before it, or its
   * own if it is the first. Orders of records within `outOfOrderness` do not matter here. undefined: not known.
   */
  neededSince(topic: number): EpochMs | undefined {
    const { replayOffsets, replayWatermarks } = this.#committed();
    const watermark = replayWatermarks[topic];
    if (watermark !== Number.NEGATIVE_INFINITY) return watermark + this.#outOfOrderness;
    const first = this.#firstRecords[topic];
    return first?.offset === replayOffsets[topic] ? first.timestamp : undefined;
  }

  /** The logs may have been replaced since the last records. */
  doubt(): void {
    this.#lastRecords.doubt();
  }

  /** The log begins at `start` now: answers how many records are gone that were not read yet. */
  beginsAt(topic: number, start: Offset): number {
    this.#lastRecords.giveUpBelow(topic, start);
    return Math.max(0, start - this.#join.position(topic));
  }

  /** To be asked before a batch is applied: false once the log is another one. */
  takes(batch: Batch): boolean {
    this.#diverged ??= this.#lastRecords.compare(batch);
    return this.#diverged === undefined;
  }

  /** A batch was applied. */
  taken({ topic, records }: Batch): void {
    if (records.length === 0) return;
    const [{ offset, timestamp }] = records;
    this.#firstRecords[topic] ??= { offset, timestamp };
    this.#lastRecords.applied(topic, records[records.length - 1]);
  }

  /** Of the last records, by topic, for the checkpoint. */
  marks(): readonly (string | undefined)[] {
    return this.#lastRecords.texts();
  }
}
