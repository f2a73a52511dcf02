import type { MemoryLog } from '../../src/consumers/source/memory-source.ts';
import type { Unit } from '../../src/unit/unit.ts';

/** Reads both topics of partition 0 of a log into one unit. */
export class Driver {
  readonly log: MemoryLog;
  readonly #chunk: number;
  unit: Unit;
  positions: number[];

  /** @param chunk records of each topic that `drain` reads in turn */
  constructor(log: MemoryLog, unit: Unit, chunk = 50) {
    this.log = log;
    this.unit = unit;
    this.#chunk = chunk;
    this.positions = [unit.reading.from(0), unit.reading.from(1)];
  }

  /** Reads at most `limit` records of a topic. Returns whether there were any. */
  feed(topic: number, limit: number): boolean {
    const records = this.log.read(0, topic, this.positions[topic], limit);
    if (records.length === 0) return false;
    const next = records[records.length - 1].offset + 1;
    this.positions[topic] = next;
    this.unit.feed({ partition: 0, topic, records, next });
    return true;
  }

  /** Reads both topics to their ends. */
  drain(): void {
    for (let more = true; more; ) more = [this.feed(0, this.#chunk), this.feed(1, this.#chunk)].some(Boolean);
  }
}
