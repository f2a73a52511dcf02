/** How good the rankings are: by cohort and window, against their past, and in experiments. */
import type { Settings } from '../config/settings.ts';
import { EXPERIMENT_VARIABLES, experimentRow } from './experiments.ts';
import { chosen, type DashboardPlan, DECISIONS, decisionNumber, type Marks, type Panel, type Row } from './panel.ts';
import { BANDS, cohortName, dimensions, errorsOf, matchers, qualityVariables, valuesOf } from './quality-choices.ts';
import { weights } from './quality-weights.ts';

/** Of a normal distribution: 95 % lie within so many standard errors. */
const Z95 = 1.96;

export function qualityPlan(settings: Settings): DashboardPlan {
  const { experiments, detect } = settings;
  return {
    uid: 'receval-quality',
    title: 'receval: quality',
    description: 'Ranking measures by cohort and window, against their past, and in experiments.',
    span: '6h',
    marks: detect.sets.length === 0 ? [] : [accepted(settings)],
    variables: [...qualityVariables(settings), ...(experiments.length === 0 ? [] : EXPERIMENT_VARIABLES)],
    rows: [
      { title: 'Cohorts', panels: [values(settings), table(settings)] },
      { title: 'With 95 % of the error', panels: [band()] },
      weights(settings),
      ...(detect.sets.length === 0 ? [] : [past(settings)]),
      ...(experiments.length === 0 ? [] : [experimentRow()]),
    ],
  };
}

function values(settings: Settings): Panel {
  return {
    title: chosen('measure', 'text'),
    metrics: [],
    note: 'The chosen measure of each chosen cohort, over the chosen window.',
    look: { kind: 'lines' },
    queries: [{ expr: valuesOf(matchers(settings)), legend: cohortName(settings) }],
    width: 12,
  };
}

function table(settings: Settings): Panel {
  const which = matchers(settings);
  const labels = `max by (${['by', ...dimensions(settings)].join(', ')})`;
  const weight = (metric: string): string => `${labels} (${metric}{${which}})`;
  return {
    title: `${chosen('measure', 'text')} now`,
    metrics: ['receval_window_impressions', 'receval_window_positives'],
    note: 'Value and standard error of the newest window, and what stands behind them.',
    look: { kind: 'table', hidden: ['by'] },
    queries: [
      { expr: `${labels} (${valuesOf(which)})`, legend: 'value' },
      { expr: `${labels} (${errorsOf(which)})`, legend: 'standard error' },
      { expr: weight('receval_window_impressions'), legend: 'n' },
      { expr: weight('receval_window_positives'), legend: 'n+' },
    ],
    width: 12,
  };
}

function band(): Panel {
  const which = `job="$job", ${chosen('by', 'raw')}, window="$window", ${chosen('cohort', 'raw')}`;
  const margin = `${Z95} * ${errorsOf(which)}`;
  return {
    title: `${chosen('measure', 'text')}: $cohort`,
    metrics: [],
    note: `The value, and ${Z95} standard errors above and below. Of the ${BANDS} chosen cohorts with most impressions.`,
    look: { kind: 'band' },
    queries: [
      { expr: valuesOf(which), legend: 'value' },
      { expr: `${valuesOf(which)}\n+ ${margin}`, legend: 'upper' },
      { expr: `${valuesOf(which)}\n- ${margin}`, legend: 'lower' },
    ],
    width: 8,
    repeat: 'cohort',
  };
}

/** Where the past of a watched cohort ends for who compares with it. */
function accepted(settings: Settings): Marks {
  return {
    name: 'Accepted levels',
    expr: 'max without (instance, pod) (receval_quality_accepted_timestamp_seconds{job="$job"})',
    title: `{{measure}} ${cohortName(settings)}: accepted as normal from here on`,
    color: 'purple',
  };
}

function past(settings: Settings): Row {
  return {
    title: 'Against their own past',
    panels: [
      {
        title: 'Decisions on quality',
        metrics: ['receval_quality_decision'],
        look: { kind: 'states', states: DECISIONS },
        queries: [
          {
            expr: decisionNumber('receval_quality_decision', 'job="$job"'),
            legend: `{{measure}} at {{horizon}} ${cohortName(settings)}`,
          },
        ],
        width: 24,
      },
    ],
  };
}
