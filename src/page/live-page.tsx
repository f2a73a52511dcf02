/** The live page: the parts of the report over what a running process knows now, and above them whether it is fresh. */
import { render } from 'preact-render-to-string';
import type { FindingCode } from '../findings/finding.ts';
import { escaped } from '../output/markup.ts';
import { ChoiceLinks, type Choices } from './choices.tsx';
import { CohortCard, CohortTable, type CohortTableView, type CohortView } from './cohort-table.tsx';
import { Experiment, verdictOf } from './experiment.tsx';
import { History, type HistoryView } from './history.tsx';
import { Lists } from './lists.tsx';
import type { ExperimentView, ListsView, PipelineView, PositionsView, Verdict } from './model.ts';
import { Name, readable, visible } from './name.tsx';
import { counted, instant, NONE, several, share, shown } from './numbers.ts';
import { Work, type WorkView } from './partitions.tsx';
import { Pipeline } from './pipeline.tsx';
import { Positions } from './positions.tsx';
import { Scroll } from './scroll.tsx';

/** Something that is wrong now. Sentences. */
export interface Trouble {
  /** Of what looks wrong with a log; undefined: it is of the process. */
  readonly code?: FindingCode;
  readonly cause: string;
  readonly remedy: string;
}

/** What was decided of a watched cohort against its own past. */
export interface StandingDecision {
  readonly cohort: string;
  readonly measure: string;
  readonly label: string;
  readonly reason: string;
}

export interface LiveView {
  readonly namespace: string;
  /** ISO time of the numbers, by the process's clock. */
  readonly now: string;
  readonly ready: boolean;
  readonly troubles: readonly Trouble[];
  readonly freshness: {
    /** Seconds from the watermark to now; null: nothing was read yet. */
    readonly age: number | null;
    /** Lists that were counted per second of the process's clock; null: not known yet. */
    readonly listsPerSecond: number | null;
    /** Of the feedback that was matched with lists, 0 to 1, those that count; null: none was, or not by this process. */
    readonly joined: number | null;
    /** Partitions that this process owns, and those of them that stand still; null: it owns none. */
    readonly partitions: { readonly owned: number; readonly stopped: number } | null;
  };
  readonly history: HistoryView | undefined;
  readonly experiments: readonly ExperimentView[];
  readonly decisions: readonly StandingDecision[];
  readonly cohorts: CohortTableView | undefined;
  /** The one that is looked at closely. */
  readonly cohort: CohortView | undefined;
  readonly themes: Choices;
  /** undefined: as the reader's system. */
  readonly theme: 'light' | 'dark' | undefined;
  /** Of this page as JSON. */
  readonly stateHref: string;
  /** undefined: nothing is counted by rank. */
  readonly positions: PositionsView | undefined;
  readonly pipeline: PipelineView | undefined;
  readonly work: WorkView | undefined;
  /** undefined: none are kept. */
  readonly lists: ListsView | undefined;
  /** Whether this process reads lists. */
  readonly couldShowLists: boolean;
}

/** A whole page. `/page.css` and `/live.js` are served beside it: its policy allows nothing else. */
export function renderLivePage(view: LiveView): string {
  const verdict = liveVerdict(view);
  return pageOf(`receval ${view.namespace}: ${verdict.badge}`, <Live view={view} verdict={verdict} />, view.theme);
}

