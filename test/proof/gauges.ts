import { addTo, type PlainRow, type PlainRows } from './expected-rows.ts';
import type { ReferenceSettings } from './parameters.ts';
import { WHOLE } from './parameters.ts';

const PER_ONE = 1e9;

/** The series of the longest window on a page of metrics, by name and labels; the labels in the order of the alphabet. */
export function wholeWindow(page: string): ReadonlyMap<string, number> {
  const series = new Map<string, number>();
  for (const line of page.split('\n')) {
    const [, name, labels, value] = /^(receval_\w+)\{(.*)\} (\S+)$/.exec(line) ?? [];
    if (labels === undefined || name === 'receval_window_complete' || !labels.includes(`window="${WHOLE}"`)) continue;
    series.set(seriesName(name, labels.match(/\w+="[^"]*"/g) ?? []), Number(value));
  }
  return series;
}

function seriesName(name: string, labels: readonly string[]): string {
  return `${name}{${labels.toSorted().join(',')}}`;
}

/** What the gauges of that window must show: the minute rows of all units, summed and divided once. */
export function expectedGauges(settings: ReferenceSettings, units: readonly PlainRows[]): ReadonlyMap<string, number> {
  const sums: PlainRows = new Map();
  for (const rows of units) {
    for (const [key, fields] of rows) {
      if (key.includes(':pane:m:')) for (const [field, row] of fields) addTo(sums, 'all', field, row);
    }
  }
  const gauges = new Map<string, number>();
  for (const [field, row] of sums.get('all') ?? []) {
    const [horizon, by, values] = field.split('|');
    const cohort = by === '' ? [] : by.split(',').map((name, i) => `${name}="${values.split(',')[i]}"`);
    const labels = [`window="${WHOLE}"`, `horizon="${horizon}"`, `by="${by}"`, ...cohort];
    gauges.set(seriesName('receval_window_impressions', labels), Number(row.get('impressions')));
    gauges.set(seriesName('receval_window_positives', labels), Number(row.get('positives')));
    for (const { canonical, name, k, params } of settings.measures) {
      const isMean = params.get('avg') === 'macro';
      const value = isMean ? meanOf(row, canonical) : fractionOf(row, canonical);
      if (value === undefined) continue;
      const cut = k === undefined ? [] : [`k="${k}"`];
      gauges.set(seriesName(`receval_${name}`, [...labels, ...cut]), value);
    }
  }
  return gauges;
}

function meanOf(row: PlainRow, measure: string): number | undefined {
  const n = Number(row.get(`${measure}[0]`));
  return n === 0 ? undefined : Number(row.get(`${measure}[2]`)) / PER_ONE / n;
}

function fractionOf(row: PlainRow, measure: string): number | undefined {
  const below = Number(row.get(`${measure}[1]`));
  return below === 0 ? undefined : Number(row.get(`${measure}[0]`)) / below;
}

/** Series that are missing, too many, or off by more than the last digits of a division; in words. */
export function gaugeDifferences(wanted: ReadonlyMap<string, number>, found: ReadonlyMap<string, number>): string[] {
  return [...new Set([...wanted.keys(), ...found.keys()])].flatMap((series) => {
    const a = wanted.get(series);
    const b = found.get(series);
    if (a !== undefined && b !== undefined && Math.abs(a - b) <= 1e-12 * Math.abs(a)) return [];
    return [`${series}: expected ${a ?? 'nothing'}, shown ${b ?? 'nothing'}`];
  });
}
