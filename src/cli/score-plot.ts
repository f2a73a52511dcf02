import { barPlot } from '../charts/bar-plot.ts';
import { type LineSeries, linePlot } from '../charts/line-plot.ts';
import { light, SERIES, toned } from '../charts/palette.ts';
import { type PlotRow, rowPlot } from '../charts/row-plot.ts';
import type { Measure } from '../measures/definition.ts';
import { lessIsBetter } from '../measures/direction.ts';
import { ALPHA, type Comparison, meanInterval } from '../score/comparisons.ts';
import { measureNames } from '../score/preset.ts';
import { ALL, type ScoreResult, type ScoreRow, scoreTable } from '../score/score-result.ts';
import { isAbsent } from '../statistics/absent.ts';
import { UsageError } from './failure.ts';
import type { PlotSettings, ScoreSettings } from './score-settings.ts';

/** Pixels per inch, as in CSS. */
const INCH = 96;

/** Means, or the values of the requested query, as SVG. @param comparisons for the whiskers of means */
export function scorePlot(
  result: ScoreResult,
  settings: ScoreSettings,
  plot: PlotSettings,
  comparisons: readonly Comparison[] = [],
): string {
  const { query } = settings.rows;
  // Without counts, which would dwarf all measures.
  const { rows } = scoreTable(
    result,
    { names: settings.names, withCounts: false },
    { perQuery: query !== undefined, query },
  );
  const drawn = rows.filter((row) => row.query === (query ?? ALL));
  const size = { width: Math.round(INCH * plot.width), height: Math.round(INCH * plot.height), grid: plot.grid };
  const of = query === undefined ? 'mean over queries' : `query ${query}`;
  const { measures } = result;
  const names = measureNames(measures, settings.names, result.reading);
  if (plot.kind === 'intervals') return intervals(result, names, settings, size);
  const families = familiesOf(measures, names);
  if (plot.kind === 'line') return lines(measures, families, drawn, of, size);
  const whiskers = query === undefined ? whiskersOf(comparisons, names) : NO_WHISKERS;
  if (drawn.length > MOST_BARS) {
    const order = bestFirst(measures[0]);
    const sorted = drawn.toSorted((a, b) => order(a.values[0], b.values[0]));
    return dots(measures, names, sorted, of, size, whiskers);
  }
  const isOneFamily = families.length === 1 && families[0].cuts.length === measures.length && measures.length > 1;
  return isOneFamily
    ? cutBars(families[0], drawn, of, size, whiskers)
    : bars(measures, names, drawn, of, size, whiskers);
}

/** Means of one measure with their intervals over queries; merged runs are highlighted. */
function intervals(
  { measures, runs }: ScoreResult,
  names: readonly string[],
  settings: ScoreSettings,
  size: Size,
): string {
  if (measures.length !== 1) {
    throw new UsageError(
      `--plot intervals shows one measure, such as --measures ndcg@10; there are ${measures.length}`,
    );
  }
  if (settings.rows.query !== undefined) {
    throw new UsageError('--plot intervals is of means over queries: leave out --query, or take --plot bar');
  }
  const [measure] = measures;
  const merged = runs.length - settings.fuse.length;
  const isMixed = settings.fuse.length > 0;
  const order = bestFirst(measure);
  const values = runs.map((run, i) => ({ run, isMerged: i >= merged }));
  const sorted = values.toSorted((a, b) => order(a.run.mean[0], b.run.mean[0]));
  const rows = sorted.map(({ run, isMerged }): PlotRow => {
    const found = meanInterval(measure, run.perQuery, 0, ALPHA);
    const isHollow = isMixed && !isMerged;
    return {
      name: run.name,
      value: run.mean[0],
      interval: isAbsent(found) ? undefined : [found.lower, found.upper],
      colour: isHollow ? light('ink') : SERIES[0],
      isHollow,
      says: shown(run.mean[0]),
    };
  });
  const best = rows.find(({ isHollow }) => isHollow)?.value;
  const counts = [...new Set(runs.map(({ queries }) => queries))];
  const over = counts.length === 1 ? `${counts[0]} queries` : 'queries';
  const said = rows.map(({ name, says, interval }) => {
    const span = interval === undefined ? '' : ` (${interval.map(shown).join(' to ')})`;
    return `${name}: ${says}${span}`;
  });
  return rowPlot({
    ...size,
    title: `${names[0]}, mean over ${over} and its 95 % interval`,
    description: said.join(', '),
    note: isMixed ? 'filled: merged, hollow: input' : '',
    reference: best === undefined ? undefined : { value: best, name: 'best input' },
    isTight: true,
    panels: [{ valueLabel: names[0], sections: [{ heading: '', rows }] }],
  });
}

