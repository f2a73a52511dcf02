/** What each process uses. The names of the process and of Node are prom-client's. */
import { PREFIX } from '../metrics/catalogue.ts';
import type { Panel, Query, Row } from './panel.ts';
import { CHOSEN } from './pipeline-flow.ts';

function lines(title: string, metrics: readonly string[], queries: readonly Query[], more: Partial<Panel> = {}): Panel {
  return { title, metrics, look: { kind: 'lines' }, queries, width: 8, ...more };
}

function of(part: string): string {
  return `${PREFIX}${part}{${CHOSEN}}`;
}

function each(expr: string, what = ''): Query {
  return { expr, legend: `{{instance}}${what}` };
}

export function processRow(): Row {
  return {
    title: 'Processes',
    panels: [
      lines('CPU', [], [each(`rate(${of('process_cpu_seconds_total')}[$__rate_interval])`)], {
        note: 'Cores in use. The join runs on one.',
      }),
      lines(
        'Memory',
        ['receval_memory_limit_bytes'],
        [
          each(of('process_resident_memory_bytes'), ': resident'),
          each(of('nodejs_heap_size_used_bytes'), ': heap in use'),
          each(of('memory_limit_bytes'), ': limit'),
        ],
        { unit: 'bytes' },
      ),
      lines('Event loop lag', [], [each(of('nodejs_eventloop_lag_p99_seconds'))], {
        unit: 's',
        note: '99 of 100 waits for the event loop are shorter.',
      }),
      lines(
        'Time in the garbage collector',
        [],
        [each(`sum by (instance) (rate(${of('nodejs_gc_duration_seconds_sum')}[$__rate_interval]))`)],
        {
          unit: 'percentunit',
        },
      ),
      lines('Clock skew', ['receval_clock_skew_seconds'], [each(of('clock_skew_seconds'))], { unit: 's' }),
      lines(
        'Cohorts beyond limits.series',
        ['receval_series_capped_total'],
        [each(`rate(${of('series_capped_total')}[$__rate_interval])`)],
        {
          unit: 'cps',
        },
      ),
      lines(
        'Impressions under __other__',
        ['receval_folded_impressions_total', 'receval_scored_impressions_total'],
        [
          {
            expr: `sum by (by) (rate(${of('folded_impressions_total')}[$__rate_interval])) / sum by (by) (rate(${of('scored_impressions_total')}[$__rate_interval]))`,
            legend: '[{{by}}]',
          },
        ],
        { unit: 'percentunit', note: 'Share of a grouping set that found no place in limits.cohortsPerSet.' },
      ),
      lines('Started', [], [each(`time() - ${of('process_start_time_seconds')}`)], {
        unit: 's',
        note: 'Age of each process.',
      }),
      lines('Open files', [], [each(of('process_open_fds'))]),
      lines(
        'Our certificates end in',
        ['receval_certificate_not_after_timestamp_seconds', 'receval_certificate_not_before_timestamp_seconds'],
        [
          {
            expr: `min by (instance, setting) (${of('certificate_not_after_timestamp_seconds')} - time())`,
            legend: '{{instance}}: {{setting}}',
          },
          {
            expr: `min by (setting) (0.1 * (${of('certificate_not_after_timestamp_seconds')} - ${of('certificate_not_before_timestamp_seconds')}))`,
            legend: '{{setting}}: renew before',
          },
        ],
        { unit: 's', note: 'Only with a certificate of ours for Kafka or Redis.' },
      ),
      {
        title: 'Files that cannot be used',
        metrics: ['receval_access_problem'],
        note: 'Certificates, keys and secrets: what they held before goes on until a restart.',
        look: { kind: 'table' },
        queries: [{ expr: `max by (setting, instance) (${of('access_problem')}) == 1`, legend: 'cannot be used' }],
        width: 8,
      },
    ],
  };
}
