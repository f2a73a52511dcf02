/** The live page: the parts of the report, with what a running process knows now, and above them whether that is fresh. */

import { escaped, jsx } from '../charts/jsx.ts';
import { grouped } from '../vocabulary/grouped.ts';
import { instant, NONE, percent, shown } from '../vocabulary/numbers.ts';
import { ChoiceLinks, type Choices } from './choices.tsx';
import { CohortCard, CohortTable, type CohortTableView, type CohortView } from './cohort-table.tsx';
import type { StandingDecision } from './decisions.tsx';
import { verdictOf } from './experiment.tsx';
import { Facts } from './facts.tsx';
import type { HistoryView } from './history.tsx';
import { kept, markupOf, type Pieces } from './kept-markup.ts';
import { type LastListsLink, ListsCard } from './lists.tsx';
import type {
  ExperimentView,
  Fact,
  FindingView,
  ListsView,
  PipelineView,
  PositionsView,
  Verdict,
  WorkView,
} from './model.ts';
import { PageHead, type Part, partPieces, sharedParts, VerdictCard } from './page-parts.tsx';

export interface LiveView {
  readonly namespace: string;
  /** The ISO time of the numbers, by the clock of the process. */
  readonly now: string;
  readonly ready: boolean;
  readonly troubles: readonly FindingView[];
  readonly freshness: {
    /** Seconds from the watermark to now; null: nothing was read yet. */
    readonly age: number | null;
    /** Lists that were counted per second, by the clock of the process; null: not known yet. */
    readonly listsPerSecond: number | null;
    /** The share of matched feedback that counts, 0 to 1; null: none was matched by this process. */
    readonly joined: number | null;
    /** The number of partitions that this process owns, and how many of them are stopped; null: it owns none. */
    readonly partitions: { readonly owned: number; readonly stopped: number } | null;
  };
  readonly history: HistoryView | undefined;
  readonly experiments: readonly ExperimentView[];
  readonly decisions: readonly StandingDecision[];
  readonly cohorts: CohortTableView | undefined;
  /** The cohort that is shown in detail. */
  readonly cohort: CohortView | undefined;
  readonly themes: Choices;
  /** The colours that were chosen; undefined: those of the reader's system. */
  readonly theme: 'light' | 'dark' | undefined;
  /** The address of this page as JSON. */
  readonly stateHref: string;
  /** The address of this page as a file to be mailed. */
  readonly reportHref: string;
  /** The counts by rank; undefined: nothing is counted by rank. */
  readonly positions: PositionsView | undefined;
  readonly pipeline: PipelineView | undefined;
  readonly work: WorkView | undefined;
  /** Single lists; undefined: none are kept. */
  readonly lists: ListsView | undefined;
  readonly lastLists: LastListsLink;
  /** Whether this process reads lists. */
  readonly couldShowLists: boolean;
  /** Whether readers logged in with a token. */
  readonly isGuarded: boolean;
}

const keptTable = kept((view: CohortTableView) => <CohortTable view={view} />);
const keptCohort = kept((view: CohortView) => <CohortCard view={view} />);

/** The whole page. Its policy allows nothing but `/page.css` and `/live.js`, which are served beside it. */
export function* livePagePieces(view: LiveView): Pieces {
  const verdict = liveVerdict(view);
  yield headOf(`receval ${view.namespace}: ${verdict.badge}`, view.theme);
  yield* bodyPieces(view, verdict);
  yield END;
}

/** A page that asks for the token. It needs script, which sends the token as a header, so that no address contains it. */
export function renderLogIn(): string {
  const body = markupOf(
    <div class="page">
      <PageHead title="Log in" label="Parts of the page" parts={[]} />
      <main>
        <form class="card" id="log-in">
          <p>
            <label for="token">The token of http.token</label>
          </p>
          <p>
            <input id="token" type="password" autocomplete="current-password" required />{' '}
            <button type="submit" disabled>
              Log in
            </button>
          </p>
          <p id="refused" role="alert" />
          <p class="note">It is kept in a cookie of this browser that no script can read, for seven days.</p>
          <noscript>
            <p>Logging in needs script. Programs send the token in a header, Authorization: Bearer TOKEN.</p>
          </noscript>
        </form>
      </main>
    </div>,
  );
  return `${headOf('receval: log in')}${body}${END}`;
}

function headOf(title: string, theme?: LiveView['theme']): string {
  return `<!doctype html>
<html lang="en"${theme === undefined ? '' : ` data-theme="${theme}"`}>
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${escaped(title)}</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="/page.css">
<script src="/live.js" defer></script>
</head>
<body>
`;
}

