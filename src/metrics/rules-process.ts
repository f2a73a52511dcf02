/** Alerts on single processes (specification: faults 9). */
import { LAST_SHARE } from '../connections/access-files.ts';
import { type AlertText, grew } from './rules-model.ts';

const CARDINALITY_CAPPED: AlertText = {
  alert: 'RecevalCardinalityCapped',
  expr: grew('receval_series_capped_total', '10m'),
  for: '5m',
  severity: 'warning',
  summary: 'receval on {{ $labels.instance }} does not show all cohorts',
  description:
    'The cohorts of all partitions together are more than limits.series leaves room for. Those with the fewest impressions are' +
    ' shown as __other__ of their sets, as are newer ones in the counters of a worker.',
};

/** Both counters have every horizon, so that the share is that of any of them. */
const COHORTS_FOLDED: AlertText = {
  alert: 'RecevalCohortsFolded',
  expr: `sum by (by) (increase(receval_folded_impressions_total[1h]))
/ sum by (by) (increase(receval_scored_impressions_total[1h])) > 0.1`,
  for: '15m',
  severity: 'warning',
  summary: 'Many impressions are counted as __other__ in the cohorts of [{{ $labels.by }}]',
  description:
    'All places of the grouping set [{{ $labels.by }}] (limits.cohortsPerSet) are taken, and {{ $value | humanizePercentage }} of' +
    ' the impressions of the last hour belong to cohorts without one. They are counted, but not shown by name.',
};

const CLOCK_SKEW: AlertText = {
  alert: 'RecevalClockSkew',
  expr: 'abs(receval_clock_skew_seconds) > 30',
  for: '2m',
  severity: 'critical',
  summary: 'The clock of receval on {{ $labels.instance }} is wrong',
  description:
    'The clocks of {{ $labels.instance }} and of Redis are {{ $value | humanizeDuration }} apart. Above 30 seconds a worker' +
    ' reads nothing.',
};

const REPLAY_LONG: AlertText = {
  alert: 'RecevalReplayLong',
  expr: 'receval_replay_in_progress == 1',
  for: '10m',
  severity: 'warning',
  summary: 'receval on {{ $labels.instance }} replays for long',
  description:
    '{{ $labels.instance }} has been reading again for 10 minutes what was open when it took a partition over. Its measures' +
    ' are late, and alerts on quality are silent meanwhile.',
};

const RESTART_LOOP: AlertText = {
  alert: 'RecevalRestartLoop',
  expr: 'changes(receval_process_start_time_seconds[15m]) > 3',
  for: '0m',
  severity: 'warning',
  summary: 'receval on {{ $labels.instance }} starts again and again',
  description: '{{ $labels.instance }} was started {{ $value }} times in the last 15 minutes.',
};

const EVENT_LOOP_BLOCKED: AlertText = {
  alert: 'RecevalEventLoopBlocked',
  expr: 'receval_nodejs_eventloop_lag_p99_seconds > 0.5',
  for: '5m',
  severity: 'warning',
  summary: 'receval on {{ $labels.instance }} is too busy to answer',
  description:
    'For 5 minutes one in a hundred waits for the event loop of {{ $labels.instance }} has taken' +
    ' {{ $value | humanizeDuration }} or longer. It may miss heartbeats and lose its partitions.',
};

/** A limit that is not known has no series. */
const MEMORY_HIGH: AlertText = {
  alert: 'RecevalMemoryHigh',
  expr: `receval_process_resident_memory_bytes / receval_memory_limit_bytes > 0.8
or sum without (partition) (receval_state_bytes) / receval_state_bytes_limit > 0.8
or sum without (partition) (receval_open_impressions) / receval_open_impressions_limit > 0.8`,
  for: '10m',
  severity: 'warning',
  summary: 'receval on {{ $labels.instance }} is short of memory',
  description:
    '{{ $value | humanizePercentage }} of the memory of {{ $labels.instance }}, or of the state that it may hold, have been in' +
    ' use for 10 minutes. At its limit of state a worker pauses the topic that leads, and a quarter above it releases a' +
    ' partition; at its limit of memory it is killed.',
};

const ACCESS_NOT_RENEWED: AlertText = {
  alert: 'RecevalAccessNotRenewed',
  expr: `receval_access_problem == 1
or receval_certificate_not_after_timestamp_seconds - time()
< ${LAST_SHARE} * (receval_certificate_not_after_timestamp_seconds - receval_certificate_not_before_timestamp_seconds)`,
  for: '10m',
  severity: 'warning',
  summary: 'receval on {{ $labels.instance }} may soon be shut out: {{ $labels.setting }}',
  description:
    'The files of {{ $labels.setting }} on {{ $labels.instance }} cannot be used, so that their previous content stays in use until a' +
    ' restart; or less than a tenth of the life of our certificate is left.',
};

export const PROCESS_ALERTS: readonly AlertText[] = [
  CARDINALITY_CAPPED,
  COHORTS_FOLDED,
  CLOCK_SKEW,
  REPLAY_LONG,
  RESTART_LOOP,
  EVENT_LOOP_BLOCKED,
  MEMORY_HIGH,
  ACCESS_NOT_RENEWED,
];
