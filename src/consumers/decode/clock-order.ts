import type { DurationMs, EpochMs } from '../../vocabulary/events.ts';
import type { TimeZone } from './decoder-settings.ts';
import { timeZone } from './times.ts';

/** Counts of the times without a zone that were read: those that their clock shows twice, or never. */
interface LocalTimes {
  /** Times that the clock shows twice, and those of them that were read as the second. */
  readonly twice: number;
  readonly second: number;
  /** Those of them that were read as the first because nothing before them in the log decides. */
  readonly untold: number;
  /** Times that the clock never shows. */
  readonly skipped: number;
  /** The first of each kind, as if it were UTC; undefined: there is none. */
  readonly oneTwice: number | undefined;
  readonly oneSkipped: number | undefined;
}

/** The number of recent times by which the position of the log is judged: one alone may be far off. */
const RECENT = 5;

/**
 * Reads the times without a zone of one log, in its order: of the two instants of a time that clocks show twice, it takes the one that is
 * nearer to the time before it (specification: events 3.1). So where a log goes back by about an hour, it goes on. Only for files: what a
 * new owner of a topic reads again would depend on where it begins.
 */
export class LogClock implements TimeZone {
  readonly #times = new Counted();
  readonly #zone: TimeZone;
  /** The local times of the current record, and the instants that they were read as. */
  readonly #read = new Map<number, EpochMs>();
  #recent: readonly EpochMs[] = [];
  /** Whether the log has shown which of the two its times are. */
  #isTold = false;

  /** The name of the zone. */
  readonly name: string;

  /** @param name of a zone that is known */
  constructor(name: string) {
    this.name = name;
    const zone = timeZone(name);
    if (zone === undefined) throw new Error(`no time zone "${name}"`);
    this.#zone = zone;
  }

  get times(): LocalTimes {
    return this.#times;
  }

  /** Another record is read. */
  next(): void {
    this.#read.clear();
  }

  instantOf(local: number): EpochMs {
    const known = this.#read.get(local);
    if (known !== undefined) return known;
    const first = this.#zone.instantOf(local);
    if (Number.isNaN(first)) return first;
    const second = this.#zone.secondOf(local);
    const at = second === undefined ? this.#once(local, first) : this.#ofTwo(local, first, second);
    this.#read.set(local, at);
    this.#recent = [...this.#recent.slice(1 - RECENT), at];
    return at;
  }

  secondOf(local: number): EpochMs | undefined {
    return this.#zone.secondOf(local);
  }

  isSkipped(local: number): boolean {
    return this.#zone.isSkipped(local);
  }

  isTwice(at: EpochMs): boolean {
    return this.#zone.isTwice(at);
  }

  #once(local: number, at: EpochMs): EpochMs {
    this.#isTold = true;
    if (!this.#zone.isSkipped(local)) return at;
    this.#times.skipped++;
    this.#times.oneSkipped ??= local;
    return at;
  }

  #ofTwo(local: number, first: EpochMs, second: EpochMs): EpochMs {
    const times = this.#times;
    times.twice++;
    times.oneTwice ??= local;
    const near = lastOf(this.#recent, second - first);
    if (near === undefined || Math.abs(first - near) <= Math.abs(second - near)) {
      if (!this.#isTold) times.untold++;
      return first;
    }
    // So what came before it was the first of the two.
    if (!this.#isTold) times.untold = 0;
    this.#isTold = true;
    times.second++;
    return second;
  }
}

class Counted implements LocalTimes {
  twice = 0;
  second = 0;
  untold = 0;
  skipped = 0;
  oneTwice: number | undefined;
  oneSkipped: number | undefined;
}

/** The last of the times that is no farther than half of `most` from most of them; undefined: there are none. */
function lastOf(times: readonly EpochMs[], most: DurationMs): EpochMs | undefined {
  const middle = times.toSorted((a, b) => a - b)[times.length >> 1];
  return times.findLast((at) => 2 * Math.abs(at - middle) <= most);
}
