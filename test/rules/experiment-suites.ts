import type { Firing, RuleSuite } from './promtool-case.ts';

const LABELS = ['insufficient', 'healthy', 'regressed', 'improved', 'invalid'];
type Runs = readonly (readonly [label: string, minutes: number])[];

/** Of two exporters and a worker: the label of each variant that holds, by minute, as `[label, minutes]` in a row; `lost`: no answer. */
function picture(variants: Readonly<Record<string, Runs>>, replay = '0x100'): Readonly<Record<string, string>> {
  const series: Record<string, string> = {};
  for (const instance of ['a', 'b']) {
    for (const [variant, runs] of Object.entries(variants)) {
      for (const label of LABELS) {
        const name = `receval_experiment_decision{job="receval",instance="${instance}",experiment="default",variant="${variant}",decision="${label}"}`;
        series[name] = runs
          .map(([held, minutes]) =>
            held === 'lost' ? `stale _x${minutes - 1}` : `${Number(held === label)}x${minutes - 1}`,
          )
          .join(' ');
      }
    }
  }
  series['receval_replay_in_progress{job="receval",instance="w"}'] = replay;
  return series;
}

const worse = (variant: string): Firing => ({
  labels: { job: 'receval', experiment: 'default', variant, decision: 'regressed' },
  annotations: {
    summary: `${variant} of the experiment default is worse than its control`,
    description: `The variant ${variant} of the experiment default is worse than the control on the primary measure or on a guardrail. This holds however often anybody looks, and stays for the rest of a run that is sound.`,
  },
});

const REGRESSED: RuleSuite = {
  alert: 'RecevalExperimentRegressed',
  step: '1m',
  severity: 'critical',
  cases: {
    'is silent while the variant is healthy': { series: picture({ b: [['healthy', 60]] }), at: '30m', fires: [] },
    'is silent while nothing is known': { series: picture({ b: [['insufficient', 60]] }), at: '30m', fires: [] },
    'is silent while the experiment is invalid': { series: picture({ b: [['invalid', 60]] }), at: '30m', fires: [] },
    'fires once for two exporters, with the first value': {
      series: picture({
        b: [
          ['healthy', 10],
          ['regressed', 30],
        ],
      }),
      before: { at: '9m', fires: [] },
      at: '10m',
      fires: [worse('b')],
    },
    'fires for the variant that is worse, not for the other': {
      series: picture({ b: [['improved', 30]], c: [['regressed', 30]] }),
      at: '5m',
      fires: [worse('c')],
    },
    'is resolved when another label holds, such as that of a new run': {
      series: picture({
        b: [
          ['regressed', 10],
          ['insufficient', 30],
        ],
      }),
      before: { at: '9m', fires: [worse('b')] },
      at: '10m',
      fires: [],
    },
    'goes on while no exporter answers for 4 minutes': {
      series: picture({
        b: [
          ['regressed', 10],
          ['lost', 4],
          ['regressed', 10],
        ],
      }),
      before: { at: '12m', fires: [worse('b')] },
      at: '14m',
      fires: [worse('b')],
    },
    'is resolved when no exporter has spoken of the variant for 5 minutes': {
      series: picture({
        b: [
          ['regressed', 10],
          ['lost', 20],
        ],
      }),
      before: { at: '13m', fires: [worse('b')] },
      at: '15m',
      fires: [],
    },
    'is silent during a replay': {
      series: picture({ b: [['regressed', 30]] }, '0x9 1x9 0x9'),
      before: { at: '9m', fires: [worse('b')] },
      at: '10m',
      fires: [],
    },
  },
  control: { from: '== 1\n', to: '== 2\n', breaks: 'fires once for two exporters, with the first value' },
};

const UNSOUND: Firing = {
  labels: { job: 'receval', experiment: 'default', variant: 'b', decision: 'invalid' },
  annotations: {
    summary: 'The experiment default says nothing about b',
    description:
      'For 10 minutes the experiment default has been unsound for b: users are not split as configured or saw several variants, records are missing, or the effect changed its direction.',
  },
};

const INVALID: RuleSuite = {
  alert: 'RecevalExperimentInvalid',
  step: '1m',
  severity: 'warning',
  cases: {
    'is silent when it was invalid for 9 minutes': {
      series: picture({
        b: [
          ['invalid', 10],
          ['healthy', 30],
        ],
      }),
      at: '9m',
      fires: [],
    },
    'fires when it was invalid for 10 minutes': {
      series: picture({ b: [['invalid', 30]] }),
      at: '10m',
      fires: [UNSOUND],
    },
    'is resolved when the cause is gone': {
      series: picture({
        b: [
          ['invalid', 20],
          ['insufficient', 30],
        ],
      }),
      before: { at: '15m', fires: [UNSOUND] },
      at: '20m',
      fires: [],
    },
    'is silent while the variant is worse': { series: picture({ b: [['regressed', 60]] }), at: '30m', fires: [] },
    'is silent during a replay': { series: picture({ b: [['invalid', 40]] }, '0x9 1x40'), at: '15m', fires: [] },
  },
  control: { from: 'for: 10m', to: 'for: 12m', breaks: 'fires when it was invalid for 10 minutes' },
};

export const EXPERIMENT_SUITES: readonly RuleSuite[] = [REGRESSED, INVALID];
