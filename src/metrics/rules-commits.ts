/** Alerts on what is stored, and on units that are stopped (specification: faults 9). */
import { NEARLY_FULL } from '../accumulators/store/redis-findings.ts';
import { type AlertText, grew } from './rules-model.ts';

/** Of an outage of the store too: a commit without an answer is sent again each time, and counted each time. */
const COMMIT_ERRORS: AlertText = {
  alert: 'RecevalCommitErrors',
  expr: `sum without (outcome) (rate(receval_commits_total{outcome="unknown"}[5m]))
/ sum without (outcome) (rate(receval_commits_total[5m]))
> 0.1`,
  for: '5m',
  severity: 'critical',
  summary: 'receval on {{ $labels.instance }} gets no answers to its commits',
  description:
    '{{ $value | humanizePercentage }} of the commits of {{ $labels.instance }} had no answer in the last 5 minutes; they are' +
    ' sent again. Nothing is read on until they are answered.',
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

/** All processes ask the same server: one alert, not one of each. */
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

/** With noeviction there are none; somebody has changed that since the start. */
const REDIS_EVICTS: AlertText = {
  alert: 'RecevalRedisEvicts',
  expr: 'max without (instance, pod) (increase(receval_redis_evicted_keys_total[15m])) > 0',
  for: '0m',
  severity: 'critical',
  summary: 'Redis throws out keys, perhaps those of receval',
  description:
    'In the last 15 minutes Redis has evicted keys for want of memory. Rows that vanish make measures too low, and nothing else' +
    ' tells it.',
};

/** By the records that are missing, or by the units that are stopped for them. */
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
  STATE_LOST,
  REDIS_MEMORY_HIGH,
  REDIS_EVICTS,
  DATA_GAP,
  CODEC_FAILURE,
  UNDECODABLE,
  UNIT_OUTGROWN,
  UNIT_STOPPED,
];
