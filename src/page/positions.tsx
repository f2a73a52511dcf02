/** How often lists have a positive at each rank: a line per cohort, below it the lists with an item at the rank, and a table of all. */
import { Frame } from '../charts/frame.tsx';
import { jsx } from '../charts/jsx.ts';
import { SERIES } from '../charts/palette.ts';
import { type SeriesPoint, seriesChart } from '../charts/series.tsx';
import { grouped } from '../vocabulary/grouped.ts';
import { change, NONE, percent, shown } from '../vocabulary/numbers.ts';
import { DataTable } from './data-table.tsx';
import { Legend } from './legend.tsx';
import type { PositionLine, PositionsView } from './model.ts';

const HEIGHT = 210;
const EXPOSURE_HEIGHT = 90;
/** The least lists with which something is said about the top. */
const FEW_LISTS = 100;
/** The least share of the most lists at any rank: with fewer, a rate is too noisy, and is not drawn. */
const LEAST_EXPOSURE = 0.01;

/** The card of positives by rank. `view` undefined: nothing is counted by rank. */
export function PositionsCard({ view }: { readonly view: PositionsView | undefined }) {
  return (
    <section class="card" aria-labelledby="by-rank">
      <h2 id="by-rank">Positions</h2>
      {view === undefined ? (
        <p class="note">
          Nothing is counted by rank here. With <code>positions: {'{ranks: 10}'}</code> this shows how often each rank
          is clicked.
        </p>
      ) : (
        <Positions view={view} />
      )}
    </section>
  );
}

function Positions({ view }: { readonly view: PositionsView }) {
  const { lines, horizon, what } = view;
  const ranks = reached(view);
  const drawn = lines.slice(0, SERIES.length);
  if (drawn.every(({ exposed }) => exposed.every((lists) => lists === 0))) {
    return <p class="note">No list has closed at {horizon} yet.</p>;
  }
  const most = Math.max(...drawn.flatMap(({ exposed }) => exposed));
  const rates = drawn.map((one) =>
    one.exposed.slice(0, ranks).map((lists, r) => (lists < LEAST_EXPOSURE * most ? null : rateAt(one, r))),
  );
  const highest = Math.max(...rates.flat().map((rate) => rate ?? 0));
  const xTicks = Array.from({ length: ranks }, (_, r) => ({ at: (r + 0.5) / ranks, words: String(r + 1) })).filter(
    (_, r) => ranks <= 12 || r === 0 || (r + 1) % (ranks <= 25 ? 5 : 10) === 0,
  );
  const axis = { xTicks, xLabel: 'rank' };
  const known = (values: readonly (number | null)[]): readonly SeriesPoint[] =>
    values.flatMap((value, r) => (value === null ? [] : [{ at: (r + 0.5) / ranks, value }]));
  const clicked = seriesChart({
    ...axis,
    label: `Share of lists with a positive at each rank, for each cohort: ${topWords(drawn)}`,
    domain: [0, highest === 0 ? 1 : highest],
    tick: percent,
    marks: { of: 'all', radius: 3 },
    series: rates.map(known),
  });
  const reaching = seriesChart({
    ...axis,
    label: 'Lists that show an item at each rank, for each cohort',
    domain: [0, most],
    ticks: 3,
    tick: grouped,
    series: drawn.map(({ exposed }) => known(exposed.slice(0, ranks))),
  });
  return (
    <figure>
      <Frame {...clicked} height={HEIGHT} />
      <p class="frame-title">Lists that show an item there</p>
      <Frame {...reaching} height={EXPOSURE_HEIGHT} />
      <Legend names={drawn.map(({ name }) => name)} />
      <figcaption>
        Of the lists with an item at a rank, the share with a positive there, at {horizon}
        {what}.{what === '' ? '' : ` A list is counted here ${horizon} after it was shown.`}{' '}
        <strong>{topWords(drawn)}</strong> The lower a curve begins and the slower it falls, the further down stands
        what people want. Below: the lists that reach so far.
      </figcaption>
      <details>
        <summary>Counts by rank</summary>
        <Table view={view} />
      </details>
    </figure>
  );
}

function Table({ view }: { readonly view: PositionsView }) {
  const ranks = reached(view);
  const rows = view.lines.flatMap((one) => {
    const all = sum(one.positives);
    return Array.from({ length: ranks }, (_, r) => [
      one.name,
      String(r + 1),
      grouped(one.exposed[r]),
      grouped(one.positives[r]),
      shown(rateAt(one, r), percent),
      all === 0 ? NONE : percent(one.positives[r] / all),
    ]);
  });
  const numbers = ['rank', 'lists', 'with a positive', 'rate', 'share of positives'];
  return <DataTable columns={[{ name: 'cohort' }, ...numbers.map((name) => ({ name, isNumber: true }))]} rows={rows} />;
}

/** The last rank at which any list has an item. */
function reached({ lines }: PositionsView): number {
  return Math.max(0, ...lines.map(({ exposed }) => exposed.findLastIndex((lists) => lists > 0) + 1));
}

function rateAt({ exposed, positives }: PositionLine, r: number): number | null {
  return exposed[r] === 0 ? null : positives[r] / exposed[r];
}

/** Compares the top of each cohort with that of the first. */
function topWords(lines: readonly PositionLine[]): string {
  const [first] = lines;
  const rate = first === undefined ? null : rateAt(first, 0);
  const large = lines.filter(({ exposed }) => exposed[0] >= FEW_LISTS);
  if (large.length === 0) return `Fewer than ${FEW_LISTS} lists each: too few to say more.`;
  const words = large.map((one) => {
    const own = rateAt(one, 0) ?? 0;
    const differs = one !== first && rate !== null && rate > 0 ? ` (${change(own / rate - 1)})` : '';
    return `${one.name} ${percent(own)}${differs}`;
  });
  return `At rank 1: ${words.join(', ')}.`;
}

function sum(counts: readonly number[]): number {
  return counts.reduce((all, n) => all + n, 0);
}

/** A cohort with its counts by rank, if they are kept. */
interface Counted {
  /** The value of each dimension of its set. */
  readonly values: readonly string[];
  readonly impressions: number;
  readonly positions?: { readonly exposed: Iterable<number>; readonly positives: Iterable<number> } | undefined;
}

/** The lines of the control and then of the cohorts with most lists. */
export function positionLines(cohorts: readonly Counted[], control: string | undefined): readonly PositionLine[] {
  return cohorts
    .flatMap(({ values, impressions, positions }) =>
      positions === undefined ? [] : [{ name: values.join(' · ') || 'everything', impressions, ...positions }],
    )
    .sort((a, b) => Number(b.name === control) - Number(a.name === control) || b.impressions - a.impressions)
    .map(({ name, exposed, positives }) => ({ name, exposed: [...exposed], positives: [...positives] }));
}
