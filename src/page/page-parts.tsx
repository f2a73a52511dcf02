/** What the report and the live page have in common: a head with links to the parts, the verdict, and the parts in their order. */
import type { ComponentChildren, VNode } from 'preact';
import { render } from 'preact-render-to-string';
import { Decisions, type StandingDecision } from './decisions.tsx';
import { Experiments } from './experiment.tsx';
import { Findings } from './findings.tsx';
import { HistoryCard, type HistoryView } from './history.tsx';
import type { ExperimentView, FindingView, PipelineView, PositionsView, Verdict, WorkView } from './model.ts';
import { Name, readable } from './name.tsx';
import { Events } from './pipeline.tsx';
import { PositionsCard } from './positions.tsx';

export interface Part {
  /** As in an address behind `#`; a newer page finds the part by it. */
  readonly id: string;
  /** Among the links at the top; undefined: it is not there. */
  readonly name?: string;
  /** Whether it is told by what was stored alone, and not by the second. */
  readonly isStored?: boolean;
  readonly content: () => VNode;
}

/** Markup of parts by id, for as long as what is stored stays the same. */
export type KeptMarkup = Map<string, string>;

/** @param links other than those to the parts: words and address */
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
  readonly children?: ComponentChildren;
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
              <li key={href}>
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
  /** Such as cohorts, which each page shows in its own way. */
  readonly own: readonly Part[];
}

/** Parts that there is something to show in, in their order. */
export function sharedParts(view: SharedView): readonly Part[] {
  const { findings, history, experiments = [], decisions = [], positions, pipeline, work, own } = view;
  const isCounted = positions !== 'not counted';
  return [
    ...(findings.length === 0
      ? []
      : [{ id: 'findings', name: 'What looks wrong', content: () => <Findings findings={findings} /> }]),
    ...(history === undefined
      ? []
      : [{ id: 'history', isStored: !history.isReading, content: () => <HistoryCard view={history} /> }]),
    ...(experiments.length === 0
      ? []
      : [
          {
            id: 'experiments',
            name: experiments.length === 1 ? 'Experiment' : 'Experiments',
            isStored: true,
            content: () => <Experiments experiments={experiments} />,
          },
        ]),
    ...(decisions.length === 0
      ? []
      : [{ id: 'decisions', isStored: true, content: () => <Decisions decisions={decisions} /> }]),
    ...own,
    ...(positions === undefined
      ? []
      : [
          {
            id: 'positions',
            // What says only how to count by rank is not worth a link.
            ...(isCounted ? { name: 'Positions' } : {}),
            isStored: true,
            content: () => <PositionsCard view={isCounted ? positions : undefined} />,
          },
        ]),
    ...(pipeline === undefined
      ? []
      : [{ id: 'pipeline', name: 'Events', content: () => <Events view={pipeline} work={work} /> }]),
  ];
}

/** @param kept parts that are found in it are not made again; those that may be kept are added */
export function PageParts({
  parts,
  kept,
}: {
  readonly parts: readonly Part[];
  readonly kept?: KeptMarkup | undefined;
}) {
  return (
    <>
      {parts.map(({ id, isStored = false, content }) =>
        kept === undefined || !isStored ? (
          <div key={id} id={id}>
            {content()}
          </div>
        ) : (
          // It was escaped when it was rendered.
          <div key={id} id={id} dangerouslySetInnerHTML={{ __html: keptPart(kept, id, content) }} />
        ),
      )}
    </>
  );
}

function keptPart(kept: KeptMarkup, id: string, content: Part['content']): string {
  const known = kept.get(id) ?? readable(render(content()));
  kept.set(id, known);
  return known;
}

export function VerdictCard({
  verdict: { tone, badge, sentence },
  children,
}: {
  readonly verdict: Verdict;
  readonly children?: ComponentChildren;
}) {
  return (
    <section class={`card verdict ${tone}`} aria-label="Verdict">
      <span class={`badge ${tone}`}>{badge}</span>
      <p class="sentence">
        <Name>{sentence}</Name>
      </p>
      {children}
    </section>
  );
}
