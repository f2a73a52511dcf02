/** The quality of the rankings: by cohort and window, against their past, and in experiments. */

import { setText } from '../accumulators/store/layout.ts';
import type { Settings } from '../config/settings.ts';
import type { Measure } from '../measures/definition.ts';
import { valueName } from '../metrics/metric-specs.ts';
import { paramsOf } from '../metrics/quality.ts';
import { NORMAL_95 } from '../vocabulary/numbers.ts';
import {
  chosen,
  type DashboardPlan,
  DECISIONS,
  decisionNumber,
  type Marks,
  type Option,
  type Panel,
  type Row,
  type Variable,
} from './panel.ts';
import { WHOLE_WINDOWS } from './whole-windows.ts';

/** Number of cohorts that have a panel of their own: those with most impressions. */
const BANDS = 6;

/** All exporters report the same values; takes one. */
const ONE = 'max without (instance, pod)';

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
      { title: 'Cohorts', panels: [values(settings), table(settings), ...WHOLE_WINDOWS] },
      { title: 'With the 95 % interval', panels: [band()] },
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
    note: 'Value and standard error of the newest window, and the data behind them.',
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
  const margin = `${NORMAL_95} * ${errorsOf(which)}`;
  return {
    title: `${chosen('measure', 'text')}: $cohort`,
    metrics: [],
    note: `The value, and ${NORMAL_95} standard errors above and below. Of the ${BANDS} chosen cohorts with most impressions.`,
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

/** Marks the times at which the level of a watched cohort was accepted. */
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

/** The number of impressions that each value is based on, and its share. */
function weights(settings: Settings): Row {
  const which = matchers(settings);
  const legend = cohortName(settings);
  const of = (metric: string): string => `${ONE} (${metric}{${which}})`;
  const [impressions, positives] = ['receval_window_impressions', 'receval_window_positives'];
  return {
    title: 'Behind the measure',
    panels: [
      {
        title: 'n: impressions',
        metrics: [impressions],
        look: { kind: 'lines' },
        queries: [{ expr: of(impressions), legend }],
        width: 8,
      },
      {
        title: 'n+: impressions with a positive',
        metrics: [positives],
        look: { kind: 'lines' },
        queries: [{ expr: of(positives), legend }],
        width: 8,
      },
      {
        title: 'n+ / n',
        metrics: [impressions, positives],
        note: 'Share of impressions with a positive. Most measures are this share times a mean over the lists with a positive: a fall of it alone is no worse order.',
        look: { kind: 'lines' },
        queries: [{ expr: `${of(positives)}\n/ ${of(impressions)}`, legend }],
        unit: 'percentunit',
        width: 8,
      },
      {
        title: 'Mean over lists with a positive',
        metrics: [impressions, positives],
        note: 'The chosen measure times n / n+: how good the order is where there was something to find. For measures that count a list without a positive as 0.',
        look: { kind: 'lines' },
        queries: [
          {
            expr: `${valuesOf(which)}\n* ignoring (k, params) ${of(impressions)}\n/ ignoring (k, params) ${of(positives)}`,
            legend,
          },
        ],
        width: 8,
      },
      {
        title: 'Age of the newest result',
        metrics: ['receval_result_timestamp_seconds'],
        look: { kind: 'lines' },
        queries: [{ expr: `time() - ${ONE} (receval_result_timestamp_seconds{job="$job"})`, legend: '{{horizon}}' }],
        unit: 's',
        width: 8,
      },
      {
        title: 'Cohorts with too many items',
        metrics: ['receval_item_limit_rows'],
        look: { kind: 'lines' },
        queries: [{ expr: `${ONE} (receval_item_limit_rows{job="$job"})`, legend: 'cohorts' }],
        width: 8,
      },
    ],
  };
}

/** The dimensions that can be chosen at the top of the dashboard on quality. */
function dimensions({ cohorts }: Settings): readonly string[] {
  return [...new Set(cohorts.flat())];
}

/** The variable of a dimension. It has a prefix because a dimension may have any name. */
function choiceOf(dimension: string): string {
  return `dim_${dimension}`;
}

function qualityVariables(settings: Settings): readonly Variable[] {
  const { measures, windows, cohorts, attribution, experiments } = settings;
  const all = measures.map(measureOption);
  const primary = all.find(({ text }) => text === experiments[0]?.primary) ?? all[0];
  const sets = cohorts.map(setOption);
  const variantSet = sets.find(({ text }) => text === 'variant') ?? sets[0];
  const spans = windows.map(({ text }) => ({ text, value: text }));
  const horizons = attribution.horizons.map(({ text }) => ({ text, value: text }));
  return [
    { kind: 'datasource', name: 'datasource', label: 'Prometheus' },
    {
      kind: 'query',
      name: 'job',
      label: 'Job',
      query: 'label_values(receval_window_complete, job)',
      several: false,
    },
    { kind: 'choice', name: 'measure', label: 'Measure', options: all, first: primary },
    { kind: 'choice', name: 'by', label: 'Cohorts by', options: sets, first: variantSet },
    { kind: 'choice', name: 'window', label: 'Window', options: spans, first: spans[Math.min(1, spans.length - 1)] },
    { kind: 'choice', name: 'horizon', label: 'Horizon', options: horizons, first: horizons[horizons.length - 1] },
    ...dimensions(settings).map(
      (dimension): Variable => ({
        kind: 'query',
        name: choiceOf(dimension),
        label: dimension,
        query: `label_values(receval_window_impressions{job="$job"}, ${dimension})`,
        several: true,
      }),
    ),
    {
      kind: 'query',
      name: 'cohort',
      label: 'With the error',
      query: `query_result(topk(${BANDS}, max by (${['horizon', ...dimensions(settings)].join(', ')}) (receval_window_impressions{${matchers(settings)}})))`,
      regex: '/\\{(.+)\\}/',
      several: true,
    },
  ];
}

/** An option whose value selects a measure and its errors, whatever the name of its metric. */
function measureOption(measure: Measure): Option {
  const { name, k, canonical } = measure;
  const value = `__name__=~"${valueName(name)}(_stderr)?", k="${k ?? ''}", params="${paramsOf(measure) ?? ''}"`;
  return { text: canonical, value };
}

function setOption(by: readonly string[]): Option {
  return { text: by.length === 0 ? 'everything' : setText(by), value: `by="${setText(by)}"` };
}

/** Matchers that select the chosen cohorts. */
function matchers(settings: Settings): string {
  const narrowed = dimensions(settings).map((dimension) => `, ${dimension}=~"$${choiceOf(dimension)}"`);
  return `job="$job", ${chosen('by', 'raw')}, window="$window", horizon="$horizon"${narrowed.join('')}`;
}

function valuesOf(which: string): string {
  return `${ONE} ({${chosen('measure', 'raw')}, __name__!~".+_stderr", ${which}})`;
}

function errorsOf(which: string): string {
  return `${ONE} ({${chosen('measure', 'raw')}, __name__=~".+_stderr", ${which}})`;
}

function cohortName(settings: Settings): string {
  return dimensions(settings)
    .map((dimension) => `{{${dimension}}}`)
    .join(' ');
}

/** All exporters report the same values; takes one. */
function one(metric: string, matchers: string): string {
  return `max without (instance, pod) (${metric}{${matchers}})`;
}

const OF_EXPERIMENT = 'job="$job", experiment="$experiment"';

const OF_ARM = `${OF_EXPERIMENT}, measure="$compared"`;

/** Below this p, users are not split as configured (specification: statistics 5.3). */
const SRM_LIMIT = 0.001;

const EXPERIMENT_VARIABLES: readonly Variable[] = [
  {
    kind: 'query',
    name: 'experiment',
    label: 'Experiment',
    query: 'label_values(receval_experiment_decision{job="$job"}, experiment)',
    several: false,
  },
  {
    kind: 'query',
    name: 'compared',
    label: 'its measure',
    query: `label_values(receval_experiment_effect{${OF_EXPERIMENT}}, measure)`,
    several: false,
  },
  {
    kind: 'query',
    name: 'arm',
    label: 'its variants',
    query: `label_values(receval_experiment_effect{${OF_EXPERIMENT}}, variant)`,
    regex: '/(.+)/',
    several: true,
  },
];

/** Compares the variants of an experiment with its control, since the start of its run. */
function experimentRow(): Row {
  return { title: 'Experiment $experiment', panels: [decision(), split(), effect(), ...evidence(), empty()] };
}

function decision(): Panel {
  return {
    title: 'Decisions on variants',
    metrics: ['receval_experiment_decision'],
    look: { kind: 'states', states: DECISIONS },
    queries: [{ expr: decisionNumber('receval_experiment_decision', OF_EXPERIMENT), legend: '{{variant}}' }],
    width: 16,
  };
}

function split(): Panel {
  return {
    title: 'Split of the users (SRM)',
    metrics: ['receval_experiment_srm_p_value'],
    note: `Below ${SRM_LIMIT} the users are not split as the weights say, and no effect can be trusted.`,
    look: { kind: 'lines', log: true, limit: { value: SRM_LIMIT, color: 'red' } },
    queries: [{ expr: one('receval_experiment_srm_p_value', OF_EXPERIMENT), legend: 'p' }],
    width: 8,
  };
}

function effect(): Panel {
  const arm = `${OF_ARM}, variant="${chosen('arm', 'raw')}"`;
  return {
    title: '$compared: $arm minus control',
    metrics: ['receval_experiment_effect', 'receval_experiment_ci_lower', 'receval_experiment_ci_upper'],
    note: 'The bounds hold at all times together: an effect whose band lies on one side of 0 is one, whenever you look.',
    look: { kind: 'band' },
    queries: [
      { expr: one('receval_experiment_effect', arm), legend: 'effect' },
      { expr: one('receval_experiment_ci_upper', arm), legend: 'upper' },
      { expr: one('receval_experiment_ci_lower', arm), legend: 'lower' },
    ],
    width: 12,
    repeat: 'arm',
  };
}

function evidence(): readonly Panel[] {
  const shown = [
    ['Smallest p so far', 'receval_experiment_p_value', true],
    ['Evidence (log e)', 'receval_experiment_log_e_value', false],
    ['Smallest effect that would be seen', 'receval_experiment_mde', false],
  ] as const;
  return shown.map(([title, metric, log]) => ({
    title,
    metrics: [metric],
    look: { kind: 'lines', log },
    queries: [{ expr: one(metric, OF_ARM), legend: '{{variant}}' }],
    width: 6,
  }));
}

function empty(): Panel {
  return {
    title: 'Empty lists',
    metrics: ['receval_experiment_empty_share'],
    note: 'The share of requests that found nothing. They count 0 in measures of grades.',
    look: { kind: 'lines' },
    unit: 'percentunit',
    queries: [{ expr: one('receval_experiment_empty_share', OF_EXPERIMENT), legend: '{{variant}}' }],
    width: 6,
  };
}
