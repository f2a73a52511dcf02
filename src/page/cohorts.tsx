/** Values by cohort: a chart of one measure, and a table of all measures, at one horizon. */

import { grouped } from '../vocabulary/grouped.ts';
import { type CohortRow, CohortRows, ColourWords, differing, wholeWords } from './cohort-rows.tsx';
import { elements } from './elements.ts';
import { jsx } from './jsx.ts';
import { markupOf, type Pieces } from './kept-markup.ts';
import type { CohortLine, CohortsView } from './model.ts';
import { Name, named } from './name.ts';
import { NONE, NORMAL_95, plain, several } from './numbers.ts';
import { Switch } from './switch.tsx';

/** Most cohorts in a chart, and in a table: those with most lists. */
const MOST_DRAWN = 24;
export const MOST_LISTED = 200;
const EVERYTHING = 'everything together';

/** `measure`: which one is drawn until another is chosen; default: the first. */
export function CohortSwitches({
  view,
  measure,
}: {
  readonly view: CohortsView;
  readonly measure?: string | undefined;
}) {
  const { horizons, measures, legend = 'Horizon' } = view;
  const isDrawn = toldSets(view).some((by) => by.length > 0);
  const chosen = measure === undefined ? 0 : Math.max(0, measures.indexOf(measure));
  return (
    <div class="switches">
      <Switch of="h" legend={legend} choices={horizons} chosen={horizons.length - 1} />
      {isDrawn ? <Switch of="m" legend="Measure in the pictures" choices={measures} chosen={chosen} /> : null}
    </div>
  );
}

/** The same whatever is chosen. */
export function* cohortPieces(view: CohortsView): Pieces {
  const told = toldSets(view);
  if (told.length === 0) yield markupOf(<p class="note">No list counted, so there is nothing to show.</p>);
  for (const by of told) {
    if (by.length === 0) yield markupOf(<Everything view={view} />);
    else yield* setPieces(view, by);
  }
}

function toldSets(view: CohortsView): readonly (readonly string[])[] {
  return view.sets.filter((by) => linesOf(view, by).length > 0);
}

function linesOf({ lines }: CohortsView, by: readonly string[]): readonly CohortLine[] {
  return lines.filter((line) => line.by.join() === by.join());
}

/** The grouping set without a dimension: a tile for each measure. */
function Everything({ view }: { readonly view: CohortsView }) {
  const { horizons, measures, what = '' } = view;
  const lines = linesOf(view, []);
  return (
    <section class="card" aria-label="Everything together">
      <h2>Everything together</h2>
      {horizons.map((horizon, h) => {
        const line = lines.find((one) => one.horizon === horizon);
        if (line === undefined) return null;
        return (
          <div data-h={h}>
            <p class="note">
              {wholeWords(line)}, at {horizon}
              {what}.
            </p>
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
                        {stderr === null ? '' : `±\u00A0${plain(NORMAL_95 * stderr)} `}
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
      <p class="note">± holds the value in 95 of 100 such logs: 1.96 standard errors.</p>
    </section>
  );
}

function nameOf({ by, labels }: CohortLine): string {
  return by.map((dimension) => labels[dimension]).join(' · ');
}

/** A grouping set: a picture of each measure, and a table, for each horizon. */
function* setPieces(view: CohortsView, by: readonly string[]): Pieces {
  const { horizons, measures } = view;
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

/** Values with their errors on one axis, highest first. */
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
        {what}, with 1.96 standard errors to each side
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
