import { type ChildProcess, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { gunzip, gzip } from 'node:zlib';
import type { Command } from 'commander';
import { Redis } from 'ioredis';
import { afterAll, vi } from 'vitest';
import { decodeCheckpoint, type UnitCheckpoint } from '../../src/accumulators/store/checkpoint-codec.ts';
import { fromStored } from '../../src/accumulators/store/checksums.ts';
import { unitKey } from '../../src/accumulators/store/layout.ts';
import { exitCodeOf } from '../../src/cli/failure.ts';
import { createTopics } from '../../src/consumers/source/kafka/access/admin.ts';
import { type Admin, adminOf, kafkajs } from '../../src/consumers/source/kafka/access/client.ts';
import type { Service } from '../services/it-with.ts';
import type { RunningKafka } from '../services/kafka.ts';
import { sharedKafka } from '../services/kafka-shared.ts';
import { type RunningRedis, startRedis } from '../services/redis.ts';
import { RECEVAL } from '../tested.ts';

const { CompressionCodecs, CompressionTypes, Kafka, Partitioners, logLevel } = kafkajs;

const QUICK_GZIP = {
  compress: ({ buffer }: { buffer: Buffer }) =>
    promisify<Buffer, { level: number }, Buffer>(gzip)(buffer, { level: 1 }),
  decompress: promisify(gunzip),
};

/** Long enough for every start-up check, and so short that what was written some minutes ago has closed. */
export const ENOUGH_RETENTION = String(30 * 86_400_000);

export interface Servers {
  readonly kafka: RunningKafka;
  readonly redis: RunningRedis;
}

/** One broker and one Redis for all tests of a file, started by the first that needs them. */
export function sharedServers(): Service<Servers> {
  const broker = sharedKafka();
  let redis: Promise<RunningRedis> | undefined;
  afterAll(async () => {
    await (await redis?.catch(() => undefined))?.stop();
  });
  return {
    name: 'Kafka and Redis',
    get: async () => {
      redis ??= startRedis({ config: { appendonly: 'yes' } });
      const [kafka, ours] = await Promise.all([broker.get(), redis]);
      return { kafka, redis: ours };
    },
  };
}

export interface Ended {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

export interface Produced {
  readonly topic: 'impressions' | 'feedback';
  readonly value: string | null;
  readonly key?: string;
  readonly partition?: number;
  readonly at?: number;
}

/** Lists shown now, each with a click, spread over the partitions by their keys. */
export function shown(name: string, count: number, at = Date.now()): readonly Produced[] {
  return Array.from({ length: count }, (_, n): readonly Produced[] => {
    const requestId = `${name}-${n}`;
    const list = { requestId, ts: at, items: ['a', 'b'] };
    const click = { requestId, itemId: 'a', ts: at, action: 'click' };
    return [
      { topic: 'impressions', key: requestId, value: JSON.stringify(list), at },
      { topic: 'feedback', key: requestId, value: JSON.stringify(click), at },
    ];
  }).flat();
}

/** Topics, a namespace and a group of its own on shared servers, and a configuration that names them. */
export class Stand {
  readonly servers: Servers;
  readonly topics: Readonly<Record<'impressions' | 'feedback', string>>;
  readonly namespace: string;
  readonly #folder = mkdtempSync(join(tmpdir(), 'receval-stand-'));
  readonly #kafka: InstanceType<typeof Kafka>;
  readonly #redis: Redis;
  readonly #started: RunningService[] = [];

  constructor(servers: Servers) {
    const name = randomUUID().slice(0, 8);
    this.servers = servers;
    this.namespace = name;
    this.topics = { impressions: `impressions-${name}`, feedback: `feedback-${name}` };
    this.#kafka = new Kafka({ brokers: [...servers.kafka.brokers], clientId: 'test', logLevel: logLevel.NOTHING });
    this.#redis = new Redis(servers.redis.url);
    this.configure();
  }

  /** Deletes the consumer group with its offsets. */
  async deleteGroup(): Promise<void> {
    await this.#asAdmin((admin) => admin.deleteGroups([this.namespace]));
  }

  get redis(): Redis {
    return this.#redis;
  }

  get file(): string {
    return join(this.#folder, 'receval.yaml');
  }

  /** Writes the configuration again. JSON is YAML. */
  configure(changes: Readonly<Record<string, unknown>> = {}): void {
    const { kafka, redis } = this.servers;
    const document = {
      namespace: this.namespace,
      kafka: {
        brokers: kafka.brokers,
        groupId: this.namespace,
        topics: { impressions: { name: this.topics.impressions }, feedback: { name: this.topics.feedback } },
      },
      redis: { url: redis.url },
      attribution: { horizons: ['1m', '5m'], idleAfter: '1s' },
      commit: { interval: '100ms' },
      http: { port: 0 },
      ...changes,
    };
    writeFileSync(this.file, JSON.stringify(document));
  }

  async makeTopics(
    partitions: number | { readonly impressions: number; readonly feedback: number },
    settings: Readonly<Record<string, string>> = {},
  ): Promise<void> {
    const each = typeof partitions === 'number' ? { impressions: partitions, feedback: partitions } : partitions;
    await this.#asAdmin((admin) =>
      createTopics(
        admin,
        (['impressions', 'feedback'] as const)
          .filter((side) => each[side] > 0)
          .map((side) => ({
            topic: this.topics[side],
            numPartitions: each[side],
            configEntries: Object.entries({ 'retention.ms': ENOUGH_RETENTION, ...settings }).map(([name, value]) => ({
              name,
              value,
            })),
          })),
      ),
    );
  }

  addPartitions(count: number): Promise<unknown> {
    const topicPartitions = Object.values(this.topics).map((topic) => ({ topic, count }));
    return this.#asAdmin((admin) => admin.createPartitions({ topicPartitions }));
  }

  /** Until no broker knows it any more. */
  deleteTopic(side: Produced['topic']): Promise<void> {
    const topic = this.topics[side];
    return this.#asAdmin(async (admin) => {
      await admin.deleteTopics({ topics: [topic] });
      for (const until = Date.now() + 300_000; (await admin.listTopics()).includes(topic); await sleep(50)) {
        if (Date.now() > until) throw new Error(`the topic ${topic} was not deleted`);
      }
    });
  }

  /** Deletes a topic, and makes another one of the same name as soon as it is gone. */
  async makeAnew(side: Produced['topic'], partitions: number): Promise<void> {
    const topic = this.topics[side];
    await this.#asAdmin(async (admin) => {
      await admin.deleteTopics({ topics: [topic] });
      await admin.createTopics({ topics: [{ topic, numPartitions: partitions }] }).catch(() => {});
      for (const until = Date.now() + 300_000; ; await sleep(50)) {
        try {
          const offsets = await admin.fetchTopicOffsets(topic);
          if (offsets.length !== partitions || offsets.some(({ high }) => high !== '0'))
            throw new Error('not yet anew');
          return;
        } catch (error) {
          if (Date.now() > until) throw error;
          await admin.createTopics({ topics: [{ topic, numPartitions: partitions }] }).catch(() => {});
        }
      }
    });
  }

  /** Deletes the oldest records of partition 0, as retention does. */
  deleteBelow(side: Produced['topic'], offset: number): Promise<unknown> {
    const topic = this.topics[side];
    return this.#asAdmin(async (admin) => {
      await admin.fetchTopicOffsets(topic); // loads the topic
      await admin.deleteTopicRecords({ topic, partitions: [{ partition: 0, offset: String(offset) }] });
    });
  }

  async produce(records: readonly Produced[]): Promise<void> {
    const producer = this.#kafka.producer({ createPartitioner: Partitioners.DefaultPartitioner });
    await producer.connect();
    for (const { topic, at, ...message } of records) {
      const timestamp = at === undefined ? {} : { timestamp: String(at) };
      await producer.send({ topic: this.topics[topic], messages: [{ ...message, ...timestamp }] });
    }
    await producer.disconnect();
  }

  /** Appends records to partition 0 in a transaction, which stays open until its end is asked for and in the log. */
  async begin(
    topic: Produced['topic'],
    values: readonly string[],
  ): Promise<{ end(outcome: 'commit' | 'abort'): Promise<void> }> {
    const producer = this.#kafka.producer({
      createPartitioner: Partitioners.DefaultPartitioner,
      transactionalId: randomUUID(),
      idempotent: true,
      maxInFlightRequests: 1,
      transactionTimeout: 900_000,
    });
    await producer.connect();
    const transaction = await producer.transaction();
    await transaction.send({ topic: this.topics[topic], messages: values.map((value) => ({ value, partition: 0 })) });
    return {
      end: async (outcome) => {
        await transaction[outcome]();
        await producer.disconnect();
        await this.#asAdmin(async (admin) => {
          for (const until = Date.now() + 90_000; ; await sleep(20)) {
            const ends = await admin.fetchTopicOffsets(this.topics[topic]);
            const high = ends.find(({ partition }) => partition === 0)?.high;
            const [{ offset }] = await admin.fetchStableOffsets(this.topics[topic], [0]);
            if (offset === high) return;
            if (Date.now() > until) throw new Error(`the transaction did not end: ${offset} of ${high}`);
          }
        });
      },
    };
  }

  /** Appends records as one gzip batch: what repeats itself takes little room on the broker. */
  async produceCompressed(
    topic: Produced['topic'],
    partition: number,
    batches: Iterable<readonly string[]>,
  ): Promise<void> {
    Object.assign(CompressionCodecs, { [CompressionTypes.GZIP]: () => QUICK_GZIP });
    const producer = this.#kafka.producer({ createPartitioner: Partitioners.DefaultPartitioner });
    await producer.connect();
    for (const values of batches) {
      await producer.send({
        topic: this.topics[topic],
        compression: CompressionTypes.GZIP,
        messages: values.map((value) => ({ value, partition })),
      });
    }
    await producer.disconnect();
  }

  /** Appends a gzip batch of a few kilobytes that decompresses to so many bytes, as one record. */
  async produceBomb(topic: Produced['topic'], bytes: number): Promise<void> {
    const codec = {
      compress: ({ buffer }: { buffer: Buffer }) => promisify(gzip)(buffer),
      decompress: promisify(gunzip),
    };
    Object.assign(CompressionCodecs, { [CompressionTypes.GZIP]: () => codec });
    const producer = this.#kafka.producer({ createPartitioner: Partitioners.DefaultPartitioner });
    await producer.connect();
    await producer.send({
      topic: this.topics[topic],
      compression: CompressionTypes.GZIP,
      messages: [{ value: Buffer.alloc(bytes, 120) }],
    });
    await producer.disconnect();
  }

  /** Runs a command in this process, as `receval <command> <flags>` would. Leaves its process as it was: see `finally`. */
  async command(make: () => Command, ...flags: string[]): Promise<Ended> {
    let stdout = '';
    let stderr = '';
    const out = vi.spyOn(process.stdout, 'write').mockImplementation((text) => {
      stdout += String(text);
      return true;
    });
    const err = vi.spyOn(process.stderr, 'write').mockImplementation((text) => {
      stderr += String(text);
      return true;
    });
    const before = process.exitCode;
    process.exitCode = 0;
    try {
      await make().parseAsync([...flags, '--config', this.file], { from: 'user' });
      return { code: Number(process.exitCode), stdout, stderr };
    } catch (error) {
      return { code: exitCodeOf(error), stdout, stderr: error instanceof Error ? error.message : String(error) };
    } finally {
      process.exitCode = before;
      out.mockRestore();
      err.mockRestore();
    }
  }

  /** Starts the real service. If it still runs when the stand is taken down, it is killed. */
  run(...flags: string[]): RunningService {
    return this.#start([RECEVAL, 'run', '--config', this.file, ...flags]);
  }

  /** Starts it in a process that first runs this module. */
  runAfter(module: string, ...flags: string[]): RunningService {
    const before = `--import=data:text/javascript,${encodeURIComponent(module)}`;
    return this.#start([before, RECEVAL, 'run', '--config', this.file, ...flags]);
  }

  /** Starts it with little memory: of the heap, in megabytes, and of a control group that its process enters first. */
  runWithin(
    { heap, procs }: { readonly heap: number; readonly procs: string | undefined },
    ...flags: string[]
  ): RunningService {
    const args = [`--max-old-space-size=${heap}`, RECEVAL, 'run', '--config', this.file, ...flags];
    if (procs === undefined) return this.#start(args);
    return this.#start(['-c', 'echo $$ > "$0" && exec "$@"', procs, process.execPath, ...args], 'sh');
  }

  #start(args: readonly string[], command?: string): RunningService {
    const service = new RunningService(args, command);
    this.#started.push(service);
    return service;
  }

  /** What is stored of a unit; undefined: nothing. */
  async stored(partition: number): Promise<UnitCheckpoint | undefined> {
    const fields = await this.hash(unitKey(this.namespace, partition));
    return fields.has('format') ? decodeCheckpoint(fields) : undefined;
  }

  /** What is stored under a key, without its checksums. */
  async hash(key: string): Promise<Map<string, string>> {
    return fromStored(key, new Map(Object.entries(await this.#redis.hgetall(key))));
  }

  /** Until all records of all these partitions are committed and time has passed `closed`; answers what is stored then. */
  async drained(partitions: number, service: RunningService, closed: number): Promise<readonly UnitCheckpoint[]> {
    const ends = await this.ends();
    const until = Date.now() + 300_000;
    for (;;) {
      const all = await Promise.all(Array.from({ length: partitions }, (_, partition) => this.stored(partition)));
      const there = all.filter((checkpoint) => checkpoint !== undefined);
      const isDone = there.every(
        ({ partitions: known, join: { topics, watermark } }, p) =>
          known === partitions && topics.every(({ committed }, t) => committed === ends[t][p]) && watermark >= closed,
      );
      if (there.length === partitions && isDone) return there;
      if (Date.now() > until || !service.isRunning) {
        const stored = there.map(({ join: { topics, watermark } }) => ({ topics, watermark }));
        throw new Error(
          `not all was counted: ${JSON.stringify({ ends, closed, stored })}\n${service.printed.slice(-3000)}`,
        );
      }
      await sleep(100);
    }
  }

  /** Impressions in the minute panes of one generation, over everything, at one horizon. */
  async impressionsIn(generation: string, horizon: string): Promise<number> {
    let sum = 0;
    for (const key of await this.#redis.keys(`receval:{${this.namespace}:*}:${generation}:pane:m:*`)) {
      const row = (await this.hash(key)).get(`${horizon}||`);
      const { impressions }: { readonly impressions: number } = JSON.parse(row ?? '{"impressions":0}');
      sum += impressions;
    }
    return sum;
  }

  /** Log ends by topic, then partition. */
  ends(): Promise<readonly (readonly number[])[]> {
    return this.#asAdmin((admin) =>
      Promise.all(
        Object.values(this.topics).map(async (topic) => {
          const ends: number[] = [];
          for (const { partition, high } of await admin.fetchTopicOffsets(topic)) ends[partition] = Number(high);
          return ends;
        }),
      ),
    );
  }

  /** Ends what was started and is still running, as where an assertion failed. */
  async close(): Promise<void> {
    await Promise.all(this.#started.filter(({ isRunning }) => isRunning).map((service) => service.kill()));
    this.#redis.disconnect();
    rmSync(this.#folder, { recursive: true, force: true });
  }

  async #asAdmin<T>(work: (admin: Admin) => Promise<T>): Promise<T> {
    const admin = adminOf(this.#kafka);
    await admin.connect();
    try {
      return await work(admin);
    } finally {
      await admin.disconnect();
    }
  }
}

/** Works with a stand and takes it down. */
export async function withStand(servers: Servers, work: (stand: Stand) => Promise<void>): Promise<void> {
  const stand = new Stand(servers);
  try {
    await work(stand);
  } finally {
    await stand.close();
  }
}

/** `receval run` as a process. */
export class RunningService {
  readonly #child: ChildProcess;
  readonly #ended: Promise<number | null>;
  printed = '';

  constructor(args: readonly string[], command = process.execPath) {
    this.#child = spawn(command, args, { stdio: ['ignore', 'pipe', 'pipe'] });
    for (const stream of [this.#child.stdout, this.#child.stderr]) {
      stream?.on('data', (chunk) => {
        this.printed += String(chunk);
      });
    }
    this.#ended = new Promise((done) => this.#child.once('close', done));
    process.once('exit', this.#lastResort);
  }

  readonly #lastResort = (): void => {
    this.#child.kill('SIGKILL');
  };

  get pid(): number {
    return this.#child.pid ?? 0;
  }

  get isRunning(): boolean {
    return this.#child.exitCode === null && this.#child.signalCode === null;
  }

  /** Until it has printed this. */
  async printedOnce(text: RegExp): Promise<void> {
    for (const until = Date.now() + 300_000; !text.test(this.printed); await sleep(50)) {
      if (Date.now() > until || !this.isRunning) throw new Error(`it did not print ${text}:\n${this.printed}`);
    }
  }

  /** Its exit code, once it ends by itself; null: it had to be killed because it did not in time. */
  async ended(patience = 300_000): Promise<number | null> {
    const timer = setTimeout(this.#lastResort, patience);
    const code = await this.#ended;
    clearTimeout(timer);
    process.off('exit', this.#lastResort);
    return code;
  }

  /** As the kernel does that is out of memory. */
  kill(): Promise<number | null> {
    this.#child.kill('SIGKILL');
    return this.ended();
  }

  stop(): Promise<number | null> {
    this.#child.kill('SIGTERM');
    return this.ended();
  }
}
