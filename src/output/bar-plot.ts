/**
 * Values as bars: a group for each category, in it a bar for each series; with one series a bar for each category. Bars
 * stand on 0, so that their lengths may be compared.
 */
import { scaleBand, scaleLinear } from 'd3-scale';
import { element } from './markup.ts';
import {
  type Box,
  INK,
  LEFT,
  Legend,
  MUTED,
  picture,
  RIGHT,
  type Style,
  shortened,
  styleOf,
  TITLE_HEIGHT,
  text,
  widthOf,
  yAxis,
} from './plot-frame.ts';

export interface BarSeries {
  readonly name: string;
  /** By category; undefined: no value, no bar. */
  readonly values: readonly (number | undefined)[];
}

export interface BarPlot {
  readonly title: string;
  readonly description: string;
  readonly valueLabel: string;
  /** Of the horizontal axis; '': the categories speak for themselves. */
  readonly categoryLabel: string;
  readonly categories: readonly string[];
  readonly series: readonly BarSeries[];
  /** In pixels. */
  readonly width: number;
  readonly height: number;
  readonly grid: boolean;
}

const LONGEST_NAME = 28;
/** Narrower bars have no room for their number. */
const LABELLED_FROM = 38;

export function barPlot(plot: BarPlot): string {
  const { title, description, categories, series, width, height, grid } = plot;
  const names = series.length > 1 ? series.map(({ name }) => name) : [];
  const legend = new Legend(names, width - LEFT - RIGHT, barKey);
  const bands = scaleBand(
    categories.map((_, i) => String(i)),
    [LEFT, width - RIGHT],
  ).padding(0.22);
  const labels = categories.map((name) => shortened(name, LONGEST_NAME));
  const longest = Math.max(0, ...labels.map(widthOf));
  const isTurned = longest > bands.step() - 8;
  const below = (isTurned ? 16 + longest * 0.56 : 24) + (plot.categoryLabel === '' ? 0 : 24) + legend.height + 16;
  const box: Box = { left: LEFT, right: width - RIGHT, top: TITLE_HEIGHT, bottom: Math.max(120, height - below) };
  const values = series.flatMap((one) => one.values.filter((value) => value !== undefined));
  const y = scaleLinear([Math.min(0, ...values), Math.max(0, ...values) || 1], [box.bottom, box.top + 14]).nice();
  const ticks = y.ticks(6).map((tick) => ({ y: y(tick), words: y.tickFormat(6)(tick) }));
  const inner = scaleBand(
    series.map((_, s) => String(s)),
    [0, bands.bandwidth()],
  ).padding(series.length > 1 ? 0.08 : 0);
  const bars = series.flatMap(({ values: own }, s) =>
    own.map((value, c) => {
      if (value === undefined) return '';
      const x = (bands(String(c)) ?? 0) + (inner(String(s)) ?? 0);
      return bar(x, inner.bandwidth(), y(0), y(value), styleOf(s), value);
    }),
  );
  return picture(title, description, plot, [
    ...yAxis(box, ticks, plot.valueLabel, grid),
    ...bars,
    element('line', { x1: box.left, x2: box.right, y1: y(0), y2: y(0), stroke: INK, 'stroke-width': 1.2 }),
    ...labels.map((name, c) =>
      categoryText(name, (bands(String(c)) ?? 0) + bands.bandwidth() / 2, box.bottom, isTurned),
    ),
    text(plot.categoryLabel, {
      x: (box.left + box.right) / 2,
      y: height - legend.height - 20,
      'text-anchor': 'middle',
    }),
    legend.draw(LEFT, height - legend.height - 8),
  ]);
}

function bar(x: number, width: number, zero: number, top: number, { colour, dash }: Style, value: number): string {
  const label = shortValue(value);
  const rect = element('rect', {
    x,
    y: Math.min(zero, top),
    width,
    height: Math.max(0.5, Math.abs(zero - top)),
    fill: colour,
    // A series whose colour is taken already is paler.
    ...(dash === 'none' ? {} : { 'fill-opacity': 0.55, stroke: colour }),
  });
  if (width < LABELLED_FROM) return rect;
  const y = value < 0 ? top + 15 : top - 5;
  return rect + text(label, { x: x + width / 2, y, 'text-anchor': 'middle', 'font-size': 12, fill: MUTED });
}

function categoryText(name: string, x: number, bottom: number, isTurned: boolean): string {
  if (!isTurned) return text(name, { x, y: bottom + 20, 'text-anchor': 'middle' });
  return text(name, { transform: `translate(${Math.round(x + 4)} ${bottom + 16}) rotate(-34)`, 'text-anchor': 'end' });
}

function barKey({ colour, dash }: Style): string {
  const faint = dash === 'none' ? {} : { 'fill-opacity': 0.55, stroke: colour };
  return element('rect', { x: 8, y: -7, width: 14, height: 14, fill: colour, ...faint });
}

/** Three digits that count. */
function shortValue(value: number): string {
  return Math.abs(value) < 1 ? value.toFixed(3) : String(Number(value.toPrecision(3)));
}
