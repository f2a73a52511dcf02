import { type Firing, grewSuite, type RuleSuite } from './promtool-case.ts';

const A = 'job="receval",instance="a"';
const NONE: readonly Firing[] = [];

const fired = (summary: string, description: string): Firing => ({
  labels: { job: 'receval', instance: 'a' },
  annotations: { summary, description },
});

const cardinalityCapped = grewSuite({
  alert: 'RecevalCardinalityCapped',
  severity: 'warning',
  series: `receval_series_capped_total{${A}}`,
  span: 10,
  lasts: 5,
  firing: fired(
    'receval on a does not show all cohorts',
    'The cohorts of all partitions together are more than limits.series leaves room for. Those with the fewest impressions are shown as __other__ of their sets, as are newer ones in the counters of a worker.',
  ),
});

const foldedIn = (by: string): string => `receval_folded_impressions_total{${A},horizon="1m",by="${by}"}`;
const scoredIn = (by: string, values: string): string =>
  `receval_scored_impressions_total{${A},horizon="1m",by="${by}",${values}}`;
const folds: Firing = {
  labels: { by: 'variant' },
  annotations: {
    summary: 'Many impressions are counted as __other__ in the cohorts of [variant]',
    description:
      'All places of the grouping set [variant] (limits.cohortsPerSet) are taken, and 20% of the impressions of the last hour belong to cohorts without one. They are counted, but not shown by name.',
  },
};
const cohortsFolded: RuleSuite = {
  alert: 'RecevalCohortsFolded',
  step: '1m',
  severity: 'warning',
  cases: {
    'is silent at a tenth': {
      series: {
        [foldedIn('variant')]: '0+10x120',
        [scoredIn('variant', 'variant="a"')]: '0+90x120',
        [scoredIn('variant', 'variant="__other__"')]: '0+10x120',
      },
      at: '2h',
      fires: NONE,
    },
    'fires at a fifth after a quarter of an hour, of that set alone': {
      series: {
        [foldedIn('variant')]: '0+20x120',
        [scoredIn('variant', 'variant="a"')]: '0+80x120',
        [scoredIn('variant', 'variant="__other__"')]: '0+20x120',
        [foldedIn('country')]: '0x120',
        [scoredIn('country', 'country="DE"')]: '0+100x120',
      },
      before: { at: '15m', fires: NONE },
      at: '2h',
      fires: [folds],
    },
    'is silent where nothing comes': {
      series: { [foldedIn('variant')]: '50x120', [scoredIn('variant', 'variant="__other__"')]: '50x120' },
      at: '2h',
      fires: NONE,
    },
  },
  control: { from: '> 0.1', to: '> 0.3', breaks: 'fires at a fifth after a quarter of an hour, of that set alone' },
};

const skew = `receval_clock_skew_seconds{${A}}`;
const wrong = fired(
  'The clock of receval on a is wrong',
  'The clocks of a and of Redis are 31s apart. Above 30 seconds a worker reads nothing.',
);
const clockSkew: RuleSuite = {
  alert: 'RecevalClockSkew',
  step: '30s',
  severity: 'critical',
  cases: {
    'is silent at 30 s behind': { series: { [skew]: '-30x20' }, at: '5m', fires: NONE },
    'fires at 31 s behind, after 2 minutes': {
      series: { [skew]: '-31x20' },
      before: { at: '1m30s', fires: NONE },
      at: '2m',
      fires: [wrong],
    },
    'fires at 31 s ahead, and is resolved when the clock is right': {
      series: { [skew]: '31x9 0x10' },
      before: { at: '4m', fires: [wrong] },
      at: '5m',
      fires: NONE,
    },
  },
  control: { from: '> 30', to: '> 31', breaks: 'fires at 31 s behind, after 2 minutes' },
};

