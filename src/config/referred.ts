/** Settings that refer by name to a measure, a horizon or a grouping set elsewhere in the configuration. */

import type { Measure } from '../measures/definition.ts';
import { isLowerBetter, isUndirected } from '../measures/direction.ts';
import { parseMeasures } from '../measures/grammar/measure-name.ts';
import type { MeasureDefaults } from '../measures/grammar/parameters.ts';
import type { Grading } from '../measures/scorer-contract.ts';
import { nearest } from '../vocabulary/spelling.ts';
import type { Report } from './problems.ts';
import type { Path } from './tree.ts';
import type { Span } from './values.ts';

/** The names that settings can refer to. */
export interface Referred {
  /** Canonical names, in order. */
  readonly measures: readonly string[];
  /** Names of the measures that are kept outside of the sums of rows, so that their values have no standard error. */
  readonly withoutError: ReadonlySet<string>;
  readonly defaults: MeasureDefaults;
  readonly horizons: readonly Span[];
  readonly cohorts: readonly (readonly string[])[];
  /** Canonical names of the measures where lower is better. */
  readonly lowerIsBetter: ReadonlySet<string>;
  readonly report: Report;
}

/** Settings without which measures are unknown: if one is wrong, everything that refers to a measure would fail as well. */
const MEASURES = ['measures', 'relevantFrom'];

/** The measures where lower is better, by definition or because `lowerIsBetter` names them. */
export function lowerIsBetterOf(
  texts: readonly string[],
  measures: readonly Measure[],
  grading: Pick<Grading, 'actions'>,
  referred: Omit<Referred, 'lowerIsBetter'>,
): ReadonlySet<string> {
  const known = measures.filter((measure) => isLowerBetter(measure, grading)).map(({ canonical }) => canonical);
  const named = texts.map((text, i) => {
    const name = measureOf(text, ['lowerIsBetter', i], referred);
    if (isUndirected(name)) referred.report.add(['lowerIsBetter', i], nearZero(name));
    return name;
  });
  return new Set([...known, ...named]);
}

/** The measures that a decision can be based on. */
export function decidable({ measures, withoutError }: Pick<Referred, 'measures' | 'withoutError'>): readonly string[] {
  return measures.filter((name) => !withoutError.has(name) && !isUndirected(name));
}

/** Canonical name of a measure that must be among the configured ones. */
function measureOf(
  text: string,
  path: Path,
  { measures, defaults, report }: Pick<Referred, 'measures' | 'defaults' | 'report'>,
): string {
  const parsed = parseMeasures([text], defaults);
  for (const { message } of parsed.problems) report.add(path, message);
  const name = parsed.measures.length === 1 ? parsed.measures[0].canonical : text;
  if (parsed.problems.length === 0 && !measures.includes(name)) {
    report.add(
      path,
      `expected one of measures (${measures.join(', ')}); found "${text}"${near(name, measures)}`,
      MEASURES,
    );
  }
  return name;
}

/** Canonical name of a configured measure that can decide. */
export function decidingOf(text: string, path: Path, referred: Referred): string {
  const name = measureOf(text, path, referred);
  if (referred.withoutError.has(name)) referred.report.add(path, noError(name, referred));
  if (isUndirected(name)) referred.report.add(path, nearZero(name));
  return name;
}

/** The problem with a deciding measure that has no standard error. */
export function noError(name: string, referred: Pick<Referred, 'measures' | 'withoutError'>): string {
  const others = decidable(referred);
  const what =
    others.length === 0
      ? 'add a measure that has one, such as mrr, to measures'
      : `expected one of ${others.join(', ')}`;
  return `${name} has no standard error, so nothing can be decided by it; ${what}`;
}

/** The problem with a deciding measure that has no better direction. */
export function nearZero(name: string): string {
  return `${name} is best near 0, so neither a fall nor a rise of it is better, and nothing can be decided by it; take mae`;
}

export function horizonOf(asked: Span | undefined, usual: Span, path: Path, { horizons, report }: Referred): Span {
  if (asked === undefined) return usual;
  const found = horizons.find((horizon) => horizon.ms === asked.ms);
  if (found !== undefined) return found;
  const names = horizons.map((horizon) => horizon.text).join(', ');
  report.add(path, `expected one of attribution.horizons (${names}); found "${asked.text}"`, ['attribution.horizons']);
  return usual;
}

/** `; did you mean "x"?`, or nothing if no name is near. */
export function near(text: string, names: readonly string[]): string {
  const found = nearest(text, names);
  return found === undefined ? '' : `; did you mean "${found}"?`;
}

export function setsOf(sets: readonly (readonly string[])[], path: Path, { cohorts, report }: Referred) {
  return sets.map((set, i) => {
    const found = cohorts.find((cohort) => isSameSet(cohort, set));
    if (found === undefined)
      report.add([...path, i], `expected one of cohorts; found [${set.join(', ')}]`, ['cohorts']);
    return found ?? set;
  });
}

export function isSameSet(a: readonly string[], b: readonly string[]): boolean {
  return a.length === b.length && a.every((name) => b.includes(name));
}
