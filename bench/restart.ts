/**
 * `npm run bench:restart [-- --rate 2000 --minutes 33 --rounds 3]`: how long a worker that starts again takes until it is ready. It
 * has read a log of so many minutes to its end before, with default settings and so a longest horizon of 30 minutes: what is open is
 * read again. Broker and Redis are its own.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { startKafka } from '../test/services/kafka.ts';
import { startRedis } from '../test/services/redis.ts';
import { separateCores } from './children.ts';
import { load, warmCoordinator } from './kafka-load.ts';
import { pageOf, type Started, startWorker } from './kafka-worker.ts';
import { type KafkaRecord, PARTITIONS } from './kafka-workload.ts';
import { WorkerPage } from './worker-page.ts';
import { makeWorkload } from './workload.ts';

const IMPRESSIONS = 0.4;
const PATIENCE_S = 900;
const POLL_MS = 50;
const GROUP = 'bench-restart';

const { values } = parseArgs({
  options: {
    rate: { type: 'string', default: '2000' },
    minutes: { type: 'string', default: '33' },
    rounds: { type: 'string', default: '3' },
  },
});
const [rate, minutes, rounds] = [Number(values.rate), Number(values.minutes), Number(values.rounds)];
if (!(rate > 0 && minutes > 0 && rounds >= 1)) throw new Error('--rate, --minutes and --rounds: numbers above 0');

const say = (line: string): void => void process.stderr.write(`${line}\n`);

function logOf(impressions: number): readonly KafkaRecord[] {
  return makeWorkload(impressions, rate * IMPRESSIONS).map(({ topic, at, value, ts, requestId: key }) => {
    return { topic, at, value, ts, key, partition: Number.parseInt(key.slice(0, 8), 16) % PARTITIONS };
  });
}

async function until({ child, url }: Started, isDone: () => Promise<boolean>): Promise<void> {
  let ended = false;
  const end = child.done.finally(() => {
    ended = true;
  });
  end.catch(() => {});
  while (!(await isDone())) {
    if (ended) {
      await end;
      throw new Error(`the worker of ${url} has ended`);
    }
    await sleep(POLL_MS);
  }
}

function isReady(url: string): Promise<boolean> {
  return fetch(`${url}/readyz`).then(
    ({ ok }) => ok,
    () => false,
  );
}

async function measure(brokers: readonly string[], redisUrl: string): Promise<void> {
  const impressions = Math.round(rate * IMPRESSIONS * 60 * minutes);
  const records = logOf(impressions);
  say(`writing ${records.length} events`);
  await load(brokers, records);
  await warmCoordinator(brokers, GROUP);
  const folder = mkdtempSync(join(tmpdir(), 'receval-bench-'));
  const begin = (): Promise<Started> => startWorker(folder, { brokers, redisUrl, groupId: GROUP, seconds: PATIENCE_S });
  let worker = await begin();
  try {
    const page = async (): Promise<WorkerPage> => new WorkerPage(await pageOf(`${worker.url}/metrics`));
    say('reading them for the first time');
    await until(worker, async () => (await page()).committed >= records.length);
    for (let round = 1; round <= rounds; round++) {
      await worker.child.stop();
      const from = performance.now();
      worker = await begin();
      await until(worker, () => isReady(worker.url));
      const seconds = (performance.now() - from) / 1000;
      const after = await page();
      process.stdout.write(
        `ready after ${seconds.toFixed(1)} s, with ${after.open} of ${impressions} lists open; ${after.cpuSeconds.toFixed(1)} s of CPU\n`,
      );
    }
  } finally {
    await worker.child.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}

const separated = separateCores();
say(separated ? 'servers on one core, the worker on another' : 'servers and the worker share the cores');
const kafka = await startKafka({ properties: { 'group.initial.rebalance.delay.ms': 0 } });
try {
  const redis = await startRedis();
  try {
    await measure(kafka.brokers, redis.url);
  } finally {
    await redis.stop();
  }
} finally {
  await kafka.stop();
}
