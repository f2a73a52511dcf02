import { type Firing, grewSuite, type RuleSuite } from './promtool-case.ts';

const A = 'job="receval",instance="a"';
const B = 'job="receval",instance="b"';
const NONE: readonly Firing[] = [];

const drops = (reason: string, more = A): string => `receval_drops_total{${more},reason="${reason}",topic="feedback"}`;
const read = (topic: string, more = A): string => `receval_events_total{${more},topic="${topic}"}`;
const lag = (partition: number, more = A): string =>
  `receval_consumer_lag_messages{${more},topic="feedback",partition="${partition}"}`;

const behind = (records: string): Firing => ({
  labels: { job: 'receval', topic: 'feedback' },
  annotations: {
    summary: 'receval lags behind the topic feedback',
    description: `${records} records of the topic feedback are not read yet, and for 15 minutes they have grown, or shrunk so slowly that it would take more than 10 minutes to catch up.`,
  },
});

const lagHigh: RuleSuite = {
  alert: 'RecevalLagHigh',
  step: '1m',
  severity: 'warning',
  cases: {
    'is silent once the lag will be gone in 9 minutes, and not while it takes 11': {
      series: { [lag(0)]: '40000-1000x38', [read('feedback')]: '0+2000x60' },
      before: { at: '29m', fires: [behind('11k')] },
      at: '31m',
      fires: NONE,
    },
    'fires when the lag of all partitions together grows for 15 minutes': {
      series: { [lag(0)]: '1000+20x60', [lag(1, B)]: '900-10x60', [read('feedback')]: '0+500x60' },
      before: { at: '14m', fires: NONE },
      at: '20m',
      fires: [behind('2.1k')],
    },
    'is silent about a lag below what comes in a minute, even if it grows': {
      series: { [lag(0)]: '100+10x60', [read('feedback')]: '0+1000x60' },
      at: '40m',
      fires: NONE,
    },
    'fires when nothing is read and something is left': {
      series: { [lag(0)]: '7x60', [read('feedback')]: '100x60' },
      at: '20m',
      fires: [behind('7')],
    },
    'is silent when nothing is left': {
      series: { [lag(0)]: '0x60', [read('feedback')]: '100x60' },
      at: '40m',
      fires: NONE,
    },
  },
  control: {
    from: '> 600',
    to: '> 800',
    breaks: 'is silent once the lag will be gone in 9 minutes, and not while it takes 11',
  },
};

const poisoned = (share: string): Firing => ({
  labels: { job: 'receval', topic: 'feedback' },
  annotations: {
    summary: 'receval cannot use part of the topic feedback',
    description: `${share} of the events of the topic feedback were dropped as invalid or as of the future in the last 10 minutes; the limit is 0.5%.`,
  },
});

const poisonRate: RuleSuite = {
  alert: 'RecevalPoisonRate',
  step: '1m',
  severity: 'warning',
  cases: {
    'is silent at 0.49 %, invalid and future together': {
      series: {
        [read('feedback')]: '0+10000x60',
        [drops('invalid')]: '0+24x60',
        [drops('future')]: '0+25x60',
        [drops('late')]: '0+900x60',
      },
      at: '40m',
      fires: NONE,
    },
    'fires at 0.51 %': {
      series: { [read('feedback')]: '0+10000x60', [drops('invalid')]: '0+26x60', [drops('future')]: '0+25x60' },
      at: '20m',
      fires: [poisoned('0.51%')],
    },
    'fires at 0.51 % of all workers, though only one of them reads bad records': {
      series: {
        [read('feedback')]: '0+5000x60',
        [read('feedback', B)]: '0+5000x60',
        [drops('invalid')]: '0+51x60',
        [drops('invalid', B)]: '0x60',
      },
      at: '20m',
      fires: [poisoned('0.51%')],
    },
    'is resolved 10 minutes after the last bad record': {
      series: { [read('feedback')]: '0+10000x60', [drops('invalid')]: '0+100x20 2000x40' },
      before: { at: '20m', fires: [poisoned('1%')] },
      at: '31m',
      fires: NONE,
    },
    'is silent about a topic without events': {
      series: { [read('feedback')]: '0x60', [drops('invalid')]: '0x60' },
      at: '40m',
      fires: NONE,
    },
  },
  control: { from: '> 0.005', to: '> 0.006', breaks: 'fires at 0.51 %' },
};

