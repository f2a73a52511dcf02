/** Alerts on the pipeline itself (specification: faults 9). */
import type { Settings } from '../config/settings.ts';
import { COMMIT_ALERTS } from './rules-commits.ts';
import { type AlertText, alertRule, type RuleGroup, type RuleOptions } from './rules-model.ts';
import { PROCESS_ALERTS } from './rules-process.ts';
import { TOPIC_ALERTS } from './rules-topics.ts';

export function pipelineRules(settings: Settings, options: RuleOptions): RuleGroup {
  const standing = [workerDown(options), NO_PROGRESS, staleResults(settings)];
  const alerts = [...standing, ...COMMIT_ALERTS, ...TOPIC_ALERTS, ...PROCESS_ALERTS];
  return { name: 'receval.pipeline', rules: alerts.map((alert) => alertRule(alert, options)) };
}

/** By target; if none is known that does not answer, the number of those that do. */
function workerDown({ targets }: RuleOptions): AlertText {
  return {
    alert: 'RecevalWorkerDown',
    expr: `up{job="receval"} == 0
or on () (count(up{job="receval"} == 1) or vector(0)) < ${targets}`,
    for: '2m',
    severity: 'critical',
    summary:
      'receval {{ if $labels.instance }}on {{ $labels.instance }} does not answer{{ else }}has too few workers{{ end }}',
    description:
      '{{ if $labels.instance }}Prometheus has not been able to scrape {{ $labels.instance }} for 2 minutes' +
      `{{ else }}{{ $value }} targets of the job receval answer, at least ${targets} must{{ end }}.`,
  };
}

/**
 * By worker, for one that stands still must not hide behind one that runs. Only of workers that own a unit. A worker that
 * never committed counts from its start. The lag is absent while no broker answers: then it is not known to be 0.
 */
const NO_PROGRESS: AlertText = {
  alert: 'RecevalNoProgress',
  expr: `time() - (receval_last_commit_timestamp_seconds or receval_process_start_time_seconds) > 60
and count without (partition) (receval_open_impressions) > 0
unless receval_replay_in_progress == 1
unless sum without (topic, partition) (receval_consumer_lag_messages) == 0`,
  for: '1m',
  severity: 'critical',
  summary: 'receval on {{ $labels.instance }} makes no progress',
  description:
    'The worker on {{ $labels.instance }} has not committed for {{ $value | humanizeDuration }}; it replays nothing, and' +
    ' it is not known that nothing is left to read.',
};

const SLACK_MS = 300_000;

/** Of the longest horizon alone: what makes it stale makes the others stale. */
function staleResults({ attribution }: Settings): AlertText {
  const horizon = attribution.horizons[attribution.horizons.length - 1];
  const limit = horizon.ms + attribution.outOfOrderness + SLACK_MS;
  return {
    alert: 'RecevalStaleResults',
    expr: `time() - max without (instance, pod) (receval_result_timestamp_seconds{horizon="${horizon.text}"}) > ${limit / 1000}`,
    for: '5m',
    severity: 'critical',
    summary: 'The measures of receval are stale',
    description:
      'The newest result is {{ $value | humanizeDuration }} old. With a horizon of ' +
      `${horizon.text} it should be at most {{ ${limit / 1000} | humanizeDuration }}.`,
  };
}
