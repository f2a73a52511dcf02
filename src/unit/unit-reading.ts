import type { UnitJoin } from '../consumers/join/api.ts';
import { type Batch, countOf, firstOf, type LogRecord, lastOf } from '../consumers/source/source-port.ts';
import type { DurationMs, EpochMs, Offset } from '../vocabulary/events.ts';
import type { CommittedState } from './unit-contract.ts';

type ValueHash = readonly [number, number];

/** What distinguishes an applied record from any other that could be at its offset. */
interface Mark {
  readonly offset: Offset;
  readonly timestamp: EpochMs | undefined;
  /** 64 bits of the value, in two halves; undefined: a tombstone. */
  readonly value: ValueHash | undefined;
}

/** Shows that another record is at the offset of an applied one: the topic is not the one that was read. */
export interface Divergence {
  /** The index of the topic, in the order of the configuration. */
  readonly topic: number;
  readonly offset: Offset;
  readonly differs: 'value' | 'timestamp';
}

/** What a unit knows of its logs: where to read next, what must still be there, and whether they are the logs it has read. */
export class UnitReading {
  readonly #join: Pick<UnitJoin, 'position' | 'judgedBelow'>;
  readonly #outOfOrderness: DurationMs;
  readonly #committed: () => CommittedState;
  readonly #lastRecords: LastRecords;
  /** The first record of each topic that was read since this claim. */
  readonly #firstRecords: (Pick<LogRecord, 'offset' | 'timestamp'> | undefined)[] = [];
  #diverged: Divergence | undefined;

  /** `stored`: the marks of the last records, by topic. */
  constructor(
    { topics, outOfOrderness }: { readonly topics: readonly unknown[]; readonly outOfOrderness: DurationMs },
    join: Pick<UnitJoin, 'position' | 'judgedBelow'>,
    committed: () => CommittedState,
    stored: readonly (string | undefined)[],
  ) {
    this.#join = join;
    this.#outOfOrderness = outOfOrderness;
    this.#committed = committed;
    this.#lastRecords = new LastRecords(topics.length, stored);
  }

  /** Whether a last record has yet to be read again: nothing may be stored before that. */
  get awaits(): boolean {
    return this.#lastRecords.awaits;
  }

  /** The other record that was found at the offset of an applied one: from then on nothing is applied or stored. undefined: there was none. */
  get diverged(): Divergence | undefined {
    return this.#diverged;
  }

