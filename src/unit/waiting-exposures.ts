import type { DurationMs, EpochMs } from '../vocabulary/events.ts';

/** Exposures wait in stretches of event time, so that those that are not due are not looked at again and again. */
const STRETCH_MS: DurationMs = 1000;

/** Bytes of an entry of the map, with its stretch. */
const STRETCH_BYTES = 150;
const EXPOSURE_BYTES = 28;
const LEAST = 64;
const NONE = -1;

/** The exposures of one stretch, from `first` to `last` in the order in which they came. */
interface Stretch {
  first: number;
  last: number;
}

/**
 * Exposures that event time has not passed yet. They are rows of arrays, whose rows are used again, so that no garbage is left: with a
 * list of objects per stretch, every exposure was garbage within minutes.
 */
export class WaitingExposures {
  /** The stretches by their number, which is their time divided by `STRETCH_MS`. */
  readonly #stretches = new Map<number, Stretch>();
  #users = new Float64Array(LEAST);
  #times = new Float64Array(LEAST);
  #runs = new Int32Array(LEAST);
  #variants = new Int32Array(LEAST);
  /** The row after each row in its stretch, or in the list of free rows. */
  #next = new Int32Array(LEAST);
  /** The number of rows that were ever used. */
  #rows = 0;
  #free = NONE;

  add(run: number, user: number, variant: number, ts: EpochMs): void {
    const row = this.#take();
    this.#users[row] = user;
    this.#times[row] = ts;
    this.#runs[row] = run;
    this.#variants[row] = variant;
    this.#next[row] = NONE;
    const number = Math.floor(ts / STRETCH_MS);
    const stretch = this.#stretches.get(number);
    if (stretch === undefined) this.#stretches.set(number, { first: row, last: row });
    else {
      this.#next[stretch.last] = row;
      stretch.last = row;
    }
  }

  /** Takes out the exposures up to `until`, inclusive, and gives them to `see`. */
  takeUpTo(until: EpochMs, see: (run: number, user: number, variant: number, ts: EpochMs) => void): void {
    for (const [number, stretch] of this.#stretches) {
      if (number * STRETCH_MS > until) continue;
      const { first } = stretch;
      stretch.first = NONE;
      for (let row = first, next = NONE; row !== NONE; row = next) {
        next = this.#next[row];
        const ts = this.#times[row];
        if (ts > until) this.#keep(stretch, row);
        else {
          see(this.#runs[row], this.#users[row], this.#variants[row], ts);
          this.#next[row] = this.#free;
          this.#free = row;
        }
      }
      if (stretch.first === NONE) this.#stretches.delete(number);
    }
  }

  /** Bytes in memory, estimated. */
  get bytes(): number {
    return EXPOSURE_BYTES * this.#users.length + STRETCH_BYTES * this.#stretches.size;
  }

  #keep(stretch: Stretch, row: number): void {
    if (stretch.first === NONE) stretch.first = row;
    else this.#next[stretch.last] = row;
    stretch.last = row;
    this.#next[row] = NONE;
  }

  #take(): number {
    const row = this.#free;
    if (row !== NONE) {
      this.#free = this.#next[row];
      return row;
    }
    if (this.#rows === this.#users.length) this.#grow();
    return this.#rows++;
  }

  #grow(): void {
    const room = 2 * this.#users.length;
    const wider = <A extends Float64Array<ArrayBuffer> | Int32Array<ArrayBuffer>>(to: A, from: A): A => {
      to.set(from);
      return to;
    };
    this.#users = wider(new Float64Array(room), this.#users);
    this.#times = wider(new Float64Array(room), this.#times);
    this.#runs = wider(new Int32Array(room), this.#runs);
    this.#variants = wider(new Int32Array(room), this.#variants);
    this.#next = wider(new Int32Array(room), this.#next);
  }
}
