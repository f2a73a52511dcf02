/**
 * All metrics; no other file defines a name (specification: metrics 1). Every metric has HELP and TYPE from the start.
 * Long because it is this one list.
 */
import type { Settings } from '../config/settings.ts';
import { OF_EXPOSURES } from '../measures/all.ts';
import type { Measure } from '../measures/definition.ts';
import { describe } from '../measures/grammar/describe.ts';
import { isPlainRatio, isRoot, sumsKind } from '../measures/value.ts';

type MetricSpecsSettings = Pick<Settings, 'cohorts' | 'measures'>;

type MetricType = 'counter' | 'gauge' | 'histogram';

/** The processes that expose a metric: exporters show all units, workers their own. */
type MetricRole = 'exporter' | 'worker' | 'both';

export interface MetricSpec {
  readonly name: string;
  readonly type: MetricType;
  readonly help: string;
  /**
   * Labels that a series may have. A series omits dimensions that are not in its grouping set, and k and params if its measure has none.
   */
  readonly labels: readonly string[];
  readonly role: MetricRole;
}

const COMPARED = ['variant', 'measure', 'horizon'] as const;

/** Metrics of a variant compared with the control, since the start of an experiment's run. */
export const EXPERIMENT_METRICS: readonly MetricSpec[] = [
  experimentGauge(
    'effect',
    "Variant minus control, in the measure's unit, since the start of the run, or since the measure was added to it.",
    ...COMPARED,
  ),
  experimentGauge(
    'ci_lower',
    'Lower bound of the effect, of a confidence sequence: it holds at all looks together.',
    ...COMPARED,
  ),
  experimentGauge('ci_upper', 'Upper bound of the effect, of the same confidence sequence.', ...COMPARED),
  experimentGauge(
    'p_value',
    'Smallest p of all looks so far, two-sided, not adjusted for the number of comparisons.',
    ...COMPARED,
  ),
  experimentGauge('log_e_value', 'Evidence of this look against no effect: natural logarithm of e.', ...COMPARED),
  experimentGauge('mde', 'Smallest effect that would have been detected at this look with power 0.8.', ...COMPARED),
  experimentGauge(
    'srm_p_value',
    'Smallest p of all looks so far for users being split between the variants as their weights say.',
  ),
  experimentGauge(
    'empty_share',
    'Share of the lists of a variant that are empty, 0 to 1, since the start of the run.',
    'variant',
  ),
  experimentGauge(
    'decision',
    'A variant against the control, as of the newest look: 1 for its label, 0 for the others.',
    'variant',
    'decision',
  ),
];

/** Every metric that this process may expose, in the order of the page. */
export function metricSpecs(settings: MetricSpecsSettings): readonly MetricSpec[] {
  return [...qualityMetrics(settings), ...EXPERIMENT_METRICS, ...SHARED, ...scoreMetrics(settings), ...PIPELINE];
}

/** Name of the metric for the values of a measure. */
export function valueName(measure: string): string {
  return `receval_${measure}`;
}

/** Name of the metric for the standard errors of these values. */
export function stderrName(measure: string): string {
  return `${valueName(measure)}_stderr`;
}

export function scoreName(measure: string): string {
  return `receval_${measure}_score_total`;
}

export function weightName(measure: string): string {
  return `receval_${measure}_weight_total`;
}

/** Whether sum over weight is the measure's value (for rmse: its square). Values that may be below 0 cannot be summed in a counter. */
export function hasScore(measure: Measure): boolean {
  const [least] = measure.definition.range;
  return least >= 0 && (isPlainRatio(measure) || isRoot(measure));
}

/** Whether each impression counts once in the measure's denominator, so that the number of impressions is its weight. */
export function weighsImpressions(measure: Measure): boolean {
  const { definition, params, k } = measure;
  if (sumsKind(measure) !== 'mean') return false;
  const mayLeaveOut =
    k !== undefined ||
    definition.leavesListsOut ||
    params.get('empty') === 'skip' ||
    params.get('norm') === 'minmax' ||
    (params.get('min_list_length') ?? 0) !== 0 ||
    (params.get('examined') ?? 'all') !== 'all' ||
    params.get('slot') !== undefined;
  return !mayLeaveOut;
}

