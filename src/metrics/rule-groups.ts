/** Rules for Prometheus, made from the settings (specification: faults 9). */
import { setText } from '../accumulators/store/layout.ts';
import type { Settings } from '../config/settings.ts';
import type { Label } from '../statistics/decision.ts';
import { MINUTE } from '../vocabulary/durations.ts';
import {
  type AlertRule,
  type AlertText,
  alertRule,
  decisionIs,
  grew,
  type RuleGroup,
  type RuleOptions,
} from './rules-model.ts';
import { COMMIT_ALERTS, PROCESS_ALERTS } from './rules-pipeline.ts';

const SLACK_MS = 300_000;

/** The groups of a rule file, in the order in which they are printed. */
export function ruleGroups(settings: Settings, options: RuleOptions): readonly RuleGroup[] {
  const quality = [...experimentRules(settings, options), ...qualityRules(settings, options)];
  const group = { name: 'receval.quality', rules: quality };
  return [pipelineRules(settings, options), ...(quality.length === 0 ? [] : [group])];
}

/** Alerts on the pipeline itself (specification: faults 9). */
function pipelineRules(settings: Settings, options: RuleOptions): RuleGroup {
  const standing = [workerDown(options), NO_PROGRESS, staleResults(settings), incompleteWindow(settings)];
  const alerts = [...standing, ...COMMIT_ALERTS, ...TOPIC_ALERTS, ...PROCESS_ALERTS];
  return { name: 'receval.pipeline', rules: alerts.map((alert) => alertRule(alert, options)) };
}

/**
 * Evaluated by worker, since a stopped one must not hide behind one that runs, and only for workers that own a unit. A worker that never
 * committed counts from its start. The lag is absent while no broker responds, because it is not known to be 0 then.
 */
const NO_PROGRESS: AlertText = {
  alert: 'RecevalNoProgress',
  expr: `time() - (receval_last_commit_timestamp_seconds or receval_process_start_time_seconds) > 60
and count without (partition) (receval_open_impressions) > 0
unless receval_replay_in_progress == 1
unless sum without (topic, partition) (receval_consumer_lag_messages) == 0`,
  for: '1m',
  severity: 'critical',
  summary: 'receval on {{ $labels.instance }} makes no progress',
  description:
    'The worker on {{ $labels.instance }} has not committed for {{ $value | humanizeDuration }}; it replays nothing, and' +
    ' it is not known that nothing is left to read.',
};

/** Evaluated by target; if no target is known to be down, by the number of those that are up. */
function workerDown({ targets }: RuleOptions): AlertText {
  return {
    alert: 'RecevalWorkerDown',
    expr: `up{job="receval"} == 0
or on () (count(up{job="receval"} == 1) or vector(0)) < ${targets}`,
    for: '2m',
    severity: 'critical',
    summary:
      'receval {{ if $labels.instance }}on {{ $labels.instance }} does not answer{{ else }}has too few workers{{ end }}',
    description:
      '{{ if $labels.instance }}Prometheus has not been able to scrape {{ $labels.instance }} for 2 minutes' +
      `{{ else }}{{ $value }} targets of the job receval are up, at least ${targets} must{{ end }}.`,
  };
}

/**
 * One alert for all horizons, based on the one that is furthest behind, which is the longest: what makes it stale makes the others stale.
 * The horizon is not chosen by name, because rules made for another configuration would match no series, and stay silent forever.
 */
function staleResults({ attribution }: Settings): AlertText {
  const limit = attribution.window.ms + attribution.outOfOrderness + SLACK_MS;
  return {
    alert: 'RecevalStaleResults',
    expr: `time() - min without (horizon) (max without (instance, pod) (receval_result_timestamp_seconds)) > ${limit / 1000}`,
    for: '5m',
    severity: 'critical',
    summary: 'The measures of receval are stale',
    description:
      'The newest result is {{ $value | humanizeDuration }} old. With a longest horizon of ' +
      `${attribution.window.text} it should be at most {{ ${limit / 1000} | humanizeDuration }}; with another one, generate the rules again.`,
  };
}

/**
 * A window may be incomplete for its own length after a first start, and longer only if something goes missing again and again, or a
 * partition does not keep up. While its gauges are hidden, alerts on them cannot fire. The longest length is used for every window,
 * because rules made for another configuration would match no series otherwise.
 */
function incompleteWindow({ attribution, windows }: Settings): AlertText {
  const slack = attribution.window.ms + attribution.outOfOrderness + SLACK_MS;
  const newest = 'min without (horizon) (max without (instance, pod)';
  const lengths = windows.map(({ text, ms }, w) => {
    const gauge = `receval_window_complete${w === windows.length - 1 ? '' : `{window="${text}"}`}`;
    const span = `${Math.ceil((ms + slack) / MINUTE)}m`;
    return `${newest} (max_over_time(${gauge}[${span}]))) == 0
and ${newest} (${gauge} offset ${span})) == 0`;
  });
  return {
    alert: 'RecevalWindowIncomplete',
    expr: lengths.join('\nor '),
    for: '0m',
    severity: 'warning',
    summary: 'The window of {{ $labels.window }} has been incomplete for longer than its length',
    description:
      'The window of {{ $labels.window }} should be complete that long after a start. Until it is, its gauges are absent, or of a part of' +
      ' its lists, and alerts on them do not fire. Something goes missing again and again, or a partition stands still.',
  };
}

