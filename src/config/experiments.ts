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
    control: dimensionValue.meta({ description: 'the variant that others are compared with' }),
    variants: z
      .record(dimensionValue, number(0, 1_000_000), {
        error: 'expected variants and their weights, such as {a: 0.5, b: 0.5}',
      })
      .refine((variants) => Object.keys(variants).length >= 2, { error: 'expected at least two variants' })
      .meta({ description: 'at least two, with their weights in the traffic' }),
    primary: anyText.optional().meta({
      description: 'the measure that decides. Default: ndcg@10 if it is measured, else the first with a standard error',
    }),
    guardrails: measureNames.prefault([]).meta({ description: 'measures that must not get worse' }),
    horizon: positiveDuration.optional().meta({ description: 'one of attribution.horizons. Default: the longest' }),
    start: instant.nullable().prefault(null).meta({ description: 'events before this time do not take part' }),
    alpha: number(0, 0.5, { above: true })
      .refine((alpha) => alpha < 0.5, { error: 'expected a number above 0 and below 0.5' })
      .prefault(0.05)
      .meta({ description: 'share of false alarms, below 0.5' }),
    nStar: whole(1, 1_000_000_000)
      .prefault(5000)
      .meta({ description: 'number of users at which the sequential interval is narrowest' }),
    tolerance: number(0, 1).prefault(0.01).meta({ description: 'relative loss that is still healthy' }),
    interleaved: z
      .boolean({ error: 'expected true or false' })
      .prefault(false)
      .meta({ description: 'not yet: both rankers share one list' }),
  },
  { error: 'expected an experiment such as {control: a, variants: {a: 0.5, b: 0.5}}' },
);

export const experimentsSchema = z.record(experimentName, experiment, {
  error: 'expected experiments by name, such as {default: {control: a, variants: {a: 0.5, b: 0.5}}}',
});

export const statisticsSchema = group({
  clustered: groupingSets.optional().meta({
    description:
      'which of cohorts keep sums by user bucket, for standard errors; other sets borrow from the finest of these that is coarser. Default: [] and [variant], as far as cohorts has them',
  }),
});

export const detectSchema = group({
  sets: groupingSets
    .optional()
    .meta({ description: 'which of cohorts are watched for a regression. Default: [] if cohorts has it' }),
  measures: measureNames
    .optional()
    .meta({ description: 'what of them is watched. Default: the first of measures with a standard error' }),
  horizon: positiveDuration.optional().meta({ description: 'one of attribution.horizons. Default: the shortest' }),
  step: duration.prefault('5m').meta({
    description:
      'length of a block, a multiple of paneSize up to 1h. Above 45m nothing is ever judged: minute panes are kept for 27 hours, fewer than the 36 steps that are needed',
  }),
  k: number(0, 10).prefault(0.5).meta({ description: 'slack of the CUSUM, in standard deviations' }),
  h: number(0, 1000, { above: true })
    .prefault(20)
    .meta({ description: 'threshold of the CUSUM, in standard deviations' }),
  tolerance: number(0, 1).prefault(0.01).meta({ description: 'relative fall below which nothing is reported' }),
});

export type ExperimentDocument = z.output<typeof experiment>;
