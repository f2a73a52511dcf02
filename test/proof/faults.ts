import { setTimeout as sleep } from 'node:timers/promises';
import { Random } from '../../src/simulate/random.ts';
import type { RunningRedis } from '../services/redis.ts';
import type { ProofParameters } from './parameters.ts';
import type { ServiceProcess } from './process.ts';

const FIRST = 0.06;
const LAST = 0.9;
/** Between two kills: something has to go on. */
const APART_MS = 1500;
const LONGEST_RESTART_MS = 6000;
const LONGEST_OUTAGE_MS = 2500;

/** Ends workers and Redis at random moments while records flow, by how much of all records was committed. */
export class Faults {
  readonly #random: Random;
  readonly #workers: readonly ServiceProcess[];
  readonly #redis: RunningRedis;
  readonly #kills: number[];
  readonly #outages: number[];
  readonly #say: (line: string) => void;
  #notBefore = 0;
  kills = 0;
  redisRestarts = 0;
  /** Units that the killed workers owned, at least. */
  orphaned = 0;

  constructor(
    { seed, kills, redisRestarts }: ProofParameters,
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
    this.#say = say;
  }

  /** The share of all records at which the next fault is due; 1: none is left. */
  get next(): number {
    return Math.min(this.#kills.at(0) ?? 1, this.#outages.at(0) ?? 1);
  }

  /** Lets the faults strike that are due. Returns when Redis is up. */
  async strike(committed: number): Promise<void> {
    if (this.#kills.length > 0 && committed >= this.#kills[0] && Date.now() >= this.#notBefore) this.#kill(committed);
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

  /** One of those that own units. */
  #kill(committed: number): void {
    const owners = this.#workers.filter((worker) => worker.claims > 0);
    if (owners.length === 0) return;
    const worker = owners[Math.floor(owners.length * this.#random.next())];
    const restartAfter = Math.floor(LONGEST_RESTART_MS * this.#random.next());
    this.#say(`${worker.name}: kill -9 at ${percent(committed)}, started again after ${restartAfter} ms`);
    this.#kills.shift();
    this.orphaned += worker.claims;
    worker.kill9(restartAfter);
    this.kills++;
    this.#notBefore = Date.now() + APART_MS;
  }
}

function percent(share: number): string {
  return `${(100 * share).toFixed(1)} %`;
}
