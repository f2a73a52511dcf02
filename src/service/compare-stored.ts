import { type RunState, runGoingOn } from '../accumulators/runs.ts';
import { unitKey, unitKeys } from '../accumulators/store/layout.ts';
import type { Store } from '../accumulators/store/store-port.ts';
import type { ExperimentSettings, Settings } from '../config/settings.ts';
import type { Comparison } from '../experiment/comparison.ts';
import { evaluate } from '../experiment/evaluate.ts';
import { changedInRun, runOf } from '../experiment/run-settings.ts';
import { type Trail, takeLooks, trailOf } from '../experiment/take-looks.ts';
import { Experiments, isLookedAt } from '../exporter/experiments-reader.ts';
import { Exporter } from '../exporter/exporter.ts';
import { newestEnded, readKeptRun } from '../exporter/kept-runs.ts';
import { keysText } from '../exporter/lost-rows.ts';
import type { EpochMs } from '../vocabulary/events.ts';
import { readUnit, type UnitState, type UnitStates } from '../windows/unit-state.ts';
import type { CohortRow } from '../windows/windows.ts';

/** There is nothing to compare; the message says what to do. */
export class NothingStored extends Error {
  override readonly name = 'NothingStored';
}

export interface StoredCompared {
  readonly comparison: Comparison;
  /** The settings of the experiment in the run that was compared. */
  readonly experiment: ExperimentSettings;
  /** The looks that the service has kept. */
  readonly trail: Trail;
  /** When the first user was shown the experiment; undefined: no impression has a user. */
  readonly began: EpochMs | undefined;
  /** Partitions that are stored without anything of this run, because their workers have another configuration; absent: none. */
  readonly partitionsWithout?: readonly number[];
  /** For each key of rows of this run that are gone from Redis, or damaged, what is wrong; absent: none. */
  readonly lost?: ReadonlyMap<string, string>;
  /** Lists of this run that are known to be lost with such rows, including those that workers continued without. */
  readonly lostLists?: number;
  /** Whether results of its looks are lost, now or when a worker continued without them; absent: no. */
  readonly looksLost?: boolean;
  /** The variants' counts by rank, if they were asked for and the service keeps them. */
  readonly positions?: StoredPositions | undefined;
}

export interface StoredPositions {
  /** The longest window and the longest horizon, as the configuration writes them. */
  readonly window: string;
  readonly horizon: string;
  readonly rows: readonly CohortRow[];
}

/**
 * The stored counts by rank of an experiment's variants, over the longest window; undefined: there are none. Writes nothing.
 * Rejects as `compareStored` does.
 */
export async function storedPositions(
  settings: Settings,
  { dimension }: ExperimentSettings,
  namespace: string,
  store: Store,
): Promise<StoredPositions | undefined> {
  const { attribution, windows } = settings;
  const [window, horizon] = [windows[windows.length - 1], attribution.window];
  const exporter = new Exporter(
    {
      ...settings,
      attribution: { ...attribution, horizons: [horizon] },
      windows: [window],
      cohorts: [[dimension]],
      // Only the rows are read.
      experiments: [],
      detect: { ...settings.detect, sets: [] },
      statistics: { ...settings.statistics, clustered: [] },
    },
    { store, namespace, partitions: (await readUnits(store, namespace)).length },
  );
  const { rows } = await exporter.refresh();
  const counted = rows.filter(({ row }) => row.positions !== undefined);
  return counted.length === 0 ? undefined : { window: window.text, horizon: horizon.text, rows: counted };
}

/**
 * An experiment as a running service has stored it, at the looks that the service has taken, or else at one taken here. Writes
 * nothing. Rejects with a NothingStored when the namespace holds no such run, and when the store cannot be read.
 */
