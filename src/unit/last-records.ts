import type { Batch, LogRecord } from '../consumers/source/port.ts';
import type { EpochMs, Offset } from '../vocabulary/events.ts';

/** What tells one applied record from any other that could stand at its offset. */
interface Mark {
  readonly offset: Offset;
  readonly timestamp: EpochMs | undefined;
  /** 64 bits of the value, as hexadecimal digits; '': a tombstone. */
  readonly value: string;
}

/** Another record stands where an applied one stood: the topic is not the one that was read. */
export interface Divergence {
  /** Index in the configuration's order. */
  readonly topic: number;
  readonly offset: Offset;
  readonly differs: 'value' | 'timestamp';
}

/**
 * The last applied record of each topic. It shows a topic that was deleted and made anew with a log at least as long
 * (specification: faults K16): whoever goes on reads that record again and compares. One that retention or compaction has removed says
 * nothing.
 */
export class LastRecords {
  readonly #last: (Mark | undefined)[];
  /** By topic: to be compared when it comes by; nothing may be stored before. */
  readonly #awaited: (Mark | undefined)[];

  /** `stored`: by topic, as `texts` answered. One that cannot be read is not compared. */
  constructor(topics: number, stored: readonly (string | undefined)[]) {
    this.#last = Array.from({ length: topics }, (_, topic) => parse(stored[topic]));
    this.#awaited = [...this.#last];
  }

  /** A record is still to be compared. */
  get awaits(): boolean {
    return this.#awaited.some((mark) => mark !== undefined);
  }

  /** The offset of the record that is still to be compared; undefined: none. */
  awaited(topic: number): Offset | undefined {
    return this.#awaited[topic]?.offset;
  }

  /** The log may have been replaced: the last applied records are to be compared again. */
  doubt(): void {
    for (const [topic, mark] of this.#last.entries()) this.#awaited[topic] = mark;
  }

  /** The log begins at `start`: what stood below cannot be compared. */
  giveUpBelow(topic: number, start: Offset): void {
    const mark = this.#awaited[topic];
    if (mark !== undefined && mark.offset < start) this.#awaited[topic] = undefined;
  }

  /** To be asked before a batch is applied. */
  compare({ topic, records, next }: Batch): Divergence | undefined {
    const mark = this.#awaited[topic];
    if (mark === undefined || next <= mark.offset) return undefined;
    const { offset } = mark;
    const record = records.find((one) => one.offset === offset);
    if (record !== undefined) {
      if (hashOf(record.value) !== mark.value) return { topic, offset, differs: 'value' };
      if (record.timestamp !== mark.timestamp) return { topic, offset, differs: 'timestamp' };
    }
    this.#awaited[topic] = undefined;
    return undefined;
  }

  /** The newest record of a batch was applied. Its bytes are not kept: they may be part of a large buffer. */
  applied(topic: number, { offset, timestamp, value }: LogRecord): void {
    const last = this.#last[topic];
    if (last === undefined || offset > last.offset) this.#last[topic] = { offset, timestamp, value: hashOf(value) };
  }

  /** By topic, as the checkpoint holds them: `<offset>:<timestamp>:<value>`; undefined: nothing was applied yet. */
  texts(): readonly (string | undefined)[] {
    return this.#last.map((mark) =>
      mark === undefined ? undefined : `${mark.offset}:${mark.timestamp ?? ''}:${mark.value}`,
    );
  }
}

function parse(text: string | undefined): Mark | undefined {
  const [, offset, timestamp, value] = /^(\d{1,16}):(-?\d{1,16}|):([0-9a-f]{16}|)$/.exec(text ?? '') ?? [];
  if (offset === undefined) return undefined;
  return { offset: Number(offset), timestamp: timestamp === '' ? undefined : Number(timestamp), value };
}

/**
 * Two multiplicative hashes of 32 bits side by side over words of four bytes, mixed at the end as MurmurHash3 does (public
 * domain). No protection against somebody who wants equal hashes; 500 bytes take about half a microsecond.
 */
function hashOf(value: Uint8Array | null): string {
  if (value === null) return '';
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
  return digits(mixed(a)) + digits(mixed(b));
}

function mixed(word: number): number {
  const half = Math.imul(word ^ (word >>> 16), 0x85ebca6b);
  const whole = Math.imul(half ^ (half >>> 13), 0xc2b2ae35);
  return whole ^ (whole >>> 16);
}

function digits(word: number): string {
  return (word >>> 0).toString(16).padStart(8, '0');
}
