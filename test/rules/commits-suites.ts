import { type Firing, grewSuite, type RuleSuite } from './promtool-case.ts';

const A = 'job="receval",instance="a"';
const NONE: readonly Firing[] = [];

const commits = (outcome: string): string => `receval_commits_total{${A},outcome="${outcome}"}`;
const unanswered = (share: string): Firing => ({
  labels: { job: 'receval', instance: 'a' },
  annotations: {
    summary: 'receval on a gets no replies to its commits',
    description: `${share} of the commits of a got no reply in the last 5 minutes; they are retried. Nothing more is read until there is a reply.`,
  },
});

const commitErrors: RuleSuite = {
  alert: 'RecevalCommitErrors',
  step: '1m',
  severity: 'critical',
  cases: {
    'is silent when 10 % of the commits have no answer': {
      series: { [commits('ok')]: '0+90x40', [commits('unknown')]: '0+10x40', [commits('fenced')]: '0x40' },
      at: '30m',
      fires: NONE,
    },
    'fires when 11 % have none for 5 minutes': {
      series: { [commits('ok')]: '0+89x40', [commits('unknown')]: '0+11x40' },
      before: { at: '5m', fires: NONE },
      at: '10m',
      fires: [unanswered('11%')],
    },
    'fires when none has': {
      series: { [commits('ok')]: '100x40', [commits('unknown')]: '0+60x40' },
      at: '10m',
      fires: [unanswered('100%')],
    },
    'is resolved 5 minutes after all have answers again': {
      series: { [commits('ok')]: '100x20 100+60x20', [commits('unknown')]: '0+60x20 1200x20' },
      before: { at: '20m', fires: [unanswered('100%')] },
      at: '26m',
      fires: NONE,
    },
  },
  control: { from: '> 0.1', to: '> 0.12', breaks: 'fires when 11 % have none for 5 minutes' },
};

const commitFenced = grewSuite({
  alert: 'RecevalCommitFenced',
  severity: 'info',
  series: `receval_commits_total{${A},outcome="fenced"}`,
  span: 15,
  firing: {
    labels: { job: 'receval', instance: 'a', outcome: 'fenced' },
    annotations: {
      summary: 'A commit of receval on a met another owner',
      description:
        'In the last 15 minutes a partition was taken from a while it still worked on it. Its commit was refused, so nothing counts twice.',
    },
  },
});

const redisRollback = grewSuite({
  alert: 'RecevalRedisRollback',
  severity: 'warning',
  series: `receval_rewinds_total{${A}}`,
  span: 15,
  firing: {
    labels: { job: 'receval', instance: 'a' },
    annotations: {
      summary: 'Redis lost commits of receval',
      description:
        'In the last 15 minutes a found in Redis an older state than it had stored. It reads again from there; if Kafka still keeps the records, nothing is missing.',
    },
  },
});

const rowsLost = grewSuite({
  alert: 'RecevalRowsLost',
  severity: 'critical',
  series: `receval_lost_keys_total{${A}}`,
  span: 15,
  firing: {
    labels: { job: 'receval', instance: 'a' },
    annotations: {
      summary: 'Rows of receval are gone from Redis, or were altered',
      description:
        'In the last 15 minutes a found that Redis lacks rows that a checkpoint lists, or holds damaged ones. Its log names the keys. Windows and runs of experiments that need them are incomplete.',
    },
  },
});

const stopped = (cause: string): string => `receval_unit_stopped{${A},partition="3",cause="${cause}"}`;

interface Stop {
  readonly alert: string;
  readonly cause: string;
  /** Another cause, which another alert reports. */
  readonly other: string;
  /** Minutes that it must last. */
  readonly lasts: 0 | 1;
  readonly summary: string;
  readonly description: string;
}

