/** Alerts on processes and on what they store (specification: faults 9). */
import { NEARLY_FULL } from '../accumulators/store/redis-findings.ts';
import { LAST_SHARE, LONGEST_NOTICE_MS } from '../connections/access-files.ts';
import { type AlertText, grew } from './rules-model.ts';

/** Alerts on single processes (specification: faults 9). */
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

/** Both counters have every horizon, so the share is the same for each of them. */
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

/** An unknown limit has no series. */
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
< clamp_max(${LAST_SHARE} * (receval_certificate_not_after_timestamp_seconds - receval_certificate_not_before_timestamp_seconds), ${LONGEST_NOTICE_MS / 1000})`,
  for: '10m',
  severity: 'warning',
  summary: 'receval on {{ $labels.instance }} may soon be shut out: {{ $labels.setting }}',
  description:
    'The files of {{ $labels.setting }} on {{ $labels.instance }} cannot be used, so that their previous content stays in use until a' +
    ' restart; or less than a tenth of the life of our certificate, or of the last one in ca, is left, and less than 90 days.',
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

/** Alerts on what is stored, and on units that are stopped (specification: faults 9). */

/** This also fires in an outage of the store: a commit without a response is sent again, and counted each time. */
const COMMIT_ERRORS: AlertText = {
  alert: 'RecevalCommitErrors',
  expr: `sum without (outcome) (rate(receval_commits_total{outcome="unknown"}[5m]))
/ sum without (outcome) (rate(receval_commits_total[5m]))
> 0.1`,
  for: '5m',
  severity: 'critical',
  summary: 'receval on {{ $labels.instance }} gets no replies to its commits',
  description:
    '{{ $value | humanizePercentage }} of the commits of {{ $labels.instance }} got no reply in the last 5 minutes; they are' +
    ' retried. Nothing more is read until there is a reply.',
};

const COMMIT_FENCED: AlertText = {
  alert: 'RecevalCommitFenced',
  expr: grew('receval_commits_total{outcome="fenced"}', '15m'),
  for: '0m',
  severity: 'info',
  summary: 'A commit of receval on {{ $labels.instance }} met another owner',
  description:
    'In the last 15 minutes a partition was taken from {{ $labels.instance }} while it still worked on it. Its commit was' +
    ' refused, so nothing counts twice.',
};

const REDIS_ROLLBACK: AlertText = {
  alert: 'RecevalRedisRollback',
  expr: grew('receval_rewinds_total', '15m'),
  for: '0m',
  severity: 'warning',
  summary: 'Redis lost commits of receval',
  description:
    'In the last 15 minutes {{ $labels.instance }} found in Redis an older state than it had stored. It reads again from' +
    ' there; if Kafka still keeps the records, nothing is missing.',
};

const ROWS_LOST: AlertText = {
  alert: 'RecevalRowsLost',
  expr: grew('receval_lost_keys_total', '15m'),
  for: '0m',
  severity: 'critical',
  summary: 'Rows of receval are gone from Redis, or were altered',
  description:
    'In the last 15 minutes {{ $labels.instance }} found that Redis lacks rows that a checkpoint lists, or holds damaged ones. Its log' +
    ' names the keys. Windows and runs of experiments that need them are incomplete.',
};

const STATE_LOST: AlertText = {
  alert: 'RecevalStateLost',
  expr: 'receval_unit_stopped{cause="state_lost"} == 1',
  for: '1m',
  severity: 'critical',
  summary: 'The stored state of partition {{ $labels.partition }} is gone',
  description:
    'Redis holds nothing of partition {{ $labels.partition }}, though it was read before. {{ $labels.instance }} does not start' +
    ' over by itself.',
};

/** All processes use the same server, so there is one alert, not one per process. */
const REDIS_MEMORY_HIGH: AlertText = {
  alert: 'RecevalRedisMemoryHigh',
  expr: `max without (instance, pod) (receval_redis_memory_used_bytes / receval_redis_memory_limit_bytes) > ${NEARLY_FULL}`,
  for: '10m',
  severity: 'warning',
  summary: 'The Redis of receval is nearly full',
  description:
    'Redis has used {{ $value | humanizePercentage }} of its maxmemory for 10 minutes. When it is full it takes no commit, and' +
    ' nothing is counted until there is room.',
};

/** A start is refused in this case, so the setting has changed since. Nothing has been evicted yet. */
const REDIS_MAY_EVICT: AlertText = {
  alert: 'RecevalRedisMayEvict',
  expr: 'max without (instance, pod) (receval_redis_may_evict) == 1',
  for: '1m',
  severity: 'warning',
  summary: 'The Redis of receval may throw out keys when its memory is short',
  description:
    'maxmemory-policy of Redis is not noeviction any more. As soon as it is out of memory, rows vanish silently. Set it back, also in the' +
    ' file of the server.',
};

/** With noeviction there are no evictions, so the setting has changed since the start. */
const REDIS_EVICTS: AlertText = {
  alert: 'RecevalRedisEvicts',
  expr: 'max without (instance, pod) (increase(receval_redis_evicted_keys_total[15m])) > 0',
  for: '0m',
  severity: 'critical',
  summary: 'Redis throws out keys, perhaps those of receval',
  description:
    'In the last 15 minutes Redis has evicted keys because it was out of memory. Rows that vanish make measures too low, and nothing else' +
    ' shows it.',
};

/** Fires for missing records, and for units that are stopped because of them. */
const DATA_GAP: AlertText = {
  alert: 'RecevalDataGap',
  expr: `${grew('receval_gap_records_total', '10m')}
