import { unitKey } from '../../src/accumulators/store/layout.ts';
import { type Store, StoreUnavailable } from '../../src/accumulators/store/store-port.ts';
import { MemoryLog } from '../../src/consumers/source/memory-source.ts';
import { assertNever } from '../../src/vocabulary/events.ts';
import { ManualClock } from '../manual-clock.ts';
import { RestorableStore, type StoreSnapshot } from '../restorable-store.ts';
import { PARTITIONS, START, type Step } from './script.ts';

export const NAMESPACE = 'crash';
export const LATENCY_MS = 130;
/** Later than the claims of the process that comes next. */
const LATE_MS = 2300;

/** What becomes of requests that had left a process and not reached the store when it was killed. */
export const FATES = ['lost', 'applied', 'applied late'] as const;
export type Fate = (typeof FATES)[number];

type Request = (store: Store) => Promise<unknown>;

/** All that there is outside of processes at one moment. */
export interface Moment {
  readonly now: number;
  /** How often something has happened in this world. Of two moments of one world at the same time, equal counts mean equal moments. */
  readonly happened: number;
  /** Steps of the script that have been done. */
  readonly steps: number;
  readonly stored: StoreSnapshot;
  readonly backup: StoreSnapshot;
  readonly storeIs: 'well' | 'away' | 'mute';
  /** Have left the process that lives, and not reached the store. */
  readonly underWay: readonly Request[];
  /** Of processes that are dead. */
  readonly late: readonly { readonly at: number; readonly request: Request }[];
}

export const BEGINNING: Moment = {
  now: START,
  happened: 0,
  steps: 0,
  stored: new Map(),
  backup: new Map(),
  storeIs: 'well',
  underWay: [],
  late: [],
};

/**
 * The log, the store, time, and what the script does to them. A process is killed by continuing without it: a world is made
 * from a moment of another, and whatever the process does after that moment, it does in that other world.
 */
export class World {
  readonly clock: ManualClock;
  readonly log = new MemoryLog(2, PARTITIONS);
  readonly #store = new RestorableStore();
  readonly #steps: readonly Step[];
  #done: number;
  #happened = 0;
  #backup: StoreSnapshot;
  /** away: nothing reaches it. mute: it does what it is asked, and nobody hears of it. */
  #storeIs: Moment['storeIs'];
  readonly #underWay = new Set<Request>();
  readonly #late: Set<Moment['late'][number]>;

  constructor(steps: readonly Step[], from: Moment, fate: Fate) {
    this.#steps = steps;
    this.clock = new ManualClock(from.now);
    this.#done = from.steps;
    this.#backup = from.backup;
    this.#storeIs = from.storeIs;
    this.#store.restoreSnapshot(from.stored);
    for (const step of steps.slice(0, from.steps)) this.#append(step);
    const late = fate === 'applied late' ? from.underWay : [];
    this.#late = new Set([...from.late, ...late.map((request) => ({ at: from.now + LATE_MS, request }))]);
    if (fate === 'applied') for (const request of from.underWay) this.#arrive(request);
    for (const each of this.#late) {
      void this.clock.sleep(each.at - from.now).then(() => {
        this.#happened++;
        this.#late.delete(each);
        this.#arrive(each.request);
      });
    }
    this.#doWhatIsDue();
  }

  get now(): number {
    return this.clock.now();
  }

  get happened(): number {
    return this.#happened;
  }

  get moment(): Moment {
    return {
      now: this.now,
      happened: this.happened,
      steps: this.#done,
      stored: this.stored,
      backup: this.#backup,
      storeIs: this.#storeIs,
      underWay: [...this.#underWay],
      late: [...this.#late],
    };
  }

  get stored(): StoreSnapshot {
    return this.#store.snapshot();
  }

  get isSending(): boolean {
    return this.#underWay.size > 0;
  }

  /** The script has come to its end: the log holds all that it ever will. */
  get isDone(): boolean {
    return this.#done === this.#steps.length;
  }

  /** Whether everything in the log is part of what is stored. */
  get isAllStored(): boolean {
    const { stored } = this;
    const partitions = Array.from({ length: PARTITIONS }, (_, partition) => partition);
    return partitions.every((partition) => {
      const text = stored.get(unitKey(NAMESPACE, partition))?.get('topics') ?? '[]';
      const topics: readonly { readonly committed: number }[] = JSON.parse(text);
      return topics.length === 2 && topics.every((topic, t) => topic.committed === this.log.bounds(partition, t).end);
    });
  }

  /** The store over a network: a request takes its time to arrive, and its answer to come back. */
  store(): Store {
    return {
      claim: (unit, token) => this.#ask((store) => store.claim(unit, token)),
      commit: (commit) => this.#ask((store) => store.commit(commit)),
      read: (keys) => this.#ask((store) => store.read(keys)),
    };
  }

  async #ask<T>(request: (store: Store) => Promise<T>): Promise<T> {
    this.#happened++;
    this.#underWay.add(request);
    await this.clock.sleep(LATENCY_MS);
    this.#happened++;
    this.#underWay.delete(request);
    const isHeard = this.#storeIs === 'well';
    const answer = await this.#arrive(request);
    await this.clock.sleep(LATENCY_MS);
    if (!isHeard || answer === undefined) {
      throw new StoreUnavailable('TIMEOUT', 'the store did not answer', { retriable: true, outcome: 'unknown' });
    }
    return answer;
  }

  /** The store does at once what it is asked; undefined: it never hears of it. */
  #arrive<T>(request: (store: Store) => Promise<T>): Promise<T> | undefined {
    return this.#storeIs === 'away' ? undefined : request(this.#store);
  }

  #doWhatIsDue(): void {
    const steps = this.#steps;
    const now = this.clock.now() - START;
    for (; this.#done < steps.length && steps[this.#done].at <= now; this.#done++) this.#do(steps[this.#done]);
    if (this.#done < steps.length) {
      void this.clock.sleep(steps[this.#done].at - now).then(() => this.#doWhatIsDue());
    }
  }

  #append({ append }: Step): void {
    for (const { topic, partition, value, timestamp } of append) this.log.append(topic, partition, value, timestamp);
  }

  #do(step: Step): void {
    this.#happened++;
    this.#append(step);
    switch (step.does) {
      case 'store goes away':
        this.#storeIs = 'away';
        break;
      case 'store answers nothing':
        this.#storeIs = 'mute';
        break;
      case 'store is well':
        this.#storeIs = 'well';
        break;
      case 'other claims':
        void this.#store.claim(unitKey(NAMESPACE, 0), 'somebody else');
        break;
      case 'backup':
        this.#backup = this.stored;
        break;
      case 'roll back':
        this.#store.restoreSnapshot(this.#backup);
        break;
      case undefined:
        break;
      default:
        assertNever(step.does);
    }
  }
}
