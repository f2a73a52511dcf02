import type { TopicHealth } from '../findings/live-findings.ts';
import { RecentJoin, RecentShare } from '../findings/recent-join.ts';
import type { TopicCounts } from '../vocabulary/checkpoint.ts';
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
  // What conditions leave out is no part of any share.
  ({ impressions }) => impressions.read - impressions.drops.excluded,
  ({ feedback }) => feedback.read - feedback.drops.excluded,
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
