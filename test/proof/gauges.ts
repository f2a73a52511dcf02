import { addTo, type PlainRow, type PlainRows } from './expected-rows.ts';
import type { ReferenceSettings } from './parameters.ts';
import { WHOLE } from './parameters.ts';

const PER_ONE = 1e9;
/** Of the vectors of hours. */
const BUCKETS = 64;
/** Fewer that are not empty have no error. */
const LEAST_BUCKETS = 8;

/** The series of the longest window on a page of metrics, by name and labels; the labels in the order of the alphabet. */
export function wholeWindow(page: string): ReadonlyMap<string, number> {
  const series = new Map<string, number>();
  for (const line of page.split('\n')) {
    const [, name, labels, value] = /^(receval_\w+)\{(.*)\} (\S+)$/.exec(line) ?? [];
    if (labels === undefined || name.startsWith('receval_window_complete') || !labels.includes(`window="${WHOLE}"`))
      continue;
    series.set(seriesName(name, labels.match(/\w+="[^"]*"/g) ?? []), Number(value));
  }
  return series;
}

function seriesName(name: string, labels: readonly string[]): string {
  return `${name}{${labels.toSorted().join(',')}}`;
}

/**
 * What the gauges of that window must show: the minute rows of all units, summed and divided once. It holds all of the
 * traffic, so the hours that it overlaps hold the same lists.
 */
export function expectedGauges(settings: ReferenceSettings, units: readonly PlainRows[]): ReadonlyMap<string, number> {
  const sums: PlainRows = new Map();
  for (const rows of units) {
    for (const [key, fields] of rows) {
      const part = key.includes(':pane:m:') ? 'all' : key.includes(':vector:h:') ? 'vectors' : undefined;
      if (part !== undefined) for (const [field, row] of fields) addTo(sums, part, field, row);
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
      const source = by === 'variant,country' ? `${horizon}|variant|${values.split(',')[0]}` : field;
      const ofUsers = bucketStderr(sums.get('vectors')?.get(source), canonical, isMean ? [2, 0, PER_ONE] : [0, 1, 1]);
      const [own, ofSource] = [listStderr(row, canonical), listStderr(sums.get('all')?.get(source), canonical)];
      const stderr = isMean ? own * Math.max(1, ofUsers / ofSource) : source === field ? ofUsers : Number.NaN;
      if (Number.isFinite(stderr)) gauges.set(seriesName(`receval_${name}_stderr`, [...labels, ...cut]), stderr);
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

type Places = readonly [numerator: number, denominator: number, perOne: number];

/** By users, in 64 buckets; NaN: too few, or all alike. */
function bucketStderr(vector: PlainRow | undefined, measure: string, [above, below, perOne]: Places): number {
  const sum = (bucket: number, place: number): number => Number(vector?.get(`${bucket} ${measure}[${place}]`) ?? 0n);
  const m = Array.from({ length: BUCKETS }, (_, bucket) => sum(bucket, above) / perOne);
  const d = Array.from({ length: BUCKETS }, (_, bucket) => sum(bucket, below));
  const total = d.reduce((all, one) => all + one, 0);
  const ratio = m.reduce((all, one) => all + one, 0) / total;
  const squares = m.reduce((all, one, bucket) => all + (one - ratio * d[bucket]) ** 2, 0);
  if (squares === 0 || d.filter((one) => one > 0).length < LEAST_BUCKETS) return Number.NaN;
  return Math.sqrt((BUCKETS / (BUCKETS - 1)) * squares) / total;
}

/** As if lists were independent. */
function listStderr(row: PlainRow | undefined, measure: string): number {
  const [n, , sum, squares] = [0, 1, 2, 3].map((place) => Number(row?.get(`${measure}[${place}]`) ?? 0n));
  const spread = squares / PER_ONE - (sum / PER_ONE) ** 2 / n;
  return n < 2 || spread <= 0 ? Number.NaN : Math.sqrt(spread / n / (n - 1));
}

/** Series that are missing, too many, or off by more than the last digits of a division or of a root; in words. */
export function gaugeDifferences(wanted: ReadonlyMap<string, number>, found: ReadonlyMap<string, number>): string[] {
  return [...new Set([...wanted.keys(), ...found.keys()])].flatMap((series) => {
    const a = wanted.get(series);
    const b = found.get(series);
    const tolerance = series.includes('_stderr{') ? 1e-9 : 1e-12;
    if (a !== undefined && b !== undefined && Math.abs(a - b) <= tolerance * Math.abs(a)) return [];
    return [`${series}: expected ${a ?? 'nothing'}, shown ${b ?? 'nothing'}`];
  });
}
