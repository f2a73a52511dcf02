import type { Firing, RuleSuite } from './promtool-case.ts';

const A = 'job="receval",instance="a"';
const B = 'job="receval",instance="b"';
const NONE: readonly Firing[] = [];

const down = (instance: string): Firing => ({
  labels: { job: 'receval', instance },
  annotations: {
    summary: `receval on ${instance} does not answer`,
    description: `Prometheus has not been able to scrape ${instance} for 2 minutes.`,
  },
});

const workerDown: RuleSuite = {
  alert: 'RecevalWorkerDown',
  step: '15s',
  severity: 'critical',
  cases: {
    'is silent while a target that failed to answer comes back within 2 minutes': {
      series: { [`up{${A}}`]: '1x3 0x7 1x10', [`up{${B}}`]: '1x40' },
      at: '3m',
      fires: NONE,
    },
    'fires for the one target that has not answered for 2 minutes': {
      series: { [`up{${A}}`]: '1x3 0x20', [`up{${B}}`]: '1x40' },
      at: '3m',
      fires: [down('a')],
    },
    'is resolved once the target answers': {
      series: { [`up{${A}}`]: '1x3 0x20 1x10', [`up{${B}}`]: '1x40' },
      before: { at: '6m', fires: [down('a')] },
      at: '6m30s',
      fires: NONE,
    },
    'is silent about targets of another job': {
      series: { [`up{${A}}`]: '1x40', 'up{job="shop"}': '0x40' },
      at: '5m',
      fires: NONE,
    },
    'fires if no target is known at all': {
      series: { 'up{job="shop"}': '1x40' },
      at: '5m',
      fires: [
        {
          labels: {},
          annotations: {
            summary: 'receval has too few workers',
            description: '0 targets of the job receval are up, at least 1 must.',
          },
        },
      ],
    },
  },
  control: { from: 'for: 2m', to: 'for: 4m', breaks: 'fires for the one target that has not answered for 2 minutes' },
};

const commit = (age: number): string => `${-age}+15x40`;
const working = {
  [`receval_open_impressions{${A},partition="0"}`]: '0x40',
  [`receval_replay_in_progress{${A}}`]: '0x40',
};
const lag = `receval_consumer_lag_messages{${A},partition="0",topic="impressions"}`;
const stuck = (age: string): Firing => ({
  labels: { job: 'receval', instance: 'a' },
  annotations: {
    summary: 'receval on a makes no progress',
    description: `The worker on a has not committed for ${age}; it replays nothing, and it is not known that nothing is left to read.`,
  },
});

const noProgress: RuleSuite = {
  alert: 'RecevalNoProgress',
  step: '15s',
  severity: 'critical',
  cases: {
    'is silent when the last commit is always 60 s old': {
      series: { ...working, [`receval_last_commit_timestamp_seconds{${A}}`]: commit(60), [lag]: '7x40' },
      at: '5m',
      fires: NONE,
    },
    'fires when it is always 61 s old': {
      series: { ...working, [`receval_last_commit_timestamp_seconds{${A}}`]: commit(61), [lag]: '7x40' },
      at: '5m',
      fires: [stuck('1m 1s')],
    },
    'is resolved by a commit': {
      series: { ...working, [`receval_last_commit_timestamp_seconds{${A}}`]: '1x19 300x20', [lag]: '7x40' },
      before: { at: '4m45s', fires: [stuck('4m 44s')] },
      at: '5m',
      fires: NONE,
    },
    'is silent when nothing is left to read': {
      series: { ...working, [`receval_last_commit_timestamp_seconds{${A}}`]: '1x40', [lag]: '0x40' },
      at: '5m',
      fires: NONE,
    },
    'fires when the lag is not known': {
      series: { ...working, [`receval_last_commit_timestamp_seconds{${A}}`]: '1x40', [lag]: '0x3 stale' },
      at: '5m',
      fires: [stuck('4m 59s')],
    },
    'is silent during a replay': {
      series: {
        [`receval_open_impressions{${A},partition="0"}`]: '0x40',
        [`receval_replay_in_progress{${A}}`]: '1x40',
        [`receval_last_commit_timestamp_seconds{${A}}`]: '1x40',
        [lag]: '7x40',
      },
      at: '5m',
      fires: NONE,
    },
    'is silent about a worker without a unit': {
      series: { [`receval_last_commit_timestamp_seconds{${A}}`]: '1x40', [`receval_replay_in_progress{${A}}`]: '0x40' },
      at: '5m',
      fires: NONE,
    },
    'fires for a worker that never committed since its start': {
      series: {
        ...working,
        [`receval_process_start_time_seconds{${A}}`]: '60x40',
        [lag]: '7x40',
      },
      at: '5m',
      fires: [stuck('4m 0s')],
    },
    'fires for one worker while another commits': {
      series: {
        ...working,
        [`receval_last_commit_timestamp_seconds{${A}}`]: commit(61),
        [lag]: '7x40',
        [`receval_open_impressions{${B},partition="1"}`]: '0x40',
        [`receval_last_commit_timestamp_seconds{${B}}`]: commit(1),
      },
      at: '5m',
      fires: [stuck('1m 1s')],
    },
  },
  control: { from: '> 60', to: '> 61', breaks: 'fires when it is always 61 s old' },
};

