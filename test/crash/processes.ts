import { readFileSync, writeFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { decodeCheckpoint } from '../../src/accumulators/store/checkpoint-codec.ts';
import { fromStored } from '../../src/accumulators/store/checksums.ts';
import { simulateCommand } from '../../src/cli/simulate.ts';
import type { FaultLabel } from '../../src/vocabulary/fault-point.ts';
import { RunningService, type Stand } from '../service/stand.ts';
import { KILLED_SERVICE } from '../tested.ts';

const PATIENCE_MS = 300_000;
const PARTITIONS = 2;
const FAULTS = ['--late', '--duplicate', '--orphan', '--malformed'].flatMap((name) => [name, '0.02']);
const RATE = 6;

/** A process ends itself when it passes the label for the nth time. */
export interface Kill {
  readonly label: FaultLabel;
  readonly nth: number;
}

/** What one namespace holds: key, field, text; the same for equal results. */
export type StoredRows = readonly (readonly [key: string, fields: readonly (readonly [string, string])[]])[];

/** Traffic on real servers, and processes that read it, each under a namespace that they share with nobody else. */
export class Counting {
  readonly #stand: Stand;
  readonly #closed: number;
  #groups = 0;

  /** Writes so many records that are over by now; silence closes all of them once they are read. */
  static async of(stand: Stand, events: number): Promise<Counting> {
    const start = new Date(Date.now() - (1000 * events) / RATE - 1_800_000);
    const flags = ['--to', 'kafka', '--seed', '1', '--events', String(events), '--rate', String(RATE), ...FAULTS];
    const written = await stand.command(
      simulateCommand,
      ...flags,
      ...['--start', start.toISOString(), '--create-topics', String(PARTITIONS)],
    );
    if (written.code !== 0) throw new Error(written.stderr);
    return new Counting(stand);
  }

  private constructor(stand: Stand) {
    this.#stand = stand;
    this.#closed = Date.now() - 600_000;
  }

  /** Runs a process up to its kill; `when`: it may have to be asked to end. Rejects when it is not killed there. */
  async killed(
    namespace: string,
    { label, nth }: Kill,
    when: 'in traffic' | 'once all is stored' = 'in traffic',
  ): Promise<void> {
    const service = this.#start(namespace, label, String(nth));
    if (when === 'once all is stored') {
      await this.#untilAllIsStored(namespace, service);
      await service.stop();
    }
    await service.ended(PATIENCE_MS);
    if (!service.printed.includes(`killed at: ${label}`)) {
      throw new Error(`it did not pass "${label}" ${nth} times:\n${service.printed.slice(-3000)}`);
    }
  }

  /** Runs a process until all is read and closed, and ends it in order. Returns what is stored then. */
  async counted(namespace: string): Promise<StoredRows> {
    const service = this.#start(namespace);
    try {
      await this.#untilAllIsStored(namespace, service);
    } finally {
      const code = await service.stop();
      if (code !== 0) process.stderr.write(`exit code ${code}: ${service.printed.slice(-1000)}\n`);
    }
    return this.#rows(namespace);
  }

  /** The share of the records that is stored. */
  async progress(namespace: string): Promise<number> {
    const ends = await this.#stand.ends();
    let stored = 0;
    for (let partition = 0; partition < PARTITIONS; partition++) {
      const unit = await this.#unit(namespace, partition);
      for (const { committed } of unit?.join.topics ?? []) stored += committed;
    }
    return stored / ends.flat().reduce((a, b) => a + b, 0);
  }

  /** Each process has a group of its own, so that it need not wait until Kafka misses the dead one. */
  #start(namespace: string, ...kill: readonly string[]): RunningService {
    const { servers, topics } = this.#stand;
    this.#stand.configure({
      namespace,
      kafka: {
        brokers: servers.kafka.brokers,
        groupId: `${this.#stand.namespace}-${this.#groups++}`,
        topics: { impressions: { name: topics.impressions }, feedback: { name: topics.feedback } },
      },
      commit: { interval: '50ms' },
    });
    const file = this.#stand.file.replace('.yaml', `.${this.#groups}.yaml`);
    writeFileSync(file, readFileSync(this.#stand.file));
    return new RunningService([...KILLED_SERVICE, file, ...kill]);
  }

  async #untilAllIsStored(namespace: string, service: RunningService): Promise<void> {
    const ends = await this.#stand.ends();
    for (const until = Date.now() + PATIENCE_MS; ; await sleep(100)) {
      const units = await Promise.all(
        Array.from({ length: PARTITIONS }, (_, partition) => this.#unit(namespace, partition)),
      );
      const isDone = units.every(
        (unit, p) =>
          unit !== undefined &&
          unit.join.watermark >= this.#closed &&
          unit.join.topics.every(({ committed }, t) => committed === ends[t][p]),
      );
      if (isDone) return;
      if (Date.now() > until || !service.isRunning) {
        throw new Error(`not all was counted:\n${service.printed.slice(-3000)}`);
      }
    }
  }

  async #unit(namespace: string, partition: number): Promise<ReturnType<typeof decodeCheckpoint> | undefined> {
    const fields = await this.#hash(`receval:{${namespace}:${partition}}:unit`);
    return fields.has('format') ? decodeCheckpoint(fields) : undefined;
  }

  async #hash(key: string): Promise<Map<string, string>> {
    return fromStored(key, new Map(Object.entries(await this.#stand.redis.hgetall(key))));
  }

  /**
   * Everything durable but the guard fields, where a replay may begin, up to when silence let time pass, and the generation: a unit that had stored
   * nothing when its worker ended begins in a later one.
   */
  async #rows(namespace: string): Promise<StoredRows> {
    const without = new Set(['token', 'seq', 'cid', 'topics', 'watermark', 'generation']);
    const rows: [string, [string, string][]][] = [];
    for (const key of (await this.#stand.redis.keys(`receval:{${namespace}:*`)).sort()) {
      const fields = [...(await this.#hash(key))].filter(([name]) => !without.has(name));
      rows.push([key.replace(namespace, '').replace(/}:\d+c:/, '}:'), fields.sort(([a], [b]) => (a < b ? -1 : 1))]);
    }
    return rows;
  }
}