function stopSuite({ alert, cause, other, lasts, summary, description }: Stop): RuleSuite {
  const fired: Firing = {
    labels: { job: 'receval', instance: 'a', partition: '3', cause },
    annotations: { summary, description },
  };
  const sentence = `fires when it is stopped${lasts === 0 ? '' : ' for a minute'}`;
  return {
    alert,
    step: '30s',
    severity: 'critical',
    cases: {
      [lasts === 0 ? 'is silent while the unit works' : 'is silent when the unit is stopped for half a minute']: {
        series: { [stopped(cause)]: lasts === 0 ? '0x20' : '0x3 1 0x16' },
        at: '2m',
        fires: NONE,
      },
      [sentence]: {
        series: { [stopped(cause)]: '0x3 1x16', [stopped(other)]: '0x20' },
        at: `${2 + lasts}m`,
        fires: [fired],
      },
      'is resolved once the unit works again': {
        series: { [stopped(cause)]: '0x3 1x7 0x10' },
        before: { at: '5m', fires: [fired] },
        at: '6m',
        fires: NONE,
      },
      'is silent about another cause': {
        series: { [stopped(other)]: '1x20', [stopped(cause)]: '0x20' },
        at: '5m',
        fires: NONE,
      },
    },
    control: { from: '== 1', to: '== 2', breaks: sentence },
  };
}

const stops: readonly RuleSuite[] = [
  {
    alert: 'RecevalStateLost',
    cause: 'state_lost',
    other: 'format',
    lasts: 1,
    summary: 'The stored state of partition 3 is gone',
    description: 'Redis holds nothing of partition 3, though it was read before. a does not start over by itself.',
  } as const,
  {
    alert: 'RecevalDataGap',
    cause: 'diverged',
    other: 'codec',
    lasts: 0,
    summary: 'Records that receval needs are gone: partition 3 is stopped',
    description:
      'Partition 3 is stopped, cause diverged: the log does not hold what it has to read next. The measures of that time are incomplete.',
  } as const,
  {
    alert: 'RecevalCodecFailure',
    cause: 'codec',
    other: 'gap',
    lasts: 0,
    summary: 'Partition 3 is stopped at a batch that cannot be decoded',
    description:
      'A record batch of partition 3 cannot be decompressed, or is larger than allowed. The log of a names topic and offsets. The other partitions continue.',
  } as const,
  ...(['limit', 'memory'] as const).map((cause) => ({
    alert: 'RecevalUnitOutgrown',
    cause,
    other: 'state_lost',
    lasts: 0 as const,
    summary: 'Partition 3 does not fit into the memory of a',
    description: `a released partition 3, cause ${cause}: what its partitions hold is more than it may hold. Its log says what to raise to which value. The other partitions continue.`,
  })),
  ...(['partitions', 'pairing', 'configuration', 'format', 'damaged'] as const).map((cause) => ({
    alert: 'RecevalUnitStopped',
    cause,
    other: 'state_lost',
    lasts: 1 as const,
    summary: `Partition 3 is stopped: ${cause}`,
    description: `a does not work on partition 3 until the cause, ${cause}, is removed. The runbook explains each cause.`,
  })),
].map(stopSuite);

const dataGap = grewSuite({
  alert: 'RecevalDataGap',
  severity: 'critical',
  series: `receval_gap_records_total{${A}}`,
  span: 10,
  firing: {
    labels: { job: 'receval', instance: 'a' },
    annotations: {
      summary: 'Records that receval needs are gone',
      description:
        'In the last 10 minutes a found that Kafka has deleted records that were not read yet. The measures of that time are incomplete.',
    },
  },
});

