/** Values over cut-offs as lines, one per series, with a mark at each cut-off. Values of another scale have an axis of their own, beside it. */
import { type ScaleLinear, scaleLinear, scalePoint } from 'd3-scale';
import { line } from 'd3-shape';
import {
  type Box,
  bottomOf,
  element,
  fitted,
  LEFT,
  Legend,
  legendRoom,
  MUTED,
  picture,
  RIGHT,
  type Style,
  styleOf,
  TITLE_HEIGHT,
  text,
  ticksFor,
  widthOf,
  yAxis,
} from './plot-frame.ts';

interface LinePoint {
  readonly k: number;
  readonly value: number;
}

export interface LineSeries {
  readonly name: string;
  /** Ascending by k. */
  readonly points: readonly LinePoint[];
}

/** Lines whose values have one scale. */
interface LinePanel {
  readonly valueLabel: string;
  /** Lines of the same name look the same in all panels. */
  readonly series: readonly LineSeries[];
}

interface LinePlot {
  readonly title: string;
  readonly description: string;
  readonly cutLabel: string;
  /** From left to right. */
  readonly panels: readonly LinePanel[];
  /** In pixels. The width is at least this. */
  readonly width: number;
  readonly height: number;
  readonly grid: boolean;
}

/** Cut-offs, their label, and the space around the legend. */
const WORDS_BELOW = 66;
/** With more lines, names are written beside them: too many colours could not be distinguished. */
const MOST_IN_LEGEND = 8;
const LABEL_HEIGHT = 15;
const LABEL_GAP = 30;

/** In pixels: each of several panels has this much, besides its axis and the names of its lines. */
const LEAST_PANEL = 240;

export function linePlot(plot: LinePlot): string {
  const { title, description, panels, height } = plot;
  const names = [...new Set(panels.flatMap(({ series }) => series.map(({ name }) => name)))];
  const most = Math.max(0, ...panels.map((panel) => panel.series.length));
  const isNamedBeside =
    names.length > MOST_IN_LEGEND && most * LABEL_HEIGHT <= bottomOf(height, WORDS_BELOW) - TITLE_HEIGHT;
  const inLegend = isNamedBeside ? [] : names;
  const beside = isNamedBeside
    ? Math.min((0.3 * plot.width) / Math.min(2, panels.length), LABEL_GAP + Math.max(...names.map(widthOf)))
    : 0;
  const around = LEFT + RIGHT + beside;
  const width = Math.max(plot.width, panels.length > 1 ? panels.length * (around + LEAST_PANEL) : 0);
  const legend = new Legend(inLegend, width - LEFT - RIGHT, legendRoom(height, WORDS_BELOW), lineKey);
  const bottom = bottomOf(height, WORDS_BELOW + legend.height);
  const each = width / panels.length;
  const drawn = panels.flatMap((panel, p) => {
    const right = (p + 1) * each - RIGHT - beside;
    const box: Box = { left: p * each + LEFT, right, top: TITLE_HEIGHT, bottom };
    const styled = panel.series.map((one): StyledSeries => ({ ...one, style: styleOf(names.indexOf(one.name)) }));
    return [
      ...panelAt(box, panel.valueLabel, styled, plot),
      ...(isNamedBeside ? namesBeside(styled, scalesIn(styled, box), box, beside - LABEL_GAP) : []),
    ];
  });
  return picture(title, description, { width, height }, [
    ...drawn,
    ...(isNamedBeside ? [] : [legend.draw(LEFT, height - legend.height - 8)]),
  ]);
}

interface StyledSeries extends LineSeries {
  readonly style: Style;
}

interface Scales {
  readonly cuts: readonly number[];
  readonly x: Scale;
  readonly y: ScaleLinear<number, number>;
}

function scalesIn(series: readonly LineSeries[], box: Box): Scales {
  const all = series.flatMap(({ points }) => points);
  const cuts = [...new Set(all.map(({ k }) => k))].sort((a, b) => a - b);
  const y = scaleLinear(padded(all.map(({ value }) => value)), [box.bottom, box.top]).nice();
  return { cuts, x: crossing(cuts, box), y };
}

function panelAt(
  box: Box,
  valueLabel: string,
  series: readonly StyledSeries[],
  { grid, cutLabel }: LinePlot,
): readonly string[] {
  const { cuts, x, y } = scalesIn(series, box);
  const count = ticksFor(box, 7);
  const ticks = y.ticks(count).map((tick) => ({ y: y(tick), words: y.tickFormat(count)(tick) }));
  return [
    ...yAxis(box, ticks, valueLabel, grid),
    element('path', {
      d: `M${box.left} ${box.top}V${Math.round(box.bottom)}H${box.right}`,
      fill: 'none',
      stroke: MUTED,
    }),
    ...sparse(cuts, x).flatMap((k) => [
      element('line', { x1: x(k), x2: x(k), y1: box.bottom, y2: box.bottom + 5, stroke: MUTED }),
      text(String(k), { x: x(k), y: box.bottom + 20, 'text-anchor': 'middle', fill: MUTED }),
    ]),
    ...series.map(({ points, style }) => drawn(points, style, x, y)),
    text(cutLabel, { x: (box.left + box.right) / 2, y: box.bottom + 42, 'text-anchor': 'middle' }),
  ];
}

type Scale = (value: number) => number;

/** Consecutive cut-offs are placed to scale; others, such as 5 10 100 1000, at equal steps. */
function crossing(cuts: readonly number[], { left, right }: Box): Scale {
  const [first, last] = [cuts[0], cuts[cuts.length - 1]];
  const isEven = last - first <= 3 * (cuts.length - 1);
  if (isEven && cuts.length > 1) return scaleLinear([first, last], [left + 18, right - 18]);
  const steps = scalePoint(cuts.map(String), [left, right]).padding(0.5);
  return (k) => steps(String(k)) ?? left;
}

/** The cut-offs whose labels do not overlap. */
function sparse(cuts: readonly number[], x: Scale): readonly number[] {
  let free = Number.NEGATIVE_INFINITY;
  return cuts.filter((k) => {
    const half = widthOf(String(k)) / 2 + 5;
    if (x(k) - half < free) return false;
    free = x(k) + half;
    return true;
  });
}

/** Names at the right ends of lines, moved apart where these are close, each with a thin leader. */
function namesBeside(series: readonly StyledSeries[], { x, y }: Scales, box: Box, width: number): string[] {
  const ends = series.flatMap(({ name, style, points }) => {
    const last = points.at(-1);
    return last === undefined ? [] : [{ name, style, x: x(last.k), y: y(last.value) }];
  });
  ends.sort((a, b) => a.y - b.y);
  const places: number[] = [];
  for (const end of ends) places.push(Math.max(end.y, (places.at(-1) ?? box.top) + LABEL_HEIGHT));
  // Names that were pushed below the drawing push the others up again.
  let free = box.bottom;
  for (let i = places.length - 1; i >= 0 && places[i] > free; i--) {
    places[i] = free;
    free -= LABEL_HEIGHT;
  }
  return ends.flatMap(({ name, style: { colour, dash }, x: from, y: height }, i) => {
    const to = box.right + LABEL_GAP - 6;
    return [
      element('line', { x1: from + 5, y1: height, x2: to, y2: places[i], stroke: colour, ...dashed(dash) }),
      text(fitted(name, width), { x: to + 4, y: places[i] + 4.5 }),
    ];
  });
}

/** A range around the values; it starts at 0 if 0 is not far below. */
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