export async function compareStored(
  settings: Settings,
  experiment: ExperimentSettings,
  namespace: string,
  store: Store,
  hashSeed?: number,
): Promise<StoredCompared> {
  const units = await readUnits(store, namespace);
  const run = runOf(experiment);
  const known = units.flatMap((unit) => unit?.runs.filter(isCounted(experiment)) ?? []);
  if (known.length === 0) {
    throw new NothingStored(
      `namespace "${namespace}" counts no experiment "${experiment.name}": its service runs without it; ` +
        'start the service with this configuration',
    );
  }
  if (!known.some((state) => state.run === run)) {
    const { state: counted } = await readKeptRun({ namespace, store, measures: settings.measures }, units, known[0]);
    const changed = counted === undefined ? [] : changedInRun(counted.settings, experiment);
    throw new NothingStored(
      `namespace "${namespace}" counts experiment "${experiment.name}" with other settings than these` +
        `${changed.length === 0 ? '' : ` (${changed.join('; ')})`}: ` +
        "compare with the service's own configuration (--config), or restart the service with this one",
    );
  }
  const experiments = new Experiments({ ...settings, experiments: [experiment] }, { store, namespace, hashSeed });
  await experiments.read(units);
  const [state] = experiments.states;
  const [made] = experiments.made;
  const looks = isLookedAt(state) ? state.looks : takeLooks(state);
  return {
    comparison: made ?? experiments.compare({ ...state, looks }),
    experiment,
    trail: trailOf(looks),
    began: state.exposed.began,
    partitionsWithout: without(units, experiment.name, run),
    lost: new Map([...unstored(units, namespace), ...experiments.lost]),
    lostLists: experiments.lostLists,
    looksLost: state.looksLost ?? false,
  };
}

/**
 * The run of an experiment that ended last, if it is still kept. Rejects with a NothingStored when there is none, and when the
 * store cannot be read.
 */
export async function compareEarlier(
  { measures }: Settings,
  name: string,
  namespace: string,
  store: Store,
): Promise<StoredCompared> {
  const units = await readUnits(store, namespace);
  const run = newestEnded(units, name);
  const { state, lost } = run ? await readKeptRun({ namespace, store, measures }, units, run) : { lost: new Map() };
  if (state === undefined && lost.size > 0) throw new NothingStored(`Redis has lost what it kept: ${keysText(lost)}`);
  if (state === undefined) {
    throw new NothingStored(
      `namespace "${namespace}" keeps no earlier run of experiment "${name}": a run is kept for a week after other settings have ended it`,
    );
  }
  const { settings: experiment, looks, exposed, looksLost = false } = state;
  return { comparison: evaluate(state), experiment, trail: trailOf(looks), began: exposed.began, lost, looksLost };
}

function isCounted({ name }: Pick<RunState, 'name'>): (state: RunState) => boolean {
  return (state) => state.name === name && state.ended === undefined;
}

function without(units: UnitStates, name: string, run: string): readonly number[] {
  const holds = (unit: UnitState): boolean => runGoingOn(unit.runs, { name, run }) !== undefined;
  return [...units.entries()].flatMap(([u, unit]) => (unit === undefined || holds(unit) ? [] : [u]));
}

/** The partitions of which nothing is stored, by the key that is gone. */
function unstored(units: UnitStates, namespace: string): ReadonlyMap<string, string> {
  const gone = [...units.keys()].filter((unit) => units[unit] === undefined);
  return new Map(gone.map((unit) => [unitKey(namespace, unit), `nothing is stored of partition ${unit}`]));
}

/** Number of partitions that are tried where nothing is stored of the first. */
const TRIED = 64;

async function readUnits(store: Store, namespace: string): Promise<readonly (UnitState | undefined)[]> {
  const tried = (await store.read(unitKeys(namespace, TRIED))).map((hash, unit) => readUnit(unit, hash, undefined));
  const found = tried.find((unit) => unit !== undefined);
  if (found === undefined) {
    throw new NothingStored(
      `nothing is stored under namespace "${namespace}": check --redis and --namespace, or start receval run`,
    );
  }
  const { partitions } = found;
  if (partitions <= TRIED) return tried.slice(0, partitions);
  const hashes = await store.read(unitKeys(namespace, partitions));
  return hashes.map((hash, unit) => readUnit(unit, hash, undefined));
}
