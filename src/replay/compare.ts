import type { Row } from '../accumulators/row.ts';
import { parseField } from '../accumulators/store/layout.ts';
import type { ExperimentSettings, Settings } from '../config/settings.ts';
import type { EpochMs } from '../events.ts';
import type { Comparison } from '../experiment/comparison.ts';
import type { ExperimentState } from '../experiment/state.ts';
import { type Trail, Watcher } from '../experiment/trail.ts';
import { stateOfUnits, type UnitPart } from '../experiment/units.ts';
import { UserSample } from '../statistics/user-sample.ts';
import type { Onlooker } from '../unit/contract.ts';
import type { Unit } from '../unit.ts';
import { ALL, type ReplayOptions, readFiles } from './replay.ts';
import { type ReplayResult, readResult } from './result.ts';

const HOUR_MS = 3_600_000;

export interface FilesCompared {
  readonly comparison: Comparison;
  readonly trail: Trail;
  /** What became of the events. */
  readonly replayed: ReplayResult;
}

/**
 * Compares the variants of one experiment over files: the data path of a replay, with a look at each full hour of event
 * time and at the end. A look at an hour sees exactly the impressions before it, so it does not depend on how records
 * arrive. Rejects as `readFiles` does.
 */
export async function compareFiles(options: ReplayOptions, experiment: ExperimentSettings): Promise<FilesCompared> {
  const settings: Settings = { ...options.settings, cohorts: [[experiment.dimension]], itemSets: [] };
  let looker: HourlyLooks | undefined;
  const finished = await readFiles({ ...options, settings }, (unit) => {
    looker = new HourlyLooks(settings, experiment, unit, options.hashSeed);
    return looker;
  });
  if (looker === undefined) throw new Error('the files were read without looking on');
  const replayed = await readResult({ settings, total: ALL, ...finished });
  return { comparison: looker.end(), trail: looker.trail, replayed };
}

interface Exposure {
  readonly userId: string;
  readonly variant: number;
  readonly ts: EpochMs;
}

/** Takes the looks while a unit reads. */
class HourlyLooks implements Onlooker {
  readonly #settings: Settings;
  readonly #experiment: ExperimentSettings;
  readonly #unit: () => Unit;
  readonly #watcher = new Watcher();
  readonly #variants: ReadonlyMap<string, number>;
  /** Place of the experiment's dimension in an impression. */
  readonly #dimension: number;
  readonly #horizon: number;
  readonly #hashSeed: number;
  readonly #sample: UserSample;
  /** Of impressions that no look has seen yet. */
  #exposures: Exposure[] = [];
  /** The next look is due before anything of this time or later is added; undefined: nothing was added yet. */
  #due: EpochMs | undefined;
  #newest: EpochMs | undefined;

  constructor(settings: Settings, experiment: ExperimentSettings, unit: () => Unit, hashSeed: number) {
    this.#hashSeed = hashSeed;
    this.#sample = new UserSample(undefined, undefined, undefined, hashSeed);
    this.#settings = settings;
    this.#experiment = experiment;
    this.#unit = unit;
    this.#variants = new Map([...experiment.variants.keys()].map((name, place) => [name, place] as const));
    this.#dimension = settings.dimensions.indexOf(experiment.dimension);
    this.#horizon = settings.attribution.horizons.findIndex(({ ms }) => ms === experiment.horizon.ms);
  }

  get trail(): Trail {
    return this.#watcher.trail;
  }

  accepted(impression: Parameters<Onlooker['accepted']>[0]): void {
    const { ts } = impression;
    const variant = this.#variants.get(impression.dimensions[this.#dimension]);
    if (!('userId' in impression) || impression.userId === undefined) return;
    if (variant !== undefined && this.#takesPart(ts)) {
      this.#exposures.push({ userId: impression.userId, variant, ts });
    }
  }

  closing({ horizon, ts }: { readonly horizon: number; readonly ts: EpochMs }): boolean {
    if (!this.#takesPart(ts)) return false;
    if (horizon !== this.#horizon) return true;
    const hour = Math.floor(ts / HOUR_MS) * HOUR_MS;
    if (this.#due !== undefined && ts >= this.#due) this.#look(hour);
    if (this.#due === undefined || ts >= this.#due) this.#due = hour + HOUR_MS;
    this.#newest = ts;
    return true;
  }

  /** The last look, at the end of the newest pane. */
  end(): Comparison {
    const { ms } = this.#settings.paneSize;
    return this.#look(this.#newest === undefined ? undefined : (Math.floor(this.#newest / ms) + 1) * ms);
  }

  #takesPart(ts: EpochMs): boolean {
    return this.#experiment.start === undefined || ts >= this.#experiment.start;
  }

  #look(asOf: EpochMs | undefined): Comparison {
    const seen = asOf ?? Number.NEGATIVE_INFINITY;
    for (const { userId, variant, ts } of this.#exposures) if (ts < seen) this.#sample.add(userId, variant, ts);
    this.#exposures = this.#exposures.filter(({ ts }) => ts >= seen);
    return this.#watcher.look(this.#totals(asOf));
  }

  #totals(asOf: EpochMs | undefined): Omit<ExperimentState, 'looks'> {
    const rows = new Map<string, Row>();
    for (const [field, row] of this.#unit().total(ALL)) {
      const name = parseField(field);
      if (name?.horizon === this.#experiment.horizon.text) rows.set(name.values, row);
    }
    const part: UnitPart = { rows, sample: this.#sample, missing: 0 };
    return stateOfUnits(this.#experiment, this.#settings.measures, [part], asOf, this.#hashSeed);
  }
}