/** The measures of a configuration by name: variants with the same name share a metric. */
function byName(measures: readonly Measure[]): ReadonlyMap<string, readonly Measure[]> {
  const names = new Map<string, Measure[]>();
  for (const measure of measures) {
    const variants = names.get(measure.name);
    if (variants === undefined) names.set(measure.name, [measure]);
    else variants.push(measure);
  }
  return names;
}

function convention(variants: readonly Measure[]): string {
  return variants.map((measure) => `${measure.canonical}: ${describe(measure)}`).join(' ');
}

/** Labels of the dimensions, in the order of their first grouping set. */
function dimensionsOf({ cohorts }: MetricSpecsSettings): readonly string[] {
  return [...new Set(cohorts.flat())];
}

function qualityMetrics(settings: MetricSpecsSettings): readonly MetricSpec[] {
  const cohort = ['window', 'horizon', 'by', ...dimensionsOf(settings)];
  const gauge = { type: 'gauge', role: 'exporter' } as const;
  const values = [...byName(settings.measures)].flatMap(([name, variants]) => [
    {
      ...gauge,
      name: valueName(name),
      help: `Value over the lists of a window. ${convention(variants)}`,
      labels: [...cohort, 'k', 'params'],
    },
    {
      ...gauge,
      name: stderrName(name),
      help: `Standard error of ${valueName(name)}, by users; absent where it is not known.`,
      labels: [...cohort, 'k', 'params'],
    },
  ]);
  return [
    ...values,
    {
      ...gauge,
      name: 'receval_window_impressions',
      help: 'Impressions in a window. Like all values of windows, it has no series while the window is not complete, unless incompleteWindows is show.',
      labels: cohort,
    },
    {
      ...gauge,
      name: 'receval_window_positives',
      help: 'Impressions in a window with a positive by relevantFrom.',
      labels: cohort,
    },
    {
      ...gauge,
      name: 'receval_item_limit_rows',
      help: `Cohorts of all windows and horizons that were shown more items than limits.itemsCounted: their ${OF_EXPOSURES} are absent.`,
      labels: [],
    },
    {
      ...gauge,
      name: 'receval_window_complete',
      help: '1 if every unit has every pane of the window, whole; 0 while it misses a unit, a gap or a rebuilt span, or has not filled yet.',
      labels: ['window', 'horizon'],
    },
    {
      ...gauge,
      name: 'receval_window_complete_timestamp_seconds',
      help: 'Event time that all units must have reached for the window to be complete, as far as is known; no series: a unit has stored nothing, or lacks something.',
      labels: ['window', 'horizon'],
    },
    {
      ...gauge,
      name: 'receval_result_timestamp_seconds',
      help: 'End of the newest pane that is final and has a result, in event time.',
      labels: ['horizon'],
    },
    {
      ...gauge,
      name: 'receval_quality_decision',
      help: 'A cohort against its own past, as of the newest whole step of detect: 1 for its label, 0 for the others.',
      labels: ['measure', 'horizon', 'by', ...dimensionsOf(settings), 'decision'],
    },
    {
      ...gauge,
      name: 'receval_quality_accepted_timestamp_seconds',
      help: 'Event time from which on the level of a watched cohort was accepted as normal by receval accept; no series: it was not.',
      labels: ['measure', 'horizon', 'by', ...dimensionsOf(settings)],
    },
  ];
}

function scoreMetrics(settings: MetricSpecsSettings): readonly MetricSpec[] {
  const cohort = ['horizon', 'by', ...dimensionsOf(settings)];
  const counter = { type: 'counter', role: 'worker' } as const;
  const scores = [...byName(settings.measures.filter(hasScore))].flatMap(([name, variants]) => {
    const weighted = variants.filter((measure) => !weighsImpressions(measure));
    return [
      {
        ...counter,
        name: scoreName(name),
        help: `Sum over scored lists, to be divided by receval_scored_impressions_total, or by ${weightName(name)} where that exists${variants.some(isRoot) ? ', and then its root taken' : ''}. ${convention(variants)}`,
        labels: [...cohort, 'k', 'params'],
      },
      ...(weighted.length === 0
        ? []
        : [
            {
              ...counter,
              name: weightName(name),
              help: `Denominator of ${scoreName(name)}: lists that count, or the denominators of the fraction.`,
              labels: [...cohort, 'k', 'params'],
            },
          ]),
    ];
  });
  return [
    {
      ...counter,
      name: 'receval_scored_impressions_total',
      help: 'Impressions scored and committed, once per horizon.',
      labels: cohort,
    },
    {
      ...counter,
      name: 'receval_folded_impressions_total',
      help: 'Impressions scored and committed that were counted under __other__ because no place was free in limits.cohortsPerSet, by grouping set.',
      labels: ['horizon', 'by'],
    },
    ...scores,
  ];
}

