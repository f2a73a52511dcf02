import { RecentJoin } from '../findings/recent-join.ts';
import type { TopicCounts } from '../vocabulary/checkpoint.ts';
import type { WorkerStatus } from '../worker/status.ts';
import { LifetimeLedger } from './ledger.ts';

const PER_TOPIC = 3;

/** How the feedback of one topic joins lately; shares are undefined before enough came. */
export interface TopicJoin {
  readonly topic: string;
  readonly joined: number | undefined;
  readonly inList: number | undefined;
}

/** How feedback joins, by topic: of the units of this process, since it claimed them. */
export class TopicJoins {
  readonly #ledger: LifetimeLedger;
  readonly #recent: readonly RecentJoin[];
  readonly #topics: readonly string[];
  #told: readonly number[];

  constructor(topics: readonly string[]) {
    this.#topics = topics;
    this.#ledger = new LifetimeLedger(PER_TOPIC * topics.length);
    this.#recent = topics.map(() => new RecentJoin());
    this.#told = new Array<number>(PER_TOPIC * topics.length).fill(0);
  }

  claimed(partition: number, counts: readonly TopicCounts[]): void {
    this.#ledger.claimed(partition, totals(counts));
  }

  update({ units }: Pick<WorkerStatus, 'units'>): void {
    this.#ledger.update(new Map(units.map(({ partition, counts }) => [partition, totals(counts)])));
    const sums = [...this.#ledger.sums];
    const [attributed, orphan, notInList] = [0, 1, 2].map((place) => (topic: number): number => {
      const at = PER_TOPIC * topic + place;
      return sums[at] - this.#told[at];
    });
    for (const [t, recent] of this.#recent.entries()) {
      recent.add({ attributed: attributed(t), orphan: orphan(t), notInList: notInList(t) });
    }
    this.#told = sums;
  }

  get topics(): readonly TopicJoin[] {
    return this.#topics.map((topic, t) => ({ topic, joined: this.#recent[t].joined, inList: this.#recent[t].inList }));
  }
}

function totals(counts: readonly TopicCounts[]): readonly number[] {
  return counts.flatMap(({ feedback: { attributed, drops } }) => [attributed, drops.orphan, drops.not_in_list]);
}
