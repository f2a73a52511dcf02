import { addToSum, type Row, shapeOf, sumsStarts } from '../accumulators/row.ts';
import type { Since } from '../accumulators/runs.ts';
import { vectorStarts } from '../accumulators/vector.ts';
import type { ExperimentSettings } from '../config/settings.ts';
import type { Measure } from '../measures/definition.ts';
import { measureValue } from '../measures/value.ts';
import { absent, type Result } from '../statistics/absent.ts';
import { type ArmMean, heaviestShare } from '../statistics/arm.ts';
import { SampleUnion } from '../statistics/sample-union.ts';
import type { Sampled } from '../statistics/sampled.ts';
import type { EpochMs } from '../vocabulary/events.ts';
import { armOfVector, emptyShare, listsByBucket } from '../windows/bucket-sums.ts';
import { EMPTY_SHARE, type ExperimentState, type VariantState } from './state.ts';

/** One unit's part of a run. */
export interface UnitPart {
  /** Rows of the run's total at the experiment's horizon, with vectors, by value of the experiment's dimension. */
  readonly rows: ReadonlyMap<string, Row>;
  /** The exposed users; variants are numbered in the order of the settings. */
  readonly sample: Sampled;
  /** Number of records that were lost to gaps and rebuilt spans. */
  readonly missing: number;
  /** Absent: all lists count in all measures; see `RunState`. */
  readonly since?: Since | undefined;
  /** See `RunState`. */
  readonly looksLost?: boolean | undefined;
}

type Totals = Omit<ExperimentState, 'looks'>;

/**
 * The state of a run as the sum of its units, in any order. Units are added one by one, because their users are too many for one turn of
 * the event loop. The looks are stored once for all units and are not part of the sum.
 */
export class UnitsSum {
  readonly #settings: ExperimentSettings;
  readonly #measures: readonly Measure[];
  readonly #rows = new Map<string, Row>();
  readonly #users: SampleUnion;
  readonly #since: Record<string, EpochMs>;
  #missing = 0;
  #looksLost = false;
  #unstored = 0;

  /**
   * @param measures those of the rows, in their order
   * @param before the previous state, which only saves time
   * @param hashSeed as in `SampleUnion`
   */
  constructor(
    settings: ExperimentSettings,
    measures: readonly Measure[],
    {
      before,
      hashSeed,
    }: { readonly before?: Pick<Totals, 'exposed'> | undefined; readonly hashSeed?: number | undefined } = {},
  ) {
    this.#settings = settings;
    this.#measures = measures;
    this.#since = Object.fromEntries(measures.map(({ canonical }) => [canonical, Number.NEGATIVE_INFINITY]));
    this.#users = new SampleUnion({ expected: before?.exposed.sampled ?? 0, hashSeed: hashSeed ?? 0 });
  }

  add({ rows, sample, missing, since, looksLost = false }: UnitPart): void {
    for (const [value, row] of rows) {
      addToSum(this.#rows, value, row);
    }
    this.#users.add(sample);
    this.#missing += missing;
    this.#looksLost ||= looksLost;
    if (since === undefined) return;
    for (const [name, at] of Object.entries(this.#since)) {
      this.#since[name] = Math.max(at, since[name] ?? Number.POSITIVE_INFINITY);
    }
  }

  /** Adds a unit that has stored nothing, or whose state is lost: how many lists it has is not known. */
  addUnstored(): void {
    this.#unstored++;
  }

  /** @param asOf event time up to which all results are included; undefined: none */
  state(asOf: EpochMs | undefined): Totals {
    const users = this.#users;
    const variants = new Map<string, VariantState>();
    const others = new Map<string, number>();
    for (const [value, row] of [...this.#rows].sort(([a], [b]) => (a < b ? -1 : 1))) {
      if (this.#settings.variants.has(value)) variants.set(value, variantState(row, this.#measures, this.#since));
      else if (row.impressions > 0) others.set(value, row.impressions);
    }
    return {
      settings: this.#settings,
      measures: this.#measures.map(({ canonical }) => canonical),
      since: { ...this.#since },
      asOf,
      variants,
      others,
      exposed: {
        ...users.exposed(),
        get arrivals() {
          return users.arrivals();
        },
      },
      missing: this.#missing,
      looksLost: this.#looksLost,
      unstored: this.#unstored,
    };
  }
}

/**
 * The state if all parts are available.
 * @param hashSeed as in `UnitsSum`
 */
export function stateOfUnits(
  settings: ExperimentSettings,
  measures: readonly Measure[],
  parts: readonly UnitPart[],
  asOf: EpochMs | undefined,
  hashSeed?: number,
): Totals {
  const sum = new UnitsSum(settings, measures, { hashSeed });
  for (const part of parts) sum.add(part);
  return sum.state(asOf);
}

/**
 * A variant's state from its row.
 * @param measures those of the row's shape, in its order
 * @param since as in `ExperimentState`; default: all lists count in all measures
 */
export function variantState(row: Row, measures: readonly Measure[], since: Since = {}): VariantState {
  const { impressions, positives, userless, empty, vector } = row;
  const shape = shapeOf(measures);
  const sums = sumsStarts(shape);
  const columns = vectorStarts(shape.kinds);
  const means = measures.map((measure, m): readonly [string, Result<ArmMean>] => {
    if (since[measure.canonical] === Number.POSITIVE_INFINITY) return [measure.canonical, absent('no_data')];
    if (vector === undefined) return [measure.canonical, headMean(measure, row.sums.slice(sums[m], sums[m + 1]))];
    return [measure.canonical, armOfVector(vector, measure, columns[m])];
  });
  const share = vector === undefined ? shareOf(empty, impressions) : emptyShare(vector);
  return {
    impressions,
    positives,
    userless,
    empty,
    buckets: vector?.filled().length ?? 0,
    heaviest: vector === undefined ? 0 : heaviestShare(listsByBucket(vector)),
    means: new Map([...means, [EMPTY_SHARE, share]]),
  };
}

function headMean(measure: Measure, sums: Row['sums']): Result<ArmMean> {
  return withoutError(measureValue(measure, sums));
}

function shareOf(part: number, all: number): Result<ArmMean> {
  return withoutError(all === 0 ? undefined : part / all);
}

function withoutError(value: number | undefined): Result<ArmMean> {
  return value === undefined
    ? absent('no_data')
    : { value, stderr: absent('no_vector'), df: 0, kish: 0, users: 0, spread: 0 };
}
