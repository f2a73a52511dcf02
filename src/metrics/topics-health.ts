import type { TopicHealth } from '../findings/live-findings.ts';
import type { TopicCounts } from '../vocabulary/checkpoint.ts';
import { wanted } from '../vocabulary/drops.ts';
import type { WorkerStatus } from '../worker/status.ts';
import { LifetimeLedger } from './ledgers.ts';

/** The counts of a topic that are used, in this order. */
const TAKEN: readonly ((counts: TopicCounts) => number)[] = [
  ({ feedback }) => feedback.attributed,
  ({ feedback }) => feedback.drops.orphan,
  ({ feedback }) => feedback.drops.not_in_list,
  ({ impressions, feedback }) => impressions.drops.invalid + feedback.drops.invalid,
  ({ impressions, feedback }) => impressions.drops.late + feedback.drops.late,
  ({ impressions, feedback }) => impressions.drops.future + feedback.drops.future,
  ({ impressions }) => impressions.accepted,
  ({ impressions }) => wanted(impressions),
  ({ feedback }) => wanted(feedback),
  ({ impressions, feedback }) => impressions.late[0] + feedback.late[0],
];

class OneTopic {
  /** Numbers of events that count. */
  impressions = 0;
  feedback = 0;
  readonly join = new RecentJoin();
  readonly invalid = new RecentShare();
  readonly late = new RecentShare();
  readonly future = new RecentShare();
  readonly missed = new RecentShare();
  readonly accepted = new RecentShare();

  /** Adds what has changed since the last call, in the order of `TAKEN`. */
  add([
    attributed,
    orphan,
    notInList,
    invalid,
    late,
    future,
    accepted,
    impressionsRead,
    feedbackRead,
    missed,
  ]: readonly number[]): void {
    const read = impressionsRead + feedbackRead;
    this.impressions += accepted;
    this.feedback += feedbackRead;
    this.join.add({ attributed, orphan, notInList });
    this.invalid.add(invalid, read);
    this.late.add(late, read);
    this.future.add(future, read);
    this.missed.add(missed, accepted + attributed);
    this.accepted.add(accepted, impressionsRead);
  }
}

/** The health of the topics, for the units of this process, since it claimed them. */
export class TopicsHealth {
  readonly #ledger: LifetimeLedger;
  readonly #recent: readonly OneTopic[];
  readonly #topics: readonly string[];
  #sums: readonly number[];

  constructor(topics: readonly string[]) {
    this.#topics = topics;
    this.#ledger = new LifetimeLedger(TAKEN.length * topics.length);
    this.#recent = topics.map(() => new OneTopic());
    this.#sums = new Array<number>(TAKEN.length * topics.length).fill(0);
  }

  claimed(partition: number, counts: readonly TopicCounts[]): void {
    this.#ledger.claimed(partition, taken(counts));
  }

  update({ units }: Pick<WorkerStatus, 'units'>): void {
    this.#ledger.update(new Map(units.map(({ partition, counts }) => [partition, taken(counts)])));
    const sums = [...this.#ledger.sums];
    for (const [t, recent] of this.#recent.entries()) {
      recent.add(TAKEN.map((_, i) => sums[TAKEN.length * t + i] - this.#sums[TAKEN.length * t + i]));
    }
    this.#sums = sums;
  }

  get now(): readonly Omit<TopicHealth, 'unmapped'>[] {
    return this.#topics.map((topic, t) => {
      const { join, invalid, late, future, missed, accepted, impressions, feedback } = this.#recent[t];
      return {
        topic,
        joined: join.joined,
        inList: join.inList,
        invalid: invalid.share,
        late: late.share,
        future: future.share,
        missed: missed.share,
        accepted: accepted.share,
        impressions,
        feedback,
      };
    });
  }
}

function taken(counts: readonly TopicCounts[]): readonly number[] {
  return counts.flatMap((ofTopic) => TAKEN.map((of) => of(ofTopic)));
}

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
