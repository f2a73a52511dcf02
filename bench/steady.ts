/**
 * `npm run bench:steady [-- --partitions 4,64,256 --rate 2000 --warm-up 90 --seconds 45]`: the CPU of a compiled worker on Kafka and Redis that
 * reads what is being written, with its clients and all threads, and without any traffic. Broker and Redis are its own.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { cpus, tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { startKafka } from '../test/services/kafka.ts';
import { startRedis } from '../test/services/redis.ts';
import { inRoot, start } from './children.ts';
import { createTopics, warmCoordinator } from './kafka-load.ts';
import { pageOf, type Started, startWorker } from './kafka-worker.ts';
import { WorkerPage } from './worker-page.ts';

const GROUP = 'bench-steady';

const { values } = parseArgs({
  options: {
    partitions: { type: 'string', default: '4,64,256' },
    rate: { type: 'string', default: '2000' },
    // V8 has compiled by then what runs twice a second.
    'warm-up': { type: 'string', default: '90' },
    seconds: { type: 'string', default: '45' },
  },
});
const counts = values.partitions.split(',').map(Number);
const [rate, warmUp, seconds] = [Number(values.rate), Number(values['warm-up']), Number(values.seconds)];
if (!counts.every((count) => count >= 1)) throw new Error('--partitions: numbers from 1 on, with commas');
if (!(rate > 0 && warmUp >= 0 && seconds > 0)) throw new Error('--rate, --warm-up and --seconds: numbers above 0');

const say = (line: string): void => void process.stderr.write(`${line}\n`);
const print = (line: string): void => void process.stdout.write(`${line}\n`);

interface Sample {
  readonly cpuSeconds: number;
  readonly events: number;
  readonly at: number;
}

async function sample({ url }: Started): Promise<Sample> {
  const page = new WorkerPage(await pageOf(`${url}/metrics`));
  return { cpuSeconds: page.cpuSeconds, events: page.committed, at: performance.now() };
}

/** Shares of a core, and events a second, after the warm-up. */
async function measured(worker: Started): Promise<{ readonly share: number; readonly perSecond: number }> {
  await sleep(1000 * warmUp);
  const from = await sample(worker);
  await sleep(1000 * seconds);
  const to = await sample(worker);
  const time = (to.at - from.at) / 1000;
  return { share: (to.cpuSeconds - from.cpuSeconds) / time, perSecond: (to.events - from.events) / time };
}

async function measure(partitions: number): Promise<void> {
  const kafka = await startKafka();
  const redis = await startRedis();
  const folder = mkdtempSync(join(tmpdir(), 'receval-bench-'));
  const { brokers } = kafka;
  let worker: Started | undefined;
  try {
    await createTopics(brokers, partitions);
    await warmCoordinator(brokers, GROUP);
    const patience = 4 * (warmUp + seconds) + 60;
    worker = await startWorker(folder, { brokers, redisUrl: redis.url, groupId: GROUP, seconds: patience });
    say(`${partitions} partitions: no traffic`);
    const idle = await measured(worker);
    say(`${partitions} partitions: ${rate} events a second`);
    const script = inRoot('bench/steady-producer.ts');
    const args = [brokers[0], partitions, rate, warmUp + seconds + 10].map(String);
    const producer = start('producer', ['--import', 'tsx/esm', script, ...args], patience);
    producer.done.catch(() => {});
    const busy = await measured(worker);
    await producer.stop();
    const us = (busy.share / busy.perSecond) * 1e6;
    const percent = (share: number): string => (100 * share).toFixed(1);
    print(
      `| ${partitions} | ${percent(idle.share)} | ${percent(busy.share)} | ${busy.perSecond.toFixed(0)} | ${us.toFixed(1)} |`,
    );
  } finally {
    await worker?.child.stop();
    await redis.stop();
    await kafka.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}

print(`Node ${process.version}, ${cpus().length} x ${cpus()[0].model}`);
print('');
print(
  '| partitions of each topic | no traffic, % of a core | with traffic, % of a core | events a second | CPU us per event |',
);
print('|---|---|---|---|---|');
for (const partitions of counts) await measure(partitions);
process.exit(0);
