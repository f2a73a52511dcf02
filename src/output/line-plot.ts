/** Values over cut-offs as lines, one for each series, with a mark at each cut-off. */
import { scaleLinear, scalePoint } from 'd3-scale';
import { line } from 'd3-shape';
import { element } from './markup.ts';
import {
  type Box,
  bottomOf,
  LEFT,
  MUTED,
  picture,
  RIGHT,
  type Style,
  styleOf,
  TITLE_HEIGHT,
  text,
  ticksFor,
  yAxis,
} from './plot-frame.ts';
import { Legend, legendRoom } from './plot-legend.ts';
import { widthOf } from './plot-words.ts';

export interface LinePoint {
  readonly k: number;
  readonly value: number;
}

export interface LineSeries {
  readonly name: string;
  /** In rising order of k. */
  readonly points: readonly LinePoint[];
}

export interface LinePlot {
  readonly title: string;
  readonly description: string;
  readonly valueLabel: string;
  readonly cutLabel: string;
  readonly series: readonly LineSeries[];
  /** In pixels. */
  readonly width: number;
  readonly height: number;
  readonly grid: boolean;
}

/** Cut-offs, their label, and the space around the legend. */
const WORDS_BELOW = 66;

export function linePlot(plot: LinePlot): string {
  const { title, description, series, width, height, grid } = plot;
  const legend = new Legend(
    series.map(({ name }) => name),
    width - LEFT - RIGHT,
    legendRoom(height, WORDS_BELOW),
    lineKey,
  );
  const bottom = bottomOf(height, WORDS_BELOW + legend.height);
  const box: Box = { left: LEFT, right: width - RIGHT, top: TITLE_HEIGHT, bottom };
  const all = series.flatMap(({ points }) => points);
  const cuts = [...new Set(all.map(({ k }) => k))].sort((a, b) => a - b);
  const x = crossing(cuts, box);
  const y = scaleLinear(padded(all.map(({ value }) => value)), [box.bottom, box.top]).nice();
  const count = ticksFor(box, 7);
  const ticks = y.ticks(count).map((tick) => ({ y: y(tick), words: y.tickFormat(count)(tick) }));
  return picture(title, description, plot, [
    ...yAxis(box, ticks, plot.valueLabel, grid),
    element('path', {
      d: `M${box.left} ${box.top}V${Math.round(box.bottom)}H${box.right}`,
      fill: 'none',
      stroke: MUTED,
    }),
    ...sparse(cuts, x).flatMap((k) => [
      element('line', { x1: x(k), x2: x(k), y1: box.bottom, y2: box.bottom + 5, stroke: MUTED }),
      text(String(k), { x: x(k), y: box.bottom + 20, 'text-anchor': 'middle', fill: MUTED }),
    ]),
    ...series.map(({ points }, s) => drawn(points, styleOf(s), x, y)),
    text(plot.cutLabel, {
      x: (box.left + box.right) / 2,
      y: box.bottom + 42,
      'text-anchor': 'middle',
    }),
    legend.draw(LEFT, height - legend.height - 8),
  ]);
}

type Scale = (value: number) => number;

/** Cut-offs one after the other stand as far apart as they are; others, such as 5 10 100 1000, at equal steps. */
function crossing(cuts: readonly number[], { left, right }: Box): Scale {
  const [first, last] = [cuts[0], cuts[cuts.length - 1]];
  const isEven = last - first <= 3 * (cuts.length - 1);
  if (isEven && cuts.length > 1) return scaleLinear([first, last], [left + 18, right - 18]);
  const steps = scalePoint(cuts.map(String), [left, right]).padding(0.5);
  return (k) => steps(String(k)) ?? left;
}

/** Those cut-offs whose numbers do not touch. */
function sparse(cuts: readonly number[], x: Scale): readonly number[] {
  let free = Number.NEGATIVE_INFINITY;
  return cuts.filter((k) => {
    const half = widthOf(String(k)) / 2 + 5;
    if (x(k) - half < free) return false;
    free = x(k) + half;
    return true;
  });
}

/** A range around the values; it begins at 0 where that is not far below. */
function padded(values: readonly number[]): [number, number] {
  const least = Math.min(...values);
  const most = Math.max(...values);
  if (least === 0 && most === 0) return [0, 1];
  const room = (most - least || Math.abs(most) || 1) * 0.08;
  const isNearZero = least >= 0 && least - room < (most - least) * 0.6;
  return [isNearZero ? 0 : least - room, most + room];
}

function drawn(points: readonly LinePoint[], { colour, dash }: Style, x: Scale, y: Scale): string {
  const path = line<LinePoint>(
    ({ k }) => x(k),
    ({ value }) => y(value),
  ).digits(2);
  return [
    element('path', { d: path(points) ?? '', fill: 'none', stroke: colour, 'stroke-width': 2.2, ...dashed(dash) }),
    ...points.map(({ k, value }) => element('circle', { cx: x(k), cy: y(value), r: 3.2, fill: colour })),
  ].join('\n');
}

function dashed(dash: string): Readonly<Record<string, string>> {
  return dash === 'none' ? {} : { 'stroke-dasharray': dash };
}

function lineKey({ colour, dash }: Style): string {
  return (
    element('line', { x1: 0, x2: 26, y1: 0, y2: 0, stroke: colour, 'stroke-width': 2.2, ...dashed(dash) }) +
    element('circle', { cx: 13, cy: 0, r: 3.2, fill: colour })
  );
}
