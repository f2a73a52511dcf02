/** All cohorts of a grouping set, and one of them in detail: sorted, filtered and opened by links. */

import { Fragment, jsx } from '../charts/jsx.ts';
import { grouped } from '../vocabulary/grouped.ts';
import { NORMAL_95_WORDS, plain, plusMinus, several } from '../vocabulary/numbers.ts';
import { ChoiceLinks, type Choices } from './choices.tsx';
import { type CohortColumn, type CohortRow, CohortRows, ColourWords, differing, wholeWords } from './cohort-rows.tsx';
import { History, type HistoryView } from './history.tsx';
import type { CohortLine } from './model.ts';
import { Name } from './name.ts';

export interface CohortTableView {
  readonly by: readonly string[];
  /** The measure that is drawn. */
  readonly measure: string;
  readonly measures: readonly string[];
  readonly lowerIsBetter: ReadonlySet<string>;
  readonly choices: readonly Choices[];
  /** Why the window is not complete; undefined: it is. */
  readonly incomplete: string | undefined;
  /** The filter, and in `kept` the part of the address that stays when the filter changes. */
  readonly filter: { readonly text: string; readonly kept: readonly (readonly [name: string, value: string])[] };
  /** The columns of the table, each with the link that sorts by it. */
  readonly columns: readonly CohortColumn[];
  readonly cohorts: readonly CohortRow[];
  readonly everything: CohortLine | undefined;
  /** The name of what cohorts are compared with. */
  readonly against: string;
  /** The number of cohorts that pass the filter; `all` is that of all in the set. */
  readonly found: number;
  readonly all: number;
  /** The number of cohorts before the first one listed. */
  readonly from: number;
  readonly previous: string | undefined;
  readonly next: string | undefined;
}

export interface CohortView {
  readonly name: string;
  readonly measures: readonly string[];
  readonly lowerIsBetter: ReadonlySet<string>;
  readonly window: string;
  readonly incomplete: string | undefined;
  /** A row for each horizon, under its name. */
  readonly lines: readonly CohortRow[];
  readonly closeHref: string;
  readonly history: HistoryView;
}

export function CohortTable({ view }: { readonly view: CohortTableView }) {
  const { by, measure, measures, lowerIsBetter, columns, cohorts, filter, all, found, everything } = view;
  return (
    <section class="card" aria-labelledby="by-cohort">
      <h2 id="by-cohort">
        Cohorts{by.length === 0 ? '' : ' by '}
        {by.length === 0 ? '' : <Name>{by.join(' and ')}</Name>}
      </h2>
      <div class="switches">
        {view.choices.map((choices) => (
          <ChoiceLinks of={choices} />
        ))}
      </div>
      <Incomplete words={view.incomplete} />
      {all === 0 ? (
        <p class="note">No list counted here yet. A shorter horizon or a longer window may have some.</p>
      ) : null}
      {all === 0 ? null : (
        <>
          {all > 1 ? (
            <form class="filter" method="get" action="/" aria-label="Find cohorts" data-view>
              {filter.kept.map(([name, value]) => (
                <input type="hidden" name={name} value={value} />
              ))}
              <label for="filter">Find cohorts</label>{' '}
              <input id="filter" name="filter" type="search" value={filter.text} maxlength={100} />{' '}
              <button type="submit">Find</button>
            </form>
          ) : null}
          {everything === undefined ? null : <Everything line={everything} measure={measure} />}
          <CohortRows
            rows={cohorts}
            drawn={measure}
            measures={measures.filter((name) => name !== measure)}
            lowerIsBetter={lowerIsBetter}
            columns={columns}
          />
          <Caption view={view} />
          {found === 0 ? null : <Pages view={view} />}
        </>
      )}
    </section>
  );
}

function Incomplete({ words }: { readonly words: string | undefined }) {
  return words === undefined ? null : (
    <p class="note">
      <strong>{words}</strong>
    </p>
  );
}

function Everything({ line, measure }: { readonly line: CohortLine; readonly measure: string }) {
  const { value = null, stderr = null } = line.measures[measure] ?? {};
  return (
    <p class="note">
      Everything together: {wholeWords(line)}
      {value === null ? '' : `, ${measure} ${plain(value)}`}
      {stderr === null ? '' : ` ${plusMinus(stderr, plain)}, which are ${NORMAL_95_WORDS}`}.
    </p>
  );
}

function Caption({ view }: { readonly view: CohortTableView }) {
  const { cohorts, against, found, all } = view;
  const words = `${cohorts.length === all ? '' : 'of those listed, '}${differing(cohorts, view)}.`;
  return (
    <p class="note">
      <strong>{found === 0 ? 'No cohort has such a name.' : `${words[0].toUpperCase()}${words.slice(1)}`}</strong> Each
      for itself, as it is now: with many cohorts some differ by chance. <ColourWords against={against} />
    </p>
  );
}

function Pages({ view: { from, cohorts, found, all, previous, next } }: { readonly view: CohortTableView }) {
  return (
    <p class="pages">
      {grouped(from + 1)} to {grouped(from + cohorts.length)} of {several(found, 'cohort')}
      {found === all ? '' : ` (${grouped(all)} without the filter)`}{' '}
      {previous === undefined ? null : (
        <a href={previous} data-view>
          Previous
        </a>
      )}{' '}
      {next === undefined ? null : (
        <a href={next} data-view>
          Next
        </a>
      )}
    </p>
  );
}

export function CohortCard({ view }: { readonly view: CohortView }) {
  const { name, measures, lowerIsBetter, window, incomplete, lines, closeHref, history } = view;
  return (
    <section class="card" id="cohort" aria-labelledby="cohort-name">
      <h2 id="cohort-name">
        <Name>{name}</Name>{' '}
        <small>
          <a href={closeHref} data-view>
            close
          </a>
        </small>
      </h2>
      <h3>
        <Name>{history.measure}</Name> over time
      </h3>
      <History view={history} />
      <h3>Each horizon, last {window}</h3>
      <Incomplete words={incomplete} />
      {lines.length === 0 ? (
        <p class="note">It has no list in this window now.</p>
      ) : (
        <CohortRows of="horizon" rows={lines} measures={measures} lowerIsBetter={lowerIsBetter} hasCounts />
      )}
    </section>
  );
}
