/**
 * The proof: real Kafka, real Redis and real processes are fed with simulated traffic while workers and Redis are killed.
 * Then every whole number in Redis must be the one that the reference finds in the same logs.
 */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { loadSettings } from '../../src/config/load.ts';
import { startKafka } from '../services/kafka.ts';
import { startRedis } from '../services/redis.ts';
import { Broker } from './broker.ts';
import { compareUnit, flat, noVerdict, type UnitResult, type Verdict } from './compare.ts';
import { expectedRows } from './expected-rows.ts';
import { expectedJoin } from './expected-unit.ts';
import { Faults } from './faults.ts';
import { Feed } from './feed.ts';
import { expectedGauges, gaugeDifferences, wholeWindow } from './gauges.ts';
import { joinByRequest } from './join-by-request.ts';
import { configuration, joinSettings, type ProofParameters, TOPICS } from './parameters.ts';
import { ServiceProcess, TAKEN_OVER, WENT_BACK } from './process.ts';
import { RecordedInputs } from './recorded-inputs.ts';
import { connect, readUnit, rowsPrefix } from './stored.ts';

export interface ProofReport {
  readonly verdict: Verdict;
  /** Gauges of the longest window that differ from the reference, by exporter, and how many were compared. */
  readonly gaugeDifferences: readonly (readonly string[])[];
  readonly gauges: number;
  /** What the reference expects and Redis holds, by unit. */
  readonly expected: readonly UnitResult[];
  readonly stored: readonly UnitResult[];
  /** The totals of the reference, all units together, by name: `<topic>.<side>.drops.<reason>` and the like. */
  readonly totals: ReadonlyMap<string, bigint>;
  readonly records: number;
  readonly kills: number;
  readonly freezes: number;
  readonly redisRestarts: number;
  /** Units claimed from the beginning to the end. */
  readonly claims: number;
  /** How often a worker learned that a unit was taken over from it, or that Redis went back. */
  readonly fenced: number;
  readonly idleAdvances: number;
  readonly clockDrops: number;
  /** Numbers of the first unit that the reference gets differently when it does not know what the wall clock did. */
  readonly differentWithoutInputs: number;
  /** Of the reference, once everything was read. */
  readonly waitingFeedback: number;
  /** Ends of processes that nobody asked for. */
  readonly crashes: readonly string[];
  readonly exitCodes: readonly (number | null)[];
  readonly seconds: number;
}

const TICK_MS = 100;
/** What is sent beyond the moment of the next fault while it has not struck. */
const LEAD = 0.06;
/** Pace while waiting for a fault: slow, but no topic falls silent. */
const TRICKLE = 0.1;
const STRAGGLERS = 100;
const PATIENCE_MS = 400_000;
const HOUR_MS = 3_600_000;
const SHOWING_MS = 60_000;

export async function prove(parameters: ProofParameters, say: (line: string) => void): Promise<ProofReport> {
  const began = Date.now();
  const log = (line: string): void => say(`${((Date.now() - began) / 1000).toFixed(1).padStart(6)} s  ${line}`);
  const folder = mkdtempSync(join(tmpdir(), 'receval-proof-'));
  const ends: (() => Promise<unknown>)[] = [async () => rmSync(folder, { recursive: true, force: true })];
  try {
    const kafka = await startKafka({ brokers: parameters.brokers });
    ends.unshift(() => kafka.stop());
    const redis = await startRedis({ config: { appendonly: 'yes', appendfsync: 'always' } });
    ends.unshift(() => redis.stop());
    const config = join(folder, 'receval.yaml');
    writeFileSync(config, configuration(kafka.brokers, redis.url));
    const settings = loadSettings({ file: config, readFile: (path) => readFileSync(path, 'utf8'), env: {} });
    const broker = new Broker(kafka, parameters.partitions);
    ends.unshift(() => broker.close());
    await broker.open();
    const client = connect(redis.port);
    ends.unshift(async () => client.disconnect());
    log(`${parameters.brokers} brokers and Redis are up`);

    const start = (role: 'worker' | 'exporter', count: number): Promise<ServiceProcess[]> =>
      Promise.all(Array.from({ length: count }, (_, n) => ServiceProcess.start(folder, config, role, n + 1)));
    const workers = await start('worker', parameters.workers);
    const exporters = await start('exporter', parameters.exporters);
    for (const process of [...workers, ...exporters]) ends.unshift(() => process.stop());
    await until('workers and exporters are ready', async () => {
      const ready = await Promise.all([...workers, ...exporters].map((process) => process.isReady()));
      return ready.every((yes) => yes);
    });
    log(`${workers.length} workers and ${exporters.length} exporters are ready`);

    const faults = new Faults(parameters, workers, redis, log);
    const inputs = new RecordedInputs(client, parameters.partitions);
    await drive(parameters, broker, new Feed(parameters, began), faults, inputs, log);

    const readUnits = (): Promise<UnitResult[]> =>
      Promise.all(Array.from({ length: parameters.partitions }, (_, unit) => readUnit(client, unit)));
    const held = expectedGauges(
      settings,
      (await readUnits()).map(({ rows }) => rows),
    );
    const pages = await pagesShowing(held, exporters);
    const said = (message: string): number => workers.reduce((sum, worker) => sum + worker.said(message), 0);
    const claims = said('"unit claimed"');
    const fenced = said(`"${TAKEN_OVER}"`) + said(`"${WENT_BACK}"`);
    const exitCodes = await Promise.all([...workers, ...exporters].map((process) => process.stop()));
    const stored = await readUnits();
    log('processes have ended; reading the logs back');

    const logs = await broker.readAll();
    const expected: UnitResult[] = [];
    const verdict = noVerdict();
    let waitingFeedback = 0;
    let dropsOfClock = 0;
    for (const [unit, topics] of logs.entries()) {
      const {
        counts,
        closings,
        waitingFeedback: waiting,
        clockDrops,
      } = expectedJoin(
        joinSettings(settings),
        topics.map((records, topic) => ({
          records,
          idleAdvances: inputs.idleAdvances(unit, topic),
          clockDrops: inputs.clockDrops(unit, topic, records, settings.attribution.futureSkew),
        })),
        stored[unit].counts,
      );
      waitingFeedback += waiting;
      dropsOfClock += clockDrops.flat().length;
      expected.push({ counts, rows: expectedRows(settings, rowsPrefix(unit), closings) });
      compareUnit(verdict, unit, expected[unit], stored[unit]);
    }
    const ignorant = logs[0].map((records) => ({ records, idleAdvances: [], clockDrops: [] }));
    const { counts } = joinByRequest(joinSettings(settings), ignorant);
    const withoutInputs = noVerdict();
    compareUnit(withoutInputs, 0, { counts, rows: new Map() }, { counts: stored[0].counts, rows: new Map() });
    const gauges = expectedGauges(
      settings,
      expected.map(({ rows }) => rows),
    );
    log('compared');
    return {
      verdict,
      gaugeDifferences: pages.map((page) => gaugeDifferences(gauges, wholeWindow(page))),
      gauges: gauges.size,
      expected,
      stored,
      totals: totalsOf(expected),
      records: logs.flat().reduce((sum, records) => sum + records.length, 0),
      kills: faults.kills,
      freezes: faults.freezes,
      redisRestarts: faults.redisRestarts,
      claims,
      fenced,
      idleAdvances: sumOf(parameters.partitions, (unit, topic) => inputs.idleAdvances(unit, topic).length),
      clockDrops: dropsOfClock,
      differentWithoutInputs: withoutInputs.different,
      waitingFeedback,
      crashes: [...workers, ...exporters].flatMap((process) => process.crashes),
      exitCodes,
      seconds: (Date.now() - began) / 1000,
    };
  } finally {
    for (const end of ends) await end();
  }
}