/** Asks for the token; needs script, which sends it as a header, so that it stands in no address. */
export function renderLogIn(): string {
  return pageOf(
    'receval: log in',
    <div class="page">
      <header class="top">
        <span class="brand">receval</span>
        <h1>Log in</h1>
      </header>
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
}

function pageOf(title: string, body: Parameters<typeof render>[0], theme?: LiveView['theme']): string {
  return `<!doctype html>
<html lang="en"${theme === undefined ? '' : ` data-theme="${theme}"`}>
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${escaped(visible(title))}</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="/page.css">
<script src="/live.js" defer></script>
</head>
<body>
${readable(render(body))}
</body>
</html>
`;
}

/** Of the gravest experiment; where the process itself is in trouble, that comes first. */
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

function Live({ view, verdict }: { readonly view: LiveView; readonly verdict: Verdict }) {
  const {
    namespace,
    now,
    troubles,
    history,
    experiments,
    decisions,
    cohorts,
    positions,
    pipeline,
    lists,
    couldShowLists,
  } = view;
  return (
    <div class="page">
      <header class="top">
        <span class="brand">receval</span>
        <h1>
          <Name>{namespace}</Name>
        </h1>
        <nav aria-label="Parts of the page">
          <ul>
            <li>
              <a href="#overview">Overview</a>
            </li>
            {experiments.length === 0 ? null : (
              <li>
                <a href="#experiments">Experiments</a>
              </li>
            )}
            {cohorts === undefined ? null : (
              <li>
                <a href="#cohorts">Cohorts</a>
              </li>
            )}
            {positions === undefined ? null : (
              <li>
                <a href="#positions">Positions</a>
              </li>
            )}
            {pipeline === undefined ? null : (
              <li>
                <a href="#pipeline">Events</a>
              </li>
            )}
            {lists === undefined ? null : (
              <li>
                <a href="#lists">Lists</a>
              </li>
            )}
            <li>
              <a href={view.stateHref}>JSON</a>
            </li>
          </ul>
        </nav>
        <ChoiceLinks of={view.themes} />
        <p id="live" class="live" role="status">
          as of {instant(now)} UTC
        </p>
      </header>
      <main data-now={`${instant(now)} UTC`}>
        <noscript>
          <p class="note">
            Script is off: these are the numbers of {instant(now)} UTC. Load the page again for newer ones.
          </p>
        </noscript>
        <section id="overview" class={`card verdict ${verdict.tone}`} aria-label="Verdict">
          <span class={`badge ${verdict.tone}`}>{verdict.badge}</span>
          <p class="sentence">
            <Name>{verdict.sentence}</Name>
          </p>
          <Freshness view={view} />
        </section>
        {troubles.length === 0 ? null : (
          <section class="card" aria-labelledby="wrong">
            <h2 id="wrong">What looks wrong</h2>
            {troubles.map(({ cause, remedy }) => (
              <div key={cause} class="finding">
                <p>
                  <Name>{cause}</Name>
                </p>
                <p>
                  <b>Do:</b> <Name>{remedy}</Name>
                </p>
              </div>
            ))}
          </section>
        )}
        {history === undefined ? null : (
          <section class="card" aria-labelledby="now">
            <h2 id="now">
              <Name>{history.measure}</Name> now
            </h2>
            <History view={history} />
          </section>
        )}
        {experiments.length === 0 ? null : (
          <div id="experiments">
            {experiments.map((experiment, e) => (
              <div key={experiment.comparison.experiment}>
                {experiments.length === 1 ? null : (
                  <h2>
                    Experiment <Name>{experiment.comparison.experiment}</Name>
                  </h2>
                )}
                <Experiment {...experiment} id={e === 0 ? '' : `-${e}`} />
              </div>
            ))}
          </div>
        )}
        {decisions.length === 0 ? null : <Decisions decisions={decisions} />}
        {cohorts === undefined ? null : (
          <div id="cohorts">
            <CohortTable view={cohorts} />
            {view.cohort === undefined ? null : <CohortCard view={view.cohort} />}
          </div>
        )}
        {cohorts === undefined ? null : (
          <section class="card" id="positions" aria-labelledby="by-rank">
            <h2 id="by-rank">Positions</h2>
            {positions === undefined ? (
              <p class="note">
                Nothing is counted by rank here. With <code>positions: {'{ranks: 10}'}</code> this shows how often each
                rank is clicked.
              </p>
            ) : (
              <Positions view={positions} />
            )}
          </section>
        )}
        {pipeline === undefined ? null : (
          <section class="card" id="pipeline" aria-labelledby="events">
            <h2 id="events">What became of the events</h2>
            <Pipeline view={pipeline} />
            <p class="note">Since the first record of the partitions that this process owns.</p>
            {view.work === undefined ? null : <Work view={view.work} />}
          </section>
        )}
        {couldShowLists ? (
          <section class="card" id="lists" aria-labelledby="single-lists" data-hold>
            <h2 id="single-lists">Single lists</h2>
            {lists === undefined ? (
              <p class="note">
                None are kept here. With <code>http.samples: 50</code> this shows the last lists that closed, with what
                people did with them.
              </p>
            ) : (
              <Lists view={lists} />
            )}
          </section>
        ) : null}
      </main>
    </div>
  );
}

function Freshness({ view: { freshness } }: { readonly view: LiveView }) {
  const { age, listsPerSecond, joined, partitions } = freshness;
  const tiles: readonly (readonly [string, string])[] = [
    [
      'watermark behind',
      shown(age, (seconds) => (seconds < 120 ? `${Math.round(seconds)} s` : `${Math.round(seconds / 60)} min`)),
    ],
    ['lists per second', shown(listsPerSecond, (rate) => (rate < 10 ? rate.toFixed(1) : counted(rate)))],
    ['feedback that joins', shown(joined, share)],
    [
      'partitions',
      partitions === null
        ? NONE
        : partitions.stopped === 0
          ? `${partitions.owned}`
          : `${partitions.stopped} of ${partitions.owned} stopped`,
    ],
  ];
  return (
    <dl class="tiles">
      {tiles.map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>
            <b>{value}</b>
          </dd>
        </div>
      ))}
    </dl>
  );
}

/** A page shows so many of them; the JSON has as many. */
const MOST_DECISIONS = 50;
const CALM: readonly string[] = ['healthy', 'insufficient'];

function Decisions({ decisions }: { readonly decisions: readonly StandingDecision[] }) {
  const told = decisions.filter(({ label }) => !CALM.includes(label));
  const calm = decisions.length - told.length;
  return (
    <section class="card" aria-labelledby="against-past">
      <h2 id="against-past">Cohorts against their own past</h2>
      {told.length === 0 ? null : (
        <Scroll>
          <table>
            <thead>
              <tr>
                {['cohort', 'measure', 'decision', 'reason'].map((name) => (
                  <th key={name} scope="col">
                    {name}
                  </th>
                ))}
              </tr>
            </thead>
            <tbody>
              {told.slice(0, MOST_DECISIONS).map(({ cohort, measure, label, reason }) => (
                <tr key={`${cohort} ${measure}`}>
                  <th scope="row">
                    <Name>{cohort}</Name>
                  </th>
                  <td>
                    <Name>{measure}</Name>
                  </td>
                  <td>
                    <span
                      class={`badge small ${label === 'regressed' ? 'bad' : label === 'improved' ? 'good' : 'warn'}`}
                    >
                      {label}
                    </span>
                  </td>
                  <td>
                    <code>{reason}</code>
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
        </Scroll>
      )}
      <p class="note">
        {told.length === 0 ? 'None has changed. ' : ''}
        {several(calm, 'other')} healthy, or with too little to tell.
      </p>
    </section>
  );
}
