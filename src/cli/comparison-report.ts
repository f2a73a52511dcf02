import type { ExperimentSettings, Settings } from '../config/settings.ts';
import type { Comparison } from '../experiment/comparison.ts';
import type { Trail } from '../experiment/take-looks.ts';
import { verdictOf } from '../page/experiment.tsx';
import type { Fact } from '../page/model.ts';
import { counted, instant, share } from '../page/numbers.ts';
import { renderReport } from '../page/report.tsx';
import { comparisonJson, type Extras } from './comparison-output.ts';
import { cohortsView, periodOf, pipelineView, positionsView } from './replay-report.ts';

export interface Compared {
  readonly comparison: Comparison;
  readonly trail: Trail;
  readonly extras: Extras;
  readonly settings: Settings;
  readonly experiment: ExperimentSettings;
}

/** A comparison as one page that needs nothing else. @param about files and configuration */
export function comparisonReport(
  { comparison, trail, extras, settings, experiment }: Compared,
  about: readonly Fact[],
): string {
  const { plan, ratioBy, findings = [], replayed } = extras;
  const { users, impressions } = comparison;
  return renderReport({
    title: `Experiment ${comparison.experiment}`,
    verdict: verdictOf(comparison),
    facts: [
      ['period', periodOf(replayed?.from ?? startOf(trail), comparison.asOf)],
      ['users', counted(sum(users))],
      ['lists', counted(sum(impressions))],
      ['primary measure', `${comparison.primary} at ${comparison.horizon}`],
      ['tolerated loss', share(comparison.tolerance)],
    ],
    findings,
    experiment: { comparison, trail, weights: experiment.variants, plan, ratioBy },
    ...(replayed === undefined
      ? {}
      : {
          cohorts: cohortsView(replayed, settings, [[experiment.dimension]]),
          positions: positionsView(
            replayed.rows,
            { ...settings, positions: { ...settings.positions, sets: [[experiment.dimension]] } },
            experiment.control,
          ),
          pipeline: pipelineView(replayed),
        }),
    about: [...about, ...settingsOf(experiment)],
    raw: { name: 'comparison.json', text: comparisonJson(comparison, extras) },
  });
}

function startOf(trail: Trail): string | null {
  const times = [...trail.values()].flatMap((points) => points.slice(0, 1).map(({ at }) => at));
  return times.length === 0 ? null : new Date(Math.min(...times)).toISOString();
}

function settingsOf(experiment: ExperimentSettings): readonly Fact[] {
  const { variants, control, primary, guardrails, horizon, start, alpha, nStar, tolerance } = experiment;
  return [
    ['variants', [...variants].map(([name, weight]) => `${name} ${weight}`).join(', ')],
    ['control', control],
    ['primary', primary],
    ['guardrails', guardrails.length === 0 ? 'none' : guardrails.join(', ')],
    ['horizon', horizon.text],
    ...(start === undefined ? [] : [['start', instant(new Date(start).toISOString())] as const]),
    ['alpha', String(alpha)],
    ['tolerance', String(tolerance)],
    ['nStar', counted(nStar)],
  ];
}

function sum(counts: Readonly<Record<string, number>>): number {
  return Object.values(counts).reduce((all, n) => all + n, 0);
}
