import { z } from 'zod';
import { isDimensionName } from '../consumers/decode/dimensions.ts';
import { parseTime } from '../consumers/decode/times.ts';
import { isUndirected } from '../measures/direction.ts';
import type { Report } from './problems.ts';
import { decidable, decidingOf, horizonOf, near, nearZero, noError, type Referred } from './referred.ts';
import type { ExperimentSettings } from './settings.ts';
import type { Path } from './tree.ts';
import {
  anyText,
  between,
  dimensionValue,
  ENDS_RUN,
  experimentName,
  instant,
  measureNames,
  number,
  ON_CHANGE,
  positiveSpan,
  whole,
} from './values.ts';

const USUAL_PRIMARY = 'ndcg@10';
/** The user sample stores the set of variants that a user has seen in one number. */
const MOST_VARIANTS = 31;
/** Number of runs that have a bit in a tag (accumulators/runs.ts). */
const MOST_EXPERIMENTS = 31;

const experiment = z.strictObject(
  {
    control: dimensionValue
      .meta({ description: 'the variant that others are compared with' })
      .register(ON_CHANGE, ENDS_RUN),
    variants: z
      .record(dimensionValue, number(1_000_000), {
        error: 'expected variants and their weights, such as {a: 0.5, b: 0.5}',
      })
      .refine((variants) => Object.keys(variants).length >= 2, { error: 'expected at least two variants' })
      .meta({ description: 'at least two, with their weights in the traffic' })
      .register(ON_CHANGE, ENDS_RUN),
    primary: anyText
      .optional()
      .meta({
        description:
          'the measure that decides. Default: ndcg@10 if it is measured, else the first with a standard error',
      })
      .register(ON_CHANGE, ENDS_RUN),
    guardrails: measureNames
      .prefault([])
      .meta({ description: 'measures that must not get worse' })
      .register(ON_CHANGE, ENDS_RUN),
    horizon: positiveSpan
      .optional()
      .meta({ description: 'one of attribution.horizons. Default: the longest' })
      .register(ON_CHANGE, ENDS_RUN),
    start: instant
      .nullable()
      .transform((time) => (time === null ? undefined : Math.floor(parseTime(time))))
      .prefault(null)
      .meta({ description: 'events before this time are excluded' })
      .register(ON_CHANGE, ENDS_RUN),
    alpha: between(0, 0.5).prefault(0.05).meta({ description: 'share of false alarms' }).register(ON_CHANGE, ENDS_RUN),
    nStar: whole(1, 1_000_000_000)
      .prefault(5000)
      .meta({
        description:
          'roughly how many users you plan for, control and variant together: there the interval is narrowest. receval compare --plan shows how many an effect takes',
      })
      .register(ON_CHANGE, ENDS_RUN),
    tolerance: number(1)
      .prefault(0.01)
      .meta({ description: 'relative loss that is still healthy' })
      .register(ON_CHANGE, { change: 'free' }),
    interleaved: z
      .boolean({ error: 'expected true or false' })
      .prefault(false)
      .meta({ description: 'not yet: both rankers share one list' })
      .register(ON_CHANGE, ENDS_RUN),
  },
  { error: 'expected an experiment such as {control: a, variants: {a: 0.5, b: 0.5}}' },
);

export const experimentsSchema = z.record(experimentName, experiment, {
  error: 'expected experiments by name, such as {default: {control: a, variants: {a: 0.5, b: 0.5}}}',
});

type ExperimentDocument = z.output<typeof experiment>;

/** Every configured experiment. Reports inconsistencies. `decides`: whether the command makes decisions on them. */
export function experimentsOf(
  documents: Readonly<Record<string, ExperimentDocument>>,
  referred: Referred,
  decides: boolean,
): readonly ExperimentSettings[] {
  const { measures, lowerIsBetter, report } = referred;
  const count = Object.keys(documents).length;
  if (count > MOST_EXPERIMENTS) {
    report.add(
      ['experiments'],
      `expected at most ${MOST_EXPERIMENTS} experiments, not ${count}: remove those that have ended`,
    );
  }
  return Object.entries(documents).map(([name, experiment]): ExperimentSettings => {
    const at: Path = ['experiments', name];
    const dimension = dimensionOf(name);
    const { control, start, alpha, nStar, tolerance, interleaved } = experiment;
    const variants = new Map(Object.entries(experiment.variants));
    if (!isDimensionName(dimension)) report.add(at, `its dimension ${dimension} would be no valid name`);
    checkVariants(variants, control, at, report);
    if (interleaved) {
      report.add([...at, 'interleaved'], 'expected false: interleaved lists cannot be compared yet; found true');
    }
    const usual = measures.includes(USUAL_PRIMARY) ? USUAL_PRIMARY : (decidable(referred)[0] ?? measures[0] ?? '');
    const primary =
      experiment.primary === undefined ? usual : decidingOf(experiment.primary, [...at, 'primary'], referred);
    if (decides && experiment.primary === undefined && isUndirected(usual)) {
      report.add([...at, 'primary'], nearZero(usual));
    }
    if (decides && experiment.primary === undefined && referred.withoutError.has(usual)) {
      const message = `${noError(usual, referred)}, or write experiments: {} to decide nothing`;
      report.add([...at, 'primary'], message, ['measures']);
    }
    const guardrails = experiment.guardrails.map((text, i) => decidingOf(text, [...at, 'guardrails', i], referred));
    for (const [i, guardrail] of guardrails.entries()) {
      if (guardrail === primary) report.add([...at, 'guardrails', i], 'is the primary measure already');
      else if (guardrails.indexOf(guardrail) < i) report.add([...at, 'guardrails', i], 'appears twice');
    }
    const longest = referred.horizons[referred.horizons.length - 1];
    const horizon = horizonOf(experiment.horizon, longest, [...at, 'horizon'], referred);
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

/** The dimension of an experiment's variants. */
export function dimensionOf(experiment: string): string {
  return experiment === 'default' ? 'variant' : `experiment_${experiment}`;
}

/** The values that the configuration names, controls included, for each dimension. */
export function namedValues(experiments: readonly ExperimentSettings[]): ReadonlyMap<string, readonly string[]> {
  return new Map(experiments.map(({ dimension, variants }) => [dimension, [...variants.keys()]] as const));
}

function checkVariants(variants: ReadonlyMap<string, number>, control: string, at: Path, report: Report): void {
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
}
