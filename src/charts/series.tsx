/** Series as lines of a colour each, with marks and errors. */
import { scaleLinear } from 'd3-scale';
import { area, line } from 'd3-shape';
import { type Chart, coordinate } from './frame.tsx';
import { Fragment, jsx } from './jsx.ts';
import { SERIES } from './palette.ts';

export interface SeriesPoint {
  /** Position along the axis, 0 to 1. */
  readonly at: number;
  readonly value: number;
  /** Its error, to each side. Default: none is drawn. */
  readonly reach?: number;
}

interface Lines extends Pick<Chart, 'label' | 'xTicks' | 'xLabel'> {
  /** Each in the order of the axis. */
  readonly series: readonly (readonly SeriesPoint[])[];
  /** Values at the lower and the upper end of the axis, before these are rounded. */
  readonly domain: readonly [number, number];
  /** About how many ticks the axis has. Default: 5. */
  readonly ticks?: number;
  /** Words of a tick. Default: the number. */
  readonly tick?: (value: number) => string;
  /** Points with a mark, and its radius in pixels. Default: none. */
  readonly marks?: { readonly of: 'all' | 'last'; readonly radius: number };
}

export function seriesChart({ series, domain, ticks = 5, tick, marks, ...chart }: Lines): Chart {
  const y = scaleLinear(domain, [1, 0]).nice();
  const tickText = tick ?? y.tickFormat(ticks);
  const marked = series.map((points) => (marks === undefined ? [] : marks.of === 'all' ? points : points.slice(-1)));
  return {
    ...chart,
    yTicks: y.ticks(ticks).map((value) => ({ at: y(value), words: tickText(value) })),
    lines: ({ width, height, digits }) => {
      const across = ({ at }: SeriesPoint): number => width * at;
      const path = line<SeriesPoint>(across, ({ value }) => height * y(value)).digits(digits);
      const band = area<SeriesPoint>(
        across,
        ({ value, reach = 0 }) => height * y(value - reach),
        ({ value, reach = 0 }) => height * y(value + reach),
      ).digits(digits);
      return (
        <>
          {series.map((points, i) =>
            points.some(({ reach }) => reach !== undefined) ? (
              <path class={`error ${seriesClass(i)}`} d={band(points) ?? ''} />
            ) : null,
          )}
          {series.map((points, i) => (
            <path class={`curve ${seriesClass(i)}${i < SERIES.length ? '' : ' dashed'}`} d={path(points) ?? ''} />
          ))}
        </>
      );
    },
    overlay: marked.flatMap((points, i) =>
      points.map(({ at, value }) => (
        <circle class={seriesClass(i)} cx={coordinate(at)} cy={coordinate(y(value))} r={marks?.radius} />
      )),
    ),
  };
}

/** Class of the marks of a series, which gives their colour. */
export function seriesClass(series: number): string {
  return `series-${series % SERIES.length}`;
}
