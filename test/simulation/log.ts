import type { Bounds, LogRecord, UndecodableBatch } from '../../src/consumers/source/source-port.ts';
import type { EpochMs, Offset } from '../../src/vocabulary/events.ts';
import type { LogRecord as ReferenceRecord } from '../reference/logs.ts';
import type { Append, SimulatedSettings } from './scenario.ts';

export interface Written {
  /** As the unit gets it. */
  readonly record: LogRecord;
  /** As the reference gets it. */
  readonly plain: ReferenceRecord;
  readonly append: Append;
  readonly writtenAt: EpochMs;
  /** It is a batch of its own, which cannot be decoded before this time. -Infinity: always. */
  readonly damagedUntil: EpochMs;
}

class Part {
  /** Retention has deleted what is below. */
  start: Offset;
  end: Offset;
  readonly written: Written[] = [];
  transactions = 0;
  /** A transaction began here: nothing from here on can be read. undefined: none is open. */
  openFrom: Offset | undefined;
  /** The next records that are written are damaged. */
  damage = { records: 0, until: Number.NEGATIVE_INFINITY };

  constructor(begin: Offset) {
    this.start = begin;
    this.end = begin;
  }
}

/** All topics: append at the end, holes between the offsets, deletion at the front. Nothing is lost that was written. */
export class SimulatedLog {
  readonly #parts: readonly (readonly Part[])[];

  constructor({ partitions, begin }: SimulatedSettings) {
    this.#parts = Array.from({ length: partitions }, () => begin.map((offset) => new Part(offset)));
  }

  append(append: Append, now: EpochMs): void {
    const part = this.#parts[append.partition][append.topic];
    const offset = part.end + append.hole;
    const { timestamp, decoded } = append;
    const isTombstone = 'refused' in decoded && decoded.refused === 'tombstone';
    const value = isTombstone ? null : Uint8Array.of(append.topic, offset & 0xff, (offset >> 8) & 0xff);
    const plain = plainOf(offset, timestamp, decoded);
    const { records, until } = part.damage;
    const damagedUntil = records > 0 ? until : Number.NEGATIVE_INFINITY;
    part.damage = { records: records - 1, until };
    part.written.push({ record: { offset, timestamp, value, decoded }, plain, append, writtenAt: now, damagedUntil });
    part.end = offset + 1;
  }

  /** So many of the next records cannot be decoded before a time. */
  damage(partition: number, topic: number, damage: { readonly records: number; readonly until: EpochMs }): void {
    this.#parts[partition][topic].damage = damage;
  }

  /** A producer's transaction begins, with a record that holds nothing for us. What is written from now on can be read when all have ended. */
  begin(partition: number, topic: number): void {
    const part = this.#parts[partition][topic];
    part.openFrom ??= part.end;
    part.end++;
    part.transactions++;
  }

  /** One that is open ends, with a control record. */
  endTransaction(partition: number, topic: number): void {
    const part = this.#parts[partition][topic];
    part.end++;
    part.transactions--;
    if (part.transactions === 0) part.openFrom = undefined;
  }

  bounds(partition: number, topic: number): Bounds {
    const { start, end, openFrom } = this.#parts[partition][topic];
    return openFrom === undefined ? { start, end } : { start, end, openFrom };
  }

  trim(partition: number, topic: number, below: Offset): boolean {
    const part = this.#parts[partition][topic];
    if (below <= part.start) return false;
    part.start = Math.min(below, part.end);
    return true;
  }

  /**
   * At most `limit` records that are retained, from an offset on, and the next offset to read: past holes. Up to an open
   * transaction, and up to the first that cannot be decoded now; where that is the first of all, it alone.
   */
  read(
    partition: number,
    topic: number,
    { from, limit, now }: { readonly from: Offset; readonly limit: number; readonly now: EpochMs },
  ): { records: LogRecord[]; next: Offset; undecodable?: UndecodableBatch } {
    const { written, start, end: logEnd, openFrom: end = logEnd } = this.#parts[partition][topic];
    const first = Math.max(from, start);
    let at = firstAtOrAbove(written, first);
    const readable = firstAtOrAbove(written, end);
    const records: LogRecord[] = [];
    if (at < readable && written[at].damagedUntil > now) {
      const { offset } = written[at].record;
      return { records, next: offset + 1, undecodable: damaged(offset) };
    }
    for (; at < readable && records.length < limit && written[at].damagedUntil <= now; at++) {
      records.push(written[at].record);
    }
    return { records, next: at < readable ? records[records.length - 1].offset + 1 : end };
  }

  /** Everything that was ever written below an offset, from another one on. */
  written(partition: number, topic: number, from: Offset, below: Offset): readonly Written[] {
    const { written } = this.#parts[partition][topic];
    return written.slice(firstAtOrAbove(written, from), firstAtOrAbove(written, below));
  }
}

function plainOf(offset: Offset, timestamp: EpochMs | undefined, decoded: Append['decoded']): ReferenceRecord {
  if ('events' in decoded)
    return { kind: 'read', offset, timestamp, events: decoded.events, excluded: decoded.excluded };
  if (decoded.refused === 'unmapped') return { kind: 'passed', offset, condition: decoded.condition };
  return { kind: 'refused', offset, side: decoded.side, reason: decoded.refused };
}

function damaged(offset: Offset): UndecodableBatch {
  return { from: offset, to: offset + 1, records: 1, reason: 'damaged', bytes: new Uint8Array(0) };
}

function firstAtOrAbove(written: readonly Written[], offset: Offset): number {
  let low = 0;
  let high = written.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (written[middle].record.offset < offset) low = middle + 1;
    else high = middle;
  }
  return low;
}
