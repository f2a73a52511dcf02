/** What the report and the live page have in common: a head with links to the parts, the verdict, and the parts in their order. */
import { type Children, Fragment, jsx } from '../charts/jsx.ts';
import { Decisions, type StandingDecision } from './decisions.tsx';
import { Experiments } from './experiment.tsx';
import { HistoryCard, type HistoryView } from './history.tsx';
import { kept, markupOf, type Pieces } from './kept-markup.ts';
import type { ExperimentView, FindingView, PipelineView, PositionsView, Verdict, WorkView } from './model.ts';
import { Name } from './name.ts';
import { Events } from './pipeline.tsx';
import { PositionsCard } from './positions.tsx';

export interface Part {
  /** The name behind `#` in an address, by which a newer page finds the part. */
  readonly id: string;
  /** Its name among the links at the top; undefined: it is not among them. */
  readonly name?: string;
  readonly markup: () => string | Pieces;
}

const keptHistory = kept((view: HistoryView) => <HistoryCard view={view} />);
const keptExperiments = kept((experiments: readonly ExperimentView[]) => <Experiments experiments={experiments} />);
const keptDecisions = kept((decisions: readonly StandingDecision[]) => <Decisions decisions={decisions} />);
const keptPositions = kept((view: PositionsView) => <PositionsCard view={view} />);

/** The head of a page. @param links the words and addresses of links besides those to the parts */
export function PageHead({
  title,
  label,
  parts,
  links = [],
  children,
}: {
  readonly title: string;
  readonly label: string;
  readonly parts: readonly Part[];
  readonly links?: readonly (readonly [words: string, href: string])[];
  readonly children?: Children;
}) {
  const places = parts.flatMap(({ id, name }) => (name === undefined ? [] : [[name, `#${id}`] as const]));
  return (
    <header class="top">
      <span class="brand">receval</span>
      <h1>
        <Name>{title}</Name>
      </h1>
      {places.length + links.length === 0 ? null : (
        <nav aria-label={label}>
          <ul>
            {[...places, ...links].map(([words, href]) => (
              <li>
                <a href={href}>{words}</a>
              </li>
            ))}
          </ul>
        </nav>
      )}
      {children}
    </header>
  );
}

interface SharedView {
  readonly findings: readonly FindingView[];
  readonly history?: HistoryView | undefined;
  readonly experiments?: readonly ExperimentView[];
  readonly decisions?: readonly StandingDecision[];
  readonly positions?: PositionsView | 'not counted' | undefined;
  readonly pipeline?: PipelineView | undefined;
  readonly work?: WorkView | undefined;
  /** The parts that each page shows in its own way, such as cohorts. */
  readonly own: readonly Part[];
}

/** The parts that have something to show, in their order. */
export function sharedParts(view: SharedView): readonly Part[] {
  const { findings, history, experiments = [], decisions = [], positions, pipeline, work, own } = view;
  return [
    ...(findings.length === 0
      ? []
      : [
          {
            id: 'findings',
            name: 'What looks wrong',
            markup: () => markupOf(<Findings findings={findings} />),
          },
        ]),
    ...(history === undefined ? [] : [{ id: 'history', markup: () => keptHistory(history) }]),
    ...(experiments.length === 0
      ? []
      : [
          {
            id: 'experiments',
            name: experiments.length === 1 ? 'Experiment' : 'Experiments',
            markup: () => keptExperiments(experiments),
          },
        ]),
    ...(decisions.length === 0 ? [] : [{ id: 'decisions', markup: () => keptDecisions(decisions) }]),
    ...own,
    // A part that only says how to count by rank is not worth a link.
    ...(positions === 'not counted'
      ? [{ id: 'positions', markup: () => markupOf(<PositionsCard view={undefined} />) }]
      : positions === undefined
        ? []
        : [{ id: 'positions', name: 'Positions', markup: () => keptPositions(positions) }]),
    ...(pipeline === undefined
      ? []
      : [{ id: 'pipeline', name: 'Events', markup: () => markupOf(<Events view={pipeline} work={work} />) }]),
  ];
}

export function* partPieces(parts: readonly Part[]): Pieces {
  for (const { id, markup } of parts) {
    yield `<div id="${id}">`;
    const drawn = markup();
    if (typeof drawn === 'string') yield drawn;
    else yield* drawn;
    yield '</div>';
  }
}

export function VerdictCard({
  verdict: { tone, badge, sentence, small },
  children,
}: {
  readonly verdict: Verdict;
  readonly children?: Children;
}) {
  return (
    <section class={`card verdict ${tone}`} aria-label="Verdict">
      <span class={`badge ${tone}`}>{badge}</span>
      <p class="sentence">
        <Name>{sentence}</Name>
      </p>
      {small === undefined ? null : <p class="note">{small}</p>}
      {children}
    </section>
  );
}

/** The findings, each with an example and what to do. */
function Findings({ findings }: { readonly findings: readonly FindingView[] }) {
  return (
    <section class="card" aria-labelledby="what-looks-wrong">
      <h2 id="what-looks-wrong">What looks wrong</h2>
      {findings.map(({ code, cause, example = null, remedy }) => (
        <div class="finding">
          <p>
            <Name>{cause}</Name>
            {code === undefined ? null : (
              <>
                {' '}
                <code class="muted">{code}</code>
              </>
            )}
          </p>
          {example === null ? null : (
            <p class="note">
              Such as: <Name>{example}</Name>
            </p>
          )}
          <p>
            <b>Do:</b> <Name>{remedy}</Name>
          </p>
        </div>
      ))}
    </section>
  );
}
