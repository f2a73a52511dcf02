/** Experiments and regression detection: settings that refer to measures, horizons and grouping sets. */
import { isDimensionName } from '../consumers/decode/dimensions.ts';
import { parseTime } from '../consumers/decode/times.ts';
import { parseDuration } from '../durations.ts';
import type { MeasureDefaults } from '../measures/family.ts';
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
  readonly defaults: MeasureDefaults;
  readonly horizons: readonly Span[];
  readonly cohorts: readonly (readonly string[])[];
  readonly report: Report;
}

const USUAL_PRIMARY = 'ndcg@10';
/** A user of the user sample keeps the variants seen in one number. */
const MOST_VARIANTS = 31;
/** A measure that could not be read would be missed by everything that refers to it. */
const MEASURES = ['measures', 'relevantFrom'];

export function experimentsOf(document: ConfigDocument, referred: Referred): readonly ExperimentSettings[] {
  const { measures, report } = referred;
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
    const usual = measures.includes(USUAL_PRIMARY) ? USUAL_PRIMARY : (measures[0] ?? '');
    const primary =
      experiment.primary === undefined ? usual : measureOf(experiment.primary, [...at, 'primary'], referred);
    const guardrails = experiment.guardrails.map((text, i) => measureOf(text, [...at, 'guardrails', i], referred));
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
      interleaved,
    };
  });
}

export function clusteredOf(document: ConfigDocument, referred: Referred): readonly (readonly string[])[] {
  const { clustered } = document.statistics;
  return clustered === undefined
    ? referred.cohorts.filter((set) => set.length === 0 || isSameSet(set, ['variant']))
    : setsOf(clustered, ['statistics', 'clustered'], referred);
}

export function detectOf({ detect, paneSize }: ConfigDocument, referred: Referred): Settings['detect'] {
  const { measures, horizons, cohorts, report } = referred;
  const everything = cohorts.filter((set) => set.length === 0);
  const sets = detect.sets === undefined ? everything : setsOf(detect.sets, ['detect', 'sets'], referred);
  const watched = detect.measures?.map((text, i) => measureOf(text, ['detect', 'measures', i], referred));
  const horizon = horizonOf(detect.horizon, horizons[0], ['detect', 'horizon'], referred);
  const step = parseDuration(detect.step) ?? 0;
  const pane = parseDuration(paneSize) ?? 1;
  if (step <= 0 || step % pane !== 0 || step > 3_600_000) {
    report.add(['detect', 'step'], `expected a multiple of paneSize (${paneSize}) up to 1h; found "${detect.step}"`, [
      'paneSize',
    ]);
  }
  const { k, h, tolerance } = detect;
  return { sets, measures: watched ?? measures.slice(0, 1), horizon, step, k, h, tolerance };
}

/** Canonical name of a measure that must be among the configured ones. */
function measureOf(text: string, path: Path, { measures, defaults, report }: Referred): string {
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

function setsOf(sets: readonly (readonly string[])[], path: Path, { cohorts, report }: Referred) {
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
