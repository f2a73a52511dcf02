/**
 * `npm run bench:failover [-- --sessions 10s,30s --workers 3 --partitions 16 --rate 2000 --warm-up 30 --rounds 3]`: how long the partitions of a
 * worker wait for the others of its group when it is killed or stopped, and how long those of the others wait meanwhile. Broker and Redis
 * are its own.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { cpus, tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { startKafka } from '../test/services/kafka.ts';
import { startRedis } from '../test/services/redis.ts';
import { type Child, inRoot, start } from './children.ts';
import { createTopics, warmCoordinator } from './kafka-load.ts';
import { pageOf, type Started, startWorker } from './kafka-worker.ts';
import { WorkerPage } from './worker-page.ts';

const POLL_MS = 100;
/** Partitions are current if all records are read that are older: a worker that keeps up fetches at least once a second, and its page is up to a second old. */
const CURRENT_MS = 2_500;
const PATIENCE_S = 300;

const { values } = parseArgs({
  options: {
    sessions: { type: 'string', default: '10s,30s' },
    workers: { type: 'string', default: '3' },
    partitions: { type: 'string', default: '16' },
    rate: { type: 'string', default: '2000' },
    'warm-up': { type: 'string', default: '30' },
    rounds: { type: 'string', default: '3' },
  },
});
const names = ['workers', 'partitions', 'rate', 'warm-up', 'rounds'] as const;
const [workers, partitions, rate, warmUp, rounds] = names.map((name) => Number(values[name]));
if (!(workers >= 2 && partitions >= workers && rate > 0 && warmUp >= 20 && rounds >= 1)) {
  throw new Error(
    '--workers: at least 2, and as many --partitions; --rate and --rounds: above 0; --warm-up: at least 20',
  );
}

const say = (line: string): void => void process.stderr.write(`${line}\n`);
const print = (line: string): void => void process.stdout.write(`${line}\n`);

/** By partition: how old the youngest record is that one of these workers has read of it. */
async function agesOf(some: readonly Started[]): Promise<ReadonlyMap<string, number>> {
  const pages = await Promise.all(some.map(({ url }) => pageOf(`${url}/metrics`)));
  return new WorkerPage(pages.join('\n')).ages(Date.now());
}

interface Failover {
  /** Until the others had read all partitions up to the present. */
  readonly seconds: number;
  /** How old the youngest record of one of their own partitions was in that time, at most. */
  readonly own: number;
}

const ENDS = {
  SIGKILL: ({ child }: Started): void => child.kill(),
  SIGTERM: ({ child }: Started): void => void child.stop(),
};

async function failover(others: readonly Started[], end: () => void): Promise<Failover> {
  const own = [...(await agesOf(others)).keys()];
  if (own.length === 0 || own.length >= partitions)
    throw new Error(`the others have ${own.length} of ${partitions} partitions`);
  const from = performance.now();
  end();
  for (let oldest = 0; ; await sleep(POLL_MS)) {
    const ages = await agesOf(others);
    oldest = Math.max(oldest, ...own.map((partition) => ages.get(partition) ?? 0));
    const seconds = (performance.now() - from) / 1000;
    if (ages.size === partitions && Math.max(...ages.values()) < CURRENT_MS) return { seconds, own: oldest / 1000 };
    if (seconds > PATIENCE_S) throw new Error(`not taken over after ${PATIENCE_S} s`);
  }
}

/** Rejects as soon as one of these ends. */
async function whileRunning<T>(work: Promise<T>, children: readonly Child[]): Promise<T> {
  const ended = children.map(({ done }) =>
    done.then(() => {
      throw new Error('a worker or the producer has ended');
    }),
  );
  return Promise.race([work, ...ended]);
}

async function measure(sessionTimeout: string): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'receval-bench-'));
  const kafka = await startKafka();
  const redis = await startRedis();
  const { brokers } = kafka;
  const groupId = 'bench-failover';
  const seconds = 2 * rounds * (warmUp + PATIENCE_S) + 60;
  const begin = (): Promise<Started> =>
    startWorker(folder, { brokers, redisUrl: redis.url, groupId, seconds, kafka: { sessionTimeout } });
  const running: Started[] = [];
  try {
    await createTopics(brokers, partitions);
    await warmCoordinator(brokers, groupId);
    while (running.length < workers - 1) running.push(await begin());
    const args = [brokers[0], partitions, rate, seconds].map(String);
    const producer = start('producer', ['--import', 'tsx/esm', inRoot('bench/steady-producer.ts'), ...args], seconds);
    for (let round = 1; round <= rounds; round++) {
      for (const [signal, end] of Object.entries(ENDS)) {
        const ending = await begin();
        say(`session ${sessionTimeout}, round ${round}: ${workers} workers for ${warmUp} s`);
        const others = [producer, ...running.map(({ child }) => child)];
        await whileRunning(sleep(1000 * warmUp), [ending.child, ...others]);
        const { seconds: taken, own } = await whileRunning(
          failover(running, () => end(ending)),
          others,
        );
        print(`| ${sessionTimeout} | ${signal} | ${taken.toFixed(1)} | ${own.toFixed(1)} |`);
      }
    }
    await producer.stop();
  } finally {
    for (const { child } of running) await child.stop();
    await redis.stop();
    await kafka.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}

print(
  `Node ${process.version}, ${cpus().length} x ${cpus()[0].model}; ${workers} workers, ${partitions} partitions, ${rate} events a second`,
);
print('');
print("| session | signal | until all partitions are current, s | oldest of the others' own, s |");
print('|---|---|---|---|');
for (const sessionTimeout of values.sessions.split(',')) await measure(sessionTimeout);
process.exit(0);
