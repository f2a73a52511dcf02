/** A measure over the last hours, as a line with its error for each variant. */

import { Frame, timeAxis } from '../charts/frame.tsx';
import { jsx } from '../charts/jsx.ts';
import { seriesChart } from '../charts/series.tsx';
import type { HistoryPoint } from '../exporter/exporter-contract.ts';
import type { EpochMs } from '../vocabulary/events.ts';
import { change, instant, NORMAL_95, NORMAL_95_WORDS, plain } from '../vocabulary/numbers.ts';
import { Legend } from './legend.tsx';
import { Name } from './name.ts';

export interface HistoryView {
  readonly measure: string;
  readonly horizon: string;
  readonly window: string;
  /** The time up to which points cover an hour each; null: none do. */
  readonly hoursTo: EpochMs | null;
  /** Whether older hours are still being read, and come with the next view. */
  readonly isReading: boolean;
  /** The variants, the first of which is the one that others are compared with. */
  readonly series: readonly { readonly name: string; readonly points: readonly HistoryPoint[] }[];
}

const HEIGHT = 230;

export function HistoryCard({ view }: { readonly view: HistoryView }) {
  return (
    <section class="card" aria-labelledby="over-time">
      <h2 id="over-time">
        <Name>{view.measure}</Name> over time
      </h2>
      <History view={view} />
    </section>
  );
}

export function History({
  view: { measure, horizon, window, series, hoursTo, isReading },
}: {
  readonly view: HistoryView;
}) {
  const drawn = series.filter(({ points }) => points.length > 0);
  const all = drawn.flatMap(({ points }) => points);
  if (all.length === 0) return <p class="note">No list has closed yet: the first numbers come soon.</p>;
  const reach = ({ stderr }: HistoryPoint): number => NORMAL_95 * (stderr ?? 0);
  const least = Math.min(...all.map((point) => point.value - reach(point)));
  const most = Math.max(...all.map((point) => point.value + reach(point)));
  const room = 0.06 * (most - least) || 0.05 * Math.abs(most) || 1;
  const time = timeAxis(Math.min(...all.map(({ at }) => at)), Math.max(...all.map(({ at }) => at)));
  const chart = seriesChart({
    label: `${measure} of each variant over time: ${lastWords(drawn)}`,
    xTicks: time.ticks.map(({ at, text }) => ({ at: time.x(at), words: text })),
    xLabel: `event time, ${time.zone}`,
    domain: [least - room, most + room],
    marks: { of: 'last', radius: 4 },
    series: drawn.map(({ points }) =>
      points.map((point) => ({ at: time.x(point.at), value: point.value, reach: reach(point) })),
    ),
  });
  return (
    <figure>
      <Frame {...chart} height={HEIGHT} />
      <Legend names={drawn.map(({ name }) => name)} />
      <figcaption>
        <Name>{measure}</Name> at {horizon}, over the last {window} at each time, with {NORMAL_95_WORDS} to each side
        {hoursTo === null ? '' : `; up to ${instant(new Date(hoursTo).toISOString())} by the hour`}.
        {isReading ? ' Older hours are being read.' : ''} <strong>Now: {lastWords(drawn)}.</strong>
      </figcaption>
    </figure>
  );
}

function lastWords(series: HistoryView['series']): string {
  const last = series.map(({ name, points }) => ({ name, value: points[points.length - 1].value }));
  const [first] = last;
  return last
    .map(({ name, value }, i) =>
      i === 0 || first.value === 0
        ? `${name} ${plain(value)}`
        : `${name} ${plain(value)} (${change(value / first.value - 1)})`,
    )
    .join(', ');
}
