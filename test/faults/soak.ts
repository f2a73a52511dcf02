/**
 * A long run: `npm run soak -- --minutes 60 --rate 2000 --fault-every 60`. Faults of the matrix strike in turn, none of which
 * ends a worker, while memory and open files of the workers are sampled. Prints their slopes, and compares everything at the
 * end. Exit code 1 if a unit did not continue, a worker ended, or a number differs. Whether a slope is a leak is for the reader
 * to say.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import type { ServiceProcess } from '../proof/process.ts';
import { GROUPS } from './groups.ts';
import { NAMESPACES } from './network.ts';
import type { Row } from './rows.ts';
import { strike, words } from './strike.ts';
import { World } from './world.ts';

const { values } = parseArgs({
  options: {
    minutes: { type: 'string', default: '60' },
    rate: { type: 'string', default: '2000' },
    'fault-every': { type: 'string', default: '60' },
    seed: { type: 'string', default: '1' },
  },
});

/** In this order, over and over. */
const TURNS = [
  ...['F23', 'F10', 'F28', 'F50', 'F31', 'F10a', 'F29', 'F47', 'F33', 'F48'],
  ...['F52a', 'F13a', 'F04', 'F32', 'F14a', 'F52'],
];
const SAMPLE_S = 5;
/** Every so many samples the last one is printed. */
const PRINT_EVERY = 60;
/** Memory fills up until the first lists have closed at the last horizon of 15 min and their ids are forgotten as long after that. */
const WARM_UP_S = 2100;
/** Of a run that is too short for that. */
const LEAST_WARM_UP = 1 / 4;
const MEGABYTE = 2 ** 20;

/** Of one process at one moment. */
interface Sample {
  readonly at: number;
  readonly pid: number;
  readonly rss: number;
  readonly heap: number;
  readonly external: number;
  /** What the worker itself counts: open lists, rows, what it has fetched. */
  readonly state: number;
  readonly files: number;
  readonly handles: number;
}

const MEASURES = ['rss', 'heap', 'external', 'state', 'files', 'handles'] as const;

// What was started ends with this process, if that ends in a way that it knows of.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, () => process.exit(1));

const began = performance.now();
const now = (): number => (performance.now() - began) / 1000;
const say = (line: string): void => {
  process.stdout.write(`${now().toFixed(1).padStart(7)} s  ${line}\n`);
};

const minutes = Number(values.minutes);
const every = Number(values['fault-every']);
await NAMESPACES.get();
const turns = TURNS.map((id): Row => {
  const row = GROUPS.flatMap(({ rows }) => rows).find((one) => one.id === id);
  if (row === undefined) throw new Error(`no row ${id}`);
  return row;
});

const world = await World.open(
  { brokers: 3, redis: 'server', network: true },
  // Faults and the way back from the last one take longer than asked for.
  { pace: Number(values.rate), seconds: 60 * minutes + 900, seed: Number(values.seed), workers: 2, partitions: 12 },
  say,
);
const samples = new Map<string, Sample[]>(world.workers.map(({ name }) => [name, []]));
const sampling = setInterval(() => void sampleAll(), 1000 * SAMPLE_S);
let failures = 0;
let struck = 0;
try {
  const start = now();
  const end = start + 60 * minutes;
  for (let turn = 0; now() < end; turn++) {
    const due = Math.min(end, start + every * (turn + 1));
    await world.seconds(Math.max(0, due - now()));
    if (now() >= end) break;
    const outcome = await strike(world, turns[turn % turns.length], true, say);
    struck++;
    if (outcome.recovery === undefined) {
      failures++;
      break;
    }
  }
  clearInterval(sampling);
  report();
  await world.drain();
  const audit = await world.audit();
  for (const line of [words(audit), ...audit.examples]) say(line);
  if (audit.different > 0) failures++;
} finally {
  clearInterval(sampling);
  const codes = await world.close();
  for (const crash of world.crashes) say(`ended by itself: ${crash}`);
  say(`${struck} faults; exit codes ${codes.join(' ')}`);
  failures += world.crashes.length;
  process.exitCode = failures === 0 ? 0 : 1;
}

async function sampleAll(): Promise<void> {
  for (const worker of world.workers) {
    const sample = await sampleOf(worker);
    if (sample === undefined) continue;
    const all = samples.get(worker.name) ?? [];
    all.push(sample);
    if (all.length % PRINT_EVERY === 0) {
      say(`${worker.name}: ${MEASURES.map((measure) => `${measure} ${sample[measure].toFixed(0)}`).join(', ')}`);
    }
  }
}

/** Undefined: it does not run, or does not answer because it is stopped or cut off. */
async function sampleOf(worker: ServiceProcess): Promise<Sample | undefined> {
  const { pid } = worker;
  const page = await worker.metrics();
  if (pid === undefined || page === '') return undefined;
  const gauge = (name: string): number =>
    [...page.matchAll(new RegExp(`^receval_${name}(?:\\{.*\\})? (\\S+)$`, 'gm'))].reduce(
      (sum, [, value]) => sum + Number(value),
      0,
    );
  try {
    const resident = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1];
    return {
      at: now(),
      pid,
      rss: (Number(resident) * 1024) / MEGABYTE,
      heap: gauge('nodejs_heap_size_used_bytes') / MEGABYTE,
      external: gauge('nodejs_external_memory_bytes') / MEGABYTE,
      state: (gauge('state_bytes') + gauge('fetched_bytes')) / MEGABYTE,
      files: readdirSync(`/proc/${pid}/fd`).length,
      handles: gauge('nodejs_active_handles'),
    };
  } catch {
    return undefined;
  }
}

/** By process: what each measure was after the warm-up and at the end, and how it grew. */
function report(): void {
  for (const [name, all] of samples) {
    const lives = new Set(all.map(({ pid }) => pid));
    const filled = all.filter(({ at }) => at - all[0].at > WARM_UP_S);
    const warm = filled.length > all.length / 4 ? filled : all.slice(Math.floor(all.length * LEAST_WARM_UP));
    say(`${name}: ${all.length} samples of ${lives.size} processes`);
    if (warm.length < 4) continue;
    for (const measure of MEASURES) {
      const series = warm.map((sample) => sample[measure]);
      const quarter = Math.ceil(series.length / 4);
      const [first, last] = [mean(series.slice(0, quarter)), mean(series.slice(-quarter))];
      const slope = 3600 * slopeOf(warm.map((sample): readonly [number, number] => [sample.at, sample[measure]]));
      const unit = measure === 'files' || measure === 'handles' ? '' : ' MB';
      say(
        `  ${measure.padEnd(8)} first quarter ${first.toFixed(1)}${unit}, last quarter ${last.toFixed(1)}${unit}, most ${Math.max(...series).toFixed(1)}${unit}, slope ${slope.toFixed(1)}${unit} an hour`,
      );
    }
  }
}

function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}

/** By least squares. */
function slopeOf(points: readonly (readonly [number, number])[]): number {
  const [x, y] = [mean(points.map(([at]) => at)), mean(points.map(([, value]) => value))];
  const above = points.reduce((sum, [at, value]) => sum + (at - x) * (value - y), 0);
  const below = points.reduce((sum, [at]) => sum + (at - x) ** 2, 0);
  return below === 0 ? 0 : above / below;
}
