import { isLarge, isWhole } from '../accumulators/admission-state.ts';
import { Panes } from '../accumulators/panes.ts';
import { type ListedPane, listedPanes, liveKeys, longest, type PanesSettings } from '../accumulators/panes-settings.ts';
import { goneFrom, isRun, type RunState, withLost } from '../accumulators/runs.ts';
import { damaged, damagedCheckpoint, readKey } from '../accumulators/store/json.ts';
import { clockKey, keysOfRun, placesKey, type RowOwner, unitKey } from '../accumulators/store/layout.ts';
import { type Fields, type Store, StoreUnavailable } from '../accumulators/store/store-port.ts';
import { decodeLooks, goneFromLooks } from '../experiment/experiment-looks.ts';
import { sampleOfFields } from '../statistics/user-sample.ts';
import type { JoinCheckpoint } from '../vocabulary/checkpoint.ts';
import type { EpochMs } from '../vocabulary/events.ts';
import { StoredClockBlocks } from './clock-blocks.ts';
import type { Resumed } from './resume.ts';
import type { UnitSettings } from './unit-contract.ts';
import { UnitExperiments } from './unit-experiments.ts';

function ownerOf({ namespace, partition }: UnitSettings, generation: string): RowOwner {
  return { namespace, unit: partition, generation };
}

function panesSettings(settings: UnitSettings, generation: string, closedUpTo: EpochMs): PanesSettings {
  return { ...settings.panes, owner: ownerOf(settings, generation), closedUpTo };
}

export interface RestoredUnit {
  /** The join of `Resumed`, with the clock verdicts that it counts. */
  readonly join: JoinCheckpoint | undefined;
  readonly panes: Panes;
  readonly experiments: UnitExperiments;
  readonly clockBlocks: StoredClockBlocks;
  readonly lost: LostRows;
}

/** Rows that the checkpoint lists, and that the store lacks. */
export interface LostRows {
  readonly keys: readonly string[];
  /** The latest end of the lost panes that hold sums; -Infinity: there are none. */
  readonly upTo: EpochMs;
  /** The latest end of all lost panes; -Infinity: there are none. */
  readonly notedUpTo: EpochMs;
}

/**
 * Reads from the store the live rows that a unit starts from, its experiments and its clock verdicts. Rejects with a
 * CheckpointError when what is stored is damaged. @param token the token of the claim
 */
export async function restoreUnit(
  settings: UnitSettings,
  store: Store,
  { generation, join, panes, runs, unread }: Resumed,
  token: string,
): Promise<RestoredUnit> {
  const closedUpTo = join?.watermark ?? Number.NEGATIVE_INFINITY;
  const shape = panesSettings(settings, generation, closedUpTo);
  const owner = ownerOf(settings, generation);
  const { runs: wanted } = settings.panes;
  const keys =
    panes === undefined
      ? []
      : [...liveKeys(shape, panes, closedUpTo), ...wanted.flatMap((run) => besideTotal(owner, run)), clockKey(owner)];
  const read = keys.length === 0 ? [] : await store.read(keys);
  const rows = new Map(keys.map((key, i) => [key, read[i]] as const));
  const of = (key: string): Fields => rows.get(key) ?? new Map();
  const held = new Map(
    runs.filter(({ ended }) => ended === undefined).map((run) => [keysOfRun(owner, run).total, run.since] as const),
  );
  const clockBlocks = new StoredClockBlocks(settings.join.topics.length, of(clockKey(owner)));
  const complete = join === undefined ? undefined : clockBlocks.complete(join);
  if (join !== undefined && complete === undefined) throw await differs('clock verdicts', settings, store, token);
  const large = (panes?.admission ?? []).filter(isLarge);
  if (!large.every((table) => isWhole(table, of(placesKey(owner, table.by))))) {
    throw await differs('places of cohorts', settings, store, token);
  }
  const samples = wanted.map((run) => {
    const { users: key } = keysOfRun(owner, run);
    return readKey(key, () => sampleOfFields(of(key), run.variants.length, undefined, settings.join.hashSeed));
  });
  const looks = wanted.map((run, r) => {
    const { looks: key } = keysOfRun(owner, run);
    const fields = of(key);
    return { fields, looks: readKey(key, () => decodeLooks(fields, settings.experiments[r].horizon.text)) };
  });
  const restored = new Panes(shape, panes === undefined ? undefined : { state: panes, rows, held });
  const lists = restored.listsOfRuns;
  const short: string[] = [];
  const tooMany: Error[] = [];
  const states = runs.map((state) => {
    const r = state.ended === undefined && panes !== undefined ? wanted.findIndex(isRun(state)) : -1;
    if (r < 0) return state;
    const parts = keysOfRun(owner, state);
    const { level, size } = samples[r];
    // A build with a smaller capacity raises the level of what it reads.
    const isAsStored = level === Number(of(parts.users).get('level') ?? 0);
    const lacks = goneFrom(state, {
      lists: lists[r],
      ...(isAsStored ? { users: [level, size] } : {}),
      looks: goneFromLooks(looks[r].fields),
    });
    for (const [part, what] of lacks.more) tooMany.push(damaged(parts[part], what));
    short.push(...[...lacks.why.keys()].map((part) => parts[part]));
    return withLost(state, lacks);
  });
  const live = panes === undefined ? [] : listedPanes(shape, panes, closedUpTo - longest(shape));
  const gone = live.filter(({ key }) => of(key).size === 0);
  if (gone.length + short.length + tooMany.length > 0) {
    try {
      await mustBeOurs(settings, store, token);
      if (tooMany.length > 0) throw tooMany[0];
    } catch (error) {
      restored.close();
      throw error;
    }
  }
  return {
    join: complete,
    panes: restored,
    lost: {
      keys: [...gone.map(({ key }) => key), ...short],
      upTo: endOf(gone.filter(({ size }) => size !== 'v')),
      notedUpTo: endOf(gone),
    },
    experiments: new UnitExperiments(settings, {
      states,
      // A new generation needs them, too: some of the lists that it reads again had closed, and miss feedback.
      positions: unread,
      samples,
      looks,
      closedUpTo,
    }),
    clockBlocks,
  };
}

