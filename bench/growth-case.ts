/**
 * One case of `npm run bench:growth` in its own process: a worker over logs in memory and a store that keeps nothing, with a clock that is moved
 * second by second. `node --expose-gc --import tsx/esm bench/growth-case.ts CASE` prints its figures as one line of JSON.
 */
import type { Horizon } from '../src/accumulators/panes-settings.ts';
import type { Commit, CommitAnswer, Store } from '../src/accumulators/store/store-port.ts';
import { loadSettings } from '../src/config/load.ts';
import type { Settings } from '../src/config/settings.ts';
import { createDecoder } from '../src/consumers/decode/decoder.ts';
import { type AdminClient, Brokers } from '../src/consumers/source/kafka/flow/brokers.ts';
import type { Batch, Bounds, LogSource, SourceHandler } from '../src/consumers/source/source-port.ts';
import { parseMeasures } from '../src/measures/grammar/measure-name.ts';
import { compile } from '../src/measures/scorer.ts';
import type { Grading } from '../src/measures/scorer-contract.ts';
import { Metrics } from '../src/metrics/registry.ts';
import { NO_PERMISSIONS } from '../src/unit/resume.ts';
import { unitShape } from '../src/unit/unit-settings.ts';
import type { Clock } from '../src/vocabulary/clock.ts';
import type { DurationMs, EpochMs, Offset } from '../src/vocabulary/events.ts';
import { Worker } from '../src/worker/worker.ts';
import type { WorkerSettings } from '../src/worker/worker-contract.ts';
import { Blocks } from './blocks.ts';
import { type GrowthCase, REFERENCE } from './growth-cases.ts';
import { experimentNames, type Second, Traffic } from './growth-traffic.ts';
import { median } from './median.ts';
import { heldBytes, usedMs } from './process-use.ts';
import { JOIN_SETTINGS, KEPT } from './stages.ts';
import { ACTIONS, MEASURES } from './workload.ts';

export interface GrowthFigures {
  /** CPU of all threads in microseconds: per event, with its share of commits and looks. */
  readonly usPerEvent: number;
  /** Of one core, without any traffic. */
  readonly idlePercent: number;
  /** The most CPU of the main thread between two turns of the event loop, the page and garbage collection included. */
  readonly longestBlockMs: number;
  /** What a unit says it holds, and what the process holds for it, when everything has closed. */
  readonly stateKib: number;
  readonly processKib: number;
  readonly rowsPerCommit: number;
  /** Of the worker's metrics. */
  readonly pageBytes: number;
  /** CPU to take what a second has added, and to make them again. */
  readonly pageMs: number;
}

const START: EpochMs = 1_760_000_040_000;
const WARM_UP_S = 45;
const MEASURED_S = 20;
const IDLE_S = 60;
const PAGES = 15;
const TOPICS = ['impressions', 'feedback'];
const SECONDS = [5, 10, 20, 25, 30, 35];
/** Up to 29. */
const MORE_MEASURES =
  'mrr@5 precision@1 precision@3 precision@20 ndcg@3 ndcg@5 ndcg@20 recall@1 recall@5 recall@20 ap@5 ap@20 hit@1 hit@3 hit@5 hit@20 f1@10 rprec dcg@10 rbp err(gmax=3)@10 auc'.split(
    ' ',
  );

/** Stands until it is moved; a turn is one of the event loop. */
class SteppedClock implements Clock {
  #now = START;
  readonly #timers = new Set<{
    at: EpochMs;
    readonly interval: DurationMs;
    readonly call: () => void | Promise<void>;
  }>();

  now(): EpochMs {
    return this.#now;
  }

  every(interval: DurationMs, call: () => void | Promise<void>): () => void {
    const timer = { at: this.#now + interval, interval, call };
    this.#timers.add(timer);
    return () => this.#timers.delete(timer);
  }

  sleep(): Promise<void> {
    return new Promise((resolve) => setImmediate(resolve));
  }

  async advance(duration: DurationMs): Promise<void> {
    this.#now += duration;
    for (const timer of this.#timers) {
      if (timer.at > this.#now) continue;
      timer.at += timer.interval;
      await timer.call();
    }
  }
}

/** Delivers what it is given; learns the ends of its logs as the source for Kafka does. */
class DrivenSource implements LogSource {
  handler: SourceHandler | undefined;
  readonly ends: Offset[][];
  readonly #brokers: Brokers;
  #stop = (): void => {};

  constructor(partitions: number) {
    this.ends = TOPICS.map(() => new Array<Offset>(partitions).fill(0));
    this.#brokers = new Brokers(() => this.#admin(), TOPICS);
  }

  async run(handler: SourceHandler): Promise<void> {
    this.handler = handler;
    await handler.assigned([...this.ends[0].keys()]);
    await new Promise<void>((resolve) => {
      this.#stop = resolve;
    });
  }

  bounds(partition: number, topic: number): Promise<Bounds> {
    return this.#brokers.bounds(partition, topic);
  }

  #admin(): AdminClient {
    const offsets = (name: string) =>
      this.ends[TOPICS.indexOf(name)].map((end, partition) => {
        return { partition, offset: String(end), low: '0', high: String(end) };
      });
    return {
      connect: async () => {},
      disconnect: async () => {},
      fetchTopicOffsets: async (name) => offsets(name),
      fetchStableOffsets: async (name) => offsets(name),
      fetchTopicOffsetsByTimestamp: async () => [],
      fetchTopicMetadata: async () => ({ topics: [] }),
      fetchOffsets: async () => [],
      mayRead: async () => true,
      mayJoin: async () => true,
    };
  }

  seek(): void {}
  pause(): void {}
  resume(): void {}
  sendOffsets(): void {}
  async stop(): Promise<void> {
    this.#stop();
  }
}

