/**
 * `npm run bench:kafka [-- --events N --rounds N --workers 1,2,4]`: events through Kafka, compiled workers and Redis, beside what
 * kafkajs needs to fetch the same topics and throw them away. Broker and Redis are its own. Medians over the rounds, the cases
 * in turn.
 */
import { cpus } from 'node:os';
import { parseArgs } from 'node:util';
import { startKafka } from '../test/services/kafka.ts';
import { startRedis } from '../test/services/redis.ts';
import { inRoot, separateCores, start } from './children.ts';
import type { Figures } from './figures.ts';
import { load, warmCoordinator } from './kafka-load.ts';
import { throughWorkers } from './kafka-worker.ts';
import { kafkaWorkload, PARTITIONS } from './kafka-workload.ts';
import { median } from './median.ts';
import { Progress } from './progress.ts';

const EVENTS_PER_IMPRESSION = 2.5;
const PARSE = 'JSON.parse';
const FETCH = 'fetch only';
/** All of a group have joined it before partitions are assigned: a partition that moves is counted by two of them. */
const WAIT_FOR_GROUP_MS = 6000;

const { values } = parseArgs({
  options: {
    // Fewer pass before a worker has been looked at often enough.
    events: { type: 'string', default: '2000000' },
    rounds: { type: 'string', default: '3' },
    workers: { type: 'string', default: '1' },
  },
});
const [events, rounds] = [Number(values.events), Number(values.rounds)];
const workers = values.workers.split(',').map(Number);
if (!(events >= 1000 && rounds >= 1)) throw new Error('--events: at least 1000; --rounds: at least 1');
if (!workers.every((count) => count >= 1 && count <= PARTITIONS)) throw new Error(`--workers: 1 to ${PARTITIONS} each`);

/** The cases by name, with how many workers each has. */
const CASES: ReadonlyMap<string, number> = new Map([
  [PARSE, 0],
  [FETCH, 0],
  ...workers.map((count) => [count === 1 ? 'worker' : `${count} workers`, count] as const),
]);

const say = (line: string): void => void process.stderr.write(`${line}\n`);
const whole = (n: number): string => (Number.isNaN(n) ? '' : Math.round(n).toLocaleString('en'));
const print = (line: string): void => void process.stdout.write(`${line}\n`);

async function child<T>(name: string, script: string, args: readonly string[], seconds: number): Promise<T> {
  return JSON.parse(await start(name, ['--import', 'tsx/esm', inRoot(script), ...args], seconds).done);
}

async function parseOnly(): Promise<Figures> {
  const { us } = await child<{ readonly us: number }>('JSON.parse', 'bench/case.ts', ['JSON.parse'], 300);
  return { perSecond: Number.NaN, cpuUs: us / EVENTS_PER_IMPRESSION };
}

interface Results {
  /** Events in the topics. */
  readonly total: number;
  readonly figures: ReadonlyMap<string, Figures[]>;
}

async function measure(brokers: readonly string[], redisUrl: string): Promise<Results> {
  const { records, expected } = kafkaWorkload(Math.round(events / EVENTS_PER_IMPRESSION));
  const progress = new Progress(records);
  const total = records.length;
  say(`writing ${total} events`);
  await load(brokers, records);
  const seconds = Math.ceil(60 + total / 3000);
  const figures = new Map<string, Figures[]>([...CASES.keys()].map((name) => [name, []]));
  for (let round = 1; round <= rounds; round++) {
    for (const [name, count] of CASES) {
      const groupId = `bench-${name.replace(' ', '-')}-${round}`;
      if (name !== PARSE) await warmCoordinator(brokers, groupId);
      const result = await one(name, count, groupId);
      say(`round ${round} of ${rounds}: ${name}: ${result.cpuUs.toFixed(2)} CPU seconds per million events`);
      figures.get(name)?.push(result);
    }
  }
  return { total, figures };

  async function one(name: string, count: number, groupId: string): Promise<Figures> {
    if (count > 0) {
      return throughWorkers({ brokers, redisUrl, groupId, total, expected, progress, workers: count, seconds });
    }
    if (name === PARSE) return parseOnly();
    return child<Figures>(name, 'bench/fetch-only.ts', [brokers.join(','), groupId, String(total)], seconds);
  }
}

function table(figures: Results['figures']): void {
  const of = (name: string, column: keyof Figures): number =>
    median((figures.get(name) ?? []).map((one) => one[column]));
  print(
    '| | events/s | CPU seconds per million events | events per CPU second | times fetch only | times JSON.parse |',
  );
  print('|---|---|---|---|---|---|');
  for (const name of CASES.keys()) {
    const cpu = of(name, 'cpuUs');
    const times = (other: string): string => (cpu / of(other, 'cpuUs')).toFixed(2);
    print(
      `| ${name} | ${whole(of(name, 'perSecond'))} | ${cpu.toFixed(2)} | ${whole(1e6 / cpu)} | ${times(FETCH)} | ${times(PARSE)} |`,
    );
  }
}

async function main(): Promise<void> {
  const separated = separateCores();
  const kafka = await startKafka({ properties: { 'group.initial.rebalance.delay.ms': WAIT_FOR_GROUP_MS } });
  try {
    const redis = await startRedis();
    try {
      const { total, figures } = await measure(kafka.brokers, redis.url);
      const where = separated ? 'servers on one core, the case on another' : 'servers and cases share the cores';
      print(`Node ${process.version}, ${cpus().length} x ${cpus()[0].model}, ${where}; Kafka ${kafka.version};`);
      print(`${whole(total)} events, ${PARTITIONS} partitions, lz4; medians of ${rounds} rounds`);
      print('');
      table(figures);
    } finally {
      await redis.stop();
    }
  } finally {
    await kafka.stop();
  }
}

try {
  await main();
} catch (error) {
  say(`bench:kafka: ${error instanceof Error ? error.message : String(error)}`);
  process.exitCode = 1;
}