/**
 * The error to throw when what is stored beside the claimed checkpoint is not what the checkpoint counts: either another worker has
 * claimed the unit meanwhile, or the store is damaged.
 */
async function differs(what: string, settings: UnitSettings, store: Store, token: string): Promise<Error> {
  await mustBeOurs(settings, store, token);
  return damagedCheckpoint(`it counts other ${what} than are stored`);
}

/** Rejects with a retriable StoreUnavailable if the unit is no longer under this claim: what was read may belong to another state. */
async function mustBeOurs({ namespace, partition }: UnitSettings, store: Store, token: string): Promise<void> {
  const [now] = await store.read([unitKey(namespace, partition)]);
  if (now.get('token') === token) return;
  throw new StoreUnavailable('CHANGED', 'the unit was claimed by another, or the store went back, while it was read', {
    retriable: true,
    outcome: 'refused',
  });
}

/** The latest end of these panes; -Infinity: there are none. */
function endOf(panes: readonly ListedPane[]): EpochMs {
  return Math.max(Number.NEGATIVE_INFINITY, ...panes.map(({ end }) => end));
}

/** The keys of a run besides that of its total. */
function besideTotal(owner: RowOwner, run: Pick<RunState, 'name' | 'run'>): readonly string[] {
  const { users, looks } = keysOfRun(owner, run);
  return [users, looks];
}

/** The keys that the first commit of a claim deletes: those of a generation that was replaced, and of runs that ended long ago. */
export function staleKeys(settings: UnitSettings, { replaced, expired }: Resumed): readonly string[] {
  return [
    ...(replaced === undefined ? [] : keysOf(settings, replaced)),
    ...expired.flatMap((run) => runKeys(settings, run)),
  ];
}

/** Every key that can hold rows of a generation, without those of runs. */
function keysOf(settings: UnitSettings, { generation, panes }: NonNullable<Resumed['replaced']>): readonly string[] {
  const shape = panesSettings(
    { ...settings, panes: { ...settings.panes, runs: [] } },
    generation,
    Number.NEGATIVE_INFINITY,
  );
  return [...liveKeys(shape, panes, Number.NEGATIVE_INFINITY), clockKey(ownerOf(settings, generation))];
}

function runKeys(settings: UnitSettings, run: RunState): readonly string[] {
  const generation = run.ended?.generation;
  if (generation === undefined) throw new Error(`the run of ${run.name} goes on`);
  return Object.values(keysOfRun(ownerOf(settings, generation), run));
}