const replay = `receval_replay_in_progress{${A}}`;
const long = fired(
  'receval on a replays for long',
  'a has been reading again for 10 minutes what was open when it took a partition over. Its measures are late, and alerts on quality are silent meanwhile.',
);
const replayLong: RuleSuite = {
  alert: 'RecevalReplayLong',
  step: '1m',
  severity: 'warning',
  cases: {
    'is silent after 9 minutes': { series: { [replay]: '0x4 1x9 0x20' }, at: '14m', fires: NONE },
    'fires after 10 minutes': { series: { [replay]: '0x4 1x20' }, at: '15m', fires: [long] },
    'is resolved at the end of the replay': {
      series: { [replay]: '1x20 0x20' },
      before: { at: '20m', fires: [long] },
      at: '21m',
      fires: NONE,
    },
  },
  control: { from: 'for: 10m', to: 'for: 12m', breaks: 'fires after 10 minutes' },
};

const begun = `receval_process_start_time_seconds{${A}}`;
const restartLoop: RuleSuite = {
  alert: 'RecevalRestartLoop',
  step: '1m',
  severity: 'warning',
  cases: {
    'is silent after three starts': { series: { [begun]: '1x9 60 120 180x30' }, at: '20m', fires: NONE },
    'fires after four': {
      series: { [begun]: '1x9 60 120 180 240x30' },
      at: '20m',
      fires: [fired('receval on a starts again and again', 'a was started 4 times in the last 15 minutes.')],
    },
    'is resolved 15 minutes later': { series: { [begun]: '1x9 60 120 180 240x30' }, at: '30m', fires: NONE },
  },
  control: { from: '> 3', to: '> 4', breaks: 'fires after four' },
};

const lag = `receval_nodejs_eventloop_lag_p99_seconds{${A}}`;
const busy = fired(
  'receval on a is too busy to answer',
  'For 5 minutes one in a hundred waits for the event loop of a has taken 510ms or longer. It may miss heartbeats and lose its partitions.',
);
const eventLoopBlocked: RuleSuite = {
  alert: 'RecevalEventLoopBlocked',
  step: '1m',
  severity: 'warning',
  cases: {
    'is silent at 0.5 s': { series: { [lag]: '0.5x20' }, at: '10m', fires: NONE },
    'fires above, after 5 minutes': {
      series: { [lag]: '0.51x20' },
      before: { at: '4m', fires: NONE },
      at: '5m',
      fires: [busy],
    },
    'is resolved when it is idle again': {
      series: { [lag]: '0.51x10 0.01x10' },
      before: { at: '10m', fires: [busy] },
      at: '11m',
      fires: NONE,
    },
  },
  control: { from: '> 0.5', to: '> 0.6', breaks: 'fires above, after 5 minutes' },
};

const rss = `receval_process_resident_memory_bytes{${A}}`;
const memory = `receval_memory_limit_bytes{${A}}`;
const open = (partition: number): string => `receval_open_impressions{${A},partition="${partition}"}`;
const most = `receval_open_impressions_limit{${A}}`;
const state = (partition: number): string => `receval_state_bytes{${A},partition="${partition}"}`;
const mostState = `receval_state_bytes_limit{${A}}`;
const full = (share: string): Firing =>
  fired(
    'receval on a is short of memory',
    `${share} of the memory of a, or of the state that it may hold, have been in use for 10 minutes. At its limit of state a worker pauses the topic that leads, and a quarter above it releases a partition; at its limit of memory it is killed.`,
  );