const unpaired = (share: string): Firing => ({
  labels: { job: 'receval', topic: 'feedback' },
  annotations: {
    summary: 'Feedback of the topic feedback finds no impressions',
    description: `${share} of the events of the topic feedback were dropped as orphans in the last 15 minutes, while all topics flow. The keys of impressions and feedback probably differ.`,
  },
});

const keysNotPaired: RuleSuite = {
  alert: 'RecevalKeysNotPaired',
  step: '1m',
  severity: 'warning',
  cases: {
    'is silent when 50 % of the feedback are orphans': {
      series: { [read('impressions')]: '0+500x80', [read('feedback')]: '0+1000x80', [drops('orphan')]: '0+500x80' },
      at: '60m',
      fires: NONE,
    },
    'fires at 51 %': {
      series: { [read('impressions')]: '0+500x80', [read('feedback')]: '0+1000x80', [drops('orphan')]: '0+510x80' },
      at: '20m',
      fires: [unpaired('51%')],
    },
    'is resolved 15 minutes after the keys agree': {
      series: {
        [read('impressions')]: '0+500x80',
        [read('feedback')]: '0+1000x80',
        [drops('orphan')]: '0+900x30 27000x50',
      },
      before: { at: '30m', fires: [unpaired('90%')] },
      at: '47m',
      fires: NONE,
    },
    'is silent while a topic is stopped': {
      series: { [read('impressions')]: '0x80', [read('feedback')]: '0+1000x80', [drops('orphan')]: '0+1000x80' },
      at: '60m',
      fires: NONE,
    },
  },
  control: { from: '> 0.5\n', to: '> 0.55\n', breaks: 'fires at 51 %' },
};

const joinShare = (topic: string, instance = 'a'): string =>
  `receval_join_share{job="receval", instance="${instance}", topic="${topic}"}`;

const unjoined = (share: string): Firing => ({
  labels: { job: 'receval', topic: 'feedback' },
  annotations: {
    summary: 'Little feedback of the topic feedback joins',
    description: `Only ${share} of the last feedback of the topic feedback found its list and its item in it. Measures are too low; receval_item_share shows whether items are the cause.`,
  },
});

const fewJoined: RuleSuite = {
  alert: 'RecevalFewJoined',
  step: '1m',
  severity: 'warning',
  cases: {
    'is silent at a half': {
      series: { [joinShare('feedback')]: '0.5x60' },
      at: '60m',
      fires: NONE,
    },
    'fires at 49 %, of the topic that it is, after 15 minutes': {
      series: { [joinShare('feedback')]: '0.49x60', [joinShare('ratings')]: '0.9x60' },
      before: { at: '14m', fires: NONE },
      at: '16m',
      fires: [unjoined('49%')],
    },
    'is of all workers together': {
      series: { [joinShare('feedback')]: '0.3x60', [joinShare('feedback', 'b')]: '0.8x60' },
      at: '60m',
      fires: NONE,
    },
  },
  control: { from: '< 0.5', to: '< 0.45', breaks: 'fires at 49 %, of the topic that it is, after 15 minutes' },
};

const silent: Firing = {
  labels: { job: 'receval', topic: 'impressions' },
  annotations: {
    summary: 'The topic impressions has fallen silent',
    description:
      'receval has read nothing of the topic impressions for 10 minutes. An hour ago it had events, and other topics still have.',
  },
};

const topicSilent: RuleSuite = {
  alert: 'RecevalTopicSilent',
  step: '1m',
  severity: 'warning',
  cases: {
    'is silent when nothing came for less than 20 minutes': {
      series: { [read('impressions')]: '0+10x80 800x18 810+10x40', [read('feedback')]: '0+10x140' },
      at: '98m',
      fires: NONE,
    },
    'fires when nothing came for 10 minutes, and so for 10 more': {
      series: {
        [read('impressions')]: '0+10x80 800x60',
        [read('impressions', B)]: '5x140',
        [read('feedback', B)]: '0+10x140',
      },
      before: { at: '99m', fires: NONE },
      at: '102m',
      fires: [silent],
    },
    'is resolved by an event': {
      series: { [read('impressions')]: '0+10x80 800x30 801x30', [read('feedback')]: '0+10x140' },
      before: { at: '109m', fires: [silent] },
      at: '112m',
      fires: NONE,
    },
    'is silent while the other topics are silent too': {
      series: { [read('impressions')]: '0+10x80 800x60', [read('feedback')]: '0+10x80 800x60' },
      at: '120m',
      fires: NONE,
    },
    'is silent about a topic that had nothing an hour ago either': {
      series: { [read('impressions')]: '0x140', [read('feedback')]: '0+10x140' },
      at: '120m',
      fires: NONE,
    },
  },
  control: { from: 'for: 10m', to: 'for: 30m', breaks: 'fires when nothing came for 10 minutes, and so for 10 more' },
};