/** Sends everything while faults strike; then waits until silence has closed all, sends the stragglers, and waits again. */
async function drive(
  { events, pace }: ProofParameters,
  broker: Broker,
  feed: Feed,
  faults: Faults,
  inputs: RecordedInputs,
  log: (line: string) => void,
): Promise<void> {
  let isDone = false;
  const watch = async (): Promise<void> => {
    while (!isDone) {
      await inputs.look();
      await faults.strike(inputs.committed / events);
      await sleep(TICK_MS);
    }
  };
  const send = async (): Promise<void> => {
    let told = 0;
    for (;;) {
      const began = Date.now();
      const isAhead = feed.sent / events > faults.next + LEAD && faults.next < 1;
      const records = feed.take(Math.ceil((pace * (isAhead ? TRICKLE : 1) * TICK_MS) / 1000));
      if (records.length === 0) break;
      await broker.send(records);
      if (feed.sent >= told + events / 10) {
        told = feed.sent;
        log(`${feed.sent} records sent, ${inputs.committed} committed`);
      }
      await sleep(Math.max(0, TICK_MS - (Date.now() - began)));
    }
    log(`all ${feed.sent} records sent, ${inputs.committed} committed`);
    let ends = await broker.ends();
    await until('all is read and closed', async () => inputs.reached(ends, Date.now() - HOUR_MS));
    log('all is read, and silence has closed everything');
    await broker.send(feed.stragglers(STRAGGLERS));
    ends = await broker.ends();
    await until('the stragglers are read', async () => inputs.reached(ends, 0));
  };
  const watching = watch();
  try {
    await Promise.race([send(), watching]);
  } finally {
    isDone = true;
    await watching;
  }
}

async function until(what: string, holds: () => Promise<boolean>): Promise<void> {
  const end = Date.now() + PATIENCE_MS;
  while (!(await holds())) {
    if (Date.now() > end) throw new Error(`gave up waiting for this: ${what}`);
    await sleep(TICK_MS);
  }
}

/** The exporters' pages once they show what Redis holds, or when the patience is over. */
async function pagesShowing(
  held: ReadonlyMap<string, number>,
  exporters: readonly ServiceProcess[],
): Promise<readonly string[]> {
  for (const end = Date.now() + SHOWING_MS; ; await sleep(TICK_MS)) {
    const pages = await Promise.all(exporters.map((exporter) => exporter.metrics()));
    const isShown = pages.every((page) => gaugeDifferences(held, wholeWindow(page)).length === 0);
    if (isShown || Date.now() > end) return pages;
  }
}

function sumOf(partitions: number, count: (unit: number, topic: number) => number): number {
  let sum = 0;
  for (let unit = 0; unit < partitions; unit++) for (const topic of TOPICS.keys()) sum += count(unit, topic);
  return sum;
}

/** Totals of all units, by name. */
function totalsOf(units: readonly UnitResult[]): ReadonlyMap<string, bigint> {
  const totals = new Map<string, bigint>();
  for (const { counts } of units) {
    for (const [name, value] of flat(counts)) totals.set(name, (totals.get(name) ?? 0n) + value);
  }
  return totals;
}
