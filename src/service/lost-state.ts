/** Rows that checkpoints list, but that Redis has lost or holds damaged, for a start and for doctor (specification: commit 7.4). */
import { wholeTable } from '../accumulators/admission-state.ts';
import { type ListedPane, listedPanes } from '../accumulators/panes-settings.ts';
import { shapeOf } from '../accumulators/row.ts';
import { rowCodec, vectorRowCodec } from '../accumulators/row-codec.ts';
import { decodeCheckpoint } from '../accumulators/store/checkpoint-codec.ts';
import { clockKey, keysOfRun, placesKey, unitKey } from '../accumulators/store/layout.ts';
import type { Fields, Store } from '../accumulators/store/store-port.ts';
import type { Settings } from '../config/settings.ts';
import { looksOfRun, totalOfRun, usersOfRun } from '../experiment/experiment-parts.ts';
import { runOf } from '../experiment/run-settings.ts';
import { GONE } from '../exporter/lost-rows.ts';
import { MOST_VARIANTS } from '../statistics/sampled.ts';
import { StoredClockBlocks } from '../unit/clock-blocks.ts';
import { fingerprint } from '../unit/fingerprint.ts';
import type { Damage } from '../unit/resume.ts';
import type { JoinCheckpoint } from '../vocabulary/checkpoint.ts';
import { HOUR } from '../vocabulary/durations.ts';
import { messageOf } from '../vocabulary/error-text.ts';
import type { DurationMs, EpochMs } from '../vocabulary/events.ts';
import { readUnit, stands, type UnitState } from '../windows/unit-state.ts';

/** The losses of one unit. */
export interface LostState {
  readonly partition: number;
  readonly damage: Damage;
  /** For each key what is wrong. Empty: the owner has noted an earlier loss and continues. */
  readonly keys: ReadonlyMap<string, string>;
}

/** How long rows are kept after they were written, as in `RedisStoreOptions`: older rows may have expired. */
interface Expiry {
  readonly rowTtl: DurationMs;
  readonly now: EpochMs;
  /** Length of hour panes, for tests; default: an hour. */
  readonly hour?: DurationMs;
}

const ATTEMPTS = 5;
/** Keys of which all fields are read in one call. */
const BATCH = 32;

/**
 * The units that have lost any of these: rows of panes that ended too recently to have expired, totals, users and looks of runs,
 * admission tables, and clock verdicts. All rows are read as a claim reads those that can still change. Units that were stored under
 * settings with another meaning are left out, and so are those that change hands at every attempt to read them. Rejects when the
 * store cannot be read.
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
      let state: UnitState | undefined;
      try {
        state = readUnit(partition, before, undefined, ours);
      } catch (error) {
        lost.push({ partition, damage: { cid: before.get('cid') ?? '' }, keys: new Map([[key, messageOf(error)]]) });
        break;
      }
      if (state === undefined || state.misfit.changed.length > 0) break;
      const found = await lostOf(settings, store, { partition, state, join: decodeCheckpoint(before).join, expiry });
      const [after] = await store.read([key]);
      if (!stands(readUnit(partition, after, state, ours), state, found.panes)) continue;
      if (found.keys.size > 0 || wasNoted(state, hour)) {
        lost.push({ partition, damage: { generation: state.generation }, keys: found.keys });
      }
      break;
    }
  }
  return lost;
}

/** Whether the owner has found a loss from which windows or runs still suffer. */
function wasNoted({ lostUpTo, runs, hours }: UnitState, hour: DurationMs): boolean {
  const oldest = hours.at(0)?.[0] ?? Number.POSITIVE_INFINITY;
  return (
    lostUpTo > oldest * hour ||
    runs.some(({ ended, lost = 0, looksLost }) => ended === undefined && (lost > 0 || looksLost))
  );
}

interface FoundLost {
  readonly keys: ReadonlyMap<string, string>;
  /** The lost panes, ascending for each size. */
  readonly panes: readonly ListedPane[];
}

/** A unit, decoded from its hash. */
interface ReadUnit {
  readonly partition: number;
  readonly state: UnitState;
  readonly join: JoinCheckpoint;
  readonly expiry: Expiry;
}

async function lostOf(
  { namespace, paneSize, measures, experiments, limits, positions }: Settings,
  store: Store,
  { partition, state, join, expiry }: ReadUnit,
): Promise<FoundLost> {
  const { generation } = state;
  const owner = { namespace, unit: partition, generation };
  const shape = shapeOf(measures, limits.itemsCounted, positions.ranks);
  const [codec, vectorCodec] = [rowCodec(shape), vectorRowCodec(shape)];
  const listed = listedPanes(
    { owner, paneSize: paneSize.ms, hour: expiry.hour ?? HOUR },
    { minutes: state.panes, hours: state.hours, vectors: state.vectors },
    expiry.now - expiry.rowTtl,
  );
  const keys = new Map<string, string>();
  for (const batch of batches(listed)) {
    const hashes = await store.read(batch.map(({ key }) => key));
    for (const [i, { key, size }] of batch.entries()) {
      const why = problemOf(hashes[i], (text) => (size === 'v' ? vectorCodec : codec).decode(text));
      if (why !== undefined) keys.set(key, why);
    }
  }
  for (const run of state.runs) {
    const experiment = experiments.find(({ name }) => name === run.name);
    if (run.ended !== undefined || experiment === undefined) continue;
    // A run of other settings may have other variants.
    const variants = run.run === runOf(experiment) ? experiment.variants.size : MOST_VARIANTS;
    const parts = keysOfRun(owner, run);
    const [total, users, looks, now] = await store.read([
      parts.total,
      parts.users,
      parts.looks,
      unitKey(namespace, partition),
    ]);
    const isExact = now.get('cid') === state.cid;
    const read = [
      [parts.total, totalOfRun(codec, total, run, isExact)],
      [parts.users, await usersOfRun(users, run, isExact, variants)],
      [parts.looks, looksOfRun(looks, run, experiment.horizon.text)],
    ] as const;
    for (const [key, { why }] of read) if (why !== undefined) keys.set(key, why);
  }
  const counted: readonly (readonly [string, string, (fields: Fields) => unknown])[] = [
    ['clock verdicts', clockKey(owner), (fields) => new StoredClockBlocks(join.topics.length, fields).complete(join)],
    ...state.unread.map(
      (table) => ['places', placesKey(owner, table.by), (fields: Fields) => wholeTable(table, fields)] as const,
    ),
  ];
  for (const [what, key, read] of counted) {
    const [fields, now] = await store.read([key, unitKey(namespace, partition)]);
    const why = problemIn(() => {
      if (read(fields) === undefined) throw new Error(`other ${what} than the checkpoint counts`);
    });
    // A commit in between would have changed both.
    if (why !== undefined && now.get('cid') === state.cid) keys.set(key, why);
  }
  return { keys, panes: listed.filter(({ key }) => keys.has(key)) };
}

/** Why a stored value cannot be read; undefined: it can. */
function problemIn(read: () => unknown): string | undefined {
  try {
    read();
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
