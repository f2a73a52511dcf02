/** The health of the service, in the order of the runbook. */
import { LAST_SHARE, LONGEST_NOTICE_MS } from '../connections/access-files.ts';
import { PREFIX } from '../metrics/metric-specs.ts';
import type { DashboardPlan, Panel, Query, Row } from './panel.ts';

/** Selects the instances that are chosen in the dashboard. */
const CHOSEN = 'job="$job", instance=~"$instance"';

const SPAN = '$__rate_interval';

export function pipelinePlan(): DashboardPlan {
  return {
    uid: 'receval-pipeline',
    title: 'receval: pipeline health',
    description: 'What comes in, what is stored, what is stopped, and what the processes use.',
    span: '3h',
    variables: [
      { kind: 'datasource', name: 'datasource', label: 'Prometheus' },
      { kind: 'query', name: 'job', label: 'Job', query: 'label_values(receval_build_info, job)', several: false },
      {
        kind: 'query',
        name: 'instance',
        label: 'Instance',
        query: 'label_values(receval_build_info{job="$job"}, instance)',
        several: true,
      },
    ],
    rows: [standing(), ...flowRows(), processRow()],
  };
}

function standing(): Row {
  return {
    title: 'Now',
    panels: [
      {
        title: 'Targets that are up',
        metrics: [],
        note: 'RecevalWorkerDown fires if one does not.',
        look: { kind: 'number' },
        queries: [{ expr: 'sum(up{job="$job"})', legend: 'up' }],
        width: 6,
      },
      {
        title: 'Versions',
        metrics: ['receval_build_info'],
        look: { kind: 'table', hidden: [] },
        queries: [{ expr: 'count by (version, node) (receval_build_info{job="$job"})', legend: 'processes' }],
        width: 6,
      },
      {
        title: 'Alerts that fire',
        metrics: [],
        note: 'docs/runbook.md says what each means and what to do.',
        look: { kind: 'table', hidden: ['Value #A'] },
        queries: [
          {
            expr: 'max by (alertname, severity, instance, topic, partition, cause) (ALERTS{alertname=~"Receval.+", alertstate="firing"})',
            legend: 'firing',
          },
        ],
        width: 12,
      },
    ],
  };
}

/** A panel of lines. The metrics of the process and of Node have the names of prom-client. */
function lines(title: string, metrics: readonly string[], queries: readonly Query[], more: Partial<Panel> = {}): Panel {
  return { title, metrics, look: { kind: 'lines' }, queries, width: 8, ...more };
}

function of(part: string): string {
  return `${PREFIX}${part}{${CHOSEN}}`;
}

function each(expr: string, what = ''): Query {
  return { expr, legend: `{{instance}}${what}` };
}

function processRow(): Row {
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
        'Certificates expire in',
        ['receval_certificate_not_after_timestamp_seconds', 'receval_certificate_not_before_timestamp_seconds'],
        [
          {
            expr: `min by (instance, setting) (${of('certificate_not_after_timestamp_seconds')} - time())`,
            legend: '{{instance}}: {{setting}}',
          },
          {
            expr: `min by (setting) (clamp_max(${LAST_SHARE} * (${of('certificate_not_after_timestamp_seconds')} - ${of('certificate_not_before_timestamp_seconds')}), ${LONGEST_NOTICE_MS / 1000}))`,
            legend: '{{setting}}: renew before',
          },
        ],
        {
          unit: 's',
          note: 'Our own for Kafka and Redis, and the last one in each ca, after which no server is known.',
        },
      ),
      {
        title: 'Files that cannot be used',
        metrics: ['receval_access_problem'],
        note: 'Certificates, keys and secrets: their previous content stays in use until a restart.',
        look: { kind: 'table' },
        queries: [{ expr: `max by (setting, instance) (${of('access_problem')}) == 1`, legend: 'cannot be used' }],
        width: 8,
      },
    ],
  };
}

/** The sum over workers, each of which reports its own part. */
function sum(metric: string): string {
  return `sum without (instance, pod) (${metric}{${CHOSEN}})`;
}

function perSecond(metric: string): string {
  return `sum without (instance, pod) (rate(${metric}{${CHOSEN}}[${SPAN}]))`;
}

/** A panel with one line per set of labels. */
function line(title: string, metric: string, expr: string, legend: string, more: Partial<Panel> = {}): Panel {
  return { title, metrics: [metric], look: { kind: 'lines' }, queries: [{ expr, legend }], width: 8, ...more };
}

