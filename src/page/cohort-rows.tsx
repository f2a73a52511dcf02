/** Cohorts as rows: one measure with its interval, the others as numbers, and their differences from a baseline. */

import { scaleLinear } from 'd3-scale';
import { attribute, elements, Fragment, joined, jsx, type Markup, NOTHING } from '../charts/jsx.ts';
import { isUndirected } from '../measures/direction.ts';
import { grouped } from '../vocabulary/grouped.ts';
import { change, NONE, NORMAL_95, percent, plain, several } from '../vocabulary/numbers.ts';
import { AxisHead, estimate } from './axis.tsx';
import { Scroll } from './data-table.tsx';
import type { CohortLine } from './model.ts';
import { Name, named } from './name.ts';

/** The least change that has the full colour. */
const FULL_CHANGE = 0.1;
/** The number of lists below which a cohort is grey: its values say little. */
const FEW_LISTS = 100;

export interface CohortRow {
  readonly name: string;
  /** The address that opens the row; undefined: there is nothing more to show. */
  readonly href?: string | undefined;
  readonly isChosen?: boolean;
  readonly line: CohortLine;
  /** The baseline of the row; undefined: it is the baseline itself, or there is none. */
  readonly base: CohortLine | undefined;
}

/** The head of a column. `href` undefined: the table cannot be sorted by it. */
export interface CohortColumn {
  readonly name: string;
  readonly href: string;
  readonly sorted: 'falling' | 'rising' | undefined;
}

interface RowsProps {
  /** Whether a row is a cohort, or one horizon of it. */
  readonly of?: 'cohort' | 'horizon';
  readonly rows: readonly CohortRow[];
  /** The measure that is drawn; undefined: none is. */
  readonly drawn?: string;
  /** The other measures, as numbers. */
  readonly measures: readonly string[];
  readonly lowerIsBetter: ReadonlySet<string>;
  /** The columns by which the table can be sorted; default: none. */
  readonly columns?: readonly CohortColumn[];
  /** Whether to show positives, and the number of lists behind a value. */
  readonly hasCounts?: boolean;
}

