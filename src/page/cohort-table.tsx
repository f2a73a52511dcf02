/** All cohorts of a grouping set, one beside the other, and one of them closely. */
import { scaleLinear } from 'd3-scale';
import { AxisHead, Estimate } from './axis.tsx';
import { ChoiceLinks, type Choices } from './choices.tsx';
import { FEW_LISTS, FULL_CHANGE, shade } from './cohorts.tsx';
import { History, type HistoryView } from './history.tsx';
import type { CohortLine } from './model.ts';
import { Name } from './name.tsx';
import { change, counted, NONE, NORMAL_95, plain, several, share } from './numbers.ts';
import { Scroll } from './scroll.tsx';

export interface ListedCohort {
  readonly name: string;
  /** Opens it; undefined: there is nothing more to see. */
  readonly href: string | undefined;
  readonly isChosen: boolean;
  readonly line: CohortLine;
  /** What it is compared with; undefined: it is that itself, or there is none. */
  readonly base: CohortLine | undefined;
}

export interface CohortTableView {
  readonly by: readonly string[];
  /** The one with a picture. */
  readonly measure: string;
  readonly measures: readonly string[];
  readonly lowerIsBetter: ReadonlySet<string>;
  readonly choices: readonly Choices[];
  /** `kept`: what else of the address stays when the filter changes. */
  readonly filter: { readonly text: string; readonly kept: readonly (readonly [name: string, value: string])[] };
  /** Of the table, each with the link that sorts by it. */
  readonly columns: readonly {
    readonly name: string;
    readonly href: string;
    readonly sorted: 'falling' | 'rising' | undefined;
  }[];
  readonly cohorts: readonly ListedCohort[];
  readonly everything: CohortLine | undefined;
  /** Name of what cohorts are compared with. */
  readonly against: string;
  /** Cohorts that the filter lets through, and all of the set. */
  readonly found: number;
  readonly all: number;
  /** Number of those before the first that is listed. */
  readonly from: number;
  readonly previous: string | undefined;
  readonly next: string | undefined;
}

export interface CohortView {
  readonly name: string;
  readonly measures: readonly string[];
  readonly lowerIsBetter: ReadonlySet<string>;
  readonly window: string;
  /** One for each horizon. */
  readonly lines: readonly { readonly line: CohortLine; readonly base: CohortLine | undefined }[];
  readonly closeHref: string;
  readonly history: HistoryView;
}

export function CohortTable({ view }: { readonly view: CohortTableView }) {
  const { by, measure, filter, all, found, everything } = view;
  return (
    <section class="card" aria-labelledby="by-cohort">
      <h2 id="by-cohort">
        Cohorts{by.length === 0 ? '' : ' by '}
        {by.length === 0 ? '' : <Name>{by.join(' and ')}</Name>}
      </h2>
      <div class="switches">
        {view.choices.map((choices) => (
          <ChoiceLinks key={choices.legend} of={choices} />
        ))}
      </div>
      {all === 0 ? (
        <p class="note">No list counted here yet. A shorter horizon or a longer window may have some.</p>
      ) : null}
      {all === 0 ? null : (
        <>
          {all > 1 ? (
            <form class="filter" method="get" action="/" aria-label="Find cohorts" data-view>
              {filter.kept.map(([name, value]) => (
                <input key={name} type="hidden" name={name} value={value} />
              ))}
              <label for="filter">Find cohorts</label>{' '}
              <input id="filter" name="filter" type="search" value={filter.text} maxLength={100} />{' '}
              <button type="submit">Find</button>
            </form>
          ) : null}
          {everything === undefined ? null : <Everything line={everything} measure={measure} />}
          <Table view={view} />
          <Caption view={view} />
          {found === 0 ? null : <Pages view={view} />}
        </>
      )}
    </section>
  );
}

function Everything({ line, measure }: { readonly line: CohortLine; readonly measure: string }) {
  const { value = null, stderr = null } = line.measures[measure] ?? {};
  return (
    <p class="note">
      Everything together: {several(line.impressions, 'list')},{' '}
      {share(line.impressions === 0 ? 0 : line.positives / line.impressions)} of them with a positive
      {value === null ? '' : `, ${measure} ${plain(value)}`}
      {stderr === null ? '' : ` ± ${plain(NORMAL_95 * stderr)}`}.
    </p>
  );
}

interface Spread {
  readonly value: number;
  readonly reach: number;
}

function spreadOf(line: CohortLine | undefined, measure: string): Spread | undefined {
  const { value = null, stderr = null } = line?.measures[measure] ?? {};
  return value === null ? undefined : { value, reach: NORMAL_95 * (stderr ?? 0) };
}

