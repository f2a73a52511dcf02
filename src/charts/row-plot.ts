/**
 * Values as dots, one named row each: for more values than bars and a legend can show, and for effects on several measures (a
 * forest plot). Rows may have an interval, drawn as a line through the dot. The picture grows with its rows.
 */
import { scaleLinear } from 'd3-scale';
import { escaped } from './jsx.ts';
import {
  centred,
  element,
  fitted,
  GRID,
  INK,
  MUTED,
  picture,
  RIGHT,
  TITLE_HEIGHT,
  text,
  widthOf,
} from './plot-frame.ts';

export interface PlotRow {
  readonly name: string;
  /** undefined: no value; `says` gives the reason. */
  readonly value: number | undefined;
  readonly interval?: readonly [lower: number, upper: number] | undefined;
  readonly colour: string;
  /** Default: the dot is filled. */
  readonly isHollow?: boolean;
  /** Text at the right of the row. */
  readonly says: string;
}

/** Rows under a heading of their own; '': without one. */
interface RowSection {
  readonly heading: string;
  readonly rows: readonly PlotRow[];
}

/** Sections whose values have one scale. */
interface RowPanel {
  readonly valueLabel: string;
  readonly sections: readonly RowSection[];
}

interface RowPlot {
  readonly title: string;
  readonly description: string;
  /** From top to bottom, each with an axis of its own below it. */
  readonly panels: readonly RowPanel[];
  /** A note below the drawing, such as what intervals are. Default: none. */
  readonly note?: string;
  /** A line to compare values with, and its name; undefined: none. */
  readonly reference?: { readonly value: number; readonly name: string } | undefined;
  /** The axis covers the values alone. Default: it includes 0 if that is not far off, so that distances from 0 are visible. */
  readonly isTight?: boolean;
  /** Label of a tick; default: the number. */
  readonly tick?: (value: number) => string;
  /** In pixels. The height is at least this. */
  readonly width: number;
  readonly height: number;
  readonly grid: boolean;
}

/** In pixels. */
const ROW = { least: 18, most: 34 } as const;
const HEADING = 30;
const BELOW = 62;
/** Smallest value, and smallest difference relative to the values, that is drawn. */
const SMALLEST = 1e-9;
/** Share of the width for names, and for the text at the right. */
const MOST_FOR_WORDS = 0.32;

export function rowPlot(plot: RowPlot): string {
  const { panels, width, note = '' } = plot;
  const sections = panels.flatMap((panel) => panel.sections);
  const rows = sections.flatMap((section) => section.rows);
  const headings = sections.filter(({ heading }) => heading !== '').length;
  const above = plot.reference === undefined ? 0 : 18;
  const noteHeight = note === '' ? 0 : 20;
  const room = plot.height - TITLE_HEIGHT - noteHeight - panels.length * (above + BELOW) - headings * HEADING;
  const step = Math.max(ROW.least, Math.min(ROW.most, room / Math.max(1, rows.length)));
  const most = MOST_FOR_WORDS * width;
  const left = 36 + Math.min(most, Math.max(40, ...rows.map(({ name }) => widthOf(name))));
  const right = width - RIGHT - 12 - Math.min(most, Math.max(0, ...rows.map(({ says }) => widthOf(says))));
  const parts: string[] = [];
  let y = TITLE_HEIGHT;
  for (const panel of panels) {
    const drawn = panelAt({ left, right, top: y + above, step }, panel, plot);
    parts.push(...drawn.parts);
    y = drawn.bottom + BELOW;
  }
  const height = Math.max(plot.height, Math.ceil(y + noteHeight));
  if (note !== '') parts.push(centred(note, (left + right) / 2, width, { y: y + 4, fill: MUTED }));
  return picture(plot.title, plot.description, { width, height }, parts);
}

interface Place {
  readonly left: number;
  readonly right: number;
  readonly top: number;
  /** Height of a row. */
  readonly step: number;
}