export function CohortRows(props: RowsProps) {
  const { of = 'cohort', rows, drawn: pictured, measures, lowerIsBetter, columns = [], hasCounts = false } = props;
  const head = (name: string) => columns.find((column) => column.name === name);
  const axis = pictured === undefined ? undefined : axisOf(rows, pictured);
  const hasOpen = hasCounts && rows.some(({ line: { open = 0 } }) => open > 0);
  return (
    <Scroll>
      <table class={pictured === undefined ? undefined : measures.length === 0 ? 'forest' : 'forest cohort-table'}>
        <thead>
          <tr>
            <Head name={of} column={head(of)} />
            <Head name="lists" column={head('lists')} isNumber />
            {hasOpen ? <Head name="open" column={undefined} isNumber /> : null}
            {hasCounts ? <Head name="positives" column={undefined} isNumber /> : null}
            {pictured === undefined || axis === undefined ? null : (
              <>
                <Head name={pictured} column={head(pictured)} isNumber />
                <AxisHead label={`${pictured} with its error`} ticks={axis.ticks} />
              </>
            )}
            {measures.map((name) => (
              <Head name={name} column={head(name)} isNumber />
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((one) =>
            row(one, { drawn: pictured, place: axis?.place, measures, lowerIsBetter, hasCounts, hasOpen }),
          )}
        </tbody>
      </table>
    </Scroll>
  );
}

/** The range of everything that is drawn, including baselines. */
function axisOf(rows: readonly CohortRow[], measure: string) {
  const spreads = rows.flatMap(({ line, base }) =>
    [spreadOf(line, measure) ?? [], spreadOf(base, measure) ?? []].flat(),
  );
  const least = Math.min(...spreads.map(({ value, reach }) => value - reach));
  const most = Math.max(...spreads.map(({ value, reach }) => value + reach));
  const room = 0.05 * (most - least) || Math.abs(most) * 0.05 || 1;
  const scale = scaleLinear(spreads.length === 0 ? [0, 1] : [least - room, most + room], [0, 1]);
  const text = scale.tickFormat(3);
  const ticks = scale
    .ticks(3)
    .filter((tick) => scale(tick) > 0.05 && scale(tick) < 0.95)
    .map((tick) => ({ at: scale(tick), words: text(tick) }));
  return { place: (at: number) => scale(at), ticks };
}

interface Spread {
  readonly value: number;
  readonly reach: number;
}

function spreadOf(line: CohortLine | undefined, measure: string): Spread | undefined {
  const { value = null, stderr = null } = line?.measures[measure] ?? {};
  return value === null ? undefined : { value, reach: NORMAL_95 * (stderr ?? 0) };
}

function Head({
  name,
  column,
  isNumber = false,
}: {
  readonly name: string;
  readonly column: CohortColumn | undefined;
  readonly isNumber?: boolean;
}) {
  const { href, sorted } = column ?? {};
  const sort = sorted === undefined ? undefined : sorted === 'rising' ? 'ascending' : 'descending';
  return (
    <th scope="col" class={isNumber ? 'number' : undefined} aria-sort={sort}>
      {href === undefined ? (
        <Name>{name}</Name>
      ) : (
        <a href={href} data-view>
          <Name>{name}</Name>
          {sorted === undefined ? '' : <span aria-hidden="true">{sorted === 'rising' ? ' ▴' : ' ▾'}</span>}
        </a>
      )}
    </th>
  );
}

interface RowSettings {
  readonly drawn: string | undefined;
  readonly place: ((value: number) => number) | undefined;
  readonly measures: readonly string[];
  readonly lowerIsBetter: ReadonlySet<string>;
  readonly hasCounts: boolean;
  readonly hasOpen: boolean;
}

function row({ name, href, isChosen = false, line, base }: CohortRow, settings: RowSettings): Markup {
  const { drawn: pictured, place, measures, lowerIsBetter, hasCounts, hasOpen } = settings;
  const written = named(name);
  const head = href === undefined ? written : elements`<a href="${href}#cohort" data-view="true">${written}</a>`;
  const few = attribute('class', line.impressions < FEW_LISTS ? 'few' : undefined);
  const chosen = attribute('aria-current', isChosen ? 'true' : undefined);
  const open = hasOpen ? count(line.open ?? 0) : NOTHING;
  const positives = hasCounts ? count(line.positives) : NOTHING;
  const cellOf = (measure: string, isStrong: boolean): Markup =>
    cell({ line, base, name: measure, isLess: isLessBetter(measure, lowerIsBetter), isStrong, hasN: hasCounts });
  const picture =
    pictured === undefined || place === undefined
      ? NOTHING
      : elements`${cellOf(pictured, true)}${interval({ line, base, name: pictured, isLess: isLessBetter(pictured, lowerIsBetter), place })}`;
  const cells = joined(measures.map((measure) => cellOf(measure, false)));
  return elements`<tr${few}${chosen}><th scope="row">${head}</th>${count(line.impressions)}${open}${positives}${picture}${cells}</tr>`;
}

interface CellProps {
  readonly line: CohortLine;
  readonly base: CohortLine | undefined;
  readonly name: string;
  /** Whether a lower value is better; undefined: neither is. */
  readonly isLess: boolean | undefined;
}

function count(n: number): Markup {
  return elements`<td class="number">${grouped(n)}</td>`;
}

function interval({
  line,
  base,
  name,
  isLess,
  place,
}: CellProps & { readonly place: (value: number) => number }): Markup {
  const own = spreadOf(line, name);
  const other = spreadOf(base, name);
  if (own === undefined) return elements`<td class="interval"></td>`;
  const { value, reach } = own;
  const label = `${plain(value)}, from ${plain(value - reach)} to ${plain(value + reach)}`;
  const tone = toneOf(own, other, isLess);
  return elements`<td class="interval">${estimate({ label, value, reach, base: other?.value ?? null, place, tone })}</td>`;
}

/** Whether a lower value of a measure is better; undefined: neither is, as with bias. */
function isLessBetter(measure: string, lowerIsBetter: ReadonlySet<string>): boolean | undefined {
  return isUndirected(measure) ? undefined : lowerIsBetter.has(measure);
}

/** Whether the two differ by more than their combined error. */
function toneOf(own: Spread, other: Spread | undefined, isLess: boolean | undefined): 'good' | 'bad' | 'plain' {
  if (other === undefined || own.reach === 0 || isLess === undefined) return 'plain';
  const difference = own.value - other.value;
  if (Math.abs(difference) <= Math.hypot(own.reach, other.reach)) return 'plain';
  return difference > 0 === isLess ? 'bad' : 'good';
}

/** A cell with a value and its difference. @param hasN whether to show the number of lists behind the value */
function cell({
  line,
  base,
  name,
  isLess,
  isStrong,
  hasN,
}: CellProps & { readonly isStrong: boolean; readonly hasN: boolean }): Markup {
  const { value = null, n = 0 } = line.measures[name] ?? {};
  const all = base?.measures[name]?.value ?? null;
  const colour = line.impressions < FEW_LISTS ? '' : shade(value, all, isLess);
  const lists =
    value === null || !hasN || n === line.impressions
      ? NOTHING
      : elements`<small class="muted"> n ${grouped(n)}</small>`;
  const difference =
    value === null || all === null || all === 0
      ? NOTHING
      : elements`<small class="muted below">${change(value / all - 1)}</small>`;
  return elements`<td class="number ${isStrong ? 'strong' : ''} ${colour}">${value === null ? NONE : plain(value)}${lists}${difference}</td>`;
}

/** The class of a background, with five steps to each side. */
function shade(value: number | null, all: number | null, isLess: boolean | undefined): string {
  if (value === null || all === null || all === 0 || isLess === undefined) return '';
  const gain = (isLess ? -1 : 1) * (value / all - 1);
  const step = Math.min(5, Math.floor((5 * Math.abs(gain)) / FULL_CHANGE));
  return step === 0 ? '' : `${gain < 0 ? 'worse' : 'better'}-${step}`;
}

/** The most cohorts that are named. */
const MOST_NAMES = 3;

/** Says how many cohorts differ from `against` by more than the errors. */
export function differing(
  rows: readonly CohortRow[],
  {
    measure,
    against,
    lowerIsBetter,
  }: { readonly measure: string; readonly against: string; readonly lowerIsBetter: ReadonlySet<string> },
): string {
  const isLess = isLessBetter(measure, lowerIsBetter);
  if (isLess === undefined) return `${measure} is best near 0, so neither a fall nor a rise of it is better`;
  const tones = rows.flatMap(({ name, line, base }) => {
    const own = spreadOf(line, measure);
    return own === undefined ? [] : [{ name, tone: toneOf(own, spreadOf(base, measure), isLess) }];
  });
  const worse = tones.filter(({ tone }) => tone === 'bad').map(({ name }) => name);
  const better = tones.filter(({ tone }) => tone === 'good').length;
  const names = worse.length === 0 || worse.length > MOST_NAMES ? '' : ` (${worse.join(', ')})`;
  return `${worse.length === 0 ? 'none' : several(worse.length, 'cohort')} worse than ${against} on ${measure} by more than the errors${names}, ${grouped(better)} better`;
}

/** Explains the small type and the colours. */
export function ColourWords({ against }: { readonly against: string }) {
  return (
    <>
      Small type and colour: the difference to <Name>{against}</Name>, red worse, blue better, full from{' '}
      {percent(FULL_CHANGE)} on. Grey: fewer than {FEW_LISTS} lists.
    </>
  );
}

/** The row of everything together. */
export function wholeWords({ impressions, positives, open = 0 }: CohortLine): string {
  const young = open === 0 ? '' : `; ${grouped(open)} more are open`;
  return `${several(impressions, 'list')}, ${percent(impressions === 0 ? 0 : positives / impressions)} of them with a positive${young}`;
}
