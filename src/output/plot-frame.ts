import { type Attributes, element, escaped } from './markup.ts';
import { FONT_SIZE, fitted } from './plot-words.ts';

/** What all plots of measures share: colours, words, the frame around the drawing. */
export const INK = '#1f2430';
export const MUTED = '#555b69';
export const GRID = '#dde1e8';

/** M. Okabe and K. Ito, "Color Universal Design", 2008: told apart by colour-blind eyes too; without their yellow, which is too light. */
const COLOURS = ['#0072b2', '#d55e00', '#009e73', '#cc79a7', '#56b4e9', '#8a6d00', '#444b5a'];
/** After all colours the next ones are dashed, then dotted. */
const DASHES = ['none', '7 4', '2 4'];

/** Of what is said of a variant: better and worse differ in lightness too. */
export const TONES = { better: '#009e73', worse: '#d55e00', other: '#0072b2' } as const;
export type Tone = keyof typeof TONES;

const TITLE_SIZE = 17;
/** So much wider its letters are than those of other words. */
const TITLE_WIDTH = 1.4;

export interface Style {
  readonly colour: string;
  readonly dash: string;
}

export function styleOf(series: number): Style {
  return {
    colour: COLOURS[series % COLOURS.length],
    dash: DASHES[Math.floor(series / COLOURS.length) % DASHES.length],
  };
}

export interface Box {
  readonly left: number;
  readonly right: number;
  readonly top: number;
  readonly bottom: number;
}

export function text(words: string, attributes: Attributes): string {
  return element('text', attributes, escaped(words));
}

/** About how many ticks an axis of this length has room for. */
export function ticksFor({ top, bottom }: Box, most: number): number {
  return Math.max(2, Math.min(most, Math.floor((bottom - top) / 28)));
}

export interface Tick {
  readonly y: number;
  readonly words: string;
}

/** The vertical axis: words, and lines across the drawing where `grid` asks for them. */
export function yAxis(
  { left, right, top, bottom }: Box,
  ticks: readonly Tick[],
  label: string,
  grid: boolean,
): string[] {
  const across = (y: number): string =>
    grid
      ? element('line', { x1: left, x2: right, y1: y, y2: y, stroke: GRID })
      : element('line', { x1: left - 5, x2: left, y1: y, y2: y, stroke: MUTED });
  return [
    ...ticks.map(({ y }) => across(y)),
    ...ticks.map(({ y, words }) => text(words, { x: left - 9, y: y + 4.5, 'text-anchor': 'end', fill: MUTED })),
    text(fitted(label, bottom - top + 30), {
      transform: `translate(20 ${(top + bottom) / 2}) rotate(-90)`,
      'text-anchor': 'middle',
    }),
  ];
}

/** A standalone picture, ending with a newline. @param title its subject; @param description for those who cannot see it */
export function picture(
  title: string,
  description: string,
  { width, height }: { readonly width: number; readonly height: number },
  inside: readonly string[],
): string {
  const attributes: Attributes = {
    xmlns: 'http://www.w3.org/2000/svg',
    viewBox: `0 0 ${width} ${height}`,
    width,
    height,
    role: 'img',
    'aria-labelledby': 'title desc',
    'font-family': "system-ui, 'DejaVu Sans', Arial, sans-serif",
    'font-size': FONT_SIZE,
    fill: INK,
  };
  const content = [
    element('title', { id: 'title' }, escaped(title)),
    element('desc', { id: 'desc' }, escaped(description)),
    element('rect', { width, height, fill: '#fff' }),
    text(fitted(title, (width - 40) / TITLE_WIDTH), {
      x: 20,
      y: 28,
      'font-size': TITLE_SIZE,
      'font-weight': 600,
    }),
    ...inside,
  ];
  return `${element('svg', attributes, content.join('\n'))}\n`;
}

export const TITLE_HEIGHT = 46;
/** The drawing is never lower than this, however small the picture. */
const LEAST_DRAWING = 34;

/** The lower end of a drawing with so much below it. */
export function bottomOf(height: number, below: number): number {
  return Math.max(TITLE_HEIGHT + LEAST_DRAWING, height - below);
}

export const LEFT = 76;
export const RIGHT = 24;