const memoryHigh: RuleSuite = {
  alert: 'RecevalMemoryHigh',
  step: '1m',
  severity: 'warning',
  cases: {
    'is silent at 80 % of the memory and of the open impressions': {
      series: { [rss]: '800x30', [memory]: '1000x30', [open(0)]: '300x30', [open(1)]: '500x30', [most]: '1000x30' },
      at: '20m',
      fires: NONE,
    },
    'fires at 81 % of the memory, after 10 minutes': {
      series: { [rss]: '810x30', [memory]: '1000x30' },
      before: { at: '9m', fires: NONE },
      at: '10m',
      fires: [full('81%')],
    },
    'fires at 81 % of the open impressions of all partitions': {
      series: { [rss]: '100x30', [memory]: '1000x30', [open(0)]: '310x30', [open(1)]: '500x30', [most]: '1000x30' },
      at: '10m',
      fires: [full('81%')],
    },
    'fires at 81 % of the bytes of state of all partitions': {
      series: {
        [rss]: '100x30',
        [memory]: '1000x30',
        [state(0)]: '310x30',
        [state(1)]: '500x30',
        [mostState]: '1000x30',
      },
      at: '10m',
      fires: [full('81%')],
    },
    'is resolved when there is room again': {
      series: { [rss]: '810x20 700x20', [memory]: '1000x40' },
      before: { at: '20m', fires: [full('81%')] },
      at: '21m',
      fires: NONE,
    },
    'is silent where no limit is known': { series: { [rss]: '1e12x30', [open(0)]: '1e9x30' }, at: '20m', fires: NONE },
  },
  control: { from: '> 0.8\n', to: '> 0.82\n', breaks: 'fires at 81 % of the memory, after 10 minutes' },
};

const own = (metric: string): string => `${metric}{${A},setting="kafka.tls"}`;
const unusable = own('receval_access_problem');
const begins = own('receval_certificate_not_before_timestamp_seconds');
const ends = own('receval_certificate_not_after_timestamp_seconds');
const notRenewed: Firing = {
  labels: { job: 'receval', instance: 'a', setting: 'kafka.tls' },
  annotations: {
    summary: 'receval on a may soon be shut out: kafka.tls',
    description:
      'The files of kafka.tls on a cannot be used, so that their previous content stays in use until a restart; or less than a tenth of the life of our certificate, or of the last one in ca, is left, and less than 90 days.',
  },
};
const accessNotRenewed: RuleSuite = {
  alert: 'RecevalAccessNotRenewed',
  step: '1m',
  severity: 'warning',
  cases: {
    'is silent while a renewal takes 9 minutes': { series: { [unusable]: '0x4 1x9 0x20' }, at: '14m', fires: NONE },
    'fires when files cannot be used for 10 minutes': {
      series: { [unusable]: '0x4 1x20' },
      before: { at: '14m', fires: NONE },
      at: '15m',
      fires: [notRenewed],
    },
    'is resolved when they can': {
      series: { [unusable]: '1x20 0x20' },
      before: { at: '20m', fires: [notRenewed] },
      at: '21m',
      fires: NONE,
    },
    'is silent while a tenth of the life of a certificate is left': {
      series: { [unusable]: '0x110', [begins]: '0x110', [ends]: '6000x110' },
      at: '1h40m',
      fires: NONE,
    },
    'is silent while 90 days of a long life are left': {
      series: { [unusable]: '0x110', [begins]: '-300000000x110', [ends]: '7782000x110' },
      at: '1h40m',
      fires: NONE,
    },
    'fires when less of a long life has been left for 10 minutes': {
      series: { [unusable]: '0x120', [begins]: '-300000000x120', [ends]: '7782000x120' },
      before: { at: '1h50m', fires: NONE },
      at: '1h51m',
      fires: [notRenewed],
    },
    'fires when less has been left for 10 minutes, also at its end, and is resolved by a new one': {
      series: { [unusable]: '0x130', [begins]: '0x109 6000x20', [ends]: '6000x109 12000x20' },
      before: { at: '1h41m', fires: [notRenewed] },
      at: '1h50m',
      fires: NONE,
    },
  },
  control: {
    from: 'clamp_max(0.1 *',
    to: 'clamp_max(0.05 *',
    breaks: 'fires when less has been left for 10 minutes, also at its end, and is resolved by a new one',
  },
};

export const PROCESS_SUITES: readonly RuleSuite[] = [
  cardinalityCapped,
  cohortsFolded,
  clockSkew,
  replayLong,
  restartLoop,
  eventLoopBlocked,
  memoryHigh,
  accessNotRenewed,
];
