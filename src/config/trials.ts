/** Experiments and regression detection: settings that refer to measures, horizons and grouping sets. */
import { isDimensionName } from '../consumers/decode/dimensions.ts';
import { parseTime } from '../consumers/decode/times.ts';
import { parseDuration } from '../durations.ts';
import type { Grading } from '../measures/contract.ts';
import { isLowerBetter } from '../measures/direction.ts';
import type { Measure, MeasureDefaults } from '../measures/family.ts';
import { parseMeasures } from '../measures/name.ts';
import { nearest } from '../spelling.ts';
import type { Report } from './report.ts';
import type { ConfigDocument } from './schema.ts';
import type { ExperimentSettings, Settings, Span } from './settings.ts';
import type { Path } from './tree.ts';

/** What these settings refer to. */
export interface Referred {
  /** Canonical names, in order. */
  readonly measures: readonly string[];
  /** Those of them that stand apart from the sums of rows, so that their values have no standard error. */
  readonly withoutError: ReadonlySet<string>;
  readonly defaults: MeasureDefaults;
  readonly horizons: readonly Span[];
  readonly cohorts: readonly (readonly string[])[];
  /** Canonical names of the measures of which less is better. */
  readonly lowerIsBetter: ReadonlySet<string>;
  readonly report: Report;
}

const USUAL_PRIMARY = 'ndcg@10';
/** A user of the user sample keeps the variants seen in one number. */
const MOST_VARIANTS = 31;
/** A measure that could not be read would be missed by everything that refers to it. */
const MEASURES = ['measures', 'relevantFrom'];

export function experimentsOf(document: ConfigDocument, referred: Referred): readonly ExperimentSettings[] {
  const { measures, lowerIsBetter, report } = referred;
  return Object.entries(document.experiments).map(([name, experiment]): ExperimentSettings => {
    const at: Path = ['experiments', name];
    const dimension = name === 'default' ? 'variant' : `experiment_${name}`;
    const { control, alpha, nStar, tolerance, interleaved } = experiment;
    const variants = new Map(Object.entries(experiment.variants));
    if (!isDimensionName(dimension)) report.add(at, `its dimension ${dimension} would be no valid name`);
    if (!variants.has(control)) {
      report.add(
        [...at, 'control'],
        `expected one of the variants (${[...variants.keys()].join(', ')}); found "${control}"${near(control, [...variants.keys()])}`,
      );
    } else if (variants.get(control) === 0) {
      report.add([...at, 'variants', control], 'expected a weight above 0 for the control');
    }
    if ([...variants.values()].filter((weight) => weight > 0).length < 2) {
      report.add([...at, 'variants'], 'expected at least two variants with a weight above 0');
    }
    if (variants.size > MOST_VARIANTS) report.add([...at, 'variants'], `expected at most ${MOST_VARIANTS} variants`);
    if (interleaved) {
      report.add([...at, 'interleaved'], 'expected false: interleaved lists cannot be compared yet; found true');
    }
    const usual = measures.includes(USUAL_PRIMARY) ? USUAL_PRIMARY : (decidable(referred)[0] ?? '');
    const primary =
      experiment.primary === undefined ? usual : decidingOf(experiment.primary, [...at, 'primary'], referred);
    const guardrails = experiment.guardrails.map((text, i) => decidingOf(text, [...at, 'guardrails', i], referred));
    for (const [i, guardrail] of guardrails.entries()) {
      if (guardrail === primary) report.add([...at, 'guardrails', i], 'is the primary measure already');
      else if (guardrails.indexOf(guardrail) < i) report.add([...at, 'guardrails', i], 'stands there twice');
    }
    const longest = referred.horizons[referred.horizons.length - 1];
    const horizon = horizonOf(experiment.horizon, longest, [...at, 'horizon'], referred);
    const start = experiment.start === null ? undefined : Math.floor(parseTime(experiment.start));
    return {
      name,
      dimension,
      control,
      variants,
      primary,
      guardrails,
      horizon,
      start,
      alpha,
      nStar,
      tolerance,
      lowerIsBetter,
      interleaved,
    };
  });
}

/** Those that are known, and those that `lowerIsBetter` names. */
export function lowerIsBetterOf(
  document: ConfigDocument,
  measures: readonly Measure[],
  grading: Pick<Grading, 'actions'>,
  referred: Omit<Referred, 'lowerIsBetter'>,
): ReadonlySet<string> {
  const known = measures.filter((measure) => isLowerBetter(measure, grading)).map(({ canonical }) => canonical);
  const named = document.lowerIsBetter.map((text, i) => measureOf(text, ['lowerIsBetter', i], referred));
  return new Set([...known, ...named]);
}

export function clusteredOf(document: ConfigDocument, referred: Referred): readonly (readonly string[])[] {
  const { clustered } = document.statistics;
  return clustered === undefined
    ? referred.cohorts.filter((set) => set.length === 0 || isSameSet(set, ['variant']))
    : setsOf(clustered, ['statistics', 'clustered'], referred);
}

export function detectOf({ detect, paneSize }: ConfigDocument, referred: Referred): Settings['detect'] {
  const { horizons, cohorts, lowerIsBetter, report } = referred;
  const everything = cohorts.filter((set) => set.length === 0);
  const sets = detect.sets === undefined ? everything : setsOf(detect.sets, ['detect', 'sets'], referred);
  const watched = detect.measures?.map((text, i) => decidingOf(text, ['detect', 'measures', i], referred));
  const horizon = horizonOf(detect.horizon, horizons[0], ['detect', 'horizon'], referred);
  const step = parseDuration(detect.step) ?? 0;
  const pane = parseDuration(paneSize) ?? 1;
  if (step <= 0 || step % pane !== 0 || step > 3_600_000) {
    report.add(['detect', 'step'], `expected a multiple of paneSize (${paneSize}) up to 1h; found "${detect.step}"`, [
      'paneSize',
    ]);
  }
  const { k, h, tolerance } = detect;
  return { sets, measures: watched ?? decidable(referred).slice(0, 1), horizon, step, k, h, tolerance, lowerIsBetter };
}

/** The measures whose values have a standard error; where none has, all. */
function decidable({ measures, withoutError }: Pick<Referred, 'measures' | 'withoutError'>): readonly string[] {
  const some = measures.filter((name) => !withoutError.has(name));
  return some.length > 0 ? some : measures;
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

/** The same of a measure that something is to be decided by. */
function decidingOf(text: string, path: Path, referred: Referred): string {
  const name = measureOf(text, path, referred);
  if (referred.withoutError.has(name)) {
    const others = decidable(referred).join(', ');
    referred.report.add(
      path,
      `${name} has no standard error, so nothing can be decided by it; expected one of ${others}`,
    );
  }
  return name;
}

function horizonOf(text: string | undefined, usual: Span, path: Path, { horizons, report }: Referred): Span {
  if (text === undefined) return usual;
  const ms = parseDuration(text);
  const found = horizons.find((horizon) => horizon.ms === ms);
  if (found !== undefined) return found;
  const names = horizons.map((horizon) => horizon.text).join(', ');
  report.add(path, `expected one of attribution.horizons (${names}); found "${text}"`, ['attribution.horizons']);
  return usual;
}

/** `; did you mean "x"?`, or nothing where no name is near. */
function near(text: string, names: readonly string[]): string {
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

function isSameSet(a: readonly string[], b: readonly string[]): boolean {
  return a.length === b.length && a.every((name) => b.includes(name));
}
