import type { Row } from '../accumulators/row.ts';
import { parseField } from '../accumulators/store/layout.ts';
import type { ExperimentSettings, Settings } from '../config/settings.ts';
import { CohortSplits, type ComparedCohorts, comparedCohorts } from '../experiment/cohort-splits.ts';
import type { Comparison } from '../experiment/comparison.ts';
import type { EndOfLogs, ExperimentState } from '../experiment/state.ts';
import { type Trail, Watcher } from '../experiment/take-looks.ts';
import { stateOfUnits, type UnitPart } from '../experiment/units.ts';
import { UserSample } from '../statistics/user-sample.ts';
import type { Unit } from '../unit/unit.ts';
import type { UnitHooks } from '../unit/unit-contract.ts';
import { HOUR } from '../vocabulary/durations.ts';
import type { EpochMs } from '../vocabulary/events.ts';
import type { LogsEnd } from './feedback-reach.ts';
import { ALL, type ReplayOptions, readFiles } from './file-replay.ts';
import { type ReplayResult, readResult } from './replay-result.ts';
import { youngLists } from './result-rows.ts';

/** The dimension of the experiment `default`. */
const PLAIN = 'variant';

export interface FilesCompared {
  readonly comparison: Comparison;
  readonly trail: Trail;
  /** Time at which the first user was shown the experiment. */
  readonly began: EpochMs | undefined;
  /** The split of the users by cohort, for each requested dimension; undefined: none was requested. */
  readonly ratioBy: readonly ComparedCohorts[] | undefined;
  /** The result of the replay itself. */
  readonly replayed: ReplayResult;
  /** Sampled impressions by `variant`, if the experiment reads another dimension; else empty. */
  readonly plainVariants: ReadonlyMap<string, number>;
}

/**
 * Compares the variants of one experiment over files: the data path of a replay, with a look at each full hour of event
 * time and at the end. A look at an hour sees exactly the impressions before it, so it does not depend on how records
 * arrive. Rejects as `readFiles` does.
 *
 * @param ratioBy dimensions by whose cohorts the split of the users is also checked
 */
export async function compareFiles(
  options: ReplayOptions,
  experiment: ExperimentSettings,
  ratioBy?: readonly string[],
): Promise<FilesCompared> {
  const settings: Settings = {
    ...options.settings,
    cohorts: [[experiment.dimension]],
    itemSets: [],
    positions: { ...options.settings.positions, sets: [[experiment.dimension]] },
    // The values of `variant` are reported if the experiment's own dimension is missing.
    dimensions: [...new Set([...options.settings.dimensions, ...(ratioBy ?? []), PLAIN])].sort(),
  };
  let looker: HourlyLooks | undefined;
  const hooks = (unit: () => Unit): UnitHooks => {
    looker = new HourlyLooks(settings, experiment, ratioBy ?? [], unit, options.hashSeed);
    return looker;
  };
  const finished = await readFiles({ ...options, settings }, hooks, experiment.start);
  if (looker === undefined) throw new Error('the files were read without looking on');
  const replayed = await readResult({ settings, total: ALL, ...finished });
  const { reach, closeAll } = finished.end;
  const youngFrom = closeAll ? Number.POSITIVE_INFINITY : reach - experiment.horizon.ms + 1;
  const comparison = looker.end(youngFrom, endOfLogs(replayed, finished.end, experiment));
  const splits = ratioBy === undefined ? undefined : comparedCohorts(looker.splits);
  const plainVariants = new Map<string, number>();
  if (experiment.dimension !== PLAIN) {
    const place = settings.dimensions.indexOf(PLAIN);
    for (const { dimensions } of finished.watch.sample.impressions) {
      plainVariants.set(dimensions[place], (plainVariants.get(dimensions[place]) ?? 0) + 1);
    }
  }
  return { comparison, trail: looker.trail, began: looker.began, ratioBy: splits, replayed, plainVariants };
}

/** How the logs end, for the last look. */
function endOfLogs(
  { rows, feedbackEnd }: ReplayResult,
  { newest, reach }: LogsEnd,
  { dimension, horizon }: ExperimentSettings,
): EndOfLogs {
  const own = rows.filter((row) => row.horizon === horizon.text);
  return {
    at: newest,
    delay: reach === Number.POSITIVE_INFINITY ? 0 : horizon.ms,
    feedbackEnd,
    young: new Map(own.flatMap((row) => youngLists(row).map((young) => [row.labels[dimension], young] as const))),
  };
}

