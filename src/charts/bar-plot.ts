/**
 * Values as bars: for each category a group with a bar per series, or a single bar if there is one series. Bars start at 0, so
 * that their lengths can be compared; values of another scale have an axis of their own, beside it.
 */
import { scaleBand, scaleLinear } from 'd3-scale';
import { escaped } from './jsx.ts';
import {
  type Box,
  bottomOf,
  centred,
  element,
  fitted,
  INK,
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

interface BarSeries {
  readonly name: string;
  /** The value of each category; undefined: none, so no bar. */
  readonly values: readonly (number | undefined)[];
  /** The interval of each category, drawn as a whisker; undefined: none. */
  readonly intervals?: readonly (readonly [lower: number, upper: number] | undefined)[] | undefined;
}

/** Categories whose values have one scale. */
interface BarPanel {
  readonly valueLabel: string;
  /** Their indices. */
  readonly categories: readonly number[];
}

interface BarPlot {
  readonly title: string;
  readonly description: string;
  readonly valueLabel: string;
  /** From left to right; each category is in one of them. Default: one, with `valueLabel`. */
  readonly panels?: readonly BarPanel[];
  /** Label of the horizontal axis; '': none is needed. */
  readonly categoryLabel: string;
  readonly categories: readonly string[];
  /** A note below the drawing, such as what whiskers are; '': none. */
  readonly note?: string;
  readonly series: readonly BarSeries[];
  /** In pixels. The width is at least this. */
  readonly width: number;
  readonly height: number;
  readonly grid: boolean;
}

/** In pixels: longer names of categories are shortened. */
const LONGEST_NAME = 200;
/** Shorter names, such as cut-offs, are left out rather than rotated. */
const SHORT_NAME = 40;
/** Narrower bars have no room for their number. */
const LABELLED_FROM = 38;
/** Rotated names: the angle, and how far they extend to the left and down per pixel of their length. */
const TURN = { degrees: -34, across: 0.88, down: 0.56 };
const LETTER_HEIGHT = 13;

/** In pixels: so much of several panels for a category. */
const LEAST_GROUP = 64;

export function barPlot(plot: BarPlot): string {
  const { title, description, categories, series, height, note = '' } = plot;
  const panels = plot.panels ?? [{ valueLabel: plot.valueLabel, categories: [...categories.keys()] }];
  const margins = panels.length * (LEFT + RIGHT);
  const width = Math.max(plot.width, panels.length > 1 ? margins + LEAST_GROUP * categories.length : 0);
  const widths = categories.map((name) => Math.min(LONGEST_NAME, widthOf(name)));
  const longest = Math.max(0, ...widths);
  const step = (width - margins) / Math.max(1, categories.length);
  const isTurned = longest > step - 8 && longest > SHORT_NAME;
  const reach = isTurned ? Math.min(longest, (0.3 * height) / TURN.down) : longest;
  const left = isTurned
    ? Math.max(LEFT, Math.min((0.2 * width) / panels.length, reach * TURN.across - step / 2))
    : LEFT;
  const words =
    (isTurned ? 16 + reach * TURN.down : 24) + (plot.categoryLabel === '' ? 0 : 24) + (note === '' ? 0 : 20) + 16;
  const names = series.length > 1 ? series.map(({ name }) => name) : [];
  const legend = new Legend(names, width - LEFT - RIGHT, legendRoom(height, words), barKey);
  const bottom = bottomOf(height, words + legend.height);
  const group = (width - panels.length * (left + RIGHT)) / Math.max(1, categories.length);
  const drawn: string[] = [];
  let from = 0;
  for (const panel of panels) {
    const right = from + left + group * Math.max(1, panel.categories.length);
    drawn.push(
      ...panelAt({ left: from + left, right, top: TITLE_HEIGHT, bottom }, panel, plot, isTurned ? reach : undefined),
    );
    from = right + RIGHT;
  }
  return picture(title, description, { width, height }, [
    ...drawn,
    text(plot.categoryLabel, {
      x: (left + width - RIGHT) / 2,
      y: height - legend.height - (note === '' ? 20 : 40),
      'text-anchor': 'middle',
    }),
    ...(note === ''
      ? []
      : [centred(note, (left + width - RIGHT) / 2, width, { y: height - legend.height - 18, fill: MUTED })]),
    legend.draw(LEFT, height - legend.height - 8),
  ]);
}

/** @param reach how long names are that are turned; undefined: none are */
function panelAt(
  box: Box,
  { categories: own, valueLabel }: BarPanel,
  { categories, series, grid }: BarPlot,
  reach: number | undefined,
): string[] {
  const bands = scaleBand(own.map(String), [box.left, box.right]).padding(0.22);
  const values = series.flatMap((one) =>
    own.flatMap((c) => [...(one.values[c] === undefined ? [] : [one.values[c]]), ...(one.intervals?.[c] ?? [])]),
  );
  const [least, most] = [Math.min(0, ...values), Math.max(0, ...values)];
  // The numbers need room above bars, and below negative ones.
  const range = [box.bottom - (least < 0 ? 16 : 0), box.top + 14];
  const y = scaleLinear([least, most === 0 && least === 0 ? 1 : most], range).nice();
  const count = ticksFor(box, 6);
  const ticks = y.ticks(count).map((tick) => ({ y: y(tick), words: y.tickFormat(count)(tick) }));
  const inner = scaleBand(
    series.map((_, s) => String(s)),
    [0, bands.bandwidth()],
  ).padding(series.length > 1 ? 0.08 : 0);
  const bars = series.flatMap(({ name, values, intervals = [] }, s) =>
    own.map((c) => {
      const value = values[c];
      const x = (bands(String(c)) ?? 0) + (inner(String(s)) ?? 0);
      const place: Place = { x, width: inner.bandwidth(), zero: y(0) };
      if (value === undefined) return absent(place);
      const whisker = intervals[c];
      const says = `${name}, ${categories[c]}: ${shortValue(value)}`;
      if (whisker === undefined) return bar(place, y(value), styleOf(s), value, says);
      return bar(place, y(value), styleOf(s), value, says, whisker.map(y));
    }),
  );
  const isTurned = reach !== undefined;
  const longest = Math.max(0, ...categories.map((name) => Math.min(LONGEST_NAME, widthOf(name))));
  const needed = isTurned ? LETTER_HEIGHT / TURN.down : longest + 8;
  const every = Math.max(1, Math.ceil(needed / bands.step()));
  const labels = own.flatMap((c, i) => {
    if (i % every !== 0) return [];
    const x = (bands(String(c)) ?? 0) + bands.bandwidth() / 2;
    const name = fitted(categories[c], isTurned ? Math.min(reach, (x - 8) / TURN.across) : LONGEST_NAME);
    return [categoryText(name, x, box.bottom, isTurned)];
  });
  return [
    ...yAxis(box, ticks, valueLabel, grid),
    ...bars,
    element('line', { x1: box.left, x2: box.right, y1: y(0), y2: y(0), stroke: INK, 'stroke-width': 1.2 }),
    ...labels,
  ];
}

/** Where a bar is drawn; `zero` is the y of 0. */
interface Place {
  readonly x: number;
  readonly width: number;
  readonly zero: number;
}

/** @param says the tooltip of the bar; @param whisker its two ends */
function bar(
  { x, width, zero }: Place,
  top: number,
  { colour, dash }: Style,
  value: number,
  says: string,
  whisker: readonly number[] = [],
): string {
  const rect = element(
    'rect',
    {
      x,
      y: Math.min(zero, top),
      width,
      height: Math.max(0.5, Math.abs(zero - top)),
      fill: colour,
      // A series that reuses a colour is paler.
      ...(dash === 'none' ? {} : { 'fill-opacity': 0.55, stroke: colour }),
    },
    element('title', {}, escaped(says)),
  );
  const ends = [...whisker, top];
  const drawn = rect + (whisker.length === 0 ? '' : whiskerAt(x + width / 2, Math.min(6, width / 4), whisker));
  if (width < LABELLED_FROM) return drawn;
  return drawn + barText(shortValue(value), x + width / 2, value < 0 ? Math.max(...ends) + 15 : Math.min(...ends) - 5);
}

function whiskerAt(x: number, half: number, [from, to]: readonly number[]): string {
  const [top, bottom] = [Math.min(from, to), Math.max(from, to)];
  const d = `M${x} ${top}V${bottom}M${x - half} ${top}H${x + half}M${x - half} ${bottom}H${x + half}`;
  return element('path', { d: rounded(d), stroke: INK, 'stroke-width': 1.5, fill: 'none' });
}

/** Coordinates to a hundredth of a pixel. */
function rounded(path: string): string {
  return path.replace(/\d+\.\d+/g, (number) => String(Math.round(Number(number) * 100) / 100));
}

/** In place of a missing bar: says `no value` if there is room. */
function absent({ x, width, zero }: Place): string {
  const words = width >= 56 ? 'no value' : '-';
  return width < 8 ? '' : barText(words, x + width / 2, zero - 5);
}

function barText(words: string, x: number, y: number): string {
  return text(words, { x, y, 'text-anchor': 'middle', 'font-size': 12, fill: MUTED });
}

function categoryText(name: string, x: number, bottom: number, isTurned: boolean): string {
  if (!isTurned) return text(name, { x, y: bottom + 20, 'text-anchor': 'middle' });
  const transform = `translate(${Math.round(x + 4)} ${Math.round(bottom + 16)}) rotate(${TURN.degrees})`;
  return text(name, { transform, 'text-anchor': 'end' });
}

function barKey({ colour, dash }: Style): string {
  const faint = dash === 'none' ? {} : { 'fill-opacity': 0.55, stroke: colour };
  return element('rect', { x: 8, y: -7, width: 14, height: 14, fill: colour, ...faint });
}

/** Three significant digits. */
function shortValue(value: number): string {
  return Math.abs(value) < 1 ? value.toFixed(3) : String(Number(value.toPrecision(3)));
}