const SHARED: readonly MetricSpec[] = [
  {
    name: 'receval_build_info',
    type: 'gauge',
    help: 'Always 1; its labels are the versions of receval and Node.',
    labels: ['version', 'node'],
    role: 'both',
  },
  {
    name: 'receval_series_capped_total',
    type: 'counter',
    help: 'Rows of cohorts with a place in limits.cohortsPerSet that were added to __other__ on this page or in its counters, and decisions left off it, because limits.series was reached, summed over all snapshots.',
    labels: [],
    role: 'both',
  },
  {
    name: 'receval_memory_limit_bytes',
    type: 'gauge',
    help: 'Memory that the process may use: the limit of its container, or else what the machine has.',
    labels: [],
    role: 'both',
  },
  {
    name: 'receval_access_problem',
    type: 'gauge',
    help: '1 while files with credentials for Kafka or Redis cannot be used and their previous content stays in use, else 0.',
    labels: ['setting'],
    role: 'both',
  },
  {
    name: 'receval_certificate_not_before_timestamp_seconds',
    type: 'gauge',
    help: 'When our own certificate in use becomes valid; with a setting that ends in .ca, the last one in that file.',
    labels: ['setting'],
    role: 'both',
  },
  {
    name: 'receval_certificate_not_after_timestamp_seconds',
    type: 'gauge',
    help: 'When our own certificate in use expires; with a setting that ends in .ca, the last one in that file, after which no server is known.',
    labels: ['setting'],
    role: 'both',
  },
  {
    name: 'receval_lost_keys_total',
    type: 'counter',
    help: 'Keys of rows that a checkpoint lists, and that this process found gone from Redis, or damaged.',
    labels: [],
    role: 'both',
  },
  ofAll(
    'receval_redis_memory_used_bytes',
    'Memory that Redis uses; of several primaries the fullest one. Absent while Redis does not respond.',
  ),
  ofAll(
    'receval_redis_memory_limit_bytes',
    'Memory at which that server accepts no more commits (maxmemory); absent if none is set.',
  ),
  {
    name: 'receval_redis_evicted_keys_total',
    type: 'counter',
    help: 'Keys, also of others, that Redis has evicted for lack of memory since it started; with noeviction it stays.',
    labels: [],
    role: 'both',
  },
  ofAll(
    'receval_redis_may_evict',
    '1 if maxmemory-policy of Redis is not noeviction, so that rows may vanish when memory is short; else 0. Absent while Redis does not respond.',
  ),
];

/** A gauge of every process, without labels. */
function ofAll(name: string, help: string): MetricSpec {
  return { name, type: 'gauge', help, labels: [], role: 'both' };
}

function counter(name: string, help: string, ...labels: readonly string[]): MetricSpec {
  return { name, type: 'counter', help, labels, role: 'worker' };
}

function gauge(name: string, help: string, ...labels: readonly string[]): MetricSpec {
  return { name, type: 'gauge', help, labels, role: 'worker' };
}

function histogram(name: string, help: string): MetricSpec {
  return { name, type: 'histogram', help, labels: [], role: 'worker' };
}