const staleFiring: Firing = {
  labels: { job: 'receval' },
  annotations: {
    summary: 'The measures of receval are stale',
    description:
      'The newest result is 35m 11s old. With a longest horizon of 30m it should be at most 35m 10s; with another one, generate the rules again.',
  },
};

const staleResults: RuleSuite = {
  alert: 'RecevalStaleResults',
  step: '15s',
  severity: 'critical',
  cases: {
    'is silent when the newest result is as old as horizon, outOfOrderness and 5 minutes': {
      series: { [`receval_result_timestamp_seconds{${A},horizon="30m"}`]: '-2110+15x80' },
      at: '15m',
      fires: NONE,
    },
    'fires when it is a second older for 5 minutes': {
      series: { [`receval_result_timestamp_seconds{${A},horizon="30m"}`]: '-2111+15x80' },
      at: '5m',
      fires: [staleFiring],
    },
    'is resolved by new results': {
      series: { [`receval_result_timestamp_seconds{${A},horizon="30m"}`]: '-2111+15x20 -1500+15x40' },
      before: { at: '5m', fires: [staleFiring] },
      at: '6m',
      fires: NONE,
    },
    'takes the horizon that is behind most': {
      series: {
        [`receval_result_timestamp_seconds{${A},horizon="5m"}`]: '-310+15x80',
        [`receval_result_timestamp_seconds{${A},horizon="30m"}`]: '-2111+15x80',
      },
      at: '5m',
      fires: [staleFiring],
    },
    'fires too where exporters show another horizon than that of the rules': {
      series: { [`receval_result_timestamp_seconds{${A},horizon="1h"}`]: '-2111+15x80' },
      at: '5m',
      fires: [staleFiring],
    },
    'takes the newest of all exporters': {
      series: {
        [`receval_result_timestamp_seconds{${A},horizon="30m"}`]: '-2111+15x80',
        [`receval_result_timestamp_seconds{${B},horizon="30m"}`]: '-1900+15x80',
      },
      at: '15m',
      fires: NONE,
    },
  },
  control: { from: '> 2110', to: '> 2111', breaks: 'fires when it is a second older for 5 minutes' },
};

const incompleteFiring = (window: string): Firing => ({
  labels: { job: 'receval', window },
  annotations: {
    summary: `The window of ${window} has been incomplete for longer than its length`,
    description:
      `The window of ${window} should be complete that long after a start. Until it is, its gauges are absent, or of a part of` +
      ' its lists, and alerts on them do not fire. Something goes missing again and again, or a partition stands still.',
  },
});

const complete = (window: string, horizon = '30m', who = A): string =>
  `receval_window_complete{${who},window="${window}",horizon="${horizon}"}`;

const incompleteWindow: RuleSuite = {
  alert: 'RecevalWindowIncomplete',
  step: '1m',
  severity: 'warning',
  cases: {
    'is silent while a window fills for the first time': {
      series: { [complete('5m')]: '0x40 1x10' },
      at: '40m',
      fires: NONE,
    },
    'fires when a window has been incomplete for its length, the longest horizon and 5 minutes': {
      series: { [complete('5m')]: '0x60', [complete('5m', '1m')]: '1x60' },
      at: '41m',
      fires: [incompleteFiring('5m')],
    },
    'is resolved once it is complete': {
      series: { [complete('5m')]: '0x45 1x20' },
      before: { at: '45m', fires: [incompleteFiring('5m')] },
      at: '46m',
      fires: NONE,
    },
    'takes an exporter to which it is complete': {
      series: { [complete('5m')]: '0x60', [complete('5m', '30m', B)]: '1x60' },
      at: '60m',
      fires: NONE,
    },
    'fires later for a longer window, and for one that the rules do not name': {
      series: { [complete('24h')]: '0x1600', [complete('7m')]: '0x1600' },
      before: { at: '1475m', fires: NONE },
      at: '1476m',
      fires: [incompleteFiring('24h'), incompleteFiring('7m')],
    },
  },
  control: {
    from: 'offset 41m',
    to: 'offset 42m',
    breaks: 'fires when a window has been incomplete for its length, the longest horizon and 5 minutes',
  },
};

export const PIPELINE_SUITES: readonly RuleSuite[] = [workerDown, noProgress, staleResults, incompleteWindow];
