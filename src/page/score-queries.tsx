/** Scores query by query: the queries that won and lost, and those that scored nothing. */

import { scaleLinear } from 'd3-scale';
import { coordinate, Frame, type LineBox } from '../charts/frame.tsx';
import { Fragment, jsx } from '../charts/jsx.ts';
import { grouped } from '../vocabulary/grouped.ts';
import { plain, signed } from '../vocabulary/numbers.ts';
import { DataTable } from './data-table.tsx';
import type { ScoredRun, ScoresView } from './model.ts';
import { Name } from './name.ts';

/** The number of queries named at either end. */
const NAMED = 8;
const HEIGHT = 220;

/** The words for a difference above 0 and below. */
interface Words {
  readonly up: string;
  readonly down: string;
  readonly and: string;
  readonly gain: string;
  readonly won: string;
  readonly lost: string;
  /** The classes of bars above 0, and below. */
  readonly classes: readonly [string, string];
}

/** The words for measures of which higher, or lower, is better. */
const CONTEST: Words = {
  up: 'wins',
  down: 'loses',
  and: 'and is',
  gain: 'gain',
  won: 'Won most',
  lost: 'Lost most',
  classes: ['gains', 'losses'],
};
/** The words for measures of which neither is. */
const CHANGES: Words = {
  up: 'is higher on',
  down: 'lower on',
  and: 'and',
  gain: 'rise',
  won: 'Rose most',
  lost: 'Fell most',
  classes: ['rises', 'rises'],
};

/** The difference of each query from the first run, the largest gain at the left. */
export function Queries({ view, run, m }: { readonly view: ScoresView; readonly run: ScoredRun; readonly m: number }) {
  const { measures, runs, lowerIsBetter } = view;
  const [baseline] = runs;
  const before = new Map(baseline.perQuery.map(({ query, values }) => [query, values[m]] as const));
  const words = lowerIsBetter[m] === undefined ? CHANGES : CONTEST;
  const sign = lowerIsBetter[m] ? -1 : 1;
  const all = run.perQuery.flatMap(({ query, values }) => {
    const old = before.get(query);
    if (old === undefined || Number.isNaN(old) || Number.isNaN(values[m])) return [];
    return [{ query, old, value: values[m], gain: sign * (values[m] - old) }];
  });
  if (all.length === 0) return <p class="note">No query has a value in both runs.</p>;
  all.sort((a, b) => b.gain - a.gain || (a.query < b.query ? -1 : 1));
  const won = all.filter(({ gain }) => gain > 0);
  const lost = all.filter(({ gain }) => gain < 0).reverse();
  const equal = all.length - won.length - lost.length;
  const sentence = `${run.name} ${words.up} ${grouped(won.length)}, ${words.down} ${grouped(lost.length)}, ${words.and} equal on ${grouped(equal)} of ${grouped(all.length)} queries.`;
  return (
    <figure>
      <h3>
        <Name>{run.name}</Name> <small>against</small> <Name>{baseline.name}</Name>, <Name>{measures[m]}</Name>
      </h3>
      <SortedBars
        label={`Difference of ${measures[m]} of each query, sorted: ${sentence}`}
        values={all.map(({ gain }) => gain)}
        xLabel={`queries, the largest ${words.gain} first`}
        classes={words.classes}
      />
      <figcaption>
        One bar for each query{lowerIsBetter[m] ? '; above 0 is less of the measure, which is better' : ''}.{' '}
        <strong>{sentence}</strong>
      </figcaption>
      <div class="columns">
        <Ends title={words.lost} rows={lost.slice(0, NAMED)} names={[baseline.name, run.name]} />
        <Ends title={words.won} rows={won.slice(0, NAMED)} names={[baseline.name, run.name]} />
      </div>
    </figure>
  );
}

function Ends({
  title,
  rows,
  names,
}: {
  readonly title: string;
  readonly rows: readonly { readonly query: string; readonly old: number; readonly value: number }[];
  readonly names: readonly [string, string];
}) {
  if (rows.length === 0) return null;
  return (
    <DataTable
      caption={title}
      columns={[
        { name: 'query', class: 'long' },
        ...names.map((name) => ({ name, isNumber: true, class: 'long' })),
        { name: 'difference', isNumber: true },
      ]}
      rows={rows.map(({ query, old, value }) => [query, plain(old), plain(value), <b>{signed(value - old)}</b>])}
    />
  );
}

/** The value of each query in a single run, the highest at the left. */
export function Values({ run, measure, m }: { readonly run: ScoredRun; readonly measure: string; readonly m: number }) {
  const all = run.perQuery.filter(({ values }) => !Number.isNaN(values[m]));
  if (all.length === 0) return <p class="note">No query has a value.</p>;
  const sorted = [...all].sort((a, b) => b.values[m] - a.values[m] || (a.query < b.query ? -1 : 1));
  const zero = sorted.filter(({ values }) => values[m] === 0).length;
  const lowest = sorted.slice(-NAMED).map(({ query, values }) => `${query} ${plain(values[m])}`);
  return (
    <figure>
      <SortedBars
        label={`${measure} of each query, sorted`}
        values={sorted.map(({ values }) => values[m])}
        xLabel="queries, the highest first"
      />
      <figcaption>
        One bar for each query.{' '}
        <strong>
          {grouped(zero)} of {grouped(all.length)} are 0.
        </strong>{' '}
        The lowest: {lowest.reverse().join(', ')}.
      </figcaption>
    </figure>
  );
}

function SortedBars({
  label,
  values,
  xLabel,
  classes = CONTEST.classes,
}: {
  readonly label: string;
  readonly values: readonly number[];
  readonly xLabel: string;
  /** The classes of bars above 0, and below. */
  readonly classes?: readonly [string, string];
}) {
  const y = scaleLinear([Math.min(0, ...values), Math.max(0, ...values) || 1], [1, 0]).nice();
  const bars =
    (isMine: (value: number) => boolean) =>
    ({ width: all, height }: LineBox): string => {
      const width = all / values.length;
      // With this many bars, gaps would be all that is visible.
      const gap = values.length > 120 ? 0 : 0.15 * width;
      return values
        .map((value, i) =>
          isMine(value) ? bar(i * width + gap / 2, width - gap, height * y(0), height * y(value)) : '',
        )
        .join('');
    };
  const ticks = y.ticks(5);
  const tickText = y.tickFormat(5);
  return (
    <Frame
      label={label}
      height={HEIGHT}
      xTicks={[]}
      yTicks={ticks.map((tick) => ({ at: y(tick), words: tickText(tick) }))}
      xLabel={xLabel}
      overlay={<line class="zero" x1="0" x2="100%" y1={coordinate(y(0))} y2={coordinate(y(0))} />}
      lines={(box) => (
        <>
          <path class={classes[0]} d={bars((value) => value > 0)(box)} />
          <path class={classes[1]} d={bars((value) => value < 0)(box)} />
        </>
      )}
    />
  );
}

function bar(x: number, width: number, from: number, to: number): string {
  return `M${Math.round(x)},${Math.round(from)}h${Math.round(width)}V${Math.round(to)}h${Math.round(-width)}Z`;
}