const LOG_OUT = markupOf(
  <p>
    <button type="button" id="log-out" disabled>
      Log out
    </button>
  </p>,
);

const END = `
</body>
</html>
`;

/** The verdict on the gravest experiment, unless the process itself is in trouble, which comes first. */
export function liveVerdict({
  ready,
  troubles,
  experiments,
  freshness,
}: Pick<LiveView, 'ready' | 'troubles' | 'experiments' | 'freshness'>): Verdict {
  if (!ready) {
    const [first] = troubles;
    return { tone: 'warn', badge: 'not ready', sentence: first === undefined ? 'It is starting.' : `${first.cause}` };
  }
  const verdicts = experiments.map(({ comparison }) => verdictOf(comparison));
  const gravest = (['bad', 'warn', 'good', 'plain'] as const).flatMap((tone) =>
    verdicts.filter((one) => one.tone === tone),
  );
  if (gravest.length > 0) return gravest[0];
  if (troubles.length > 0) return { tone: 'warn', badge: 'look here', sentence: troubles[0].cause };
  if (freshness.age === null) return { tone: 'plain', badge: 'waiting', sentence: 'Nothing was read yet.' };
  return {
    tone: 'good',
    badge: 'running',
    sentence: 'Lists are joined and scored; no experiment has been looked at yet.',
  };
}

function* bodyPieces(view: LiveView, verdict: Verdict): Pieces {
  const { namespace, now, freshness, themes, stateHref, reportHref } = view;
  const parts: readonly Part[] = [
    {
      id: 'overview',
      name: 'Overview',
      markup: () =>
        markupOf(
          <VerdictCard verdict={verdict}>
            <Facts facts={freshnessFacts(freshness)} areTiles />
          </VerdictCard>,
        ),
    },
    ...sharedParts({
      ...view,
      findings: view.troubles,
      own: ownParts(view),
      positions: view.positions ?? (view.cohorts === undefined ? undefined : 'not counted'),
    }),
    // A part that only says how to see lists is not worth a link.
    ...(view.couldShowLists
      ? [
          {
            id: 'lists',
            ...(view.lists === undefined ? {} : { name: 'Lists' }),
            markup: () => markupOf(<ListsCard view={view.lists} lastLists={view.lastLists} />),
          },
        ]
      : []),
  ];
  const head = markupOf(
    <PageHead
      title={namespace}
      label="Parts of the page"
      parts={parts}
      links={[
        ['Report', reportHref],
        ['JSON', stateHref],
      ]}
    >
      <ChoiceLinks of={themes} />
      <p id="live" class="live" role="status">
        as of {instant(now)} UTC
      </p>
    </PageHead>,
  );
  const withoutScript = markupOf(
    <noscript>
      <p class="note">
        Script is off: these are the numbers of {instant(now)} UTC. Load the page again for newer ones.
      </p>
    </noscript>,
  );
  yield `<div class="page">${head}<main data-now="${escaped(instant(now))} UTC">${withoutScript}`;
  yield* partPieces(parts);
  if (view.isGuarded) yield LOG_OUT;
  yield '</main></div>';
}

function ownParts({ cohorts, cohort }: LiveView): readonly Part[] {
  if (cohorts === undefined) return [];
  const markup = function* (): Pieces {
    yield keptTable(cohorts);
    if (cohort !== undefined) yield keptCohort(cohort);
  };
  return [{ id: 'cohorts', name: 'Cohorts', markup }];
}

/** Says how fresh the numbers of a process are. */
export function freshnessFacts({ age, listsPerSecond, joined, partitions }: LiveView['freshness']): readonly Fact[] {
  return [
    ['watermark behind', shown(age, behind)],
    ['lists per second', shown(listsPerSecond, (rate) => (rate < 10 ? rate.toFixed(1) : grouped(rate)))],
    ['feedback that joins', shown(joined, percent)],
    [
      'partitions',
      partitions === null
        ? NONE
        : partitions.stopped === 0
          ? `${partitions.owned}`
          : `${partitions.stopped} of ${partitions.owned} stopped`,
    ],
  ];
}

/** A delay that is read without arithmetic: from two minutes on in minutes, from two hours on in hours and minutes. */
function behind(seconds: number): string {
  if (seconds < 120) return `${Math.round(seconds)} s`;
  const minutes = Math.round(seconds / 60);
  return minutes < 120 ? `${minutes} min` : `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}