/** Takes every commit and keeps nothing of it: what rows take is counted elsewhere. */
class CountingStore implements Store {
  commits = 0;
  rows = 0;

  async claim() {
    return { token: '', seq: 0, cid: '', checkpoint: undefined };
  }

  async commit({ rows }: Commit): Promise<CommitAnswer> {
    this.commits++;
    for (const fields of rows.values()) this.rows += fields.size;
    // No server answers in the turn in which it was asked.
    await new Promise((resolve) => setImmediate(resolve));
    return 'OK';
  }

  async read(keys: readonly string[]) {
    return keys.map(() => new Map<string, string>());
  }
}

function settingsOf({ partitions, measures, horizons, vectors, experiments }: GrowthCase) {
  const grading: Grading = {
    relevantFrom: 1,
    actions: ACTIONS.map((name, i) => ({
      name,
      rule: { from: 'grade', grade: 2 * i + 1, rule: 'max', max: 30, veto: false },
    })),
  };
  const all = [...MEASURES, ...MORE_MEASURES];
  const names = all.slice(0, measures);
  if (names.length < measures) throw new Error(`there are ${all.length} measures, and not ${measures}`);
  const scorer = compile(parseMeasures(names, grading).measures, grading);
  const kept = SECONDS.slice(0, horizons).map((s) => ({ text: `${s}s`, ms: s * 1000 }));
  const sets = [[], ['segment']];
  const configured = configuration(experiments, names, kept);
  // Looks at experiments find nothing in a store that keeps nothing.
  const runs = unitShape(configured, scorer, 0);
  const settings: WorkerSettings = {
    topics: TOPICS,
    unit: (partition) => ({
      namespace: 'bench',
      partition,
      partitions,
      generation: '1',
      permissions: NO_PERMISSIONS,
      fingerprint: { shape: '', additive: '' },
      join: { ...JOIN_SETTINGS, horizons: kept.map(({ ms }) => ms), outOfOrderness: 2000 },
      panes: {
        paneSize: 60_000,
        hour: 3_600_000,
        horizons: kept,
        dimensions: dimensionsOf(experiments),
        sets,
        clustered: vectors ? sets : [],
        shape: { names: scorer.names, kinds: scorer.kinds },
        cohortsPerSet: 20_000,
        ...KEPT,
        totals: [],
        runs: runs.panes.runs,
      },
      experiments: runs.experiments,
      sources: TOPICS,
    }),
    commitInterval: 1000,
    commitsPerSecond: 32,
    idleAfter: 30_000,
    outOfOrderness: 2000,
    maxSkew: 120_000,
    openLimit: 10_000_000,
    stateLimit: Number.POSITIVE_INFINITY,
    rowLimit: Number.POSITIVE_INFINITY,
    sessionTimeout: 30_000,
    looks: { every: 60_000, partitions, measures: [], unitTimeout: 600_000 },
  };
  return { settings, scorer, configured };
}

function dimensionsOf(experiments: number): readonly string[] {
  return ['segment', ...experimentNames(experiments).map((name) => `experiment_${name}`)];
}

/** As a user would write it, for what is not set by hand: experiments and the page. */
function configuration(count: number, measures: readonly string[], horizons: readonly Horizon[]): Settings {
  const experiments = Object.fromEntries(
    experimentNames(count).map((name) => [name, { control: 'a', variants: { a: 1, b: 1 } }]),
  );
  const attribution = { horizons: horizons.map(({ text }) => text) };
  const document = JSON.stringify({ attribution, measures, experiments, cohorts: [[], ['segment']] });
  return loadSettings({ file: 'bench.yaml', readFile: () => document, env: {} });
}

