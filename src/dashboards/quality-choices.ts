/** What can be chosen at the top of the dashboard on quality, and how that selects series. */
import { setText } from '../accumulators/store/layout.ts';
import type { Settings } from '../config/settings.ts';
import type { Measure } from '../measures/definition.ts';
import { valueName } from '../metrics/catalogue.ts';
import { paramsOf } from '../metrics/columns.ts';
import { chosen, type Option, type Variable } from './panel.ts';

/** Cohorts that have a panel of their own: those with most impressions. */
export const BANDS = 6;

export function dimensions({ cohorts }: Settings): readonly string[] {
  return [...new Set(cohorts.flat())];
}

/** Names of variables of dimensions begin so: a dimension may have any name. */
function choiceOf(dimension: string): string {
  return `dim_${dimension}`;
}

export function qualityVariables(settings: Settings): readonly Variable[] {
  const { measures, windows, cohorts, attribution, experiments } = settings;
  const all = measures.map(measureOption);
  const primary = all.find(({ text }) => text === experiments[0]?.primary) ?? all[0];
  const sets = cohorts.map(setOption);
  const variantSet = sets.find(({ text }) => text === 'variant') ?? sets[0];
  const spans = windows.map(({ text }) => ({ text, value: text }));
  const horizons = attribution.horizons.map(({ text }) => ({ text, value: text }));
  return [
    { kind: 'datasource', name: 'datasource', label: 'Prometheus' },
    {
      kind: 'query',
      name: 'job',
      label: 'Job',
      query: 'label_values(receval_window_impressions, job)',
      several: false,
    },
    { kind: 'choice', name: 'measure', label: 'Measure', options: all, first: primary },
    { kind: 'choice', name: 'by', label: 'Cohorts by', options: sets, first: variantSet },
    { kind: 'choice', name: 'window', label: 'Window', options: spans, first: spans[Math.min(1, spans.length - 1)] },
    { kind: 'choice', name: 'horizon', label: 'Horizon', options: horizons, first: horizons[horizons.length - 1] },
    ...dimensions(settings).map(
      (dimension): Variable => ({
        kind: 'query',
        name: choiceOf(dimension),
        label: dimension,
        query: `label_values(receval_window_impressions{job="$job"}, ${dimension})`,
        several: true,
      }),
    ),
    {
      kind: 'query',
      name: 'cohort',
      label: 'With the error',
      query: `query_result(topk(${BANDS}, max by (${['horizon', ...dimensions(settings)].join(', ')}) (receval_window_impressions{${matchers(settings)}})))`,
      regex: '/\\{(.+)\\}/',
      several: true,
    },
  ];
}

/** The value is what selects a measure and its errors, whatever its metric is called. */
function measureOption(measure: Measure): Option {
  const { name, k, canonical } = measure;
  const value = `__name__=~"${valueName(name)}(_stderr)?", k="${k ?? ''}", params="${paramsOf(measure) ?? ''}"`;
  return { text: canonical, value };
}

function setOption(by: readonly string[]): Option {
  return { text: by.length === 0 ? 'everything' : setText(by), value: `by="${setText(by)}"` };
}

/** Of the cohorts that are chosen. */
export function matchers(settings: Settings): string {
  const narrowed = dimensions(settings).map((dimension) => `, ${dimension}=~"$${choiceOf(dimension)}"`);
  return `job="$job", ${chosen('by', 'raw')}, window="$window", horizon="$horizon"${narrowed.join('')}`;
}

/** All exporters show the same; take one. */
export const ONE = 'max without (instance, pod)';

export function valuesOf(which: string): string {
  return `${ONE} ({${chosen('measure', 'raw')}, __name__!~".+_stderr", ${which}})`;
}

export function errorsOf(which: string): string {
  return `${ONE} ({${chosen('measure', 'raw')}, __name__=~".+_stderr", ${which}})`;
}

export function cohortName(settings: Settings): string {
  return dimensions(settings)
    .map((dimension) => `{{${dimension}}}`)
    .join(' ');
}