interface Exposure {
  readonly userId: string;
  readonly variant: number;
  readonly ts: EpochMs;
  /** One cohort for each of the splits. */
  readonly cohorts: readonly string[];
}

/** Takes the looks while a unit reads. */
class HourlyLooks implements UnitHooks {
  readonly splits: readonly CohortSplits[];
  readonly #settings: Settings;
  readonly #experiment: ExperimentSettings;
  readonly #unit: () => Unit;
  readonly #watcher = new Watcher();
  readonly #variants: ReadonlyMap<string, number>;
  /** Index of the experiment's dimension in an impression. */
  readonly #dimension: number;
  /** Indexes of the dimensions of the splits. */
  readonly #cohorts: readonly number[];
  readonly #horizon: number;
  readonly #hashSeed: number;
  readonly #sample: UserSample;
  /** Exposures in impressions that no look has seen. */
  #exposures: Exposure[] = [];
  /** The next look must be taken before anything at or after this time is added; undefined: nothing has been added. */
  #due: EpochMs | undefined;
  #newest: EpochMs | undefined;
  #began: EpochMs | undefined;

  constructor(
    settings: Settings,
    experiment: ExperimentSettings,
    ratioBy: readonly string[],
    unit: () => Unit,
    hashSeed: number,
  ) {
    this.splits = ratioBy.map((dimension) => new CohortSplits(dimension, experiment, { hashSeed }));
    this.#cohorts = ratioBy.map((dimension) => settings.dimensions.indexOf(dimension));
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

  /** Time of the first exposure, as of the last look. */
  get began(): EpochMs | undefined {
    return this.#began;
  }

  accepted(impression: Parameters<Required<UnitHooks>['accepted']>[0]): void {
    const { ts, dimensions } = impression;
    const variant = this.#variants.get(dimensions[this.#dimension]);
    if (!('userId' in impression) || impression.userId === undefined) return;
    if (variant !== undefined && this.#takesPart(ts)) {
      const cohorts = this.#cohorts.map((place) => dimensions[place]);
      this.#exposures.push({ userId: impression.userId, variant, ts, cohorts });
    }
  }

  closing({ horizon, ts }: { readonly horizon: number; readonly ts: EpochMs }): boolean {
    if (!this.#takesPart(ts)) return false;
    if (horizon !== this.#horizon) return true;
    const hour = Math.floor(ts / HOUR) * HOUR;
    if (this.#due !== undefined && ts >= this.#due) this.#watcher.take(this.#seen(hour, hour));
    if (this.#due === undefined || ts >= this.#due) this.#due = hour + HOUR;
    this.#newest = ts;
    return true;
  }

  /** Takes the last look, at the end of the newest pane. Its lists from `youngFrom` on may be too young. */
  end(youngFrom: EpochMs, end: EndOfLogs): Comparison {
    const { ms } = this.#settings.paneSize;
    const asOf = this.#newest === undefined ? undefined : (Math.floor(this.#newest / ms) + 1) * ms;
    return this.#watcher.look({ ...this.#seen(asOf, Math.min(youngFrom, asOf ?? Number.NEGATIVE_INFINITY)), end });
  }

  #takesPart(ts: EpochMs): boolean {
    return this.#experiment.start === undefined || ts >= this.#experiment.start;
  }

  /**
   * What the next look sees.
   * @param limit exposures from this time on are for later looks
   */
  #seen(asOf: EpochMs | undefined, limit: EpochMs): Omit<ExperimentState, 'looks'> {
    const seen = this.#exposures.filter(({ ts }) => ts < limit);
    this.#exposures = this.#exposures.filter(({ ts }) => ts >= limit);
    for (const { userId, variant, ts } of seen) this.#sample.add(userId, variant, ts);
    for (const [d, splits] of this.splits.entries()) {
      splits.look(
        seen.map(({ userId, variant, ts, cohorts }) => ({ userId, variant, ts, cohort: cohorts[d] })),
        limit,
      );
    }
    const totals = this.#totals(asOf);
    this.#began = totals.exposed.began;
    return totals;
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
