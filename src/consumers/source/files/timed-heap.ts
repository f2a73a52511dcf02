import type { EpochMs } from '../../../vocabulary/events.ts';

interface Timed {
  readonly time: EpochMs;
}

/** Records ordered by time, then by arrival, in a binary heap: log n per record, whatever the order of arrival. */
export class TimedHeap<Of extends Timed> {
  readonly #records: Of[] = [];
  /** Arrival number of each record. */
  readonly #turns: number[] = [];
  #added = 0;

  add(record: Of): void {
    let at = this.#records.length;
    const turn = this.#added++;
    for (let above = (at - 1) >> 1; at > 0 && record.time < this.#records[above].time; above = (at - 1) >> 1) {
      this.#put(at, this.#records[above], this.#turns[above]);
      at = above;
    }
    this.#put(at, record, turn);
  }

  /** Removes and returns the first record if its time is before `time`; undefined: there is none. */
  before(time: EpochMs): Of | undefined {
    const first = this.#records[0];
    if (first === undefined || !(first.time < time)) return undefined;
    const record = this.#records.pop() ?? first;
    const turn = this.#turns.pop() ?? 0;
    if (this.#records.length > 0) this.#sink(record, turn);
    return first;
  }

  /** Inserts a record at the top and lets it sink. */
  #sink(record: Of, turn: number): void {
    const { length } = this.#records;
    let at = 0;
    for (let below = 1; below < length; below = 2 * at + 1) {
      if (below + 1 < length && this.#isBefore(below + 1, this.#records[below].time, this.#turns[below])) below++;
      if (!this.#isBefore(below, record.time, turn)) break;
      this.#put(at, this.#records[below], this.#turns[below]);
      at = below;
    }
    this.#put(at, record, turn);
  }

  #isBefore(at: number, time: EpochMs, turn: number): boolean {
    const own = this.#records[at].time;
    return own < time || (own === time && this.#turns[at] < turn);
  }

  #put(at: number, record: Of, turn: number): void {
    this.#records[at] = record;
    this.#turns[at] = turn;
  }
}
