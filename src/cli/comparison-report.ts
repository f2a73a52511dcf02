import type { ExperimentSettings, Settings } from '../config/settings.ts';
import type { Comparison } from '../experiment/comparison.ts';
import type { Trail } from '../experiment/take-looks.ts';
import { verdictOf } from '../page/experiment.tsx';
import { experimentFacts } from '../page/facts.tsx';
import type { Fact, PositionsView } from '../page/model.ts';
import { positionLines } from '../page/positions.tsx';
import { renderReport } from '../page/report.tsx';
import type { StoredPositions } from '../service/compare-stored.ts';
import { grouped } from '../vocabulary/grouped.ts';
import { instant, percent } from '../vocabulary/numbers.ts';
import { comparisonJson, type Extras } from './comparison-output.ts';
import { closingFacts, cohortsView, periodOf, pipelineView, positionsView } from './replay-report.ts';

export interface Compared {
  readonly comparison: Comparison;
  readonly trail: Trail;
  readonly extras: Extras;
  readonly settings: Settings;
  readonly experiment: ExperimentSettings;
  /** Positions stored by a running service; undefined: there are none. */
  readonly stored: StoredPositions | undefined;
}

/** A comparison as one self-contained page. @param about files and configuration */
export function comparisonReport(
  { comparison, trail, extras, settings, experiment, stored }: Compared,
  about: readonly Fact[],
): string {
  const { plan, ratioBy, findings = [], replayed } = extras;
  const { users, impressions, open = {} } = comparison;
  return renderReport({
    title: `Experiment ${comparison.experiment}`,
    verdict: verdictOf(comparison),
    facts: [
      ['period', periodOf(replayed?.from ?? startOf(trail), comparison.asOf)],
      ...(comparison.start === undefined ? [] : [['start', `${instant(comparison.start)} UTC`] as const]),
      ['users', grouped(sum(users))],
      ['lists', grouped(sum(impressions))],
      ...(replayed === undefined ? [] : closingFacts(replayed, [[comparison.horizon, sum(open)]])),
      ['primary measure', `${comparison.primary} at ${comparison.horizon}`],
      ['tolerated loss', percent(comparison.tolerance)],
    ],
    findings,
    experiments: [{ comparison, trail, weights: experiment.variants, plan, ratioBy }],
    ...(replayed === undefined
      ? { positions: stored === undefined ? undefined : storedView(stored, settings, experiment) }
      : {
          measure: comparison.primary,
          cohorts: cohortsView(replayed, settings, [[experiment.dimension]]),
          positions: positionsView(
            replayed.rows,
            { ...settings, positions: { ...settings.positions, sets: [[experiment.dimension]] } },
            experiment.control,
          ),
          pipeline: pipelineView(replayed),
        }),
    about: [...about, ...experimentFacts(experiment)],
    raw: { name: 'comparison.json', text: comparisonJson(comparison, extras) },
  });
}

function storedView(
  { window, horizon, rows }: StoredPositions,
  { positions }: Settings,
  { dimension, control }: ExperimentSettings,
): PositionsView {
  const lines = positionLines(
    rows.map(({ values, row }) => ({ ...row, values })),
    control,
  );
  return { by: [dimension], horizon, what: `, over the last ${window}`, ranks: positions.ranks, lines };
}

function startOf(trail: Trail): string | null {
  const times = [...trail.values()].flatMap((points) => points.slice(0, 1).map(({ at }) => at));
  return times.length === 0 ? null : new Date(Math.min(...times)).toISOString();
}

function sum(counts: Readonly<Record<string, number>>): number {
  return Object.values(counts).reduce((all, n) => all + n, 0);
}
