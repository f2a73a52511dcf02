/**
 * Values with their intervals as dots on lines, one row per run, best first: many runs at a glance. Marked runs (the merged ones) are
 * filled dots, the others hollow ones; a dashed line marks the best of the others. The axis covers the intervals and need not include
 * 0, because dots are compared by position, not by length.
 */
import { scaleLinear } from 'd3-scale';
import { element } from './markup.ts';
import { light } from './palette.ts';
import {
  bottomOf,
  FONT_SIZE,
  fitted,
  GRID,
  INK,
  MUTED,
  picture,
  RIGHT,
  styleOf,
  TITLE_HEIGHT,
  text,
  widthOf,
} from './plot-frame.ts';

export interface IntervalRow {
  readonly name: string;
  /** undefined: no value. */
  readonly value: number | undefined;
  /** undefined: no error, so no interval. */
  readonly interval: { readonly lower: number; readonly upper: number } | undefined;
  readonly isMarked: boolean;
}

interface IntervalPlot {
  readonly title: string;
  readonly description: string;
  readonly valueLabel: string;
  /** Meanings of filled and hollow dots; undefined: all runs are of one kind. */
  readonly kinds: { readonly marked: string; readonly others: string; readonly line: string } | undefined;
  /** In any order; the plot sorts them. */
  readonly rows: readonly IntervalRow[];
  /** Sorts their values, the best first. Default: the highest first, no value last. */
  readonly order?: (a: number | undefined, b: number | undefined) => number;
  /** In pixels. */
  readonly width: number;
  readonly height: number;
  readonly grid: boolean;
}

const ROW = 21;
/** Left of the names; estimated widths can be some letters too small. */
const MARGIN = 36;
const NUMBER = 58;
const STRIPE = light('ground');
const DOT = 4.5;
/** Below the rows: the axis, its label, the legend. */
const BELOW = 84;

const highestFirst = (a = -Number.MAX_VALUE, b = -Number.MAX_VALUE): number => b - a;

export function intervalPlot(plot: IntervalPlot): string {
  const { title, description, valueLabel, kinds, width, grid, order = highestFirst } = plot;
  const rows = plot.rows.toSorted((a, b) => order(a.value, b.value));
  const height = Math.max(plot.height, TITLE_HEIGHT + rows.length * ROW + BELOW);
  const names = Math.min(0.4 * width, MARGIN + Math.max(0, ...rows.map(({ name }) => widthOf(name))));
  const left = names + 12;
  const right = width - RIGHT - NUMBER;
  const bottom = bottomOf(height, BELOW);
  const step = (bottom - TITLE_HEIGHT) / Math.max(1, rows.length);
  const ends = rows.flatMap(({ value, interval }) => [
    ...(value === undefined ? [] : [value]),
    ...(interval === undefined ? [] : [interval.lower, interval.upper]),
  ]);
  const least = Math.min(...ends);
  const most = Math.max(...ends);
  const domain = ends.length === 0 ? [0, 1] : least === most ? [least - 0.5, most + 0.5] : [least, most];
  const x = scaleLinear(domain, [left, right]).nice(6);
  const ticks = x.ticks(6);
  const best = rows.find(({ isMarked, value }) => !isMarked && value !== undefined)?.value;
  const colour = styleOf(0).colour;
  const rowAt = ({ name, value, interval, isMarked }: IntervalRow, i: number): string[] => {
    const y = TITLE_HEIGHT + (i + 0.5) * step;
    const ink = isMarked || kinds === undefined ? colour : INK;
    const words = [
      text(fitted(name, names - MARGIN), { x: names, y: y + 4.5, 'text-anchor': 'end', fill: INK }),
      text(value === undefined ? 'no value' : shortValue(value), {
        x: width - RIGHT,
        y: y + 4.5,
        'text-anchor': 'end',
        fill: MUTED,
      }),
    ];
    if (value === undefined) return words;
    const span =
      interval === undefined
        ? []
        : [
            element('line', {
              x1: x(interval.lower),
              x2: x(interval.upper),
              y1: y,
              y2: y,
              stroke: ink,
              'stroke-width': 2,
            }),
          ];
    return [...words, ...span, dot(x(value), y, ink, isMarked || kinds === undefined)];
  };
  const stripes = rows.flatMap((_, i) =>
    i % 2 === 0
      ? []
      : [element('rect', { x: 12, y: TITLE_HEIGHT + i * step, width: width - 24, height: step, fill: STRIPE })],
  );
  return picture(title, description, { width, height }, [
    ...stripes,
    ...ticks.map((tick) =>
      element('line', {
        x1: x(tick),
        x2: x(tick),
        y1: grid ? TITLE_HEIGHT : bottom,
        y2: bottom + 5,
        stroke: grid ? GRID : MUTED,
      }),
    ),
    element('line', { x1: left, x2: right, y1: bottom, y2: bottom, stroke: MUTED }),
    ...(kinds === undefined || best === undefined
      ? []
      : [
          element('line', {
            x1: x(best),
            x2: x(best),
            y1: TITLE_HEIGHT,
            y2: bottom,
            stroke: MUTED,
            'stroke-dasharray': '5 4',
          }),
        ]),
    ...rows.flatMap(rowAt),
    ...ticks.map((tick) =>
      text(x.tickFormat(6)(tick), { x: x(tick), y: bottom + 20, 'text-anchor': 'middle', fill: MUTED }),
    ),
    text(valueLabel, { x: (left + right) / 2, y: bottom + 42, 'text-anchor': 'middle' }),
    ...(kinds === undefined ? [] : legend(kinds, left, bottom + 66, colour)),
  ]);
}

function dot(x: number, y: number, ink: string, isFilled: boolean): string {
  return element('circle', { cx: x, cy: y, r: DOT, fill: isFilled ? ink : '#fff', stroke: ink, 'stroke-width': 1.8 });
}

function legend(
  { marked, others, line }: NonNullable<IntervalPlot['kinds']>,
  left: number,
  y: number,
  colour: string,
): string[] {
  const second = left + widthOf(marked) + 44;
  const third = second + widthOf(others) + 44;
  const words = (label: string, x: number): string => text(label, { x: x + 14, y: y + FONT_SIZE / 3 });
  return [
    dot(left, y, colour, true),
    words(marked, left),
    dot(second, y, INK, false),
    words(others, second),
    element('line', { x1: third, x2: third, y1: y - 8, y2: y + 8, stroke: MUTED, 'stroke-dasharray': '5 4' }),
    words(line, third),
  ];
}

function shortValue(value: number): string {
  return Math.abs(value) < 1000 ? value.toFixed(4) : String(Number(value.toPrecision(6)));
}