function Table({ view }: { readonly view: CohortTableView }) {
  const { measure, measures, lowerIsBetter, columns, cohorts } = view;
  const spreads = cohorts.flatMap(({ line, base }) =>
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
  const head = (name: string) => columns.find((column) => column.name === name);
  const others = measures.filter((name) => name !== measure);
  return (
    <Scroll>
      <table class="forest cohort-table">
        <thead>
          <tr>
            <Head column={head('cohort')} />
            <Head column={head('lists')} isNumber />
            <Head column={head(measure)} isNumber />
            <AxisHead label={`${measure} with its error`} ticks={ticks} />
            {others.map((name) => (
              <Head key={name} column={head(name)} isNumber />
            ))}
          </tr>
        </thead>
        <tbody>
          {cohorts.map((cohort) => (
            <Row
              key={cohort.name}
              cohort={cohort}
              measure={measure}
              others={others}
              lowerIsBetter={lowerIsBetter}
              place={(at) => scale(at)}
            />
          ))}
        </tbody>
      </table>
    </Scroll>
  );
}

function Head({
  column,
  isNumber = false,
}: {
  readonly column: CohortTableView['columns'][number] | undefined;
  readonly isNumber?: boolean;
}) {
  if (column === undefined) return null;
  const { name, href, sorted } = column;
  const sort = sorted === undefined ? undefined : sorted === 'rising' ? 'ascending' : 'descending';
  return (
    <th scope="col" class={isNumber ? 'number' : undefined} aria-sort={sort}>
      <a href={href} data-view>
        <Name>{name}</Name>
        {sorted === undefined ? '' : <span aria-hidden="true">{sorted === 'rising' ? ' ▴' : ' ▾'}</span>}
      </a>
    </th>
  );
}

function Row({
  cohort: { name, href, isChosen, line, base },
  measure,
  others,
  lowerIsBetter,
  place,
}: {
  readonly cohort: ListedCohort;
  readonly measure: string;
  readonly others: readonly string[];
  readonly lowerIsBetter: ReadonlySet<string>;
  readonly place: (value: number) => number;
}) {
  const own = spreadOf(line, measure);
  const other = spreadOf(base, measure);
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
      <Cell line={line} base={base} name={measure} isLess={lowerIsBetter.has(measure)} isStrong />
      <td class="interval">
        {own === undefined ? null : (
          <Estimate
            label={`${plain(own.value)}, from ${plain(own.value - own.reach)} to ${plain(own.value + own.reach)}`}
            value={own.value}
            reach={own.reach}
            base={other?.value ?? null}
            place={place}
            tone={toneOf(own, other, lowerIsBetter.has(measure))}
          />
        )}
      </td>
      {others.map((one) => (
        <Cell key={one} line={line} base={base} name={one} isLess={lowerIsBetter.has(one)} />
      ))}
    </tr>
  );
}

/** Whether the two differ by more than their errors together. */
function toneOf(own: Spread, other: Spread | undefined, isLess: boolean): string {
  if (other === undefined || own.reach === 0) return 'plain';
  const difference = own.value - other.value;
  if (Math.abs(difference) <= Math.hypot(own.reach, other.reach)) return 'plain';
  return difference > 0 === isLess ? 'bad' : 'good';
}

function Cell({
  line,
  base,
  name,
  isLess,
  isStrong = false,
  hasN = false,
}: {
  readonly line: CohortLine;
  readonly base: CohortLine | undefined;
  readonly name: string;
  readonly isLess: boolean;
  readonly isStrong?: boolean;
  /** Whether to say of how many lists the value is. */
  readonly hasN?: boolean;
}) {
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

function Caption({ view }: { readonly view: CohortTableView }) {
  const { cohorts, measure, against, found, all, lowerIsBetter } = view;
  const judged = cohorts.flatMap(({ name, line, base }) => {
    const [own, other] = [spreadOf(line, measure), spreadOf(base, measure)];
    return own === undefined ? [] : [{ name, tone: toneOf(own, other, lowerIsBetter.has(measure)) }];
  });
  const worse = judged.filter(({ tone }) => tone === 'bad').map(({ name }) => name);
  const better = judged.filter(({ tone }) => tone === 'good').length;
  const isAll = cohorts.length === all;
  return (
    <p class="note">
      <strong>
        {found === 0
          ? 'No cohort has such a name.'
          : `${isAll ? '' : 'Of those listed, '}${worse.length === 0 ? (isAll ? 'None' : 'none') : several(worse.length, 'cohort')} worse than ${against} on ${measure} by more than the errors${worse.length === 0 || worse.length > 3 ? '' : ` (${worse.join(', ')})`}, ${counted(better)} better.`}
      </strong>{' '}
      Each for itself, as it is now: with many cohorts some differ by chance. Small type and colour: the difference to{' '}
      <Name>{against}</Name>, red worse, blue better, full from {share(FULL_CHANGE)} on. Grey: fewer than {FEW_LISTS}{' '}
      lists.
    </p>
  );
}

function Pages({ view: { from, cohorts, found, all, previous, next } }: { readonly view: CohortTableView }) {
  return (
    <p class="pages">
      {counted(from + 1)} to {counted(from + cohorts.length)} of {several(found, 'cohort')}
      {found === all ? '' : ` (${counted(all)} without the filter)`}{' '}
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
  const { name, measures, lowerIsBetter, window, lines, closeHref, history } = view;
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
      {lines.length === 0 ? (
        <p class="note">It has no list in this window now.</p>
      ) : (
        <Scroll>
          <table>
            <thead>
              <tr>
                <th scope="col">horizon</th>
                {['lists', 'positives', ...measures].map((one) => (
                  <th key={one} scope="col" class="number">
                    <Name>{one}</Name>
                  </th>
                ))}
              </tr>
            </thead>
            <tbody>
              {lines.map(({ line, base }) => (
                <tr key={line.horizon}>
                  <th scope="row">{line.horizon}</th>
                  <td class="number">{counted(line.impressions)}</td>
                  <td class="number">{counted(line.positives)}</td>
                  {measures.map((one) => (
                    <Cell key={one} line={line} base={base} name={one} isLess={lowerIsBetter.has(one)} hasN />
                  ))}
                </tr>
              ))}
            </tbody>
          </table>
        </Scroll>
      )}
    </section>
  );
}