  /** The next offset to read. It is below the position while the last record has yet to be read again; that record is only compared. */
  from(topic: number): Offset {
    return Math.min(this.#join.position(topic), this.#lastRecords.awaited(topic) ?? Number.POSITIVE_INFINITY);
  }

  /** The offset below which the log is known to have held all records. */
  heldUpTo(topic: number): Offset {
    const awaited = this.#lastRecords.awaited(topic) ?? -1;
    return Math.max(this.#join.position(topic), this.#committed().offsets[topic], awaited + 1);
  }

  /**
   * When the oldest record that a new owner would read was written, as of the last commit: the greatest time before it, or its
   * own time if it is the first. Disorder within `outOfOrderness` does not matter here. undefined: not known.
   */
  neededSince(topic: number): EpochMs | undefined {
    const { replayOffsets, replayWatermarks } = this.#committed();
    const watermark = replayWatermarks[topic];
    if (watermark !== Number.NEGATIVE_INFINITY) return watermark + this.#outOfOrderness;
    const first = this.#firstRecords[topic];
    return first?.offset === replayOffsets[topic] ? first.timestamp : undefined;
  }

  /** Asks for the last records to be compared again, since the logs may have been replaced. */
  doubt(): void {
    this.#lastRecords.doubt();
  }

  /**
   * The number of records that are gone unread, if the log starts at `start` now; 0: only records that a replay would read again are
   * gone. undefined: there is no gap, as nothing below `start` is to be read.
   */
  gapBelow(topic: number, start: Offset): number | undefined {
    const position = this.#join.position(topic);
    if (start <= position) return undefined;
    return Math.max(0, start - Math.max(position, this.#join.judgedBelow(topic)));
  }

  /** Gives up comparing a last record below `start`, where the log begins now. */
  beginsAt(topic: number, start: Offset): void {
    this.#lastRecords.giveUpBelow(topic, start);
  }

  /** Compares the last record, if a batch that is about to be applied holds it, and sets `diverged` if it is another one. */
  compare(batch: Batch): void {
    this.#diverged ??= this.#lastRecords.compare(batch);
  }

  /** Notes that a batch was applied. */
  taken(batch: Batch): void {
    if (countOf(batch) === 0) return;
    const { topic } = batch;
    if (this.#firstRecords[topic] === undefined) {
      const { offset, timestamp } = firstOf(batch);
      this.#firstRecords[topic] = { offset, timestamp };
    }
    this.#lastRecords.applied(topic, lastOf(batch));
  }

  /** The marks of the last records, by topic, as the checkpoint stores them. */
  marks(): readonly (string | undefined)[] {
    return this.#lastRecords.texts();
  }
}

/**
 * The last applied record of each topic. It reveals a topic that was deleted and created again with a log at least as long
 * (specification: faults K16): a new owner reads that record again and compares it. A record that retention or compaction has
 * removed reveals nothing.
 */
export class LastRecords {
  readonly #last: (Mark | undefined)[];
  /** The mark of each topic to compare when its record is read; nothing may be stored before that. */
  readonly #awaited: (Mark | undefined)[];

  /** `stored`: the texts of the marks, by topic, as `texts` returned them. A mark that cannot be read is not compared. */
  constructor(topics: number, stored: readonly (string | undefined)[]) {
    this.#last = Array.from({ length: topics }, (_, topic) => parse(stored[topic]));
    this.#awaited = [...this.#last];
  }

  /** Whether a record has yet to be compared. */
  get awaits(): boolean {
    return this.#awaited.some((mark) => mark !== undefined);
  }

  /** The offset of the record that has yet to be compared; undefined: none. */
  awaited(topic: number): Offset | undefined {
    return this.#awaited[topic]?.offset;
  }

  /** Asks for the last applied records to be compared again, since the logs may have been replaced. */
  doubt(): void {
    for (const [topic, mark] of this.#last.entries()) this.#awaited[topic] = mark;
  }

  /** Gives up comparing records below `start`, where the log begins. */
  giveUpBelow(topic: number, start: Offset): void {
    const mark = this.#awaited[topic];
    if (mark !== undefined && mark.offset < start) this.#awaited[topic] = undefined;
  }

  /** Compares the last record, if a batch that is about to be applied holds it. */
  compare(batch: Batch): Divergence | undefined {
    const { topic, next } = batch;
    const mark = this.#awaited[topic];
    if (mark === undefined || next <= mark.offset) return undefined;
    const { offset } = mark;
    const record = batch.records.find((one) => one.offset === offset);
    if (record !== undefined) {
      if (!isSame(hashOf(record.value), mark.value)) return { topic, offset, differs: 'value' };
      if (record.timestamp !== mark.timestamp) return { topic, offset, differs: 'timestamp' };
    }
    this.#awaited[topic] = undefined;
    return undefined;
  }

  /** Marks the newest record of a batch that was applied. Its bytes are not kept: they may be part of a large buffer. */
  applied(topic: number, { offset, timestamp, value }: LogRecord): void {
    const last = this.#last[topic];
    if (last === undefined || offset > last.offset) this.#last[topic] = { offset, timestamp, value: hashOf(value) };
  }

  /** The marks of the topics as the checkpoint holds them, `<offset>:<timestamp>:<value>`; undefined: nothing was applied yet. */
  texts(): readonly (string | undefined)[] {
    return this.#last.map((mark) =>
      mark === undefined ? undefined : `${mark.offset}:${mark.timestamp ?? ''}:${digitsOf(mark.value)}`,
    );
  }
}

function parse(text: string | undefined): Mark | undefined {
  const [, offset, timestamp, value] = /^(\d{1,16}):(-?\d{1,16}|):([0-9a-f]{16}|)$/.exec(text ?? '') ?? [];
  if (offset === undefined) return undefined;
  return {
    offset: Number(offset),
    timestamp: timestamp === '' ? undefined : Number(timestamp),
    value: value === '' ? undefined : [wordOf(value.slice(0, WORD_DIGITS)), wordOf(value.slice(WORD_DIGITS))],
  };
}

/**
 * Two multiplicative hashes of 32 bits, in parallel over words of four bytes, finalised as in MurmurHash3 (public domain). Not
 * safe against crafted collisions; 500 bytes take about half a microsecond.
 */
function hashOf(value: Uint8Array | null): ValueHash | undefined {
  if (value === null) return undefined;
  const { length } = value;
  let a = 0x3c6ef372 ^ length;
  let b = 0x510e527f ^ length;
  for (let i = 0; i < length; i += 4) {
    // Bytes beyond the end are undefined, which counts as 0 here.
    const word = value[i] | (value[i + 1] << 8) | (value[i + 2] << 16) | (value[i + 3] << 24);
    a = Math.imul(a ^ word, 0xcc9e2d51);
    a = (a << 15) | (a >>> 17);
    b = Math.imul(b ^ word, 0x1b873593);
    b = (b << 13) | (b >>> 19);
  }
  return [mixed(a), mixed(b)];
}

function mixed(word: number): number {
  const half = Math.imul(word ^ (word >>> 16), 0x85ebca6b);
  const whole = Math.imul(half ^ (half >>> 13), 0xc2b2ae35);
  return whole ^ (whole >>> 16);
}

function isSame(a: ValueHash | undefined, b: ValueHash | undefined): boolean {
  return a === undefined || b === undefined ? a === b : a[0] === b[0] && a[1] === b[1];
}

const WORD_DIGITS = 8;

/** The hash in hexadecimal digits; '': the value is a tombstone. */
function digitsOf(value: ValueHash | undefined): string {
  return (value ?? []).map((word) => (word >>> 0).toString(16).padStart(WORD_DIGITS, '0')).join('');
}

/** Reads one half of what `digitsOf` wrote. */
function wordOf(digits: string): number {
  return Number.parseInt(digits, 16) | 0;
}
