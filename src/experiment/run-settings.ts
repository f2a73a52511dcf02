/**
 * What defines a run of an experiment (specification: statistics 1.4): everything whose change makes old and new sums incomparable, even
 * a ramp of the weights, because traffic of two splits must not be pooled. A total, a user sample and the looks belong to one run; any
 * change starts a new one at zero. Measures other than the primary and the guardrails may be added and removed within a run.
 */
import { keysOf, listOf, parseJson, textOf } from '../accumulators/store/json.ts';
import type { ExperimentSettings } from '../config/settings.ts';
import { parseDuration } from '../vocabulary/durations.ts';
import type { EpochMs } from '../vocabulary/events.ts';
import { fmix32, fnv1a32 } from '../vocabulary/user-words.ts';

/** The defining settings by name. The order of variants counts, since the user sample numbers them; that of guardrails does not. */
function definitionOf(settings: ExperimentSettings): Readonly<Record<string, unknown>> {
  const { variants, control, primary, guardrails, horizon, alpha, nStar, start, lowerIsBetter, interleaved } = settings;
  const deciding = [primary, ...guardrails].filter((measure) => lowerIsBetter.has(measure));
  return {
    variants: [...variants],
    control,
    primary,
    guardrails: [...guardrails].sort(),
    horizon: horizon.ms,
    alpha,
    nStar,
    start: start ?? null,
    lowerIsBetter: deciding.sort(),
    interleaved,
  };
}

/** Identifies a run: 16 hexadecimal digits of its definition. The salts differ from those of earlier runs, which all measures defined. */
export function runOf(settings: ExperimentSettings): string {
  const text = JSON.stringify(definitionOf(settings));
  return hex(fnv1a32(`receval/run/5:${text}`)) + hex(fnv1a32(`receval/run/6:${text}`));
}

function hex(word: number): string {
  return fmix32(word).toString(16).padStart(8, '0');
}

/** The definition in the notation of the configuration. */
function writtenOf(settings: ExperimentSettings): Readonly<Record<string, unknown>> {
  const { start } = settings;
  return {
    ...definitionOf(settings),
    horizon: settings.horizon.text,
    start: start === undefined ? null : isoTime(start),
  };
}

/** The settings as JSON, to be stored with the results of looks. */
export function runText(settings: ExperimentSettings): string {
  return JSON.stringify({ ...writtenOf(settings), tolerance: settings.tolerance });
}

/**
 * Reads what `runText` wrote.
 * @throws Error that names the part that is wrong
 */
export function settingsOfRun(
  text: string,
  { name, dimension }: Pick<ExperimentSettings, 'name' | 'dimension'>,
): ExperimentSettings {
  const run = keysOf(parseJson(text, 'run'), 'run');
  const number = (key: string): number => {
    const value = run[key];
    if (typeof value !== 'number') throw new Error(`run.${key}: expected a number`);
    return value;
  };
  const horizon = textOf(run['horizon'], 'run.horizon');
  const ms = parseDuration(horizon);
  if (ms === undefined) throw new Error(`run.horizon: expected a duration, found ${horizon}`);
  return {
    name,
    dimension,
    control: textOf(run['control'], 'run.control'),
    variants: new Map(listOf(run['variants'], 'run.variants', weightOf)),
    primary: textOf(run['primary'], 'run.primary'),
    guardrails: listOf(run['guardrails'], 'run.guardrails', textOf),
    horizon: { text: horizon, ms },
    start: run['start'] === null ? undefined : Date.parse(textOf(run['start'], 'run.start')),
    alpha: number('alpha'),
    nStar: number('nStar'),
    tolerance: number('tolerance'),
    lowerIsBetter: new Set(listOf(run['lowerIsBetter'], 'run.lowerIsBetter', textOf)),
    interleaved: run['interleaved'] === true,
  };
}

function weightOf(value: unknown, where: string): readonly [string, number] {
  const [name, weight] = listOf(value, where, (part) => part);
  if (typeof weight !== 'number') throw new Error(`${where}: expected a variant and its weight`);
  return [textOf(name, where), weight];
}

/** The settings in which two runs differ, a line each, such as `primary: was "mrr", now "ndcg@10"`. */
export function changedInRun(before: ExperimentSettings, after: ExperimentSettings): readonly string[] {
  const [old, now] = [writtenOf(before), writtenOf(after)];
  return Object.keys(now).flatMap((key) => {
    const [was, is] = [JSON.stringify(old[key]), JSON.stringify(now[key])];
    return was === is ? [] : [`${key}: was ${was}, now ${is}`];
  });
}

/** ISO time in UTC with milliseconds: `2026-11-21T08:00:00.000Z`. */
export function isoTime(at: EpochMs): string {
  return new Date(at).toISOString();
}