function panelAt(
  { left, right, top, step }: Place,
  { sections, valueLabel }: RowPanel,
  { reference, grid, isTight = false, tick: label, width }: RowPlot,
): { readonly parts: readonly string[]; readonly bottom: number } {
  const rows = sections.flatMap((section) => section.rows);
  const bottom = top + HEADING * sections.filter(({ heading }) => heading !== '').length + step * rows.length;
  const ends = rows.flatMap(({ value, interval = [] }) => [...(value === undefined ? [] : [value]), ...interval]);
  const x = scaleLinear(rangeOf([...ends, ...(reference === undefined ? [] : [reference.value])], isTight), [
    left + 12,
    right - 12,
  ]).nice();
  const count = Math.max(2, Math.min(7, Math.floor((right - left) / 80)));
  const usual = x.tickFormat(count);
  const ticks = x.ticks(count);
  const parts: string[] = ticks.map((tick) =>
    element('line', grid ? across(x(tick), top, bottom) : { ...across(x(tick), bottom, bottom + 5), stroke: MUTED }),
  );
  if (reference !== undefined) {
    parts.push(
      element('line', { ...across(x(reference.value), top, bottom), stroke: INK, 'stroke-width': 1.5 }),
      text(reference.name, { x: x(reference.value), y: top - 6, 'text-anchor': 'middle' }),
    );
  }
  let y = top;
  for (const { heading, rows: own } of sections) {
    if (heading !== '') {
      y += HEADING;
      // Lines of the grid and of the reference end where it stands.
      const halo = { stroke: '#fff', 'stroke-width': 4, 'paint-order': 'stroke' };
      parts.push(text(fitted(heading, left + (right - left) / 2), { x: 20, y: y - 9, 'font-weight': 600, ...halo }));
    }
    for (const row of own) {
      parts.push(drawnRow(row, y + step / 2, x, { left, right }));
      y += step;
    }
  }
  parts.push(
    element('line', { x1: left, x2: right, y1: bottom, y2: bottom, stroke: MUTED }),
    ...ticks.map((tick) =>
      text(label?.(tick) ?? usual(tick), { x: x(tick), y: bottom + 20, 'text-anchor': 'middle', fill: MUTED }),
    ),
    centred(valueLabel, (left + right) / 2, width, { y: bottom + 44 }),
  );
  return { parts, bottom };
}

function across(x: number, top: number, bottom: number): Readonly<Record<string, string | number>> {
  return { x1: x, x2: x, y1: top, y2: bottom, stroke: GRID };
}

function drawnRow(
  { name, value, interval, colour, isHollow = false, says }: PlotRow,
  y: number,
  x: (value: number) => number,
  { left, right }: { readonly left: number; readonly right: number },
): string {
  const parts = [
    text(fitted(name, left - 36), { x: left - 8, y: y + 4.5, 'text-anchor': 'end' }),
    element('line', { x1: left, x2: right, y1: y, y2: y, stroke: GRID, 'stroke-dasharray': '1 4' }),
  ];
  if (interval !== undefined) {
    const [x1, x2] = interval.map(x);
    parts.push(element('line', { x1, x2, y1: y, y2: y, stroke: colour, 'stroke-width': 3, 'stroke-opacity': 0.55 }));
  }
  if (value !== undefined) {
    const title = element('title', {}, escaped(`${name}: ${says}`));
    parts.push(
      element(
        'circle',
        { cx: x(value), cy: y, r: 5, fill: isHollow ? '#fff' : colour, stroke: isHollow ? colour : '#fff' },
        title,
      ),
    );
  }
  parts.push(text(says, { x: right + 12, y: y + 4.5, fill: value === undefined ? MUTED : INK }));
  return parts.join('');
}

function rangeOf(values: readonly number[], isTight: boolean): [number, number] {
  const [least, most] = [Math.min(...values), Math.max(...values)];
  const size = Math.max(Math.abs(least), Math.abs(most));
  // Values and differences too small for any scale count as 0.
  if (values.length === 0 || size < SMALLEST) return [0, 1];
  const room = (most - least > SMALLEST * size ? most - least : size) * 0.06;
  if (!isTight && least > 0 && least < 0.6 * most) return [0, most + room];
  return [least - room, most + room];
}
