/** Variants of an experiment against its control, since the start of its run. */
import { chosen, DECISIONS, decisionNumber, type Panel, type Row, type Variable } from './panel.ts';

const OF_EXPERIMENT = 'job="$job", experiment="$experiment"';
const OF_ARM = `${OF_EXPERIMENT}, measure="$compared"`;
/** Below it users are not split as configured (specification: statistics 5.3). */
const SRM_LIMIT = 0.001;

export const EXPERIMENT_VARIABLES: readonly Variable[] = [
  {
    kind: 'query',
    name: 'experiment',
    label: 'Experiment',
    query: 'label_values(receval_experiment_decision{job="$job"}, experiment)',
    several: false,
  },
  {
    kind: 'query',
    name: 'compared',
    label: 'its measure',
    query: `label_values(receval_experiment_effect{${OF_EXPERIMENT}}, measure)`,
    several: false,
  },
  {
    kind: 'query',
    name: 'arm',
    label: 'its variants',
    query: `label_values(receval_experiment_effect{${OF_EXPERIMENT}}, variant)`,
    regex: '/(.+)/',
    several: true,
  },
];

/** All exporters show the same; take one. */
function one(metric: string, matchers: string): string {
  return `max without (instance, pod) (${metric}{${matchers}})`;
}

export function experimentRow(): Row {
  return { title: 'Experiment $experiment', panels: [decision(), split(), effect(), ...evidence()] };
}

function decision(): Panel {
  return {
    title: 'Decisions on variants',
    metrics: ['receval_experiment_decision'],
    look: { kind: 'states', states: DECISIONS },
    queries: [{ expr: decisionNumber('receval_experiment_decision', OF_EXPERIMENT), legend: '{{variant}}' }],
    width: 16,
  };
}

function split(): Panel {
  return {
    title: 'Split of the users (SRM)',
    metrics: ['receval_experiment_srm_p_value'],
    note: `Below ${SRM_LIMIT} the users are not split as the weights say, and no effect can be trusted.`,
    look: { kind: 'lines', log: true, limit: { value: SRM_LIMIT, color: 'red' } },
    queries: [{ expr: one('receval_experiment_srm_p_value', OF_EXPERIMENT), legend: 'p' }],
    width: 8,
  };
}

function effect(): Panel {
  const arm = `${OF_ARM}, variant="${chosen('arm', 'raw')}"`;
  return {
    title: '$compared: $arm minus control',
    metrics: ['receval_experiment_effect', 'receval_experiment_ci_lower', 'receval_experiment_ci_upper'],
    note: 'The bounds hold at all times together: an effect whose band lies on one side of 0 is one, whenever you look.',
    look: { kind: 'band' },
    queries: [
      { expr: one('receval_experiment_effect', arm), legend: 'effect' },
      { expr: one('receval_experiment_ci_upper', arm), legend: 'upper' },
      { expr: one('receval_experiment_ci_lower', arm), legend: 'lower' },
    ],
    width: 12,
    repeat: 'arm',
  };
}

function evidence(): readonly Panel[] {
  const shown = [
    ['Smallest p so far', 'receval_experiment_p_value', true],
    ['Evidence (log e)', 'receval_experiment_log_e_value', false],
    ['Smallest effect that would be seen', 'receval_experiment_mde', false],
  ] as const;
  return shown.map(([title, metric, log]) => ({
    title,
    metrics: [metric],
    look: { kind: 'lines', log },
    queries: [{ expr: one(metric, OF_ARM), legend: '{{variant}}' }],
    width: 8,
  }));
}