type Size = Readonly<{ width: number; height: number; grid: boolean }>;

/** Measures that differ only in the cut-off. */
export interface Family {
  readonly label: string;
  /** Cut-offs, and the indices of their measures. */
  readonly cuts: readonly { readonly k: number; readonly place: number }[];
}

export function familiesOf(measures: readonly Measure[], names: readonly string[]): readonly Family[] {
  const families = new Map<string, { readonly label: string; readonly cuts: { k: number; place: number }[] }>();
  for (const [place, { k, canonical }] of measures.entries()) {
    if (k === undefined) continue;
    const key = canonical.slice(0, canonical.lastIndexOf('@'));
    const family = families.get(key) ?? { label: names[place].replace(/[@_]\d+$/, ''), cuts: [] };
    family.cuts.push({ k, place });
    families.set(key, family);
  }
  return [...families.values()];
}

/** More runs could not be distinguished by colour: they are drawn as named dots. */
const MOST_BARS = 8;

/** The ends of whiskers around a run's value of a measure; undefined: there are none. */
interface Whiskers {
  readonly note: string;
  of(row: ScoreRow, measure: number): readonly [lower: number, upper: number] | undefined;
}

const NO_WHISKERS: Whiskers = { note: '', of: () => undefined };

/** The values that the run would have at the two ends of the interval of its difference from the first run. */
function whiskersOf(comparisons: readonly Comparison[], names: readonly string[]): Whiskers {
  if (comparisons.every(({ ci }) => ci === null)) return NO_WHISKERS;
  const [{ baseline }] = comparisons;
  return {
    note: `whiskers: 95 % interval of the difference from ${baseline}, paired by query`,
    of({ run, values }, m) {
      const { ci = null, effect = null } = comparisons.find((one) => one.run === run && one.measure === names[m]) ?? {};
      const value = values[m];
      if (ci === null || effect === null || value === undefined) return undefined;
      return [value + ci[0] - effect, value + ci[1] - effect];
    },
  };
}

function bars(
  measures: readonly Measure[],
  names: readonly string[],
  rows: readonly ScoreRow[],
  of: string,
  size: Size,
  whiskers: Whiskers,
): string {
  const runs = rows.map(({ run }) => run);
  const { note } = whiskers;
  if (names.length === 1) {
    const [name] = names;
    const values = rows.map((row) => row.values[0]);
    const description = runs.map((run, i) => `${run}: ${shown(values[i])}`).join(', ');
    const series = [{ name, values, intervals: rows.map((row) => whiskers.of(row, 0)) }];
    const words = { title: `${name}, ${of}`, description, valueLabel: name, categoryLabel: 'run', note };
    return barPlot({ ...size, ...words, categories: runs, series });
  }
  const title = `${runs.length === 1 ? `${runs[0]}: measures` : 'Runs by measure'}, ${of}`;
  const words = { title, description: `${names.join(', ')} of ${runs.join(', ')}`, note };
  const series = rows.map((row) => ({
    name: row.run,
    values: row.values,
    intervals: names.map((_, m) => whiskers.of(row, m)),
  }));
  const panels = scalesOf(measures).map((categories) => ({
    valueLabel: scaleLabel(measures, categories, categories.length === 1 ? names[categories[0]] : 'value'),
    categories,
  }));
  return barPlot({
    ...size,
    ...words,
    valueLabel: 'value',
    panels,
    categoryLabel: 'measure',
    categories: names,
    series,
  });
}

/** Indices of measures that can share an axis: those from 0, or -1, to 1; errors; and of the others each name. */
function scalesOf(measures: readonly Measure[]): readonly (readonly number[])[] {
  const scales = new Map<string, number[]>();
  for (const [place, { definition }] of measures.entries()) {
    const { name, kind, range } = definition;
    // Errors of predicted scores are in the unit of these.
    const scale = range.every(Number.isFinite) ? 'share' : kind === 'ratings' ? 'error' : name;
    const found = scales.get(scale);
    if (found === undefined) scales.set(scale, [place]);
    else found.push(place);
  }
  return [...scales.values()];
}

