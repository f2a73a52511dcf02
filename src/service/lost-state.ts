/** Rows that checkpoints list, and that Redis has lost, or holds damaged: what a start and doctor need to know of them (specification: commit 7.4). */
import { wholeTable } from '../accumulators/admission-state.ts';
import { type ListedPane, listedPanes } from '../accumulators/panes-settings.ts';
import { shapeOf } from '../accumulators/row.ts';
import { rowCodec } from '../accumulators/row-codec.ts';
import { looksKey, paneKey, placesKey, rowField, totalKey, unitKey, usersKey } from '../accumulators/store/layout.ts';
import type { Fields, Store } from '../accumulators/store/store-port.ts';
import type { Settings } from '../config/settings.ts';
import { decodeLooks } from '../experiment/experiment-looks.ts';
import { sampleInTurns, totalOfRun } from '../experiment/experiment-parts.ts';
import { GONE } from '../exporter/lost-rows.ts';
import { fingerprint } from '../unit/fingerprint.ts';
import type { Damage } from '../unit/resume.ts';
import { HOUR } from '../vocabulary/durations.ts';
import { messageOf } from '../vocabulary/error-text.ts';
import type { DurationMs, EpochMs } from '../vocabulary/events.ts';
import { readUnit, stands, type UnitState } from '../windows/unit-state.ts';

/** What is lost of the state of a unit. */
export interface LostState {
  readonly partition: number;
  readonly damage: Damage;
  /** By key: what is wrong. Empty: its owner has noted a loss, and went on. */
  readonly keys: ReadonlyMap<string, string>;
}

/** How long rows are kept after they were written, as in `RedisStoreOptions`: older ones may have expired. */
interface Expiry {
  readonly rowTtl: DurationMs;
  readonly now: EpochMs;
  /** Length of hour panes, for tests; default: an hour. */
  readonly hour?: DurationMs;
}

const ATTEMPTS = 5;
/** Keys of which all fields are read at once. */
const BATCH = 32;

/**
 * The units of which rows are lost: those of panes that ended so lately that they cannot have expired, totals, users and looks of runs, and places of cohorts. Rows that still
 * change are read as a claim reads them. Units that were stored under settings of another meaning are left out, and so are those that change hands
 * each time while they are read. Rejects when the store cannot be read.
 */
export async function readLost(
  settings: Settings,
  store: Store,
  partitions: number,
  expiry: Expiry,
): Promise<readonly LostState[]> {
  const lost: LostState[] = [];
  const ours = fingerprint(settings);
  for (let partition = 0; partition < partitions; partition++) {
    const key = unitKey(settings.namespace, partition);
    const { hour = HOUR } = expiry;
    for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
      const [before] = await store.read([key]);
      const unreadable = await problemIn(() => readUnit(partition, before, undefined, ours));
      if (unreadable !== undefined) {
        lost.push({ partition, damage: { cid: before.get('cid') ?? '' }, keys: new Map([[key, unreadable]]) });
        break;
      }
      const state = readUnit(partition, before, undefined, ours);
      if (state === undefined || state.misfit.changed.length > 0) break;
      const found = await lostOf(settings, store, { partition, state, expiry });
      const [after] = await store.read([key]);
      const isSame = stands(
        readUnit(partition, after, state, ours),
        state,
        found.minutes.map(({ end }) => end / settings.paneSize.ms - 1),
        found.hours.map(({ end }) => end / hour - 1),
      );
      if (!isSame) continue;
      if (found.keys.size > 0 || wasNoted(state, hour)) {
        lost.push({ partition, damage: { generation: state.generation }, keys: found.keys });
      }
      break;
    }
  }
  return lost;
}

/** Whether its owner has found that something was lost, of which windows or runs still suffer. */
function wasNoted({ lostUpTo, runs, hours }: UnitState, hour: DurationMs): boolean {
  const oldest = hours.at(0)?.[0] ?? Number.POSITIVE_INFINITY;
  return lostUpTo > oldest * hour || runs.some(({ ended, lost = 0 }) => ended === undefined && lost > 0);
}

interface FoundLost {
  readonly keys: ReadonlyMap<string, string>;
  /** Those of them that are panes, ascending. */
  readonly minutes: readonly ListedPane[];
  readonly hours: readonly ListedPane[];
}

