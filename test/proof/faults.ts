import { setTimeout as sleep } from 'node:timers/promises';
import { Random } from '../../src/simulate/random.ts';
import type { RunningRedis } from '../services/redis.ts';
import { type ProofParameters, SESSION_MS } from './parameters.ts';
import type { ServiceProcess } from './process.ts';

const FIRST = 0.06;
const LAST = 0.9;
/** Between two kills: something has to continue. */
const APART_MS = 1500;
const LONGEST_RESTART_MS = 6000;
const LONGEST_OUTAGE_MS = 2500;
const FREEZE_MS = 1.5 * SESSION_MS;

/** Ends workers and Redis at random moments while records flow, by how much of all records was committed. */
export class Faults {
  readonly #random: Random;
  readonly #workers: readonly ServiceProcess[];
  readonly #redis: RunningRedis;
  readonly #kills: number[];
  readonly #freezes: number[];
  readonly #outages: number[];
  readonly #say: (line: string) => void;
  #notBefore = 0;
  kills = 0;
  freezes = 0;
  redisRestarts = 0;

  constructor(
    { seed, kills, freezes, redisRestarts }: ProofParameters,
    workers: readonly ServiceProcess[],
    redis: RunningRedis,
    say: (line: string) => void,
  ) {
    this.#random = new Random(seed, 'faults');
    const moments = (count: number): number[] =>
      Array.from({ length: count }, () => FIRST + (LAST - FIRST) * this.#random.next()).sort((a, b) => a - b);
    this.#workers = workers;
    this.#redis = redis;
    this.#kills = moments(kills);
    this.#outages = moments(redisRestarts);
    this.#freezes = moments(freezes);
    this.#say = say;
  }

  /** The share of all records at which the next fault is due; 1: none is left. */
  get next(): number {
    return Math.min(this.#kills.at(0) ?? 1, this.#freezes.at(0) ?? 1, this.#outages.at(0) ?? 1);
  }

  /** Lets the faults strike that are due. Returns when Redis is up. */
  async strike(committed: number): Promise<void> {
    if (Date.now() >= this.#notBefore) {
      if (this.#kills.length > 0 && committed >= this.#kills[0]) this.#kill(committed);
      else if (this.#freezes.length > 0 && committed >= this.#freezes[0]) this.#freeze(committed);
    }
    if (this.#outages.length > 0 && committed >= this.#outages[0]) {
      this.#outages.shift();
      const down = Math.floor(LONGEST_OUTAGE_MS * this.#random.next());
      this.#say(`redis: kill -9 at ${percent(committed)}, back after ${down} ms`);
      await this.#redis.kill9();
      await sleep(down);
      await this.#redis.restart();
      this.redisRestarts++;
    }
  }

  #kill(committed: number): void {
    const worker = this.#owner();
    if (worker === undefined) return;
    const restartAfter = Math.floor(LONGEST_RESTART_MS * this.#random.next());
    this.#say(`${worker.name}: kill -9 at ${percent(committed)}, started again after ${restartAfter} ms`);
    this.#kills.shift();
    worker.kill9(restartAfter);
    this.kills++;
    this.#notBefore = Date.now() + APART_MS;
  }

  #freeze(committed: number): void {
    const worker = this.#owner();
    if (worker === undefined) return;
    this.#say(`${worker.name}: stopped at ${percent(committed)}, goes on after ${FREEZE_MS} ms`);
    this.#freezes.shift();
    worker.freeze(FREEZE_MS);
    this.freezes++;
    this.#notBefore = Date.now() + FREEZE_MS + APART_MS;
  }

  /** One of those that own units. */
  #owner(): ServiceProcess | undefined {
    const owners = this.#workers.filter((worker) => worker.claims > 0);
    return owners[Math.floor(owners.length * this.#random.next())];
  }
}

function percent(share: number): string {
  return `${(100 * share).toFixed(1)} %`;
}
