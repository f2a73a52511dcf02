/**
 * `npm run bench:kafka [-- --events N --rounds N]`: events through Kafka, the compiled worker and Redis, beside what kafkajs
 * needs to fetch the same topics and throw them away. Broker and Redis are its own. Medians over the rounds, the cases in turn.
 */
import { cpus } from 'node:os';
import { parseArgs } from 'node:util';
import { assertNever } from '../src/vocabulary/events.ts';
import { startKafka } from '../test/services/kafka.ts';
import { startRedis } from '../test/services/redis.ts';
import { inRoot, separateCores, start } from './children.ts';
import type { Figures } from './figures.ts';
import { load, warmCoordinator } from './kafka-load.ts';
import { throughWorker } from './kafka-worker.ts';
import { kafkaWorkload, PARTITIONS } from './kafka-workload.ts';
import { median } from './median.ts';
import { Progress } from './progress.ts';

const EVENTS_PER_IMPRESSION = 2.5;
const CASES = ['JSON.parse', 'fetch only', 'worker'] as const;
type Case = (typeof CASES)[number];

const { values } = parseArgs({
  options: { events: { type: 'string', default: '500000' }, rounds: { type: 'string', default: '3' } },
});
const [events, rounds] = [Number(values.events), Number(values.rounds)];
if (!(events >= 1000 && rounds >= 1)) throw new Error('--events: at least 1000; --rounds: at least 1');

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
  readonly figures: ReadonlyMap<Case, Figures[]>;
}

async function measure(brokers: readonly string[], redisUrl: string): Promise<Results> {
  const { records, expected } = kafkaWorkload(Math.round(events / EVENTS_PER_IMPRESSION));
  const progress = new Progress(records);
  const total = records.length;
  say(`writing ${total} events`);
  await load(brokers, records);
  const seconds = Math.ceil(60 + total / 3000);
  const figures = new Map<Case, Figures[]>(CASES.map((name) => [name, []]));
  for (let round = 1; round <= rounds; round++) {
    for (const name of CASES) {
      const groupId = `bench-${name.replace(' ', '-')}-${round}`;
      if (name !== 'JSON.parse') await warmCoordinator(brokers, groupId);
      const result = await one(name, groupId);
      say(`round ${round} of ${rounds}: ${name}: ${result.cpuUs.toFixed(2)} CPU seconds per million events`);
      figures.get(name)?.push(result);
    }
  }
  return { total, figures };

  function one(name: Case, groupId: string): Promise<Figures> {
    switch (name) {
      case 'JSON.parse':
        return parseOnly();
      case 'fetch only':
        return child<Figures>(name, 'bench/fetch-only.ts', [brokers.join(','), groupId, String(total)], seconds);
      case 'worker':
        return throughWorker({ brokers, redisUrl, groupId, total, expected, progress, seconds });
      default:
        return assertNever(name);
    }
  }
}

function table(figures: Results['figures']): void {
  const of = (name: Case, column: keyof Figures): number => median((figures.get(name) ?? []).map((one) => one[column]));
  print(
    '| | events/s | CPU seconds per million events | events per CPU second | times fetch only | times JSON.parse |',
  );
  print('|---|---|---|---|---|---|');
  for (const name of CASES) {
    const cpu = of(name, 'cpuUs');
    const times = (other: Case): string => (cpu / of(other, 'cpuUs')).toFixed(2);
    print(
      `| ${name} | ${whole(of(name, 'perSecond'))} | ${cpu.toFixed(2)} | ${whole(1e6 / cpu)} | ${times('fetch only')} | ${times('JSON.parse')} |`,
    );
  }
}

async function main(): Promise<void> {
  const separated = separateCores();
  const kafka = await startKafka();
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
