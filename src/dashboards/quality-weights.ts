/** How many impressions stand behind a value, and which part of it is theirs. */
import type { Settings } from '../config/settings.ts';
import type { Row } from './panel.ts';
import { cohortName, matchers, ONE, valuesOf } from './quality-choices.ts';

export function weights(settings: Settings): Row {
  const which = matchers(settings);
  const legend = cohortName(settings);
  const of = (metric: string): string => `${ONE} (${metric}{${which}})`;
  const [impressions, positives] = ['receval_window_impressions', 'receval_window_positives'];
  return {
    title: 'What stands behind it',
    panels: [
      {
        title: 'n: impressions',
        metrics: [impressions],
        look: { kind: 'lines' },
        queries: [{ expr: of(impressions), legend }],
        width: 8,
      },
      {
        title: 'n+: impressions with a positive',
        metrics: [positives],
        look: { kind: 'lines' },
        queries: [{ expr: of(positives), legend }],
        width: 8,
      },
      {
        title: 'n+ / n',
        metrics: [impressions, positives],
        note: 'Share of impressions with a positive. Most measures are this share times a mean over the lists with a positive: a fall of it alone is no worse order.',
        look: { kind: 'lines' },
        queries: [{ expr: `${of(positives)}\n/ ${of(impressions)}`, legend }],
        unit: 'percentunit',
        width: 8,
      },
      {
        title: 'Mean over lists with a positive',
        metrics: [impressions, positives],
        note: 'The chosen measure times n / n+: how good the order is where there was something to find. For measures that count a list without a positive as 0.',
        look: { kind: 'lines' },
        queries: [
          {
            expr: `${valuesOf(which)}\n* ignoring (k, params) ${of(impressions)}\n/ ignoring (k, params) ${of(positives)}`,
            legend,
          },
        ],
        width: 8,
      },
      {
        title: 'Whole windows',
        metrics: ['receval_window_complete'],
        look: {
          kind: 'states',
          states: [
            { value: 0, text: 'incomplete', color: 'orange' },
            { value: 1, text: 'whole', color: 'green' },
          ],
        },
        queries: [{ expr: `${ONE} (receval_window_complete{job="$job"})`, legend: '{{window}} at {{horizon}}' }],
        width: 8,
      },
      {
        title: 'Age of the newest result',
        metrics: ['receval_result_timestamp_seconds'],
        look: { kind: 'lines' },
        queries: [{ expr: `time() - ${ONE} (receval_result_timestamp_seconds{job="$job"})`, legend: '{{horizon}}' }],
        unit: 's',
        width: 8,
      },
      {
        title: 'Cohorts with too many items',
        metrics: ['receval_item_limit_rows'],
        look: { kind: 'lines' },
        queries: [{ expr: `${ONE} (receval_item_limit_rows{job="$job"})`, legend: 'cohorts' }],
        width: 8,
      },
    ],
  };
}