const headroom = `receval_retention_headroom_seconds{${A}}`;
const near: Firing = {
  labels: { job: 'receval', instance: 'a' },
  annotations: {
    summary: 'Kafka will soon delete records that receval still needs',
    description:
      'In 23h 59m 59s the retention of a topic reaches the oldest record that a would have to read again; it should be more than 24 hours away.',
  },
};

const retentionLow: RuleSuite = {
  alert: 'RecevalRetentionLow',
  step: '1m',
  severity: 'warning',
  cases: {
    'is silent at 24 hours': { series: { [headroom]: '86400x60' }, at: '40m', fires: NONE },
    'fires a second below, after 15 minutes': {
      series: { [headroom]: '86399x60' },
      before: { at: '14m', fires: NONE },
      at: '15m',
      fires: [near],
    },
    'is resolved when the oldest record that is needed is younger': {
      series: { [headroom]: '86399x30 90000x30' },
      before: { at: '30m', fires: [near] },
      at: '31m',
      fires: NONE,
    },
  },
  control: { from: '< 86400', to: '< 86399', breaks: 'fires a second below, after 15 minutes' },
};

const missed = (horizon: string, more = A): string =>
  `receval_late_total{${more},horizon="${horizon}",topic="impressions"}`;
const tooLate = (share: string): Firing => ({
  labels: { job: 'receval', topic: 'impressions' },
  annotations: {
    summary: 'Much of the topic impressions comes too late for the shortest horizon',
    description: `${share} of the events of the topic impressions counted in the last 15 minutes, but came too late for the shortest horizon, whose numbers are of the others alone. Probably the clock of a producer is minutes ahead.`,
  },
});

const lateForHorizon: RuleSuite = {
  alert: 'RecevalLateForHorizon',
  step: '1m',
  severity: 'warning',
  cases: {
    'is silent at 4.9 %, whatever misses several horizons': {
      series: { [read('impressions')]: '0+1000x60', [missed('1m')]: '0+49x60', [missed('5m')]: '0+49x60' },
      at: '40m',
      fires: NONE,
    },
    'fires at 5.1 % of all workers after 15 minutes': {
      series: {
        [read('impressions')]: '0+1000x60',
        [read('impressions', B)]: '0+1000x60',
        [missed('1m')]: '0+102x60',
        [missed('1m', B)]: '0x60',
        [missed('5m')]: '0+1x60',
      },
      before: { at: '14m', fires: NONE },
      at: '20m',
      fires: [tooLate('5.1%')],
    },
    'is resolved 15 minutes after the last of them': {
      series: { [read('impressions')]: '0+1000x80', [missed('1m')]: '0+480x30 14400x50' },
      before: { at: '30m', fires: [tooLate('48%')] },
      at: '46m',
      fires: NONE,
    },
  },
  control: { from: '> 0.05', to: '> 0.06', breaks: 'fires at 5.1 % of all workers after 15 minutes' },
};

const deadLettersLost = (['failed', 'dropped'] as const).map((outcome) =>
  grewSuite({
    alert: 'RecevalDeadLettersLost',
    severity: 'warning',
    series: `receval_dead_letters_total{${A},outcome="${outcome}"}`,
    span: 15,
    firing: {
      labels: { job: 'receval', instance: 'a', outcome },
      annotations: {
        summary: 'receval on a loses dead letters',
        description: `In the last 15 minutes invalid records could not be kept on a, outcome ${outcome}. They are counted, but nobody can look at their bytes any more.`,
      },
    },
  }),
);
const lettersWritten: RuleSuite = {
  alert: 'RecevalDeadLettersLost',
  step: '1m',
  severity: 'warning',
  cases: {
    'is silent about those that were written': {
      series: { [`receval_dead_letters_total{${A},outcome="written"}`]: '0+10x40' },
      at: '30m',
      fires: NONE,
    },
  },
  control: { from: 'outcome!="written"', to: 'outcome!="none"', breaks: 'is silent about those that were written' },
};

export const TOPIC_SUITES: readonly RuleSuite[] = [
  lagHigh,
  poisonRate,
  lateForHorizon,
  ...deadLettersLost,
  lettersWritten,
  keysNotPaired,
  fewJoined,
  topicSilent,
  retentionLow,
];
