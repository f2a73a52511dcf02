import { addRow, copyRow, type Row } from '../accumulators/row.ts';
import type { ExperimentSettings } from '../config/settings.ts';
import type { EpochMs } from '../events.ts';
import type { Measure } from '../measures/family.ts';
import { mergeSamples, type UserSample } from '../statistics/user-sample.ts';
import { variantState } from './row-state.ts';
import type { ExperimentState, VariantState } from './state.ts';

/** What one unit holds of a run. */
export interface UnitPart {
  /** Rows of the run's total at the experiment's horizon, with vectors, by value of the experiment's dimension. */
  readonly rows: ReadonlyMap<string, Row>;
  /** Users exposed, variants numbered in the order of the settings. */
  readonly sample: UserSample;
  /** Records that gaps and rebuilt spans have lost. */
  readonly missing: number;
}

/**
 * The state of a run from all units: a sum, in any order. The looks are kept once for all units and come from elsewhere.
 * @param measures those of the rows, in their order; @param asOf event time up to which everything is in; undefined: none
 */
export function stateOfUnits(
  settings: ExperimentSettings,
  measures: readonly Measure[],
  parts: readonly UnitPart[],
  asOf: EpochMs | undefined,
): Omit<ExperimentState, 'looks'> {
  const variants = new Map<string, VariantState>();
  const others = new Map<string, number>();
  for (const [value, row] of [...sumOf(parts)].sort(([a], [b]) => (a < b ? -1 : 1))) {
    if (settings.variants.has(value)) variants.set(value, variantState(row, measures));
    else if (row.impressions > 0) others.set(value, row.impressions);
  }
  const samples = parts.map(({ sample }) => sample);
  return {
    settings,
    measures: measures.map(({ canonical }) => canonical),
    asOf,
    variants,
    others,
    sample: samples.length === 1 ? samples[0] : mergeSamples(samples, Number.POSITIVE_INFINITY),
    missing: parts.reduce((sum, part) => sum + part.missing, 0),
  };
}

function sumOf(parts: readonly UnitPart[]): ReadonlyMap<string, Row> {
  const sums = new Map<string, Row>();
  for (const { rows } of parts) {
    for (const [value, row] of rows) {
      const sum = sums.get(value);
      if (sum === undefined) sums.set(value, copyRow(row));
      else addRow(sum, row);
    }
  }
  return sums;
}
