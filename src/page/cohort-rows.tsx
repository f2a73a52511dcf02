/** Cohorts as rows: one measure with its interval, others as numbers, and their differences from a baseline. */
import { scaleLinear } from 'd3-scale';
import { AxisHead, Estimate } from './axis.tsx';
import type { CohortLine } from './model.ts';
import { Name } from './name.tsx';
import { change, counted, NONE, NORMAL_95, plain, several, share } from './numbers.ts';
import { Scroll } from './scroll.tsx';

/** A change of at least this much has the full colour. */
const FULL_CHANGE = 0.1;
/** Cohorts with fewer lists are grey: their values say little. */
const FEW_LISTS = 100;

export interface CohortRow {
  readonly name: string;
  /** Address that opens the row; undefined: there is nothing more to show. */
  readonly href?: string | undefined;
  readonly isChosen?: boolean;
  readonly line: CohortLine;
  /** The baseline of the row; undefined: it is the baseline itself, or there is none. */
  readonly base: CohortLine | undefined;
}

/** The head of a column; undefined address: the table cannot be sorted by it. */
export interface CohortColumn {
  readonly name: string;
  readonly href: string;
  readonly sorted: 'falling' | 'rising' | undefined;
}

interface RowsProps {
  /** What a row is: a cohort, or one horizon of it. */
  readonly of?: 'cohort' | 'horizon';
  readonly rows: readonly CohortRow[];
  /** The measure that is drawn; undefined: none is. */
  readonly drawn?: string;
  /** The other measures, as numbers. */
  readonly measures: readonly string[];
  readonly lowerIsBetter: ReadonlySet<string>;
  /** Columns that the table can be sorted by; default: none. */
  readonly columns?: readonly CohortColumn[];
  /** Whether to show positives, and the number of lists behind a value. */
  readonly hasCounts?: boolean;
}

