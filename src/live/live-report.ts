/** What a running process knows at one moment, as a report. */
import type { Settings } from '../config/settings.ts';
import { MOST_LISTED } from '../page/cohorts.tsx';
import type { HistoryView } from '../page/history.tsx';
import { freshnessFacts, type LiveView, liveVerdict } from '../page/live-page.tsx';
import type { CohortLine, Fact, ReportView } from '../page/model.ts';
import { instant } from '../page/numbers.ts';
import { countingFacts, experimentFacts } from '../page/settings-facts.ts';
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
  readonly query: LiveQuery;
  readonly history: HistoryView | undefined;
  /** Cohorts of all sets over the window of the query; undefined: nothing was read yet, or not by this process. */
  readonly lines: readonly CohortLine[] | undefined;
  readonly measures: readonly string[];
  /** Of the process. */
  readonly about: readonly Fact[];
  /** JSON. */
  readonly state: string;
}

/** The parts of the page that make sense without a server: no single lists, and all cohorts in one table. */
export function liveReport(known: Known, reported: Reported, settings: Settings): ReportView {
  const { namespace, now, troubles, freshness, experiments, decisions, positions, pipeline, work } = known;
  const { query, history, lines, measures, about, state } = reported;
  const { attribution, cohorts, detect } = settings;
  return {
    title: `Service ${namespace}`,
    verdict: liveVerdict(known),
    facts: [['as of', `${instant(now)} UTC`], ...freshnessFacts(freshness)],
    findings: troubles,
    history,
    experiments,
    decisions,
    cohorts:
      lines === undefined
        ? undefined
        : {
            horizons: attribution.horizons.map(({ text }) => text),
            // The page's own comes first: it is drawn until another is chosen.
            measures: [query.measure, ...measures.filter((name) => name !== query.measure)],
            lowerIsBetter: detect.lowerIsBetter,
            what: `, over the last ${query.window}`,
            others: `These are the ${MOST_LISTED} with most lists; the page of the service lists all.`,
            sets: cohorts,
            lines,
          },
    positions,
    pipeline,
    work,
    about: [...about, ...countingFacts(settings), ...experimentsFacts(settings)],
    raw: { name: 'state.json', text: state },
  };
}

function experimentsFacts({ experiments }: Settings): readonly Fact[] {
  return experiments.flatMap((one) => experimentFacts(one, experiments.length === 1 ? undefined : one.name));
}
