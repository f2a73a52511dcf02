/**
 * A measure against its own past. It is no statistical test: it compares a window's value with a mean of earlier values,
 * and knows no standard error. The gates on weights keep small windows out.
 */
import type { Settings } from '../config/settings.ts';
import type { Measure, MeasureName } from '../measures/family.ts';
import { valueName } from './catalogue.ts';
import { alertRule, type RecordingRule, type RuleGroup, type RuleOptions } from './rules-model.ts';

/** Values that may count as past: of complete windows with enough weight, none during a replay. */
const RECORD = 'receval:primary:trusted';

/** Never negative, and a fall is a loss. Of the others "below its past" says nothing. */
const WATCHABLE: ReadonlySet<MeasureName> = new Set([
  'mrr',
  'hit',
  'precision',
  'recall',
  'f1',
  'ap',
  'rprec',
  'dcg',
  'ndcg',
  'rbp',
  'err',
  'auc',
  'ctr',
  'rate',
]);

/** Also not of an action that no list wants, such as `hide`: its grade is 0, or a veto. */
export function isWatchable({ name, params }: Measure, { grading }: Settings): boolean {
  const rule = grading.actions.find((action) => action.name === params.get('action'))?.rule;
  const isWanted = rule === undefined || (!rule.veto && (rule.from === 'value' || rule.grade > 0));
  return WATCHABLE.has(name) && isWanted;
}

/** The measure compared: the one asked for, else the primary of the experiment `default`, else the first that can be. */
export function watchedMeasure(settings: Settings, { measure }: RuleOptions): Measure | undefined {
  if (measure !== undefined) return measure;
  const primary = settings.experiments.find(({ name }) => name === 'default')?.primary;
  const able = settings.measures.filter((one) => isWatchable(one, settings));
  return able.find(({ canonical }) => canonical === primary) ?? able[0];
}

/** The grouping set compared: the variants, else everything, else the first. */
export function watchedSet({ cohorts }: Settings): readonly string[] | undefined {
  const byVariant = cohorts.find((set) => set.length === 1 && set[0] === 'variant');
  return byVariant ?? cohorts.find((set) => set.length === 0) ?? cohorts[0];
}

/** undefined: no measure or no grouping set can be compared. */
export function qualityRules(settings: Settings, options: RuleOptions): RuleGroup | undefined {
  const measure = watchedMeasure(settings, options);
  const set = watchedSet(settings);
  if (measure === undefined || set === undefined) return undefined;
  const { past, share, hold, interval } = options;
  const offset = options.offset ?? settings.windows[0];
  const range = `${RECORD}[${past.text}] offset ${offset.text}`;
  const enough = Math.ceil(past.ms / interval.ms / 2);
  const who = set.length === 0 ? 'all lists' : set.map((name) => `${name} {{ $labels.${name} }}`).join(', ');
  const labels = ['measure', 'window', 'horizon', 'by', ...set].map((name) => `${name}=%q`).join(',');
  const values = ['measure', 'window', 'horizon', 'by', ...set].map((name) => `$labels.${name}`).join(' ');
  const alert = alertRule(
    {
      alert: 'RecevalQualityBelowPast',
      expr: `1 - ${RECORD} / avg_over_time(${range}) > ${share}
and count_over_time(${range}) >= ${enough}
unless on () (max(receval_replay_in_progress) == 1)`,
      for: hold.text,
      severity: 'critical',
      summary: `{{ $labels.measure }} of ${who} is {{ $value | humanizePercentage }} below its past`,
      description:
        '{{ $labels.measure }} (window {{ $labels.window }}, horizon {{ $labels.horizon }}) of ' +
        `${who} is {{ range query (printf "${RECORD}{${labels}}" ${values}) }}{{ .Value | printf "%.4f" }}{{ end }}, ` +
        `{{ $value | humanizePercentage }} below its mean of the past ${past.text}; the limit is ${percent(share)}.`,
    },
    options,
  );
  return {
    name: 'receval.quality',
    interval: interval.text,
    rules: [trusted(measure, set, settings, options), alert],
  };
}

function trusted(
  measure: Measure,
  set: readonly string[],
  { windows, attribution }: Settings,
  { minImpressions, minPositives }: RuleOptions,
): RecordingRule {
  const span = { window: windows[0].text, horizon: attribution.horizons[0].text };
  const where = { ...span, by: set.join(',') };
  // Cohorts that stand for many others change what they are made of.
  const named = set.map((name) => `${name}!~"__(other|invalid)__"`);
  const value = selector(valueName(measure.name), { ...measureLabels(measure), ...where }, named);
  const gate = (metric: string, labels: Readonly<Record<string, string>>) =>
    `max without (instance, pod) (${selector(metric, labels)})`;
  return {
    record: RECORD,
    expr: `max without (instance, pod, k, params) (${value})
and ${gate('receval_window_impressions', where)} >= ${minImpressions}
and ${gate('receval_window_positives', where)} >= ${minPositives}
and ignoring (${['by', ...set].join(', ')}) ${gate('receval_window_complete', span)} == 1
unless on () (max(receval_replay_in_progress) == 1)`,
    labels: { measure: measure.canonical },
  };
}

/** An empty value selects series that lack the label. */
function measureLabels({ canonical, k }: Measure): Readonly<Record<string, string>> {
  return { k: k === undefined ? '' : String(k), params: /\((.*)\)/.exec(canonical)?.[1] ?? '' };
}

function selector(metric: string, labels: Readonly<Record<string, string>>, more: readonly string[] = []): string {
  const equal = Object.entries(labels).map(([name, value]) => `${name}=${JSON.stringify(value)}`);
  return `${metric}{${[...equal, ...more].join(',')}}`;
}

function percent(share: number): string {
  return `${Number((share * 100).toPrecision(4))}%`;
}
