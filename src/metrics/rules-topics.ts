/** Alerts on input (specification: faults 9). */
import { type AlertText, grew } from './rules-model.ts';

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

export const TOPIC_ALERTS: readonly AlertText[] = [
  LAG_HIGH,
  POISON_RATE,
  LATE_FOR_HORIZON,
  DEAD_LETTERS_LOST,
  KEYS_NOT_PAIRED,
  FEW_JOINED,
  TOPIC_SILENT,
  RETENTION_LOW,
];
