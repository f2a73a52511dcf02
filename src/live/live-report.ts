/** A report of what a running process knows at one moment. */
import type { Settings } from '../config/settings.ts';
import { MOST_LISTED } from '../page/cohorts.tsx';
import { countingFacts, experimentFacts } from '../page/facts.tsx';
import type { HistoryView } from '../page/history.tsx';
import { freshnessFacts, type LiveView, liveVerdict } from '../page/live-page.tsx';
import type { CohortLine, CohortsView, Fact, ReportView } from '../page/model.ts';
import { instant } from '../vocabulary/numbers.ts';
import type { LiveQuery } from './live-query.ts';

type Known = Pick<
  LiveView,
  | 'namespace'
  | 'now'
  | 'ready'
  | 'troubles'
  | 'freshness'
  | 'experiments'
  | 'decisions'
  | 'positions'
  | 'pipeline'
  | 'work'
>;

interface Reported {
  readonly history: HistoryView | undefined;
  /** undefined: nothing has been read yet, or not by this process. */
  readonly cohorts: CohortsView | undefined;
  /** The measure shown on the page. */
  readonly measure: string;
  /** Facts about the process. */
  readonly about: readonly Fact[];
}

/** The parts of the page that make sense without a server: no single lists, and all cohorts in one table. */
export function liveReport(known: Known, reported: Reported, settings: Settings): Omit<ReportView, 'raw'> {
  const { namespace, now, troubles, freshness, experiments, decisions, positions, pipeline, work } = known;
  const { history, cohorts, measure, about } = reported;
  return {
    title: `Service ${namespace}`,
    verdict: liveVerdict(known),
    facts: [['as of', `${instant(now)} UTC`], ...freshnessFacts(freshness)],
    findings: troubles,
    history,
    experiments,
    decisions,
    cohorts,
    measure,
    positions,
    pipeline,
    work,
    about: [...about, ...countingFacts(settings), ...experimentsFacts(settings)],
  };
}

/** Cohorts of all sets over the window of the query. */
export function reportedCohorts(
  lines: readonly CohortLine[],
  { window }: LiveQuery,
  measures: readonly string[],
  { attribution, cohorts, detect }: Settings,
  incomplete: (horizon: string) => string | undefined,
): CohortsView {
  return {
    horizons: attribution.horizons.map(({ text }) => text),
    measures,
    lowerIsBetter: detect.lowerIsBetter,
    what: `, over the last ${window}`,
    warnings: new Map(
      attribution.horizons.flatMap(({ text }) => {
        const words = incomplete(text);
        return words === undefined ? [] : [[text, words] as const];
      }),
    ),
    others: `These are the ${MOST_LISTED} with most lists; the page of the service lists all.`,
    sets: cohorts,
    lines,
  };
}

function experimentsFacts({ experiments }: Settings): readonly Fact[] {
  return experiments.flatMap((one) => experimentFacts(one, experiments.length === 1 ? undefined : one.name));
}
