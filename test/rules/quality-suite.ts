import type { Firing, RuleSuite } from './promtool-case.ts';

const LABELS = ['insufficient', 'healthy', 'regressed', 'improved', 'invalid'];

/** Of two exporters and a worker: the label that holds, by minute, as `[label, minutes]` in a row; `lost`: no answer. */
function picture(
  runs: readonly (readonly [label: string, minutes: number])[],
  {
    cohort = 'by="variant",variant="treatment"',
    replay = '0x2000',
  }: { readonly cohort?: string; readonly replay?: string } = {},
): Readonly<Record<string, string>> {
  const series: Record<string, string> = {};
  for (const instance of ['a', 'b']) {
    for (const label of LABELS) {
      const name = `receval_quality_decision{job="receval",instance="${instance}",measure="mrr",horizon="1m",${cohort},decision="${label}"}`;
      series[name] = runs
        .map(([held, minutes]) =>
          held === 'lost' ? `stale _x${minutes - 1}` : `${Number(held === label)}x${minutes - 1}`,
        )
        .join(' ');
    }
  }
  series['receval_replay_in_progress{job="receval",instance="w"}'] = replay;
  return series;
}

const fallen = (cohort: Readonly<Record<string, string>>, who: string): Firing => ({
  labels: { job: 'receval', measure: 'mrr', horizon: '1m', decision: 'regressed', ...cohort },
  annotations: {
    summary: `mrr of ${who} is worse than its own past`,
    description: `mrr (horizon 1m) of ${who} is worse than it was at this hour of the last weeks or days, or of the hours before while that is all there is. The log of receval says by how much and since when.`,
  },
});
const FALLEN = fallen({ by: 'variant', variant: 'treatment' }, 'variant treatment');

const REGRESSED: RuleSuite = {
  alert: 'RecevalQualityRegressed',
  step: '1m',
  severity: 'critical',
  cases: {
    'is silent while the cohort is healthy': { series: picture([['healthy', 60]]), at: '30m', fires: [] },
    'is silent while the cohort is invalid': { series: picture([['invalid', 60]]), at: '30m', fires: [] },
    'fires once for two exporters, with the first value': {
      series: picture([
        ['healthy', 10],
        ['regressed', 30],
      ]),
      before: { at: '9m', fires: [] },
      at: '10m',
      fires: [FALLEN],
    },
    'is resolved when another label holds': {
      series: picture([
        ['regressed', 10],
        ['healthy', 30],
      ]),
      before: { at: '9m', fires: [FALLEN] },
      at: '10m',
      fires: [],
    },
    'goes on while no exporter answers for 4 minutes': {
      series: picture([
        ['regressed', 10],
        ['lost', 4],
        ['regressed', 10],
      ]),
      before: { at: '12m', fires: [FALLEN] },
      at: '14m',
      fires: [FALLEN],
    },
    'names all dimensions of a cohort': {
      series: picture([['regressed', 10]], { cohort: 'by="variant,country",variant="b",country="DE"' }),
      at: '5m',
      fires: [fallen({ by: 'variant,country', variant: 'b', country: 'DE' }, 'variant b, country DE')],
    },
    'names everything together': {
      series: picture([['regressed', 10]], { cohort: 'by=""' }),
      at: '5m',
      fires: [fallen({}, 'all lists')],
    },
    'is silent during a replay': {
      series: picture([['regressed', 30]], { replay: '0x9 1x9 0x9' }),
      before: { at: '9m', fires: [FALLEN] },
      at: '10m',
      fires: [],
    },
  },
  control: { from: '== 1\n', to: '== 2\n', breaks: 'fires once for two exporters, with the first value' },
};

const NOT_WATCHED: Firing = {
  labels: {
    job: 'receval',
    measure: 'mrr',
    horizon: '1m',
    by: 'variant',
    variant: 'treatment',
    decision: 'insufficient',
  },
  annotations: {
    summary: 'mrr of variant treatment cannot be watched',
    description:
      'For 6 hours there has not been enough to judge mrr (horizon 1m) of variant treatment: too few impressions or positives, or no past. The log of receval names the reason.',
  },
};

const UNWATCHED: RuleSuite = {
  alert: 'RecevalQualityUnwatched',
  step: '1m',
  severity: 'info',
  cases: {
    'is silent when there was not enough for 5 hours and 59 minutes': {
      series: picture([
        ['insufficient', 360],
        ['healthy', 60],
      ]),
      at: '5h59m',
      fires: [],
    },
    'fires when there was not enough for 6 hours': {
      series: picture([['insufficient', 400]]),
      at: '6h',
      fires: [NOT_WATCHED],
    },
    'is resolved once there is enough': {
      series: picture([
        ['insufficient', 400],
        ['healthy', 60],
      ]),
      before: { at: '6h30m', fires: [NOT_WATCHED] },
      at: '6h40m',
      fires: [],
    },
    'is silent during a replay': {
      series: picture([['insufficient', 400]], { replay: '0x359 1x60' }),
      at: '6h',
      fires: [],
    },
  },
  control: { from: 'for: 6h', to: 'for: 7h', breaks: 'fires when there was not enough for 6 hours' },
};

export const QUALITY_SUITES: readonly RuleSuite[] = [REGRESSED, UNWATCHED];
