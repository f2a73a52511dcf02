/**
 * `npm run bench:kafka [-- --impressions N]`: events through Kafka, the worker and Redis, beside what kafkajs needs to fetch
 * the same topics and throw them away. Uses KAFKA_BROKERS and REDIS_URL where they are set, else servers of its own.
 */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import kafkajs from 'kafkajs';
import { startKafka } from '../test/services/kafka.ts';
import { freePort } from '../test/services/ports.ts';
import { startRedis } from '../test/services/redis.ts';
import { makeWorkload } from './workload.ts';

const PARTITIONS = 4;
const at = process.argv.indexOf('--impressions');
const impressions = at < 0 ? 200_000 : Number(process.argv[at + 1]);
const say = (line: string): void => void process.stderr.write(`${line}\n`);
const inRoot = (path: string): string => fileURLToPath(new URL(`../${path}`, import.meta.url));

interface Figures {
  readonly perSecond: number;
  /** CPU of all threads per event. */
  readonly cpuUs: number;
}

/** Writes the workload; answers how many records there are. */
async function preload(brokers: readonly string[]): Promise<number> {
  const kafka = new kafkajs.Kafka({ brokers: [...brokers], logLevel: kafkajs.logLevel.ERROR });
  const admin = kafka.admin();
  await admin.connect();
  await admin.createTopics({
    topics: ['impressions', 'feedback'].map((topic) => ({ topic, numPartitions: PARTITIONS })),
  });
  await admin.disconnect();
  const producer = kafka.producer({ createPartitioner: kafkajs.Partitioners.DefaultPartitioner });
  await producer.connect();
  let records = 0;
  const all = makeWorkload(impressions, impressions / 9000);
  for (let from = 0; from < all.length; from += 5000) {
    const messages = [[], []] as { key: string; value: Buffer; timestamp: string }[][];
    for (const { topic, at: time, value } of all.slice(from, from + 5000)) {
      const key = /"requestId":"([^"]+)"/.exec(value.toString())?.[1] ?? '';
      messages[topic].push({ key, value, timestamp: String(Math.floor(time)) });
    }
    await producer.sendBatch({
      topicMessages: ['impressions', 'feedback'].map((topic, t) => ({ topic, messages: messages[t] })),
    });
    records += messages[0].length + messages[1].length;
  }
  await producer.disconnect();
  return records;
}

function fetchOnly(brokers: readonly string[], records: number): Figures {
  const args = ['--import', 'tsx', inRoot('bench/fetch-only.ts'), brokers.join(','), String(records)];
  return JSON.parse(execFileSync(process.execPath, args, { encoding: 'utf8' }));
}

async function throughReceval(brokers: readonly string[], redisUrl: string, records: number): Promise<Figures> {
  const folder = mkdtempSync(join(tmpdir(), 'receval-bench-'));
  const port = await freePort();
  const config = join(folder, 'receval.yaml');
  writeFileSync(
    config,
    `namespace: bench-${process.pid}\nkafka: {brokers: [${brokers.map((b) => `"${b}"`).join(', ')}], groupId: bench-${process.pid}}\nredis: {url: "${redisUrl}"}\nhttp: {port: ${port}}\n`,
  );
  const child = spawn(process.execPath, [inRoot('bin/receval'), 'run', '--config', config], {
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  try {
    return await watch(child, `http://127.0.0.1:${port}/metrics`, records);
  } finally {
    child.kill('SIGKILL');
    rmSync(folder, { recursive: true });
  }
}

/** From 40 % to 95 % of the records. */
async function watch(child: ChildProcess, url: string, records: number): Promise<Figures> {
  let from: { readonly at: number; readonly events: number; readonly cpu: number } | undefined;
  while (child.exitCode === null) {
    await sleep(500);
    const text = await fetch(url).then(
      (answer) => answer.text(),
      () => '',
    );
    const sum = (name: string): number =>
      [...text.matchAll(new RegExp(`^${name}(?:\\{[^}]*\\})? (\\S+)$`, 'gm'))].reduce(
        (total, [, n]) => total + Number(n),
        0,
      );
    const now = {
      at: performance.now(),
      events: sum('receval_events_total'),
      cpu: sum('receval_process_cpu_seconds_total'),
    };
    if (from === undefined && now.events > 0.4 * records && now.events < 0.8 * records) from = now;
    if (now.events < 0.95 * records) continue;
    if (from === undefined) throw new Error('it went too fast to be measured: take more --impressions');
    const events = now.events - from.events;
    return { perSecond: events / ((now.at - from.at) / 1000), cpuUs: ((now.cpu - from.cpu) * 1e6) / events };
  }
  throw new Error(`receval ended with ${child.exitCode}`);
}

const kafka = process.env['KAFKA_BROKERS'] === undefined ? await startKafka() : undefined;
const redis = process.env['REDIS_URL'] === undefined ? await startRedis() : undefined;
try {
  const brokers = kafka?.brokers ?? (process.env['KAFKA_BROKERS'] ?? '').split(',');
  const redisUrl = redis?.url ?? process.env['REDIS_URL'] ?? '';
  say(`writing ${impressions} impressions and their feedback`);
  const records = await preload(brokers);
  say(`fetching ${records} records`);
  const fetched = fetchOnly(brokers, records);
  say('the same through receval');
  const through = await throughReceval(brokers, redisUrl, records);
  const row = (name: string, { perSecond, cpuUs }: Figures): string =>
    `| ${name} | ${Math.round(perSecond).toLocaleString('en')} | ${cpuUs.toFixed(1)} | ${Math.round(1e6 / cpuUs).toLocaleString('en')} |\n`;
  process.stdout.write('| | events/s | CPU seconds per million events | events per CPU second |\n|---|---|---|---|\n');
  process.stdout.write(row('kafkajs, fetch only', fetched));
  process.stdout.write(row('receval: Kafka to Redis', through));
} finally {
  await kafka?.stop();
  await redis?.stop();
}
