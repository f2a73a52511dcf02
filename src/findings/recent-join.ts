/** Number of feedback events after which earlier ones weigh half. */
const HALF_LIFE = 1000;
/** Fewer feedback events give no reliable share. */
const ENOUGH = 100;

/** Numbers of settled feedback events: those that count, those with an unknown request, and those whose item is not in the list. */
interface Matched {
  readonly attributed: number;
  readonly orphan: number;
  readonly notInList: number;
}

/**
 * Shares of about the last thousand settled feedback events. The half-life is in events, not in time: it needs no clock, and a
 * new mistake shows even in a topic that has been read for years. n events added at once weigh as if they had arrived
 * interleaved: (1 - 2^(-n/1000)) 1000 / ln 2.
 */
export class RecentJoin {
  #attributed = 0;
  #orphan = 0;
  #notInList = 0;
  #seen = 0;

  add({ attributed, orphan, notInList }: Matched): void {
    const n = attributed + orphan + notInList;
    if (!(n > 0)) return;
    const kept = 2 ** (-n / HALF_LIFE);
    const weight = ((1 - kept) * HALF_LIFE) / Math.LN2 / n;
    this.#attributed = kept * this.#attributed + weight * attributed;
    this.#orphan = kept * this.#orphan + weight * orphan;
    this.#notInList = kept * this.#notInList + weight * notInList;
    this.#seen += n;
  }

  /** Share of all events that was attributed; undefined: too few events. */
  get joined(): number | undefined {
    if (this.#seen < ENOUGH) return undefined;
    return this.#attributed / (this.#attributed + this.#orphan + this.#notInList);
  }

  /** Share of the events with a known request that was attributed; undefined: too few events. */
  get inList(): number | undefined {
    const known = this.#attributed + this.#notInList;
    // With few known requests in a thousand, the share is by chance.
    return this.#seen < ENOUGH || known < ENOUGH / 10 ? undefined : this.#attributed / known;
  }
}

/** Share of the last thousand or so events, with the same half-life. */
export class RecentShare {
  #part = 0;
  #all = 0;
  #seen = 0;

  /** Counts `part` of `all` new events. */
  add(part: number, all: number): void {
    if (!(all > 0)) return;
    const kept = 2 ** (-all / HALF_LIFE);
    const weight = ((1 - kept) * HALF_LIFE) / Math.LN2 / all;
    this.#part = kept * this.#part + weight * part;
    this.#all = kept * this.#all + weight * all;
    this.#seen += all;
  }

  /** 0 to 1; undefined: too few events. */
  get share(): number | undefined {
    return this.#seen < ENOUGH ? undefined : this.#part / this.#all;
  }
}
