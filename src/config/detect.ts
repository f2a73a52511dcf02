import type { z } from 'zod';
import { DAY, HOUR } from '../vocabulary/durations.ts';
import { decidable, decidingOf, horizonOf, isSameSet, type Referred, setsOf } from './referred.ts';
import type { Settings } from './settings.ts';
import { group, groupingSets, measureNames, number, positiveSpan, type Span, span } from './values.ts';

export const detectSchema = group({
  sets: groupingSets
    .optional()
    .meta({ description: 'which of cohorts are watched for a regression. Default: [] if cohorts has it' }),
  measures: measureNames
    .optional()
    .meta({ description: 'what is watched in them. Default: the first of measures with a standard error' }),
  horizon: positiveSpan.optional().meta({ description: 'one of attribution.horizons. Default: the shortest' }),
  step: span.prefault('5m').meta({
    description: 'length of a block, a multiple of paneSize up to 1h',
  }),
  history: span.prefault('22d').meta({
    description:
      'how long the hours that a cohort is compared with are kept, from 22d to 366d; a fall becomes the norm when no hour from before it is left',
  }),
  k: number(10).prefault(0.5).meta({ description: 'slack of the CUSUM, in standard deviations' }),
  h: number(1000, { above: true }).prefault(20).meta({
    description: 'threshold of the CUSUM for blocks of one step, in standard deviations; lower for longer blocks',
  }),
  tolerance: number(1).prefault(0.03).meta({
    description:
      'fraction of its own past by which a measure may differ without being reported: more than days differ without a cause',
  }),
});

/** Three weeks and a day: baselines by hour of the week need three weeks. */
const LEAST_HISTORY = 22 * DAY;
const LONGEST_HISTORY = 366 * DAY;

/** The cohorts that are watched for a regression, and how. */
export function detectOf(
  detect: z.output<typeof detectSchema>,
  paneSize: Span,
  referred: Referred,
): Settings['detect'] {
  const { horizons, cohorts, lowerIsBetter, report } = referred;
  const everything = cohorts.filter((set) => set.length === 0);
  const sets = detect.sets === undefined ? everything : setsOf(detect.sets, ['detect', 'sets'], referred);
  const watched = detect.measures?.map((text, i) => decidingOf(text, ['detect', 'measures', i], referred));
  const horizon = horizonOf(detect.horizon, horizons[0], ['detect', 'horizon'], referred);
  const { step, history, k, h, tolerance } = detect;
  if (step.ms <= 0 || step.ms % paneSize.ms !== 0 || step.ms > HOUR) {
    const message = `expected a multiple of paneSize (${paneSize.text}) up to 1h; found "${step.text}"`;
    report.add(['detect', 'step'], message, ['paneSize']);
  }
  if (history.ms < LEAST_HISTORY || history.ms > LONGEST_HISTORY)
    report.add(['detect', 'history'], `expected a duration from 22d to 366d; found "${history.text}"`);
  return {
    sets,
    measures: watched ?? decidable(referred).slice(0, 1),
    horizon,
    step: step.ms,
    history: history.ms,
    k,
    h,
    tolerance,
    lowerIsBetter,
  };
}

export const statisticsSchema = group({
  clustered: groupingSets.optional().meta({
    description:
      'which of cohorts keep sums by user bucket, for standard errors; other sets borrow from the finest of these that is coarser. Default: [] and [variant], as far as cohorts has them',
  }),
});

/** The grouping sets that keep sums by user bucket. */
export function clusteredOf(
  { clustered }: z.output<typeof statisticsSchema>,
  referred: Referred,
): readonly (readonly string[])[] {
  return clustered === undefined
    ? referred.cohorts.filter((set) => set.length === 0 || isSameSet(set, ['variant']))
    : setsOf(clustered, ['statistics', 'clustered'], referred);
}
