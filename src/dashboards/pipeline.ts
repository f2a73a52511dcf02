/** How the service does: in the order of the runbook. */

import type { DashboardPlan, Row } from './panel.ts';
import { flowRows } from './pipeline-flow.ts';
import { processRow } from './pipeline-process.ts';

export function pipelinePlan(): DashboardPlan {
  return {
    uid: 'receval-pipeline',
    title: 'receval: pipeline health',
    description: 'What comes in, what is stored, what stands still, and what the processes use.',
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
        title: 'Targets that answer',
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
