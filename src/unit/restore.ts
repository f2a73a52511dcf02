import { isLarge, isWhole } from '../accumulators/admission-state.ts';
import { Panes } from '../accumulators/panes.ts';
import { listedPanes, liveKeys, longest, type PanesSettings } from '../accumulators/panes-settings.ts';
import { isRun, type RunState, withLost } from '../accumulators/runs.ts';
import { damagedCheckpoint, readKey } from '../accumulators/store/checkpoint-error.ts';
import {
  clockKey,
  looksKey,
  placesKey,
  type RowOwner,
  totalKey,
  unitKey,
  usersKey,
} from '../accumulators/store/layout.ts';
import { type Fields, type Store, StoreUnavailable } from '../accumulators/store/store-port.ts';
import { decodeLooks } from '../experiment/experiment-looks.ts';
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
  /** As in `Resumed`, with the clock verdicts that it counts. */
  readonly join: JoinCheckpoint | undefined;
  readonly panes: Panes;
  readonly experiments: UnitExperiments;
  readonly clockBlocks: StoredClockBlocks;
  readonly lost: LostRows;
}

/** Rows that the checkpoint lists, and that the store lacks. */
export interface LostRows {
  readonly keys: readonly string[];
  /** The latest end of the panes among them; -Infinity: there are none. */
  readonly upTo: EpochMs;
}

/**
 * Reads from the store the live rows that a unit starts from, its experiments and its clock verdicts. Rejects with a
 * CheckpointError when what is stored is damaged. @param token of the claim
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
      : [
          ...liveKeys(shape, panes, closedUpTo),
          ...wanted.flatMap((run) => sideKeys(settings, generation, run)),
          clockKey(owner),
        ];
  const read = keys.length === 0 ? [] : await store.read(keys);
  const rows = new Map(keys.map((key, i) => [key, read[i]] as const));
  const of = (key: string): Fields => rows.get(key) ?? new Map();
  const held = new Map(
    runs
      .filter(({ ended }) => ended === undefined)
      .map(({ name, run, since }) => [totalKey(owner, name, run), since] as const),
  );
  const clockBlocks = new StoredClockBlocks(settings.join.topics.length, of(clockKey(owner)));
  const complete = join === undefined ? undefined : clockBlocks.complete(join);
  if (join !== undefined && complete === undefined) throw await differs('clock verdicts', settings, store, token);
  const large = (panes?.admission ?? []).filter(isLarge);
  if (!large.every((table) => isWhole(table, of(placesKey(owner, table.by))))) {
    throw await differs('places of cohorts', settings, store, token);
  }
  const samples = wanted.map(({ name, run }) => {
    const key = usersKey(owner, name, run);
    return readKey(key, () => sampleOfFields(of(key), undefined, settings.join.hashSeed));
  });
  const looks = wanted.map(({ name, run }, r) => {
    const key = looksKey(owner, name, run);
    const fields = of(key);
    return { fields, looks: readKey(key, () => decodeLooks(fields, settings.experiments[r].horizon.text)) };
  });
  const restored = new Panes(shape, panes === undefined ? undefined : { state: panes, rows, held });
  const lists = restored.listsOfRuns;
  const states = runs.map((state) => {
    const r = state.ended === undefined && panes !== undefined ? wanted.findIndex(isRun(state)) : -1;
    return r < 0 ? state : withLost(state, lists[r]);
  });
  const live = panes === undefined ? [] : listedPanes(shape, panes, closedUpTo - longest(shape));
  const gone = live.filter(({ key }) => of(key).size === 0);
  const short = states.flatMap((state, i) => (state === runs[i] ? [] : [totalKey(owner, state.name, state.run)]));
  if (gone.length + short.length > 0) {
    try {
      await mustBeOurs(settings, store, token);
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
      upTo: Math.max(Number.NEGATIVE_INFINITY, ...gone.map(({ end }) => end)),
    },
    experiments: new UnitExperiments(settings, {
      states,
      // Also in a new generation: of the lists that it reads again, some had closed, and miss feedback.
      positions: unread,
      samples,
      looks,
      closedUpTo,
    }),
    clockBlocks,
  };
}

/**
 * Why what is stored beside the claimed checkpoint is not what it counts: the unit was claimed by another meanwhile, or the store is damaged.
 */
async function differs(what: string, settings: UnitSettings, store: Store, token: string): Promise<Error> {
  await mustBeOurs(settings, store, token);
  return damagedCheckpoint(`it counts other ${what} than are stored`);
}

/** Rejects with a StoreUnavailable that passes when the unit is no longer under this claim: what was read may be of another state. */
async function mustBeOurs({ namespace, partition }: UnitSettings, store: Store, token: string): Promise<void> {
  const [now] = await store.read([unitKey(namespace, partition)]);
  if (now.get('token') === token) return;
  throw new StoreUnavailable('CHANGED', 'the unit was claimed by another, or the store went back, while it was read', {
    retriable: true,
    outcome: 'refused',
  });
}

/** Keys of a run besides its total. */
function sideKeys(settings: UnitSettings, generation: string, { name, run }: RunName): readonly string[] {
  const owner = ownerOf(settings, generation);
  return [usersKey(owner, name, run), looksKey(owner, name, run)];
}

type RunName = Pick<RunState, 'name' | 'run'>;

/** Keys that the first commit of a claim deletes: those of a generation that was replaced, and of runs that ended long ago. */
export function staleKeys(settings: UnitSettings, { replaced, expired }: Resumed): readonly string[] {
  return [
    ...(replaced === undefined ? [] : keysOf(settings, replaced)),
    ...expired.flatMap((run) => runKeys(settings, run)),
  ];
}

/** Every key that can hold rows of a generation, but those of runs. */
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
  return [totalKey(ownerOf(settings, generation), run.name, run.run), ...sideKeys(settings, generation, run)];
}