async function measure(growth: GrowthCase): Promise<GrowthFigures> {
  const { settings, scorer, configured } = settingsOf(growth);
  const { partitions, catchUp, rate } = growth;
  const clock = new SteppedClock();
  const source = new DrivenSource(partitions);
  const store = new CountingStore();
  let ids = 0;
  const before = heldBytes();
  const worker = new Worker(settings, {
    source,
    store,
    scorer,
    clock,
    newId: () => `id${ids++}`,
    decoders: () =>
      TOPICS.map((_, topic) =>
        createDecoder({
          adapter: 'canonical',
          role: { impressions: topic === 0, feedback: topic === 1 },
          dimensions: dimensionsOf(growth.experiments),
          sampleUsers: growth.experiments > 0,
          itemsPerList: 1000,
          impressionBytes: 262_144,
          feedbackBytes: 65_536,
          tsUnit: 'ms',
          positionBase: 1,
        }),
      ),
    onClaim: () => {},
    startOffset: async () => 0,
    log: {
      info: () => {},
      warn: (details, message) => process.stderr.write(`${message} ${JSON.stringify(details)}\n`),
    },
  });
  const ended = worker.run();
  while (worker.status().units.length < partitions) await new Promise((resolve) => setImmediate(resolve));

  const traffic = new Traffic(growth);
  const give = async (batch: Batch): Promise<void> => {
    source.ends[batch.topic][batch.partition] = batch.next;
    await source.handler?.batch(batch);
    await new Promise((resolve) => setImmediate(resolve));
  };
  const feed = async (seconds: readonly Second[]): Promise<void> => {
    for (const second of seconds) for (const batch of second) await give(batch);
  };
  let used = 0;
  let events = 0;
  const run = async (length: number, blocks: Blocks | undefined): Promise<void> => {
    for (let s = 0; s < length; s += catchUp) {
      const now = clock.now();
      const seconds = Array.from({ length: catchUp }, (_, i) => traffic.second(now + 1000 * i));
      blocks?.skip();
      const cpu = process.cpuUsage();
      await feed(seconds);
      await clock.advance(1000 * catchUp);
      await new Promise((resolve) => setImmediate(resolve));
      const { user, system } = process.cpuUsage(cpu);
      used += user + system;
      events += rate * catchUp;
    }
  };
  await run(WARM_UP_S, undefined);
  [used, events, store.commits, store.rows] = [0, 0, 0, 0];
  await run(MEASURED_S, undefined);
  const usPerEvent = used / events;
  const rowsPerCommit = store.rows / Math.max(1, store.commits);
  const blocks = new Blocks();
  await run(Math.max(10, catchUp), blocks);
  const metrics = new Metrics(configured, { role: 'worker', version: '', node: '' });
  const pages: number[] = [];
  let text = '';
  for (let page = 0; page < PAGES; page++) {
    await run(catchUp, blocks);
    const cpu = process.cpuUsage();
    await metrics.take({ status: worker.status() });
    text = await metrics.text();
    pages.push(usedMs(cpu));
  }
  blocks.end();
  const pageBytes = Buffer.byteLength(text);

  // Everything closes, then nothing comes any more.
  for (let s = 0; s < 120; s++) await clock.advance(1000);
  const cpu = process.cpuUsage();
  for (let s = 0; s < IDLE_S; s++) await clock.advance(1000);
  const { user, system } = process.cpuUsage(cpu);
  const { units } = worker.status();
  const open = units.reduce((sum, unit) => sum + unit.openImpressions, 0);
  if (open > 0) throw new Error(`${open} impressions are still open`);
  const state = units.reduce((sum, unit) => sum + unit.stateBytes, 0);
  const held = heldBytes() - before;
  await worker.stop();
  await ended;
  return {
    usPerEvent,
    idlePercent: (user + system) / IDLE_S / 1e4,
    longestBlockMs: blocks.longestUs / 1000,
    stateKib: state / partitions / 1024,
    processKib: held / partitions / 1024,
    rowsPerCommit,
    pageBytes,
    pageMs: median(pages),
  };
}

/** The reference beside all cases: microseconds of CPU per event of the traffic. */
function parseReference(): number {
  const traffic = new Traffic(REFERENCE);
  const values = traffic
    .second(START)
    .flatMap(({ records }) => records.map(({ value }) => Buffer.from(value ?? []).toString()));
  const parseAll = (until: number): number => {
    let events = 0;
    for (const end = performance.now() + until; performance.now() < end; events += values.length) {
      for (const value of values) JSON.parse(value);
    }
    return events;
  };
  parseAll(700);
  const cpu = process.cpuUsage();
  const events = parseAll(1500);
  const { user, system } = process.cpuUsage(cpu);
  return (user + system) / events;
}

const [wanted = ''] = process.argv.slice(2);
process.stdout.write(
  `${JSON.stringify(wanted === 'reference' ? { usPerEvent: parseReference() } : await measure(JSON.parse(wanted)))}\n`,
);