const PIPELINE: readonly MetricSpec[] = [
  counter('receval_events_total', 'Events read and committed.', 'topic'),
  counter('receval_drops_total', 'Events that did not count, by reason.', 'topic', 'reason'),
  counter('receval_invalid_total', 'Records dropped as invalid, by what is wrong.', 'topic', 'code'),
  counter(
    'receval_unmapped_total',
    'Records passed over because they meet no when of the maps of their topic, by the field that decided and its value there; __other__: values without a place.',
    'topic',
    'field',
    'value',
  ),
  counter(
    'receval_dead_letters_total',
    'Invalid records passed to deadLetter, by outcome: written, failed (could not be written), dropped (no room, or left at the end).',
    'outcome',
  ),
  counter('receval_ignored_cohort_keys_total', 'Keys of cohorts in events that are not valid dimension names.'),
  counter(
    'receval_unknown_items_total',
    'Slots whose item is not in the catalogue, once per horizon; measures that need it leave them out.',
    'horizon',
  ),
  counter(
    'receval_unscored_impressions_total',
    'Impressions left out of all numbers, once per horizon, as they are older than the feedback that is read.',
    'horizon',
  ),
  counter('receval_late_total', 'Events that count but missed a horizon.', 'topic', 'horizon'),
  gauge('receval_watermark_timestamp_seconds', 'Everything up to this event time has been seen.', 'topic', 'partition'),
  gauge('receval_open_impressions', 'Impressions that have not closed at the longest horizon.', 'partition'),
  gauge(
    'receval_open_impressions_limit',
    'Open impressions at which this worker pauses the topic that leads; absent where limits.openImpressions is auto.',
  ),
  gauge('receval_waiting_feedback', 'Feedback that waits for its impression.', 'partition'),
  gauge(
    'receval_state_bytes',
    'State in memory: open impressions, waiting and attributed feedback, and the rows, cohorts and samples of users that still change.',
    'partition',
  ),
  gauge('receval_state_bytes_limit', 'Bytes of state at which this worker pauses the topic that leads.'),
  gauge('receval_fetched_bytes', 'Bytes that were fetched and are being read, after decompression if that is done.'),
  gauge(
    'receval_match_ratio',
    'Share of settled feedback that was attributed: attributed over attributed, orphan and not_in_list, since the units began.',
  ),
  gauge(
    'receval_join_share',
    'Share of about the last 1,000 settled feedback events that was attributed: attributed over attributed, orphan and not_in_list. Absent before there are 100.',
    'topic',
  ),
  gauge(
    'receval_item_share',
    'Share of the same feedback, if its request is known, that was attributed: attributed over attributed and not_in_list.',
    'topic',
  ),
  histogram('receval_feedback_delay_seconds', 'Event time from an impression to feedback attributed to it.'),
  counter(
    'receval_commits_total',
    'Commits by their outcome; unknown: there was no response, it is sent again.',
    'outcome',
  ),
  histogram('receval_commit_duration_seconds', 'Time from sending a commit to its response.'),
  gauge('receval_last_commit_timestamp_seconds', 'When a commit was last applied.'),
  counter('receval_rewinds_total', 'Times that the store was found rolled back or edited, and the log was read again.'),
  gauge('receval_replay_in_progress', '1 while a unit of this worker replays, else 0.'),
  gauge('receval_unit_stopped', '1 for the cause for which a unit is stopped, else 0.', 'partition', 'cause'),
  counter('receval_gap_records_total', 'Records that the log no longer contained when they were needed.'),
  gauge(
    'receval_retention_headroom_seconds',
    'Time until retention.ms reaches the oldest record that a replay needs; the least over topics and partitions. Absent: never, or not known.',
  ),
  gauge(
    'receval_consumer_lag_messages',
    'Records between our position and the end of the log, the high watermark; absent while the end is not known.',
    'topic',
    'partition',
  ),
  gauge(
    'receval_open_transaction_messages',
    'Part of receval_consumer_lag_messages that cannot be read before a transaction of a producer has ended.',
    'topic',
    'partition',
  ),
  counter('receval_idle_advances_total', 'Times that the wall clock advanced a topic with nothing new.'),
  counter('receval_impressions_closed_by_idle_total', 'Impressions closed by such an advance.'),
  gauge('receval_clock_skew_seconds', 'Own clock minus the clock of the store.'),
];

/** prom-client's metrics that break Prometheus' naming rules: gauges that end in _total. They are not exposed. */
export const UNWANTED_PROCESS_METRICS = [
  'receval_nodejs_active_handles_total',
  'receval_nodejs_active_requests_total',
  'receval_nodejs_active_resources_total',
] as const;

/** Prefix of the metrics of the process and of Node. */
export const PREFIX = 'receval_';

/** A gauge of experiments (specification: metrics 5). */
function experimentGauge(part: string, help: string, ...labels: readonly string[]): MetricSpec {
  return {
    name: `receval_experiment_${part}`,
    type: 'gauge',
    help,
    labels: ['experiment', ...labels],
    role: 'exporter',
  };
}