function rates(title: string, metric: string, legend: string, more: Partial<Panel> = {}): Panel {
  return line(title, metric, perSecond(metric), legend, { unit: 'cps', ...more });
}

/** A panel of quantiles of a histogram in seconds. */
function quantiles(title: string, metric: string): Panel {
  const of = (quantile: number): string =>
    `histogram_quantile(${quantile}, sum by (le) (rate(${metric}_bucket{${CHOSEN}}[${SPAN}])))`;
  return {
    title,
    metrics: [metric],
    look: { kind: 'lines' },
    queries: [0.5, 0.95, 0.99].map((quantile) => ({ expr: of(quantile), legend: `${100 * quantile} %` })),
    unit: 's',
    width: 8,
  };
}

/** Rows on the flow from the topics to the store. */
function flowRows(): readonly Row[] {
  return [
    { title: 'Delay', panels: delay() },
    { title: 'Commits and stored state', panels: commits() },
    { title: 'What comes in', panels: incoming() },
    { title: 'What is open', panels: open() },
  ];
}

function delay(): readonly Panel[] {
  const lag = 'receval_consumer_lag_messages';
  const waiting = 'receval_open_transaction_messages';
  const watermark = 'receval_watermark_timestamp_seconds';
  const result = 'receval_result_timestamp_seconds';
  const headroom = 'receval_retention_headroom_seconds';
  return [
    line('Lag by topic', lag, `sum without (instance, pod, partition) (${lag}{${CHOSEN}})`, '{{topic}}'),
    {
      title: 'Lag of each partition',
      metrics: [lag, waiting],
      look: { kind: 'lines' },
      queries: [
        { expr: `max without (instance, pod) (${lag}{${CHOSEN}}) > 0`, legend: '{{topic}} {{partition}}' },
        {
          expr: `max without (instance, pod) (${waiting}{${CHOSEN}}) > 0`,
          legend: '{{topic}} {{partition}}, in transactions',
        },
      ],
      width: 8,
      note: 'Partitions that have something left to read.',
    },
    line(
      'Delay of the watermark',
      watermark,
      `max without (instance, pod, partition) (time() - ${watermark}{${CHOSEN}})`,
      '{{topic}}',
      {
        unit: 's',
        note: 'Of the partition that is farthest behind.',
      },
    ),
    line(
      'Age of the newest result',
      result,
      `time() - max without (instance, pod) (${result}{${CHOSEN}})`,
      '{{horizon}}',
      { unit: 's' },
    ),
    line('Retention headroom', headroom, `min by (instance) (${headroom}{${CHOSEN}})`, '{{instance}}', {
      unit: 's',
      look: { kind: 'lines', limit: { value: 86_400, color: 'text' } },
    }),
    line('Replays', 'receval_replay_in_progress', `receval_replay_in_progress{${CHOSEN}}`, '{{instance}}', {
      look: {
        kind: 'states',
        states: [
          { value: 0, text: 'live', color: 'green' },
          { value: 1, text: 'replays', color: 'blue' },
        ],
      },
    }),
  ];
}

function commits(): readonly Panel[] {
  const last = 'receval_last_commit_timestamp_seconds';
  const stopped = 'receval_unit_stopped';
  return [
    rates('Commits by outcome', 'receval_commits_total', '{{outcome}}'),
    quantiles('Duration of a commit', 'receval_commit_duration_seconds'),
    line('Age of the last commit', last, `time() - ${last}{${CHOSEN}}`, '{{instance}}', { unit: 's' }),
    {
      title: 'Stopped partitions',
      metrics: [stopped],
      look: { kind: 'table' },
      queries: [{ expr: `max by (partition, cause, instance) (${stopped}{${CHOSEN}}) == 1`, legend: 'is stopped' }],
      width: 8,
    },
    rates('Rewinds', 'receval_rewinds_total', 'rewinds'),
    {
      title: 'Memory of Redis',
      metrics: ['receval_redis_memory_used_bytes', 'receval_redis_memory_limit_bytes'],
      look: { kind: 'lines' },
      queries: [
        { expr: `max(receval_redis_memory_used_bytes{${CHOSEN}})`, legend: 'used' },
        { expr: `max(receval_redis_memory_limit_bytes{${CHOSEN}})`, legend: 'maxmemory' },
      ],
      unit: 'bytes',
      width: 8,
      note: 'At maxmemory no commit is taken.',
    },
    line(
      'Keys evicted by Redis',
      'receval_redis_evicted_keys_total',
      `max(rate(receval_redis_evicted_keys_total{${CHOSEN}}[${SPAN}]))`,
      'keys',
      { unit: 'cps', note: 'Must be 0: rows that vanish are wrong measures.' },
    ),
    line('Lost keys of rows', 'receval_lost_keys_total', sum('receval_lost_keys_total'), 'keys', {
      note: 'Must be 0. Since the processes began.',
    }),
    line('Redis may evict keys', 'receval_redis_may_evict', `max(receval_redis_may_evict{${CHOSEN}})`, 'may evict', {
      note: 'Must be 0: set maxmemory-policy to noeviction.',
    }),
    line('Records that were gone', 'receval_gap_records_total', sum('receval_gap_records_total'), 'records', {
      note: 'Since the processes began.',
    }),
  ];
}

