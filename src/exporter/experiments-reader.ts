import { isRun } from '../accumulators/runs.ts';
import { looksKey, unitKey } from '../accumulators/store/layout.ts';
import type { Fields, Store } from '../accumulators/store/store-port.ts';
import type { Span } from '../config/values.ts';
import type { Comparison, EarlierRun } from '../experiment/comparison.ts';
import { withEarlier } from '../experiment/comparison-words.ts';
import { evaluate } from '../experiment/evaluate.ts';
import { ExperimentParts, looksOfRun } from '../experiment/experiment-parts.ts';
import type { ExperimentState } from '../experiment/state.ts';
import { type Trail, trailOf } from '../experiment/take-looks.ts';
import { UnitsSum } from '../experiment/units.ts';
import type { EpochMs } from '../vocabulary/events.ts';
import { readUnit, stands, type UnitState, type UnitStates } from '../windows/unit-state.ts';
import { completeUpTo } from '../windows/windows.ts';
import type { ExporterSettings } from './exporter-contract.ts';
import { earlierRun, newestEnded, readKeptRun } from './kept-runs.ts';

type ExperimentsSettings = Pick<ExporterSettings, 'attribution' | 'experiments' | 'measures' | 'paneSize'>;

type EarlierRuns = ReadonlyMap<string, EarlierRun>;

interface UnitStore {
  readonly store: Store;
  readonly namespace: string;
  /** See `UnitsSum`. */
  readonly hashSeed?: number | undefined;
}

/**
 * The experiments as all units have stored them, at the looks that unit 0 has taken. Totals and users are read again when the
 * newest complete pane has moved; looks are read at each call, since they are stored a moment later.
 */
export class Experiments {
  readonly #settings: ExperimentsSettings;
  readonly #deps: UnitStore;
  readonly #parts: ExperimentParts;
  #asOf: readonly (EpochMs | undefined)[] = [];
  #totals: readonly Omit<ExperimentState, 'looks'>[] = [];
  /** Identifies the input of the comparisons. */
  #seen = '';
  #states: readonly ExperimentState[] = [];
  #made: readonly Comparison[] = [];
  #earlier: EarlierRuns = new Map();
  /** Identifies the input of the earlier runs. */
  #earlierKey = '[]';
  #trails: readonly Trail[] = [];
  #lost: ReadonlyMap<string, string> = new Map();
  #lostLooks: ReadonlyMap<string, string> = new Map();
  #lostEarlier: ReadonlyMap<string, string> = new Map();
  /** Number of units of which something was stored at the last reading. */
  #stored = 0;
  #lostFound = 0;
  #lostLists = 0;

  constructor(settings: ExperimentsSettings, deps: UnitStore) {
    this.#settings = settings;
    this.#deps = deps;
    this.#parts = new ExperimentParts({ ...settings, namespace: deps.namespace }, deps.store);
  }

  /**
   * Comparisons as of the last call of `read`, in the order of the configuration, without experiments that were never looked at. The same
   * object as long as nothing has changed.
   */
  get made(): readonly Comparison[] {
    return this.#made;
  }

  /** The looks of each comparison of `made`. */
  get trails(): readonly Trail[] {
    return this.#trails;
  }