const undecodable = grewSuite({
  alert: 'RecevalUndecodable',
  severity: 'warning',
  series: `receval_drops_total{${A},reason="undecodable",topic="feedback"}`,
  span: 15,
  firing: {
    labels: { job: 'receval', instance: 'a', reason: 'undecodable', topic: 'feedback' },
    annotations: {
      summary: 'Records of the topic feedback could not be decoded and were skipped',
      description:
        'In the last 15 minutes a skipped record batches of the topic feedback that cannot be decoded, as start.onUndecodable says. Its log names partition and offsets. The measures of that time are incomplete.',
    },
  },
});
const used = (instance: string): string => `receval_redis_memory_used_bytes{job="receval",instance="${instance}"}`;
const limit = (instance: string): string => `receval_redis_memory_limit_bytes{job="receval",instance="${instance}"}`;
const nearlyFull: Firing = {
  labels: { job: 'receval' },
  annotations: {
    summary: 'The Redis of receval is nearly full',
    description:
      'Redis has used 81% of its maxmemory for 10 minutes. When it is full it takes no commit, and nothing is counted until there is room.',
  },
};
const redisMemoryHigh: RuleSuite = {
  alert: 'RecevalRedisMemoryHigh',
  step: '1m',
  severity: 'warning',
  cases: {
    'is silent at 80 %, and without a limit': {
      series: { [used('a')]: '80x30', [limit('a')]: '100x30', [used('b')]: '81x30' },
      at: '25m',
      fires: NONE,
    },
    'fires once above it, after 10 minutes, whoever tells it': {
      series: { [used('a')]: '81x30', [limit('a')]: '100x30', [used('b')]: '81x30', [limit('b')]: '100x30' },
      before: { at: '9m', fires: NONE },
      at: '10m',
      fires: [nearlyFull],
    },
    'is resolved when there is room': {
      series: { [used('a')]: '81x30', [limit('a')]: '100x14 200x16' },
      before: { at: '14m', fires: [nearlyFull] },
      at: '15m',
      fires: NONE,
    },
  },
  control: { from: '> 0.8', to: '> 0.82', breaks: 'fires once above it, after 10 minutes, whoever tells it' },
};

const mayEvict = (instance: string): string => `receval_redis_may_evict{job="receval",instance="${instance}"}`;
const mayEvictFires: Firing = {
  labels: { job: 'receval' },
  annotations: {
    summary: 'The Redis of receval may throw out keys when its memory is short',
    description:
      'maxmemory-policy of Redis is not noeviction any more. As soon as it is out of memory, rows vanish silently. Set it back, also in the file of the server.',
  },
};
const redisMayEvict: RuleSuite = {
  alert: 'RecevalRedisMayEvict',
  step: '15s',
  severity: 'warning',
  cases: {
    'is silent with noeviction': {
      series: { [mayEvict('a')]: '0x20', [mayEvict('b')]: '0x20' },
      at: '5m',
      fires: NONE,
    },
    'fires once after a minute, whoever tells it': {
      series: { [mayEvict('a')]: '1x20', [mayEvict('b')]: '1x20', [mayEvict('c')]: '0x20' },
      before: { at: '45s', fires: NONE },
      at: '1m',
      fires: [mayEvictFires],
    },
    'is resolved when the policy is set back': {
      series: { [mayEvict('a')]: '1x11 0x10' },
      before: { at: '2m45s', fires: [mayEvictFires] },
      at: '3m',
      fires: NONE,
    },
  },
  control: { from: '== 1', to: '== 2', breaks: 'fires once after a minute, whoever tells it' },
};

const evicted = (instance: string): string => `receval_redis_evicted_keys_total{job="receval",instance="${instance}"}`;
const evicts: Firing = {
  labels: { job: 'receval' },
  annotations: {
    summary: 'Redis throws out keys, perhaps those of receval',
    description:
      'In the last 15 minutes Redis has evicted keys because it was out of memory. Rows that vanish make measures too low, and nothing else shows it.',
  },
};
const redisEvicts: RuleSuite = {
  alert: 'RecevalRedisEvicts',
  step: '1m',
  severity: 'critical',
  cases: {
    'is silent while the counter stands, also when a process begins to tell of it': {
      series: { [evicted('a')]: '7x40', [evicted('b')]: '_x20 7x20' },
      at: '22m',
      fires: NONE,
    },
    'fires once when it grew': {
      series: { [evicted('a')]: '7x10 8x30', [evicted('b')]: '7x10 8x30' },
      before: { at: '10m', fires: NONE },
      at: '11m',
      fires: [evicts],
    },
    'is resolved 15 minutes later': {
      series: { [evicted('a')]: '7x10 8x30' },
      before: { at: '24m', fires: [evicts] },
      at: '26m',
      fires: NONE,
    },
  },
  control: { from: '> 0', to: '> 2', breaks: 'fires once when it grew' },
};

export const COMMIT_SUITES: readonly RuleSuite[] = [
  commitErrors,
  commitFenced,
  redisRollback,
  rowsLost,
  redisMemoryHigh,
  redisMayEvict,
  redisEvicts,
  dataGap,
  undecodable,
  ...stops,
];
