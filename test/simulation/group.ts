/** The consumer group: who owns which partitions, as the broker sees it. Members hear of it one by one, and later. */
import type { DurationMs, Offset } from '../../src/vocabulary/events.ts';
import type { Random } from './random.ts';
import type { Actor, Scheduler } from './scheduler.ts';

export interface Member extends Actor {
  readonly name: string;
  /** These partitions are its own from now on. */
  assigned(partitions: readonly number[]): void;
}

const SLOWEST_NEWS_MS: DurationMs = 3000;

export class Group {
  readonly #scheduler: Scheduler;
  readonly #random: Random;
  readonly #partitions: number;
  readonly #members = new Set<Member>();
  #owners: (Member | undefined)[];
  #generation = 0;
  /** By partition and topic, as a worker sent it last; -1: never. */
  #committed: Offset[][];

  constructor(scheduler: Scheduler, random: Random, partitions: number, topics: number) {
    this.#scheduler = scheduler;
    this.#random = random;
    this.#partitions = partitions;
    this.#owners = new Array(partitions).fill(undefined);
    this.#committed = Array.from({ length: partitions }, () => new Array<Offset>(topics).fill(-1));
  }

  has(member: Member): boolean {
    return this.#members.has(member);
  }

  join(member: Member): void {
    this.#members.add(member);
    this.rebalance();
  }

  leave(member: Member): void {
    if (this.#members.delete(member)) this.rebalance();
  }

  /** Gives every partition an owner, mostly the one that it had, and lets the news travel. */
  rebalance(): void {
    const generation = ++this.#generation;
    const members = [...this.#members];
    if (members.length === 0) return;
    this.#owners = this.#owners.map((owner) =>
      owner !== undefined && this.#members.has(owner) && this.#random.chance(0.5) ? owner : this.#random.pick(members),
    );
    for (const member of members) {
      const tell = (): void => {
        if (generation !== this.#generation) return;
        member.assigned(this.partitionsOf(member));
      };
      this.#scheduler.in(this.#random.whole(1, SLOWEST_NEWS_MS), tell, member);
    }
  }

  partitionsOf(member: Member): readonly number[] {
    return this.#owners.flatMap((owner, partition) => (owner === member ? [partition] : []));
  }

  sendOffsets(partition: number, offsets: readonly Offset[]): void {
    this.#committed[partition] = [...offsets];
  }

  /** By topic, then partition. */
  get committed(): readonly (readonly number[])[] {
    return this.#committed[0].map((_, topic) => this.#committed.map((offsets) => offsets[topic]));
  }

  /** Somebody deletes its offsets. */
  forget(): void {
    this.#committed = this.#committed.map((offsets) => offsets.map(() => -1));
  }

  get partitions(): number {
    return this.#partitions;
  }
}
