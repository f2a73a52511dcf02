import type { Firing, RuleCase, RuleSuite } from './promtool-case.ts';

/** 24 h of past at a value of 0.5, one value a minute. */
const PAST = 1440;

interface Picture {
  /** ndcg@10 of the treatment, in promtool's notation. */
  readonly treatment: string;
  readonly control?: string;
  readonly impressions?: string;
  readonly positives?: string;
  readonly complete?: string;
  readonly replay?: string;
}

function picture(shown: Picture): Readonly<Record<string, string>> {
  const {
    treatment,
    control,
    impressions = '1000x2000',
    positives = '50x2000',
    complete = '1x2000',
    replay = '0x2000',
  } = shown;
  const span = 'horizon="1m",window="5m"';
  const cohort = (variant: string): string => `by="variant",${span},variant="${variant}"`;
  const series: Record<string, string> = {};
  for (const instance of ['a', 'b']) {
    const target = `job="receval",instance="${instance}"`;
    for (const [variant, values] of [
      ['treatment', treatment],
      ['control', control],
    ]) {
      if (variant === undefined || values === undefined) continue;
      series[`receval_ndcg{${target},k="10",${cohort(variant)}}`] = values;
      series[`receval_window_impressions{${target},${cohort(variant)}}`] = impressions;
      series[`receval_window_positives{${target},${cohort(variant)}}`] = positives;
    }
    // Others that must not be mixed in.
    series[`receval_ndcg{${target},k="5",${cohort('treatment')}}`] = '0.01x2000';
    series[`receval_ndcg{${target},k="10",params="ideal=all",${cohort('treatment')}}`] = '0.02x2000';
    series[`receval_ndcg{${target},k="10",by="",${span}}`] = '0.03x2000';
    series[`receval_window_complete{${target},${span}}`] = complete;
    series[`receval_replay_in_progress{${target}}`] = replay;
  }
  return series;
}

const below = (now: string, fall: string, variant = 'treatment'): Firing => ({
  labels: { job: 'receval', measure: 'ndcg@10', window: '5m', horizon: '1m', by: 'variant', variant },
  annotations: {
    summary: `ndcg@10 of variant ${variant} is ${fall} below its past`,
    description: `ndcg@10 (window 5m, horizon 1m) of variant ${variant} is ${now}, ${fall} below its mean of the past 24h; the limit is 10%.`,
  },
});

/** Falls at 24 h; asked 6 minutes later, before the past knows of it. */
const fallen = (more: Omit<Picture, 'treatment'>, fires: readonly Firing[]): RuleCase => ({
  series: picture({ treatment: `0.5x${PAST - 1} 0.4x200`, ...more }),
  at: '24h5m',
  fires,
});
/** One of the values of the past is of the fall already. */
const FALL = below('0.4000', '19.99%');

export const QUALITY_SUITE: RuleSuite = {
  alert: 'RecevalQualityBelowPast',
  step: '1m',
  severity: 'critical',
  cases: {
    'is silent at a fall of 9.9 %': {
      series: picture({ treatment: `0.5x${PAST - 1} 0.4505x200` }),
      at: '24h5m',
      fires: [],
    },
    'fires at a fall of 10.1 % that lasts 5 minutes': {
      series: picture({ treatment: `0.5x${PAST - 1} 0.4495x200` }),
      at: '24h5m',
      fires: [below('0.4495', '10.09%')],
    },
    'is silent when the fall lasts 4 minutes': {
      series: picture({ treatment: `0.5x${PAST - 1} 0.4495x3 0.5x100` }),
      at: '24h5m',
      fires: [],
    },
    'is resolved when the measure comes back': {
      series: picture({ treatment: `0.5x${PAST - 1} 0.4x30 0.49x100` }),
      before: { at: '24h5m', fires: [FALL] },
      at: '24h40m',
      fires: [],
    },
    'names the variant that fell, not the other': fallen({ control: '0.5x2000' }, [FALL]),
    'fires with 1000 impressions and 50 positives': fallen({}, [FALL]),
    'is silent with 999 impressions': fallen({ impressions: `1000x${PAST - 1} 999x200` }, []),
    'is silent with 49 positives': fallen({ positives: `50x${PAST - 1} 49x200` }, []),
    'is silent while the window is incomplete': fallen({ complete: `1x${PAST - 1} 0x200` }, []),
    'is silent during a replay': fallen({ replay: `0x${PAST - 1} 1x200` }, []),
    'is silent with a past of less than 12 of the 24 hours': {
      series: picture({ treatment: '0.5x719 0.4x200', complete: '0x5 1x2000' }),
      at: '12h5m',
      fires: [],
    },
    'fires with a past of 12 of the 24 hours': {
      series: picture({ treatment: '0.5x724 0.4x200' }),
      at: '12h10m',
      fires: [below('0.4000', '19.98%')],
    },
    'does not count an incomplete window as past': {
      series: picture({ treatment: `0.1x599 0.5x${PAST - 601} 0.4x200`, complete: '0x599 1x2000' }),
      at: '24h5m',
      fires: [below('0.4000', '19.98%')],
    },
  },
  control: { from: '> 0.1\n', to: '> 0.11\n', breaks: 'fires at a fall of 10.1 % that lasts 5 minutes' },
};