/** The label of an axis, and which end of it is better if that may surprise. @param places indices of its measures */
function scaleLabel(measures: readonly Measure[], places: readonly number[], name: string): string {
  const isLess = places.every((m) => lessIsBetter(measures[m], { actions: [] }) === true);
  return isLess ? `${name} (lower is better)` : name;
}

function cutBars(
  { label, cuts }: Family,
  rows: readonly ScoreRow[],
  of: string,
  size: Size,
  whiskers: Whiskers,
): string {
  const series = rows.map((row) => ({
    name: row.run,
    values: cuts.map(({ place }) => row.values[place]),
    intervals: cuts.map(({ place }) => whiskers.of(row, place)),
  }));
  const { note } = whiskers;
  const description = series.map(({ name, values }) => `${name}: ${values.map(shown).join(' ')}`).join('; ');
  const words = { title: `${label} by cut-off, ${of}`, description, valueLabel: label, categoryLabel: 'cut-off', note };
  return barPlot({ ...size, ...words, categories: cuts.map(({ k }) => String(k)), series });
}

/** Sorts values of a measure, the best first: of one that is best near 0 the nearest. A run without a value comes last. */
function bestFirst(measure: Measure): (a: number | undefined, b: number | undefined) => number {
  const isLess = lessIsBetter(measure, { actions: [] });
  const cost = (value: number | undefined): number => {
    if (value === undefined) return Number.MAX_VALUE;
    if (isLess === undefined) return Math.abs(value);
    return isLess ? value : -value;
  };
  return (a, b) => cost(a) - cost(b);
}

/** @param sorted the best run first */
function dots(
  measures: readonly Measure[],
  names: readonly string[],
  sorted: readonly ScoreRow[],
  of: string,
  size: Size,
  whiskers: Whiskers,
): string {
  const isOne = names.length === 1;
  const section = (m: number) => ({
    heading: isOne ? '' : names[m],
    rows: sorted.map((row) => {
      const value = row.values[m];
      return { name: row.run, value, interval: whiskers.of(row, m), colour: toned('plain'), says: shown(value) };
    }),
  });
  return rowPlot({
    ...size,
    title: isOne ? `${names[0]}, ${of}` : `Runs by measure, ${of}`,
    description: names
      .map((name, m) => `${name}: ${sorted.map(({ run, values }) => `${run} ${shown(values[m])}`).join(', ')}`)
      .join('; '),
    note: whiskers.note,
    panels: scalesOf(measures).map((places) => ({
      valueLabel: scaleLabel(measures, places, places.length === 1 ? names[places[0]] : 'value'),
      sections: places.map(section),
    })),
  });
}

function lines(
  measures: readonly Measure[],
  families: readonly Family[],
  rows: readonly ScoreRow[],
  of: string,
  size: Size,
): string {
  if (families.length === 0) {
    throw new UsageError(
      '--plot line needs measures with cut-offs, such as precision@1..10; for others take --plot bar',
    );
  }
  const scales = scalesOf(measures).flatMap((places) => {
    const own = families.filter(({ cuts: [first] }) => places.includes(first.place));
    return own.length === 0 ? [] : [own];
  });
  const isOneEach = scales.every((own) => own.length === 1);
  const lineOf = ({ run, values }: ScoreRow, { label, cuts }: Family): LineSeries => {
    const points = cuts.flatMap(({ k, place }) => {
      const value = values[place];
      return value === undefined ? [] : [{ k, value }];
    });
    return { name: isOneEach ? run : `${run} ${label}`, points: points.sort((a, b) => a.k - b.k) };
  };
  const panels = scales.map((own) => ({
    valueLabel: scaleLabel(measures, [own[0].cuts[0].place], own.length === 1 ? own[0].label : 'value'),
    series: rows.flatMap((row) => own.map((family) => lineOf(row, family))),
  }));
  const description = panels.flatMap(({ valueLabel, series }) =>
    series.map(({ name, points }) => {
      const of = panels.length > 1 && isOneEach ? `${name} ${valueLabel}` : name;
      return `${of}: ${points.map(({ value }) => shown(value)).join(' ')}`;
    }),
  );
  return linePlot({
    ...size,
    title: `${families.map(({ label }) => label).join(', ')} by cut-off, ${of}`,
    description: description.join('; '),
    cutLabel: 'cut-off',
    panels,
  });
}

function shown(value: number | undefined): string {
  return value === undefined ? 'no value' : value.toFixed(4);
}
