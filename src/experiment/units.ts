import { addToSum, type Row } from '../accumulators/row.ts';
import type { ExperimentSettings } from '../config/settings.ts';
import type { Measure } from '../measures/definition.ts';
import { SampleUnion } from '../statistics/sample-union.ts';
import type { Sampled } from '../statistics/sampled.ts';
import type { EpochMs } from '../vocabulary/events.ts';
import { variantState } from './row-state.ts';
import type { ExperimentState, VariantState } from './state.ts';

/** What one unit holds of a run. */
export interface UnitPart {
  /** Rows of the run's total at the experiment's horizon, with vectors, by value of the experiment's dimension. */
  readonly rows: ReadonlyMap<string, Row>;
  /** Users exposed, variants numbered in the order of the settings. */
  readonly sample: Sampled;
  /** Records that gaps and rebuilt spans have lost. */
  readonly missing: number;
}

type Totals = Omit<ExperimentState, 'looks'>;

/**
 * The state of a run from its units: a sum, in any order. Each is added as it comes, because all of their users at once are
 * too many for one turn of the event loop. The looks are kept once for all units and come from elsewhere.
 */
export class UnitsSum {
  readonly #settings: ExperimentSettings;
  readonly #measures: readonly Measure[];
  readonly #rows = new Map<string, Row>();
  readonly #users: SampleUnion;
  #missing = 0;

  /**
   * `measures`: those of the rows, in their order. `before`: the state of the last time; it saves only time. `hashSeed`: as in
   * `SampleUnion`.
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
    this.#users = new SampleUnion({ expected: before?.exposed.sampled ?? 0, hashSeed: hashSeed ?? 0 });
  }

  add({ rows, sample, missing }: UnitPart): void {
    for (const [value, row] of rows) {
      addToSum(this.#rows, value, row);
    }
    this.#users.add(sample);
    this.#missing += missing;
  }

  /** @param asOf event time up to which everything is in; undefined: none */
  state(asOf: EpochMs | undefined): Totals {
    const variants = new Map<string, VariantState>();
    const others = new Map<string, number>();
    for (const [value, row] of [...this.#rows].sort(([a], [b]) => (a < b ? -1 : 1))) {
      if (this.#settings.variants.has(value)) variants.set(value, variantState(row, this.#measures));
      else if (row.impressions > 0) others.set(value, row.impressions);
    }
    return {
      settings: this.#settings,
      measures: this.#measures.map(({ canonical }) => canonical),
      asOf,
      variants,
      others,
      exposed: this.#users.exposed(),
      missing: this.#missing,
    };
  }
}

/** The same where all parts are at hand. @param hashSeed as in `UnitsSum` */
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
