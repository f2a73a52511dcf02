import { z } from 'zod';
import { parseTime } from '../consumers/decode/times.ts';
import {
  anyText,
  dimensionValue,
  duration,
  experimentName,
  group,
  groupingSets,
  list,
  number,
  positiveDuration,
  textOf,
  whole,
} from './values.ts';

/** A time with its zone. */
export function isInstant(text: string): boolean {
  return parseTime(text) >= 0;
}

const instant = textOf('a time such as 2026-11-21T08:00:00Z', /^\S+( \S+)?$/, isInstant);

const measureNames = list(anyText, 'measures, such as [mrr, ndcg@10]');

const experiment = z.strictObject(
  {
    control: dimensionValue,
    variants: z
      .record(dimensionValue, number(0, 1_000_000), {
        error: 'expected variants and their weights, such as {a: 0.5, b: 0.5}',
      })
      .refine((variants) => Object.keys(variants).length >= 2, { error: 'expected at least two variants' }),
    primary: anyText
      .optional()
      .meta({ description: 'the measure that decides; default ndcg@10 if measured, else the first' }),
    guardrails: measureNames.prefault([]),
    horizon: positiveDuration.optional().meta({ description: 'one of attribution.horizons; default the longest' }),
    start: instant.nullable().prefault(null),
    alpha: number(0, 0.5, { above: true })
      .refine((alpha) => alpha < 0.5, { error: 'expected a number above 0 and below 0.5' })
      .prefault(0.05),
    nStar: whole(1, 1_000_000_000).prefault(5000),
    tolerance: number(0, 1).prefault(0.01),
    interleaved: z.boolean({ error: 'expected true or false' }).prefault(false),
  },
  { error: 'expected an experiment such as {control: a, variants: {a: 0.5, b: 0.5}}' },
);

export const experimentsSchema = z.record(experimentName, experiment, {
  error: 'expected experiments by name, such as {default: {control: a, variants: {a: 0.5, b: 0.5}}}',
});

export const statisticsSchema = group({
  clustered: groupingSets
    .optional()
    .meta({ description: 'which of cohorts carry bucket vectors; default [] and [variant]' }),
});

export const detectSchema = group({
  sets: groupingSets.optional().meta({ description: 'which of cohorts are watched; default []' }),
  measures: measureNames.optional().meta({ description: 'default the first of measures' }),
  horizon: positiveDuration.optional().meta({ description: 'one of attribution.horizons; default the shortest' }),
  step: duration.prefault('5m'),
  k: number(0, 10).prefault(0.5),
  h: number(0, 1000, { above: true }).prefault(20),
  tolerance: number(0, 1).prefault(0.01),
});

export type ExperimentDocument = z.output<typeof experiment>;
