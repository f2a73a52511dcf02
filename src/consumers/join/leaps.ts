import type { DurationMs, EpochMs } from '../../vocabulary/events.ts';
import type { JoinSettings } from './api.ts';

/** The number of levels that must wait before the lowest of them counts. */
const CONFIRMING = 4;
/** While a topic is read as it is written, it advances in smaller steps, since silence advances it too. */
const LEAST_REACH: DurationMs = 60_000;

/**
 * How far one record may advance the watermark of its topic. A clock that is ahead by no more than this makes no list late that is
 * overtaken by less than `outOfOrderness`, not even for the shortest horizon.
 */
export function reachOf({ horizons, futureSkew }: Pick<JoinSettings, 'horizons' | 'futureSkew'>): DurationMs {
  return Math.min(futureSkew, Math.max(horizons[0], LEAST_REACH));
}

/** The watermark that a record would have set, and how many more records vote for it than against it. */
export type Level = readonly [raised: EpochMs, votes: number];

/**
 * The levels that wait until later records confirm them, ascending (specification: join 2.3). A single clock that is ahead looks like a
 * pause of the log, and all correct clocks look ahead of one that is behind and came first, so the votes of records decide.
 */
export class Leaps {
  readonly #reach: DurationMs;
  readonly #levels: { raised: EpochMs; votes: number }[];

  constructor(reach: DurationMs, levels: readonly Level[] = []) {
    this.#reach = reach;
    this.#levels = levels.map(([raised, votes]) => ({ raised, votes }));
  }

  get size(): number {
    return this.#levels.length;
  }

  /** The highest level; -Infinity: none waits. */
  get highest(): EpochMs {
    return this.#levels.at(-1)?.raised ?? Number.NEGATIVE_INFINITY;
  }

  toJSON(): readonly Level[] {
    return this.#levels.map(({ raised, votes }) => [raised, votes]);
  }

  clear(): void {
    this.#levels.length = 0;
  }

  /** Records the vote of a record that does not leap against those that do. */
  contradict(): void {
    const top = this.#levels.at(-1);
    if (top !== undefined && --top.votes === 0) this.#levels.pop();
  }

  /** Adds a record that would raise the watermark to `raised` by a leap. Returns the watermark that it confirms; -Infinity: none. */
  add(raised: EpochMs): EpochMs {
    const reach = this.#reach;
    const levels = this.#levels;
    if (levels.length > 0 && raised < levels[levels.length - 1].raised - reach) this.contradict();
    const top = levels.at(-1);
    if (top !== undefined && raised < top.raised - reach) return Number.NEGATIVE_INFINITY;
    if (top === undefined || raised > top.raised + reach) levels.push({ raised, votes: 1 });
    else {
      top.votes++;
      // Levels this close together come from records of one batch, and so from one clock.
      if (raised < top.raised + reach / 2) return Number.NEGATIVE_INFINITY;
      levels.push({ raised, votes: top.votes });
      top.votes = 1;
    }
    return levels.length < CONFIRMING ? Number.NEGATIVE_INFINITY : this.#confirm();
  }

  #confirm(): EpochMs {
    const levels = this.#levels;
    let count = 1;
    while (count < levels.length && levels[count].raised <= levels[count - 1].raised + this.#reach) count++;
    return levels.splice(0, count)[count - 1].raised;
  }
}