export function CohortRows(props: RowsProps) {
  const { of = 'cohort', rows, drawn, measures, lowerIsBetter, columns = [], hasCounts = false } = props;
  const head = (name: string) => columns.find((column) => column.name === name);
  const axis = drawn === undefined ? undefined : axisOf(rows, drawn);
  return (
    <Scroll>
      <table class={drawn === undefined ? undefined : measures.length === 0 ? 'forest' : 'forest cohort-table'}>
        <thead>
          <tr>
            <Head name={of} column={head(of)} />
            <Head name="lists" column={head('lists')} isNumber />
            {hasCounts ? <Head name="positives" column={undefined} isNumber /> : null}
            {drawn === undefined || axis === undefined ? null : (
              <>
                <Head name={drawn} column={head(drawn)} isNumber />
                <AxisHead label={`${drawn} with its error`} ticks={axis.ticks} />
              </>
            )}
            {measures.map((name) => (
              <Head key={name} name={name} column={head(name)} isNumber />
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <Row
              key={row.name}
              row={row}
              drawn={drawn}
              place={axis?.place}
              measures={measures}
              lowerIsBetter={lowerIsBetter}
              hasCounts={hasCounts}
            />
          ))}
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

function Row({
  row: { name, href, isChosen = false, line, base },
  drawn,
  place,
  measures,
  lowerIsBetter,
  hasCounts,
}: {
  readonly row: CohortRow;
  readonly drawn: string | undefined;
  readonly place: ((value: number) => number) | undefined;
  readonly measures: readonly string[];
  readonly lowerIsBetter: ReadonlySet<string>;
  readonly hasCounts: boolean;
}) {
  return (
    <tr class={line.impressions < FEW_LISTS ? 'few' : undefined} aria-current={isChosen ? 'true' : undefined}>
      <th scope="row">
        {href === undefined ? (
          <Name>{name}</Name>
        ) : (
          <a href={`${href}#cohort`} data-view>
            <Name>{name}</Name>
          </a>
        )}
      </th>
      <td class="number">{counted(line.impressions)}</td>
      {hasCounts ? <td class="number">{counted(line.positives)}</td> : null}
      {drawn === undefined || place === undefined ? null : (
        <>
          <Cell line={line} base={base} name={drawn} isLess={lowerIsBetter.has(drawn)} isStrong hasN={hasCounts} />
          <Interval line={line} base={base} name={drawn} isLess={lowerIsBetter.has(drawn)} place={place} />
        </>
      )}
      {measures.map((one) => (
        <Cell key={one} line={line} base={base} name={one} isLess={lowerIsBetter.has(one)} hasN={hasCounts} />
      ))}
    </tr>
  );
}

interface CellProps {
  readonly line: CohortLine;
  readonly base: CohortLine | undefined;
  readonly name: string;
  readonly isLess: boolean;
}

function Interval({ line, base, name, isLess, place }: CellProps & { readonly place: (value: number) => number }) {
  const own = spreadOf(line, name);
  const other = spreadOf(base, name);
  return (
    <td class="interval">
      {own === undefined ? null : (
        <Estimate
          label={`${plain(own.value)}, from ${plain(own.value - own.reach)} to ${plain(own.value + own.reach)}`}
          value={own.value}
          reach={own.reach}
          base={other?.value ?? null}
          place={place}
          tone={toneOf(own, other, isLess)}
        />
      )}
    </td>
  );
}

/** Whether the two differ by more than their combined error. */
function toneOf(own: Spread, other: Spread | undefined, isLess: boolean): 'good' | 'bad' | 'plain' {
  if (other === undefined || own.reach === 0) return 'plain';
  const difference = own.value - other.value;
  if (Math.abs(difference) <= Math.hypot(own.reach, other.reach)) return 'plain';
  return difference > 0 === isLess ? 'bad' : 'good';
}

/** @param hasN whether to show the number of lists behind the value */
function Cell({
  line,
  base,
  name,
  isLess,
  isStrong = false,
  hasN,
}: CellProps & { readonly isStrong?: boolean; readonly hasN: boolean }) {
  const { value = null, n = 0 } = line.measures[name] ?? {};
  const all = base?.measures[name]?.value ?? null;
  const colour = line.impressions < FEW_LISTS ? '' : shade(value, all, isLess);
  return (
    <td class={`number ${isStrong ? 'strong' : ''} ${colour}`}>
      {value === null ? NONE : plain(value)}
      {value === null || !hasN || n === line.impressions ? '' : <small class="muted"> n {counted(n)}</small>}
      {value === null || all === null || all === 0 ? '' : <small class="muted below">{change(value / all - 1)}</small>}
    </td>
  );
}

/** A class for the background: five steps to each side. */
function shade(value: number | null, all: number | null, lowerIsBetter: boolean): string {
  if (value === null || all === null || all === 0) return '';
  const gain = (lowerIsBetter ? -1 : 1) * (value / all - 1);
  const step = Math.min(5, Math.floor((5 * Math.abs(gain)) / FULL_CHANGE));
  return step === 0 ? '' : `${gain < 0 ? 'worse' : 'better'}-${step}`;
}

/** Most cohorts that are named. */
const MOST_NAMES = 3;

/** How many of them differ from `against` by more than the errors. */
export function differing(
  rows: readonly CohortRow[],
  {
    measure,
    against,
    lowerIsBetter,
  }: { readonly measure: string; readonly against: string; readonly lowerIsBetter: ReadonlySet<string> },
): string {
  const tones = rows.flatMap(({ name, line, base }) => {
    const own = spreadOf(line, measure);
    return own === undefined ? [] : [{ name, tone: toneOf(own, spreadOf(base, measure), lowerIsBetter.has(measure)) }];
  });
  const worse = tones.filter(({ tone }) => tone === 'bad').map(({ name }) => name);
  const better = tones.filter(({ tone }) => tone === 'good').length;
  const names = worse.length === 0 || worse.length > MOST_NAMES ? '' : ` (${worse.join(', ')})`;
  return `${worse.length === 0 ? 'none' : several(worse.length, 'cohort')} worse than ${against} on ${measure} by more than the errors${names}, ${counted(better)} better`;
}

/** Explains small type and colours. */
export function ColourWords({ against }: { readonly against: string }) {
  return (
    <>
      Small type and colour: the difference to <Name>{against}</Name>, red worse, blue better, full from{' '}
      {share(FULL_CHANGE)} on. Grey: fewer than {FEW_LISTS} lists.
    </>
  );
}

/** The row of everything together. */
export function wholeWords({ impressions, positives }: CohortLine): string {
  return `${several(impressions, 'list')}, ${share(impressions === 0 ? 0 : positives / impressions)} of them with a positive`;
}