  /** For each key of a total, users or looks that are partly or wholly gone, or damaged, what is wrong, as of the last call of `read`. */
  get lost(): ReadonlyMap<string, string> {
    return new Map([...this.#lost, ...this.#lostLooks, ...this.#lostEarlier]);
  }

  /** Lists that all runs lack because of such keys, now or when their units were claimed, as far as is known. */
  get lostLists(): number {
    return this.#lostLists;
  }

  /** Number of such keys found so far. */
  get lostFound(): number {
    return this.#lostFound;
  }

  /** The state of every experiment as of the last call of `read`. */
  get states(): readonly ExperimentState[] {
    return this.#states;
  }

  /** Compares an experiment of `states`, and adds its earlier run. */
  compare(state: ExperimentState): Comparison {
    const comparison = evaluate(state);
    const earlier = this.#earlier.get(state.settings.name);
    return earlier === undefined ? comparison : withEarlier(comparison, earlier);
  }

  /** Forgets what was read from the units, which may be wrong. */
  reset(): void {
    this.#asOf = [];
  }

  /** Rejects as `ExperimentParts` does. */
  async read(units: UnitStates): Promise<void> {
    if (this.#settings.experiments.length === 0) return;
    const [first] = units;
    const asOf = this.#settings.experiments.map(({ horizon }) => this.#newest(units, horizon));
    const looks = first === undefined ? [] : await this.#looks(first);
    const stored = units.filter((unit) => unit !== undefined).length;
    const moved = asOf.some((time, e) => time !== this.#asOf[e]) || this.#asOf.length === 0 || stored !== this.#stored;
    if (moved) {
      this.#totals = await this.#read(units, asOf);
      this.#asOf = asOf;
      this.#stored = stored;
    }
    const earlier = await this.#earlierOf(units);
    const seen = JSON.stringify(looks.map((fields) => [...fields]));
    if (!moved && seen === this.#seen && earlier === this.#earlier) return;
    const lost = new Map<string, string>();
    const states = this.#totals.map((totals, e) => {
      const { name, horizon } = totals.settings;
      const run = first?.runs.find(isRun({ name, run: this.#parts.runs[e] }));
      const { looks: found, why } = looksOfRun(looks[e] ?? new Map(), run, horizon.text);
      if (why === undefined) return { ...totals, looks: found };
      // Other experiments and all windows are still shown.
      if (first !== undefined) lost.set(this.#looksKey(first, e), why);
      return { ...totals, looks: found, looksLost: true };
    });
    this.#seen = '';
    if (first !== undefined && lost.size > 0) {
      const [now] = await this.#deps.store.read([unitKey(this.#deps.namespace, 0)]);
      if (!stands(readUnit(0, now, first), first, [])) return;
    }
    this.#earlier = earlier;
    this.#seen = seen;
    this.#states = states;
    for (const key of lost.keys()) if (!this.#lostLooks.has(key)) this.#lostFound++;
    this.#lostLooks = lost;
    const isLooking = first !== undefined || stored === 0;
    const lookedAt = this.#states.filter((state) => isLookedAt(state) || state.looksLost || !isLooking);
    this.#made = lookedAt.map((state) => this.compare(state));
    this.#trails = lookedAt.map(({ looks: taken }) => trailOf(taken));
  }

  /** The earlier run of each experiment; the same object as long as no run has ended. A run that not every unit has ended is not shown. */
  async #earlierOf(units: UnitStates): Promise<EarlierRuns> {
    const ended = this.#settings.experiments.flatMap(({ name }) => newestEnded(units, name) ?? []);
    const key = JSON.stringify(ended);
    if (key === this.#earlierKey) return this.#earlier;
    const { store, namespace } = this.#deps;
    const from = { ...this.#settings, store, namespace };
    const found = await Promise.all(ended.map((run) => readKeptRun(from, units, run)));
    this.#earlierKey = key;
    this.#lostEarlier = new Map(found.flatMap(({ lost }) => [...lost]));
    this.#lostFound += this.#lostEarlier.size;
    return new Map(
      found.flatMap(({ state }) => (state === undefined ? [] : [[state.settings.name, earlierRun(state)]])),
    );
  }

  /** End of the newest pane that is complete in every unit that is not far behind; undefined: there is none. */
  #newest(units: UnitStates, horizon: Span): EpochMs | undefined {
    const { attribution, paneSize } = this.#settings;
    const known = units.filter((unit) => unit !== undefined);
    const end = completeUpTo(known, horizon, { paneSize: paneSize.ms, unitTimeout: attribution.unitTimeout });
    return Number.isFinite(end) ? end : undefined;
  }

  async #read(
    units: UnitStates,
    asOf: readonly (EpochMs | undefined)[],
  ): Promise<readonly Omit<ExperimentState, 'looks'>[]> {
    const { experiments, measures } = this.#settings;
    const { hashSeed } = this.#deps;
    const sums = experiments.map(
      (experiment, e) => new UnitsSum(experiment, measures, { before: this.#totals[e], hashSeed }),
    );
    const lost = new Map<string, string>();
    this.#lostLists = 0;
    for (const [u, unit] of units.entries()) {
      const read = unit && (await this.#parts.read(u));
      if (read === undefined) for (const sum of sums) sum.addUnstored();
      for (const [key, why] of read?.lost ?? []) lost.set(key, why);
      this.#lostLists += read?.lostLists ?? 0;
      for (const [e, part] of (read?.parts ?? []).entries()) sums[e].add(part);
    }
    for (const key of lost.keys()) if (!this.#lost.has(key)) this.#lostFound++;
    this.#lost = lost;
    return sums.map((sum, e) => sum.state(asOf[e]));
  }

  #looks(unit: UnitState): Promise<readonly Fields[]> {
    return this.#deps.store.read(this.#settings.experiments.map((_, e) => this.#looksKey(unit, e)));
  }

  #looksKey({ generation }: UnitState, e: number): string {
    const owner = { namespace: this.#deps.namespace, unit: 0, generation };
    return looksKey(owner, this.#settings.experiments[e].name, this.#parts.runs[e]);
  }
}

/** Whether there has been a look. */
export function isLookedAt({ looks: { srm, measures, decisions } }: ExperimentState): boolean {
  return srm !== undefined || decisions.size > 0 || [...measures.values()].some((ofVariant) => ofVariant.size > 0);
}