/**
 * Rules on watched cohorts compared with their own past, in the group `receval.quality` (specification: statistics 10). The exporters
 * decide; the rules only query the decisions. Empty if nothing is watched.
 */
function qualityRules(settings: Settings, options: RuleOptions): readonly AlertRule[] {
  if (settings.detect.sets.length === 0) return [];
  const who = cohortText(settings);
  return [regressed(who), unwatched(who)].map((alert) => alertRule(alert, options));
}

function regressed(who: string): AlertText {
  return {
    alert: 'RecevalQualityRegressed',
    expr: watchedIs('regressed'),
    for: '0m',
    severity: 'critical',
    summary: `{{ $labels.measure }} of ${who} is worse than its own past`,
    description:
      `{{ $labels.measure }} (horizon {{ $labels.horizon }}) of ${who} is worse than it was at this hour of the` +
      ' last weeks or days, or of the hours before while that is all there is. The log of receval says by how much and since when.',
  };
}

function unwatched(who: string): AlertText {
  return {
    alert: 'RecevalQualityUnwatched',
    expr: watchedIs('insufficient'),
    for: '6h',
    severity: 'info',
    summary: `{{ $labels.measure }} of ${who} cannot be watched`,
    description:
      `For 6 hours there has not been enough to judge {{ $labels.measure }} (horizon {{ $labels.horizon }}) of ${who}: too few` +
      ' impressions or positives, or no past. The log of receval names the reason.',
  };
}

function watchedIs(label: Label): string {
  return decisionIs('receval_quality_decision', label);
}

/** A template that names the cohort of an alert, of any grouping set. */
function cohortText({ cohorts }: Settings): string {
  const cases = cohorts.map((by) => `if eq $labels.by ${JSON.stringify(setText(by))} }}${nameText(by)}`);
  return `{{ ${cases.join('{{ else ')}{{ end }}`;
}

function nameText(by: readonly string[]): string {
  return by.length === 0 ? 'all lists' : by.map((name) => `${name} {{ $labels.${name} }}`).join(', ');
}

/**
 * Rules on experiments, in the group `receval.quality` (specification: statistics 9). The looks decide; the rules only query the
 * decisions. Empty without experiments.
 */
function experimentRules({ experiments }: Settings, options: RuleOptions): readonly AlertRule[] {
  return experiments.length === 0 ? [] : [REGRESSED, INVALID].map((alert) => alertRule(alert, options));
}

const REGRESSED: AlertText = {
  alert: 'RecevalExperimentRegressed',
  expr: experimentIs('regressed'),
  for: '0m',
  severity: 'critical',
  summary: '{{ $labels.variant }} of the experiment {{ $labels.experiment }} is worse than its control',
  description:
    'The variant {{ $labels.variant }} of the experiment {{ $labels.experiment }} is worse than the control on the primary' +
    ' measure or on a guardrail. This holds however often anybody looks, and stays for the rest of a run that is sound.',
};

const INVALID: AlertText = {
  alert: 'RecevalExperimentInvalid',
  expr: experimentIs('invalid'),
  for: '10m',
  severity: 'warning',
  summary: 'The experiment {{ $labels.experiment }} says nothing about {{ $labels.variant }}',
  description:
    'For 10 minutes the experiment {{ $labels.experiment }} has been unsound for {{ $labels.variant }}: users are not split as' +
    ' configured or saw several variants, records are missing, or the effect changed its direction.',
};

function experimentIs(label: Label): string {
  return decisionIs('receval_experiment_decision', label);
}

/**
 * Lag of each topic: more than ten times what it shrinks by in a minute. A lag that does not shrink counts as infinite. A lag of less
 * than a minute's records comes from reading in batches and does not count.
 */
const LAG_HIGH: AlertText = {
  alert: 'RecevalLagHigh',
  expr: `sum without (instance, pod, partition) (receval_consumer_lag_messages)
> 600 * clamp_min(-sum without (instance, pod, partition) (deriv(receval_consumer_lag_messages[5m])), 0)
and sum without (instance, pod, partition) (receval_consumer_lag_messages)
> 60 * sum without (instance, pod) (rate(receval_events_total[5m]))`,
  for: '15m',
  severity: 'warning',
  summary: 'receval lags behind the topic {{ $labels.topic }}',
  description:
    '{{ $value | humanize }} records of the topic {{ $labels.topic }} are not read yet, and for 15 minutes they have grown, or' +
    ' shrunk so slowly that it would take more than 10 minutes to catch up.',
};