function incoming(): readonly Panel[] {
  return [
    rates('Events read', 'receval_events_total', '{{topic}}'),
    line('Drops by reason', 'receval_drops_total', `${perSecond('receval_drops_total')} > 0`, '{{topic}} {{reason}}', {
      unit: 'cps',
      note: 'Reasons that occur; docs/concepts.md explains each.',
    }),
    line(
      'Invalid records by code',
      'receval_invalid_total',
      `${perSecond('receval_invalid_total')} > 0`,
      '{{topic}} {{code}}',
      { unit: 'cps', note: 'Codes that occur; docs/events.md explains each.' },
    ),
    line(
      'Records that no map is for',
      'receval_unmapped_total',
      `${perSecond('receval_unmapped_total')} > 0`,
      '{{topic}} {{field}} {{value}}',
      { unit: 'cps', note: 'Passed over: they meet no when of the maps of their topic.' },
    ),
    rates('Events that missed a horizon', 'receval_late_total', '{{topic}} {{horizon}}'),
    line('Match ratio', 'receval_match_ratio', `receval_match_ratio{${CHOSEN}}`, '{{instance}}', {
      unit: 'percentunit',
    }),
    line('Feedback that joins', 'receval_join_share', `avg by (topic) (receval_join_share{${CHOSEN}})`, '{{topic}}', {
      unit: 'percentunit',
      note: 'Of the last 1,000 or so. Below a half: RecevalFewJoined.',
    }),
    line(
      'Items found in their list',
      'receval_item_share',
      `avg by (topic) (receval_item_share{${CHOSEN}})`,
      '{{topic}}',
      { unit: 'percentunit', note: 'Of feedback whose request is known.' },
    ),
    quantiles('Delay of feedback', 'receval_feedback_delay_seconds'),
    rates('Impressions scored', 'receval_scored_impressions_total', '{{horizon}}', {
      queries: [
        {
          expr: `sum by (horizon) (rate(receval_scored_impressions_total{${CHOSEN}, by=""}[${SPAN}]))`,
          legend: '{{horizon}}',
        },
      ],
    }),
    rates('Impressions left out, their feedback not read', 'receval_unscored_impressions_total', '{{horizon}}'),
    rates('Items that the catalogue does not hold', 'receval_unknown_items_total', '{{horizon}}'),
    rates('Dead letters', 'receval_dead_letters_total', '{{outcome}}'),
    rates('Cohort keys that are not dimensions', 'receval_ignored_cohort_keys_total', 'keys'),
  ];
}

function open(): readonly Panel[] {
  const limit = 'receval_open_impressions_limit';
  const stateLimit = 'receval_state_bytes_limit';
  const of = (metric: string): string => `sum by (instance) (${metric}{${CHOSEN}})`;
  return [
    {
      title: 'Open impressions',
      metrics: ['receval_open_impressions', limit],
      look: { kind: 'lines' },
      queries: [
        { expr: of('receval_open_impressions'), legend: '{{instance}}' },
        { expr: of(limit), legend: '{{instance}}: limit' },
      ],
      width: 8,
    },
    line('Waiting feedback', 'receval_waiting_feedback', of('receval_waiting_feedback'), '{{instance}}'),
    {
      title: 'State in memory',
      metrics: ['receval_state_bytes', stateLimit, 'receval_fetched_bytes'],
      look: { kind: 'lines' },
      unit: 'bytes',
      queries: [
        { expr: of('receval_state_bytes'), legend: '{{instance}}' },
        { expr: of(stateLimit), legend: '{{instance}}: limit' },
        { expr: of('receval_fetched_bytes'), legend: '{{instance}}: fetched' },
      ],
      width: 8,
    },
    rates('Idle advances', 'receval_idle_advances_total', 'advances'),
    rates('Impressions closed by them', 'receval_impressions_closed_by_idle_total', 'impressions'),
  ];
}