async function lostOf(
  { namespace, paneSize, cohorts, attribution, measures, experiments, limits, positions }: Settings,
  store: Store,
  { partition, state, expiry }: { readonly partition: number; readonly state: UnitState; readonly expiry: Expiry },
): Promise<FoundLost> {
  const { generation, watermark } = state;
  const owner = { namespace, unit: partition, generation };
  const codec = rowCodec(shapeOf(measures, limits.itemsCounted, positions.ranks));
  const listed = listedPanes(
    { owner, paneSize: paneSize.ms, hour: expiry.hour ?? HOUR },
    { minutes: state.panes, hours: state.hours },
    expiry.now - expiry.rowTtl,
  );
  const keys = new Map<string, string>();
  // Most panes have a row of everything, of which one is enough to know that they are there.
  const everything = cohorts.some((by) => by.length === 0)
    ? attribution.horizons.map(({ text }) => rowField(text, '', ''))
    : [];
  const isLive = ({ end }: ListedPane): boolean => end > watermark - attribution.window.ms;
  const there = await probe(
    store,
    listed.map(({ key }) => key),
    everything,
  );
  for (const batch of batches(listed.filter((pane) => isLive(pane) || !there.has(pane.key)))) {
    const hashes = await store.read(batch.map(({ key }) => key));
    for (const [i, { key }] of batch.entries()) {
      const why = problemOf(hashes[i], (text) => codec.decode(text));
      if (why !== undefined) keys.set(key, why);
    }
  }
  const runs = state.runs.filter(
    ({ ended, name }) => ended === undefined && experiments.some((one) => one.name === name),
  );
  const totals = await store.read(runs.map(({ name, run }) => totalKey(owner, name, run)));
  for (const [r, run] of runs.entries()) {
    const { why } = totalOfRun(codec, totals[r], run);
    if (why !== undefined) keys.set(totalKey(owner, run.name, run.run), why);
  }
  const users = runs.map(({ name, run }) => usersKey(owner, name, run));
  for (const [i, fields] of (await store.read(users)).entries()) {
    const why = await problemIn(() => sampleInTurns(fields));
    if (why !== undefined) keys.set(users[i], why);
  }
  for (const { name, horizon } of partition === 0 ? experiments : []) {
    const run = runs.find((one) => one.name === name);
    if (run === undefined) continue;
    const key = looksKey(owner, name, run.run);
    const [fields] = await store.read([key]);
    const why = await problemIn(() => decodeLooks(fields, horizon.text));
    if (why !== undefined) keys.set(key, why);
  }
  for (const table of state.unread) {
    const key = placesKey(owner, table.by);
    const [fields, now] = await store.read([key, unitKey(namespace, partition)]);
    const why = await problemIn(() => {
      if (wholeTable(table, fields) === undefined) throw new Error('other places than the checkpoint counts');
    });
    // A commit in between changes both.
    if (why !== undefined && now.get('cid') === state.cid) keys.set(key, why);
  }
  const ofSize = (size: 'm' | 'h'): readonly ListedPane[] =>
    listed.filter(({ key }) => keys.has(key) && key.startsWith(paneKey(owner, size, 0).slice(0, -1)));
  return { keys, minutes: ofSize('m'), hours: ofSize('h') };
}

/** Those of the keys that have any of these fields. */
async function probe(store: Store, keys: readonly string[], fields: readonly string[]): Promise<ReadonlySet<string>> {
  if (store.readFields === undefined) return new Set();
  const found = await store.readFields(keys, fields);
  return new Set(keys.filter((_, i) => found[i].size > 0));
}

/** What is wrong with something that is stored; undefined: it can be read. */
async function problemIn(read: () => unknown): Promise<string | undefined> {
  try {
    await read();
    return undefined;
  } catch (error) {
    return messageOf(error);
  }
}

function problemOf(rows: Fields, decode: (text: string) => unknown): string | undefined {
  if (rows.size === 0) return GONE;
  for (const [field, text] of rows) {
    try {
      decode(text);
    } catch (error) {
      return `${field}: ${messageOf(error)}`;
    }
  }
  return undefined;
}

function batches<One>(all: readonly One[]): readonly (readonly One[])[] {
  return Array.from({ length: Math.ceil(all.length / BATCH) }, (_, i) => all.slice(i * BATCH, (i + 1) * BATCH));
}
