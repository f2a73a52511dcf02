/** Values by cohort: a chart of one measure, and a table of all measures, at one horizon. */

import { elements, jsx } from '../charts/jsx.ts';
import { grouped } from '../vocabulary/grouped.ts';
import { NONE, NORMAL_95_WORDS, plain, plusMinus, several } from '../vocabulary/numbers.ts';
import { Switch } from './choices.tsx';
import { type CohortRow, CohortRows, ColourWords, differing, wholeWords } from './cohort-rows.tsx';
import { markupOf, type Pieces } from './kept-markup.ts';
import type { CohortLine, CohortsView } from './model.ts';
import { Name, named } from './name.ts';

/** The most cohorts in a chart, and in a table: those with most lists. */
const MOST_DRAWN = 24;
export const MOST_LISTED = 200;
const EVERYTHING = 'everything together';

/** The switches of a view. `measure` is drawn until another is chosen; default: the first. */
export function CohortSwitches({
  view,
  measure,
}: {
  readonly view: CohortsView;
  readonly measure?: string | undefined;
}) {
  const { horizons, measures, legend = 'Horizon' } = view;
  const isDrawn = filledSets(view).some((by) => by.length > 0);
  const chosen = measure === undefined ? 0 : Math.max(0, measures.indexOf(measure));
  return (
    <div class="switches">
      <Switch of="h" legend={legend} choices={horizons} chosen={horizons.length - 1} />
      {isDrawn ? <Switch of="m" legend="Measure in the pictures" choices={measures} chosen={chosen} /> : null}
    </div>
  );
}

/** The markup of all cohorts, which is the same whatever is chosen. */
export function* cohortPieces(view: CohortsView): Pieces {
  const filled = filledSets(view);
  if (filled.length === 0) yield markupOf(<p class="note">No list counted, so there is nothing to show.</p>);
  for (const by of filled) {
    if (by.length === 0) yield markupOf(<Everything view={view} />);
    else yield* setPieces(view, by);
  }
}

function filledSets(view: CohortsView): readonly (readonly string[])[] {
  return view.sets.filter((by) => linesOf(view, by).length > 0);
}

function linesOf({ lines }: CohortsView, by: readonly string[]): readonly CohortLine[] {
  return lines.filter((line) => line.by.join() === by.join());
}

/** The grouping set without a dimension, with a tile for each measure. */
function Everything({ view }: { readonly view: CohortsView }) {
  const { horizons, measures, instead, warnings, what = '' } = view;
  const lines = linesOf(view, []);
  return (
    <section class="card" aria-label="Everything together">
      <h2>Everything together</h2>
      {horizons.map((horizon, h) => {
        const line = lines.find((one) => one.horizon === horizon);
        if (line === undefined) return null;
        const words = instead?.get(horizon);
        if (words !== undefined)
          return (
            <p class="note" data-h={h}>
              {words}
            </p>
          );
        return (
          <div data-h={h}>
            <p class="note">
              {wholeWords(line)}, at {horizon}
              {what}.
            </p>
            {warnings?.has(horizon) ? (
              <p class="note">
                <strong>{warnings.get(horizon)}</strong>
              </p>
            ) : null}
            <dl class="tiles">
              {measures.map((name) => {
                const { value = null, n = 0, stderr = null } = line.measures[name] ?? {};
                return (
                  <div>
                    <dt>
                      <Name>{name}</Name>
                    </dt>
                    <dd>
                      <b>{value === null ? NONE : plain(value)}</b>{' '}
                      <small>
                        {stderr === null ? '' : `${plusMinus(stderr, plain).replace(' ', '\u00A0')} `}
                        {n === line.impressions ? '' : `of ${grouped(n)}`}
                      </small>
                    </dd>
                  </div>
                );
              })}
            </dl>
          </div>
        );
      })}
      <p class="note">± {NORMAL_95_WORDS}: 95 of 100 such logs hold the value within it.</p>
    </section>
  );
}

