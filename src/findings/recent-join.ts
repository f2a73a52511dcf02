/** Number of events after which earlier ones weigh half. */
const HALF_LIFE = 1000;
/** Fewer events give no reliable share. */
const ENOUGH = 100;

/**
 * Counts of about the last thousand events, by kind. The half-life is in events, not in time: it needs no clock, and a new mistake shows
 * even in a topic that has been read for years. n events added at once weigh as if they had arrived interleaved:
 * (1 - 2^(-n/1000)) 1000 / ln 2.
 */
class RecentCounts {
  #counts: readonly number[] = [];
  #seen = 0;

  add(...counts: readonly number[]): void {
    const n = counts.reduce((sum, count) => sum + count, 0);
    if (!(n > 0)) return;
    const kept = 2 ** (-n / HALF_LIFE);
    const weight = ((1 - kept) * HALF_LIFE) / Math.LN2 / n;
    this.#counts = counts.map((count, i) => kept * (this.#counts[i] ?? 0) + weight * count);
    this.#seen += n;
  }

  /** Empty: too few events. */
  get counts(): readonly number[] {
    return this.#seen < ENOUGH ? [] : this.#counts;
  }
}

/** Shares of the settled feedback: of events that count, of those with an unknown request, and of those whose item is not in the list. */
export class RecentJoin {
  readonly #recent = new RecentCounts();

  add(settled: { readonly attributed: number; readonly orphan: number; readonly notInList: number }): void {
    this.#recent.add(settled.attributed, settled.orphan, settled.notInList);
  }

  /** Share of all events that was attributed; undefined: too few events. */
  get joined(): number | undefined {
    const [attributed, orphan, notInList] = this.#recent.counts;
    return attributed === undefined ? undefined : attributed / (attributed + orphan + notInList);
  }

  /** Share of the events with a known request that was attributed; undefined: too few events. */
  get inList(): number | undefined {
    const [attributed = 0, , notInList = 0] = this.#recent.counts;
    const known = attributed + notInList;
    // With few known requests in a thousand, the share is by chance.
    return known < ENOUGH / 10 ? undefined : attributed / known;
  }
}

/** Share of the events that are of one kind. */
export class RecentShare {
  readonly #recent = new RecentCounts();

  /** Counts `part` of `all` new events. */
  add(part: number, all: number): void {
    this.#recent.add(part, all - part);
  }

  /** 0 to 1; undefined: too few events. */
  get share(): number | undefined {
    const [part, rest] = this.#recent.counts;
    return part === undefined ? undefined : part / (part + rest);
  }
}
