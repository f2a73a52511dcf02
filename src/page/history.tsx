/** A measure over the last hours: for each variant a line with its error. */

import { scaleLinear } from 'd3-scale';
import { area, line } from 'd3-shape';
import type { HistoryPoint } from '../exporter/exporter-contract.ts';
import { timeAxis } from '../output/time-axis.ts';
import { NORMAL_95, NORMAL_95_WORDS } from '../statistics/plus-minus.ts';
import type { EpochMs } from '../vocabulary/events.ts';
import { change, instant, plain } from '../vocabulary/numbers.ts';
import { BOX, coordinate, Frame } from './chart-frame.tsx';
import { jsx } from './jsx.ts';
import { Name } from './name.ts';

export interface HistoryView {
  readonly measure: string;
  readonly horizon: string;
  readonly window: string;
  /** Points up to here cover an hour each; null: none do. */
  readonly hoursTo: EpochMs | null;
  /** Older hours are being read and come with the next view. */
  readonly isReading: boolean;
  /** The others are compared with the first. */
  readonly series: readonly { readonly name: string; readonly points: readonly HistoryPoint[] }[];
}

const HEIGHT = 230;
/** Most lines: one per colour. */
const COLOURS = 7;

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
  const y = scaleLinear([least - room, most + room], [1, 0]).nice();
  const time = timeAxis(Math.min(...all.map(({ at }) => at)), Math.max(...all.map(({ at }) => at)), 0, 1);
  const across = ({ at }: HistoryPoint): number => BOX * time.x(at);
  const band = area<HistoryPoint>(
    across,
    (point) => BOX * y(point.value - reach(point)),
    (point) => BOX * y(point.value + reach(point)),
  ).digits(0);
  const path = line<HistoryPoint>(across, ({ value }) => BOX * y(value)).digits(0);
  const ticks = y.ticks(5);
  const tickText = y.tickFormat(5);
  return (
    <figure>
      <Frame
        label={`${measure} of each variant over time: ${lastWords(drawn)}`}
        height={HEIGHT}
        xTicks={time.ticks.map(({ at, text }) => ({ at: time.x(at), words: text }))}
        yTicks={ticks.map((tick) => ({ at: y(tick), words: tickText(tick) }))}
        xLabel={`event time, ${time.zone}`}
        overlay={drawn.map(({ points }, i) => {
          const last = points[points.length - 1];
          return (
            <circle
              class={`series-${i % COLOURS}`}
              cx={coordinate(time.x(last.at))}
              cy={coordinate(y(last.value))}
              r="4"
            />
          );
        })}
      >
        {drawn.map(({ points }, i) => (
          <path class={`error series-${i % COLOURS}`} d={band(points) ?? ''} />
        ))}
        {drawn.map(({ points }, i) => (
          <path class={`curve series-${i % COLOURS}`} d={path(points) ?? ''} />
        ))}
      </Frame>
      <ul class="legend">
        {drawn.map(({ name }, i) => (
          <li class={`series-${i % COLOURS}`}>
            <Name>{name}</Name>
          </li>
        ))}
      </ul>
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