function nameOf({ by, labels }: CohortLine): string {
  return by.map((dimension) => labels[dimension]).join(' · ');
}

/** A grouping set, with a picture of each measure and a table for each horizon. */
function* setPieces(view: CohortsView, by: readonly string[]): Pieces {
  const { horizons, measures, instead } = view;
  const everything = linesOf(view, []);
  const lines = linesOf(view, by);
  const title = by.join(' and ');
  yield markupOf(elements`<section class="card" aria-label="${`By ${title}`}"><h2>By ${named(title)}</h2>`);
  for (const [h, horizon] of horizons.entries()) {
    const base = everything.find((line) => line.horizon === horizon);
    const rows = lines
      .filter((line) => line.horizon === horizon)
      .map((line): CohortRow => ({ name: nameOf(line), line, base }))
      .sort((a, b) => b.line.impressions - a.line.impressions || (a.name < b.name ? -1 : 1));
    const words = instead?.get(horizon);
    if (words !== undefined) {
      yield markupOf(elements`<p class="note" data-h="${h}">${words}</p>`);
      continue;
    }
    yield `<div data-h="${h}">`;
    for (const [m, measure] of measures.entries()) {
      yield markupOf(
        <div data-m={m}>
          <Picture view={view} rows={rows} measure={measure} horizon={horizon} />
        </div>,
      );
    }
    yield markupOf(<Table view={view} rows={rows} />);
    yield '</div>';
  }
  yield '</section>';
}

/** The values with their errors on one axis, highest first. */
function Picture({
  view: { lowerIsBetter, what = '' },
  rows,
  measure,
  horizon,
}: {
  readonly view: CohortsView;
  readonly rows: readonly CohortRow[];
  readonly measure: string;
  readonly horizon: string;
}) {
  const valueIn = ({ line }: CohortRow): number | null => line.measures[measure]?.value ?? null;
  const drawn = rows
    .slice(0, MOST_DRAWN)
    .filter((row) => valueIn(row) !== null)
    .sort((a, b) => (valueIn(b) ?? 0) - (valueIn(a) ?? 0));
  if (drawn.length === 0) {
    return (
      <p class="note">
        No cohort has a value of <Name>{measure}</Name> here.
      </p>
    );
  }
  const all = drawn[0].base?.measures[measure]?.value ?? null;
  const ends = drawn.map((row) => `${row.name} (${plain(valueIn(row) ?? 0)})`);
  return (
    <figure>
      <CohortRows rows={drawn} drawn={measure} measures={[]} lowerIsBetter={lowerIsBetter} />
      <figcaption>
        <Name>{measure}</Name> at {horizon}
        {what}, with {NORMAL_95_WORDS} to each side
        {all === null ? '' : `; the line is ${EVERYTHING}, ${plain(all)}`}
        {rows.length > MOST_DRAWN ? `; the ${MOST_DRAWN} cohorts with most lists` : ''}.{' '}
        <strong>
          {drawn.length === 1
            ? `One cohort: ${ends[0]}.`
            : `Highest in ${ends[0]}, lowest in ${ends[ends.length - 1]}${all === null ? '' : `; ${differing(drawn, { measure, against: EVERYTHING, lowerIsBetter })}`}.`}
        </strong>
      </figcaption>
    </figure>
  );
}

function Table({
  view: { measures, lowerIsBetter, others },
  rows,
}: {
  readonly view: CohortsView;
  readonly rows: readonly CohortRow[];
}) {
  const left = rows.length - MOST_LISTED;
  return (
    <details>
      <summary>All measures of {several(rows.length, 'cohort')}</summary>
      <CohortRows rows={rows.slice(0, MOST_LISTED)} measures={measures} lowerIsBetter={lowerIsBetter} hasCounts />
      <p class="note">
        <ColourWords against={EVERYTHING} />
        {left > 0 ? ` Not shown: ${grouped(left)} cohorts with fewer lists; the JSON below has all.` : ''}
        {others === undefined || rows.length < MOST_LISTED ? '' : ` ${others}`}
      </p>
    </details>
  );
}
