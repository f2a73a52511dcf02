/** From the topics to the store. */
import type { Panel, Row } from './panel.ts';

/** Of the instances that are chosen. */
export const CHOSEN = 'job="$job", instance=~"$instance"';
const SPAN = '$__rate_interval';

/** Workers show their own part each: sum them. */
function sum(metric: string): string {
  return `sum without (instance, pod) (${metric}{${CHOSEN}})`;
}

function perSecond(metric: string): string {
  return `sum without (instance, pod) (rate(${metric}{${CHOSEN}}[${SPAN}]))`;
}

/** One line per set of labels. */
function lines(title: string, metric: string, expr: string, legend: string, more: Partial<Panel> = {}): Panel {
  return { title, metrics: [metric], look: { kind: 'lines' }, queries: [{ expr, legend }], width: 8, ...more };
}

function rates(title: string, metric: string, legend: string, more: Partial<Panel> = {}): Panel {
  return lines(title, metric, perSecond(metric), legend, { unit: 'cps', ...more });
}

/** Quantiles of a histogram in seconds. */
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

export function flowRows(): readonly Row[] {
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
    lines('Lag by topic', lag, `sum without (instance, pod, partition) (${lag}{${CHOSEN}})`, '{{topic}}'),
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
    lines(
      'Delay of the watermark',
      watermark,
      `max without (instance, pod, partition) (time() - ${watermark}{${CHOSEN}})`,
      '{{topic}}',
      {
        unit: 's',
        note: 'Of the partition that is farthest behind.',
      },
    ),
    lines(
      'Age of the newest result',
      result,
      `time() - max without (instance, pod) (${result}{${CHOSEN}})`,
      '{{horizon}}',
      { unit: 's' },
    ),
    lines('Retention headroom', headroom, `min by (instance) (${headroom}{${CHOSEN}})`, '{{instance}}', {
      unit: 's',
      look: { kind: 'lines', limit: { value: 86_400, color: 'text' } },
    }),
    lines('Replays', 'receval_replay_in_progress', `receval_replay_in_progress{${CHOSEN}}`, '{{instance}}', {
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
    lines('Age of the last commit', last, `time() - ${last}{${CHOSEN}}`, '{{instance}}', { unit: 's' }),
    {
      title: 'Partitions that stand still',
      metrics: [stopped],
      look: { kind: 'table' },
      queries: [{ expr: `max by (partition, cause, instance) (${stopped}{${CHOSEN}}) == 1`, legend: 'stands still' }],
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
    lines(
      'Keys evicted by Redis',
      'receval_redis_evicted_keys_total',
      `max(rate(receval_redis_evicted_keys_total{${CHOSEN}}[${SPAN}]))`,
      'keys',
      { unit: 'cps', note: 'Must be 0: rows that vanish are wrong measures.' },
    ),
    lines('Records that were gone', 'receval_gap_records_total', sum('receval_gap_records_total'), 'records', {
      note: 'Since the processes began.',
    }),
  ];
}

function incoming(): readonly Panel[] {
  return [
    rates('Events read', 'receval_events_total', '{{topic}}'),
    lines('Drops by reason', 'receval_drops_total', `${perSecond('receval_drops_total')} > 0`, '{{topic}} {{reason}}', {
      unit: 'cps',
      note: 'Reasons that occur; docs/concepts.md explains each.',
    }),
    lines(
      'Invalid records by code',
      'receval_invalid_total',
      `${perSecond('receval_invalid_total')} > 0`,
      '{{topic}} {{code}}',
      { unit: 'cps', note: 'Codes that occur; docs/events.md explains each.' },
    ),
    rates('Events that missed a horizon', 'receval_late_total', '{{topic}} {{horizon}}'),
    lines('Match ratio', 'receval_match_ratio', `receval_match_ratio{${CHOSEN}}`, '{{instance}}', {
      unit: 'percentunit',
    }),
    lines('Feedback that joins', 'receval_join_share', `avg by (topic) (receval_join_share{${CHOSEN}})`, '{{topic}}', {
      unit: 'percentunit',
      note: 'Of the last 1,000 or so. Below a half: RecevalFewJoined.',
    }),
    lines(
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
    rates('Items that the catalogue does not hold', 'receval_unknown_items_total', '{{horizon}}'),
    rates('Dead letters', 'receval_dead_letters_total', '{{outcome}}'),
    rates('Cohort keys that are no dimensions', 'receval_ignored_cohort_keys_total', 'keys'),
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
    lines('Waiting feedback', 'receval_waiting_feedback', of('receval_waiting_feedback'), '{{instance}}'),
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
