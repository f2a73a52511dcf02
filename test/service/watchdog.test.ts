import { expect, it } from 'vitest';
import { type Health, Watchdog } from '../../src/service/watchdog.ts';
import type { UnitStatus, WorkerStatus } from '../../src/worker/status.ts';
import { unitStatus, workerStatus } from '../metrics/statuses.ts';

const SECOND = 1000;
const GIVEN_UP = { healthy: false, reasons: [expect.stringContaining('and Kafka and Redis both answer')] };

class Bench {
  readonly store = { connected: true, refuses: false };
  answers = true;
  units: readonly UnitStatus[] = [unitStatus(0, { waiting: 7 })];
  status: Partial<WorkerStatus> = {};
  commits = 0;
  readonly said: string[] = [];
  readonly #watchdog = new Watchdog({
    log: { warn: (details, message) => this.said.push(`${JSON.stringify(details)} ${message}`) },
    store: this.store,
    source: { answers: async () => this.answers },
    status: () =>
      workerStatus(this.units, {
        commits: { ok: this.commits, already: 0, fenced: 0, conflict: 0, unknown: 0 },
        ...this.status,
      }),
  });

  /** Looks once a second. */
  async look(from: number, to: number): Promise<Health> {
    let health: Health = { healthy: true, reasons: [] };
    for (let at = from; at <= to; at++) health = await this.#watchdog.look(at * SECOND);
    return health;
  }
}

it('a worker without a commit for a minute is not ready, and after two it is given up', async () => {
  const bench = new Bench();
  expect(await bench.look(0, 59)).toEqual({ healthy: true, reasons: [] });
  expect(await bench.look(60, 60)).toEqual({ healthy: true, reasons: ['no commit for 60 s, though 7 records wait'] });
  expect(await bench.look(61, 119)).toMatchObject({ healthy: true });
  expect(await bench.look(120, 120)).toEqual(GIVEN_UP);
});

it('a commit is progress', async () => {
  const bench = new Bench();
  await bench.look(0, 119);
  bench.commits++;
  expect(await bench.look(120, 179)).toEqual({ healthy: true, reasons: [] });
  expect(await bench.look(180, 240)).toEqual(GIVEN_UP);
});

it.each<readonly [string, (bench: Bench) => void]>([
  ['Redis is away', (bench) => Object.assign(bench.store, { connected: false })],
  ['Redis takes no commits', (bench) => Object.assign(bench.store, { refuses: true })],
  ['Kafka is away', (bench) => Object.assign(bench, { answers: false })],
])('it is not given up while %s: a restart would not help', async (_, happens) => {
  const bench = new Bench();
  happens(bench);
  const health = await bench.look(0, 3600);
  expect(health).toEqual({ healthy: true, reasons: ['no commit for 3600 s, though 7 records wait'] });
});

it.each<readonly [string, (bench: Bench) => void]>([
  ['its clock is in doubt', (bench) => Object.assign(bench, { status: { clockSkew: -30_001 } })],
  ['nothing is left to read', (bench) => Object.assign(bench, { units: [unitStatus(0, { waiting: 0 })] })],
  [
    'all that is left waits for a transaction',
    (bench) => Object.assign(bench, { units: [unitStatus(0, { lag: [0, 7], inTransactions: [0, 7], waiting: 0 })] }),
  ],
  ['its unit replays', (bench) => Object.assign(bench, { units: [unitStatus(0, { waiting: 10, replaying: true })] })],
  ['its unit is stopped', (bench) => Object.assign(bench, { units: [unitStatus(0, { waiting: 10, stopped: 'gap' })] })],
])('one that does nothing because %s is not stuck', async (_, happens) => {
  const bench = new Bench();
  happens(bench);
  expect(await bench.look(0, 3600)).toEqual({ healthy: true, reasons: [] });
});

it('a clock that is nearly in doubt is no excuse', async () => {
  const bench = new Bench();
  bench.status = { clockSkew: 30_000 };
  expect(await bench.look(0, 120)).toEqual(GIVEN_UP);
});

it('a process that was stopped for long and goes on is not given up for it, and says so', async () => {
  const bench = new Bench();
  await bench.look(0, 50);
  expect(await bench.look(350, 350)).toMatchObject({ healthy: true });
  expect(bench.said).toEqual([expect.stringMatching(/^\{"seconds":300\} this process did not run for a while/)]);
  bench.commits++;
  expect(await bench.look(351, 410)).toEqual({ healthy: true, reasons: [] });
  expect(bench.said).toHaveLength(1);
  // What it does from then on counts.
  expect(await bench.look(411, 471)).toEqual(GIVEN_UP);
});

it.each<readonly [string, (bench: Bench, isThere: boolean) => void]>([
  ['Redis', ({ store }, isThere) => Object.assign(store, { connected: isThere })],
  ['Kafka', (bench, isThere) => Object.assign(bench, { answers: isThere })],
])('%s that has just come back gives the worker half a minute', async (_, sets) => {
  const bench = new Bench();
  sets(bench, false);
  await bench.look(0, 300);
  sets(bench, true);
  expect(await bench.look(301, 330)).toMatchObject({ healthy: true });
  expect(await bench.look(331, 331)).toEqual(GIVEN_UP);
});