or receval_unit_stopped{cause=~"gap|diverged"} == 1`,
  for: '0m',
  severity: 'critical',
  summary:
    'Records that receval needs are gone{{ if $labels.partition }}: partition {{ $labels.partition }} is stopped{{ end }}',
  description:
    '{{ if $labels.partition }}Partition {{ $labels.partition }} is stopped, cause {{ $labels.cause }}: the log does not hold' +
    ' what it has to read next{{ else }}In the last 10 minutes {{ $labels.instance }} found that Kafka has deleted records that' +
    ' were not read yet{{ end }}. The measures of that time are incomplete.',
};

const CODEC_FAILURE: AlertText = {
  alert: 'RecevalCodecFailure',
  expr: 'receval_unit_stopped{cause="codec"} == 1',
  for: '0m',
  severity: 'critical',
  summary: 'Partition {{ $labels.partition }} is stopped at a batch that cannot be decoded',
  description:
    'A record batch of partition {{ $labels.partition }} cannot be decompressed, or is larger than allowed. The log of' +
    ' {{ $labels.instance }} names topic and offsets. The other partitions continue.',
};

const UNDECODABLE: AlertText = {
  alert: 'RecevalUndecodable',
  expr: grew('receval_drops_total{reason="undecodable"}', '15m'),
  for: '0m',
  severity: 'warning',
  summary: 'Records of the topic {{ $labels.topic }} could not be decoded and were skipped',
  description:
    'In the last 15 minutes {{ $labels.instance }} skipped record batches of the topic {{ $labels.topic }} that cannot be decoded,' +
    ' as start.onUndecodable says. Its log names partition and offsets. The measures of that time are incomplete.',
};

const UNIT_OUTGROWN: AlertText = {
  alert: 'RecevalUnitOutgrown',
  expr: 'receval_unit_stopped{cause=~"memory|limit"} == 1',
  for: '0m',
  severity: 'critical',
  summary: 'Partition {{ $labels.partition }} does not fit into the memory of {{ $labels.instance }}',
  description:
    '{{ $labels.instance }} released partition {{ $labels.partition }}, cause {{ $labels.cause }}: what its partitions hold is' +
    ' more than it may hold. Its log says what to raise to which value. The other partitions continue.',
};

const UNIT_STOPPED: AlertText = {
  alert: 'RecevalUnitStopped',
  expr: 'receval_unit_stopped{cause!~"state_lost|gap|diverged|codec|memory|limit"} == 1',
  for: '1m',
  severity: 'critical',
  summary: 'Partition {{ $labels.partition }} is stopped: {{ $labels.cause }}',
  description:
    '{{ $labels.instance }} does not work on partition {{ $labels.partition }} until the cause, {{ $labels.cause }}, is removed.' +
    ' The runbook explains each cause.',
};

export const COMMIT_ALERTS: readonly AlertText[] = [
  COMMIT_ERRORS,
  COMMIT_FENCED,
  REDIS_ROLLBACK,
  ROWS_LOST,
  STATE_LOST,
  REDIS_MEMORY_HIGH,
  REDIS_MAY_EVICT,
  REDIS_EVICTS,
  DATA_GAP,
  CODEC_FAILURE,
  UNDECODABLE,
  UNIT_OUTGROWN,
  UNIT_STOPPED,
];