const POISON_RATE: AlertText = {
  alert: 'RecevalPoisonRate',
  expr: `sum without (instance, pod, reason) (rate(receval_drops_total{reason=~"invalid|future"}[10m]))
/ sum without (instance, pod) (rate(receval_events_total[10m]))
> 0.005`,
  for: '10m',
  severity: 'warning',
  summary: 'receval cannot use part of the topic {{ $labels.topic }}',
  description:
    '{{ $value | humanizePercentage }} of the events of the topic {{ $labels.topic }} were dropped as invalid or as of the' +
    ' future in the last 10 minutes; the limit is 0.5%.',
};

/** An event that misses a horizon misses all shorter ones too, so the greatest share is that of the shortest. */
const LATE_FOR_HORIZON: AlertText = {
  alert: 'RecevalLateForHorizon',
  expr: `max without (horizon) (sum without (instance, pod) (rate(receval_late_total[15m])))
/ sum without (instance, pod) (rate(receval_events_total[15m]))
> 0.05`,
  for: '15m',
  severity: 'warning',
  summary: 'Much of the topic {{ $labels.topic }} comes too late for the shortest horizon',
  description:
    '{{ $value | humanizePercentage }} of the events of the topic {{ $labels.topic }} counted in the last 15 minutes, but came too' +
    ' late for the shortest horizon, whose numbers are of the others alone. Probably the clock of a producer is minutes ahead.',
};

/** Counting continues without dead letters; only their bytes are lost. */
const DEAD_LETTERS_LOST: AlertText = {
  alert: 'RecevalDeadLettersLost',
  expr: grew('receval_dead_letters_total{outcome!="written"}', '15m'),
  for: '0m',
  severity: 'warning',
  summary: 'receval on {{ $labels.instance }} loses dead letters',
  description:
    'In the last 15 minutes invalid records could not be kept on {{ $labels.instance }}, outcome {{ $labels.outcome }}. They are' +
    ' counted, but nobody can look at their bytes any more.',
};

/** Fires only while all topics flow: feedback without impressions is another fault. */
const KEYS_NOT_PAIRED: AlertText = {
  alert: 'RecevalKeysNotPaired',
  expr: `sum without (instance, pod, reason) (rate(receval_drops_total{reason="orphan"}[15m]))
/ sum without (instance, pod) (rate(receval_events_total[15m]))
> 0.5
and ignoring (topic) min without (topic) (sum without (instance, pod) (rate(receval_events_total[15m]))) > 0`,
  for: '15m',
  severity: 'warning',
  summary: 'Feedback of the topic {{ $labels.topic }} finds no impressions',
  description:
    '{{ $value | humanizePercentage }} of the events of the topic {{ $labels.topic }} were dropped as orphans in the last' +
    ' 15 minutes, while all topics flow. The keys of impressions and feedback probably differ.',
};

/** Uses recent feedback, so that it finds a new mistake in an old topic; works even while one of the topics is silent. */
const FEW_JOINED: AlertText = {
  alert: 'RecevalFewJoined',
  expr: 'avg without (instance, pod) (receval_join_share) < 0.5',
  for: '15m',
  severity: 'warning',
  summary: 'Little feedback of the topic {{ $labels.topic }} joins',
  description:
    'Only {{ $value | humanizePercentage }} of the last feedback of the topic {{ $labels.topic }} found its list and its item in' +
    ' it. Measures are too low; receval_item_share shows whether items are the cause.',
};

/** If no topic flows, the fault is not in this topic. */
const TOPIC_SILENT: AlertText = {
  alert: 'RecevalTopicSilent',
  expr: `sum without (instance, pod) (rate(receval_events_total[10m])) == 0
and sum without (instance, pod) (rate(receval_events_total[10m] offset 1h)) > 0
and ignoring (topic) max without (topic, instance, pod) (rate(receval_events_total[10m])) > 0`,
  for: '10m',
  severity: 'warning',
  summary: 'The topic {{ $labels.topic }} has fallen silent',
  description:
    'receval has read nothing of the topic {{ $labels.topic }} for 10 minutes. An hour ago it had events, and other topics' +
    ' still have.',
};

/**
 * The retention that a replay needs, plus a day. The start checks it (specification: commit 7.1); this alert fires when it shrinks later.
 */
const RETENTION_LOW: AlertText = {
  alert: 'RecevalRetentionLow',
  expr: 'receval_retention_headroom_seconds < 86400',
  for: '15m',
  severity: 'warning',
  summary: 'Kafka will soon delete records that receval still needs',
  description:
    'In {{ $value | humanizeDuration }} the retention of a topic reaches the oldest record that {{ $labels.instance }} would' +
    ' have to read again; it should be more than 24 hours away.',
};

/** Alerts on input (specification: faults 9). */
const TOPIC_ALERTS: readonly AlertText[] = [
  LAG_HIGH,
  POISON_RATE,
  LATE_FOR_HORIZON,
  DEAD_LETTERS_LOST,
  KEYS_NOT_PAIRED,
  FEW_JOINED,
  TOPIC_SILENT,
  RETENTION_LOW,
];
