import { printFound } from './problems.ts';
import type { Report } from './report.ts';

export interface SeriesCounts {
  readonly measures: number;
  readonly windows: number;
  readonly horizons: number;
  readonly sets: number;
}

/** A value and its standard error. */
export const GAUGES_PER_MEASURE = 2;

/**
 * Cohorts that each grouping set may hold, so that all gauges, values and standard errors, stay within `limits.series`. `auto`
 * is the largest number that fits; one that does not fit is a problem that shows the product.
 */
export function cohortsPerSet(
  asked: number | 'auto',
  series: number,
  { measures, windows, horizons, sets }: SeriesCounts,
  report: Report,
): number {
  const each = measures * GAUGES_PER_MEASURE * windows * horizons * sets;
  const fitting = Math.floor(series / Math.max(1, each));
  const cohorts = asked === 'auto' ? Math.max(1, fitting) : asked;
  if (cohorts <= fitting) return cohorts;
  const factors = `${measures} measures x ${GAUGES_PER_MEASURE} (value, error) x ${windows} windows x ${horizons} horizons x ${sets} sets`;
  const product = `${cohorts} cohort${cohorts === 1 ? '' : 's'} x ${factors} = ${cohorts * each} series`;
  const advice =
    fitting >= 1 ? `expected at most ${fitting}, or a higher limits.series` : 'raise limits.series, or show less';
  report.add(
    ['limits', 'cohortsPerSet'],
    `does not fit into limits.series (${printFound(series)}): ${product}; ${advice}`,
    ['limits.series', 'measures', 'windows', 'attribution.horizons', 'cohorts'],
  );
  return cohorts;
}
