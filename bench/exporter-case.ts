/**
 * What an exporter costs, in a process of its own: it starts over a day of panes of four units, which are then extended minute by minute.
 * `node --expose-gc --import tsx/esm bench/exporter-case.ts COHORTS` prints its figures as one line of JSON. It reads from a Redis of
 * its own, whose CPU is not included.
 */
import type { PanesSettings } from '../src/accumulators/panes-settings.ts';
import { RedisStore } from '../src/accumulators/store/redis-store.ts';
import type { Store } from '../src/accumulators/store/store-port.ts';
import { loadSettings } from '../src/config/load.ts';
import { Exporter } from '../src/exporter/exporter.ts';
import { compile } from '../src/measures/scorer.ts';
import { SCORE_WIDTH } from '../src/measures/sums.ts';
import { Metrics } from '../src/metrics/registry.ts';
import { unitShape } from '../src/unit/unit-settings.ts';
import type { Joined } from '../src/vocabulary/events.ts';
import type { Closing } from '../test/accumulators/histories.ts';
import { startRedis } from '../test/services/redis.ts';
import { StoredUnit } from '../test/stored-units.ts';
import { Blocks } from './blocks.ts';
import { median } from './median.ts';
import { heldBytes, usedMs } from './process-use.ts';
import { MEASURES, randomStream } from './workload.ts';

export interface ExporterFigures {
  /** Of values on its page, standard errors and counts included. */
  readonly series: number;
  /** CPU of all threads until it has everything, in seconds. */
  readonly startSeconds: number;
  /** The most CPU of the main thread between two turns of the event loop: during the start, and while it follows. */
  readonly startBlockMs: number;
  readonly followBlockMs: number;
  /** CPU of all threads for one look, its page included: after a minute has closed, and when nothing has. */
  readonly minuteMs: number;
  readonly idleMs: number;
  readonly pageBytes: number;
  /** What the process holds for it. */
  readonly processBytes: number;
}

const SLOTS = 20;
const UNITS = 4;
const MINUTE = 60_000;
const DAY_MINUTES = 24 * 60;
const FOLLOWED = 20;
const START = Date.UTC(2026, 10, 21);
const CONFIG = `
attribution: {horizons: [1m, 5m, 30m]}
measures: [${MEASURES.join(', ')}]
windows: [5m, 1h, 24h]
cohorts: [[], [segment]]
limits: {series: 1000000}
`;

/** A unit in which each minute has a list of every cohort. */
class GrowingUnit {
  readonly #stored: StoredUnit;
  /** Of the minute that is closed. */
  readonly #closings: Closing[] = [];
  readonly #random: () => number;
  readonly #outs: readonly Float64Array[];
  readonly #settings: PanesSettings;
  readonly #cohorts: number;
  #minute = 0;

  constructor(store: Store, settings: PanesSettings, outs: readonly Float64Array[], cohorts: number) {
    this.#stored = new StoredUnit(store, settings, this.#closings);
    this.#random = randomStream(settings.owner.unit + 1);
    this.#outs = outs;
    this.#settings = settings;
    this.#cohorts = cohorts;
  }

  async closeMinute(): Promise<void> {
    const at = START + MINUTE * ++this.#minute;
    this.#closings.length = 0;
    for (const [horizon, { ms }] of this.#settings.horizons.entries()) {
      const ts = at - ms - MINUTE / 2;
      for (let cohort = 0; cohort < this.#cohorts; cohort++) {
        const out = this.#outs[Math.floor(this.#random() * this.#outs.length)];
        const bucket = Math.floor(this.#random() * 256);
        const shared = { at: ts + ms, ts, horizon, values: [`s${cohort}`], userless: false, bucket };
        this.#closings.push({
          ...shared,
          leftOut: 0,
          impression: cohort,
          last: true,
          positive: out !== this.#outs[0],
          out,
        });
      }
    }
    await this.#stored.close(at);
  }
}

/** A list with a click on each of these slots. */
function listWith(clicked: readonly number[]): Joined {
  return {
    length: SLOTS,
    pageOffset: 0,
    ranks: undefined,
    firstSlot: undefined,
    events: clicked.length,
    slot: Int32Array.from(clicked),
    action: new Int32Array(clicked.length),
    value: new Float64Array(clicked.length).fill(Number.NaN),
    ts: new Float64Array(clicked.length),
  };
}

async function measure(cohorts: number, url: string): Promise<ExporterFigures> {
  const settings = loadSettings({ file: 'bench.yaml', readFile: () => `${CONFIG}redis: {url: '${url}'}\n`, env: {} });
  const scorer = compile(settings.measures, settings.grading);
  // A list without feedback, and lists with one click each.
  const outs = Array.from({ length: SLOTS + 1 }, (_, rank) => {
    const out = new Float64Array(SCORE_WIDTH * scorer.names.length);
    scorer.score(listWith(rank === 0 ? [] : [rank - 1]), out);
    return out;
  });
  const store = await RedisStore.connect(settings.redis);
  const namespace = 'bench';
  const { panes } = unitShape(settings, scorer, 0);
  const units = Array.from({ length: UNITS }, (_, unit) => {
    const owner = { namespace, unit, generation: '1' };
    return new GrowingUnit(store, { ...panes, owner, closedUpTo: Number.NEGATIVE_INFINITY }, outs, cohorts);
  });
  const closeMinute = async (): Promise<void> => {
    for (const unit of units) await unit.closeMinute();
  };
  for (let minute = 0; minute < DAY_MINUTES + 31; minute++) await closeMinute();

  const before = heldBytes();
  const exporter = new Exporter(settings, { store, namespace, partitions: UNITS });
  const metrics = new Metrics(settings, { role: 'exporter', version: '', node: '' });
  let text = '';
  const look = async (): Promise<void> => {
    await metrics.take({ snapshot: await exporter.refresh() });
    text = await metrics.text();
  };
  const starting = new Blocks();
  const from = process.cpuUsage();
  await look();
  const startSeconds = usedMs(from) / 1000;
  starting.end();
  const processBytes = heldBytes() - before;
  const following = new Blocks();
  const minutes: number[] = [];
  const idle: number[] = [];
  for (let minute = 0; minute < FOLLOWED; minute++) {
    await closeMinute();
    await new Promise((resolve) => setImmediate(resolve));
    for (const figures of [minutes, idle]) {
      following.skip();
      const cpu = process.cpuUsage();
      await look();
      await new Promise((resolve) => setImmediate(resolve));
      figures.push(usedMs(cpu));
    }
  }
  following.end();
  await store.close();
  return {
    series: text.split('\n').filter((line) => line.startsWith('receval_') && line.includes('window=')).length,
    startSeconds,
    startBlockMs: starting.longestUs / 1000,
    followBlockMs: following.longestUs / 1000,
    minuteMs: median(minutes),
    idleMs: median(idle),
    pageBytes: Buffer.byteLength(text),
    processBytes,
  };
}

const [cohorts = ''] = process.argv.slice(2);
const redis = await startRedis();
try {
  process.stdout.write(`${JSON.stringify(await measure(Number(cohorts), redis.url))}\n`);
} finally {
  await redis.stop();
}
