import { type Attributes, element, escaped } from './markup.ts';

/** What all plots of measures share: colours, words, the frame around the drawing. */
export const INK = '#1f2430';
export const MUTED = '#555b69';
const GRID = '#dde1e8';

/** M. Okabe and K. Ito, "Color Universal Design", 2008: told apart by colour-blind eyes too; without their yellow, which is too light. */
const COLOURS = ['#0072b2', '#d55e00', '#009e73', '#cc79a7', '#56b4e9', '#8a6d00', '#444b5a'];
/** After all colours the next ones are dashed, then dotted. */
const DASHES = ['none', '7 4', '2 4'];

/** About the width of a text of 13 pixels. */
const LETTER = 7.2;
const LINE_HEIGHT = 20;
const KEY = 26;

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

export function widthOf(words: string): number {
  return words.length * LETTER;
}

/** At most so many letters. */
export function shortened(words: string, most: number): string {
  return words.length > most ? `${words.slice(0, most - 1)}…` : words;
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
    text(label, { transform: `translate(20 ${(top + bottom) / 2}) rotate(-90)`, 'text-anchor': 'middle' }),
  ];
}

interface LegendRow {
  readonly entries: { readonly name: string; readonly series: number; readonly x: number }[];
}

/** The names of series in rows as wide as the drawing; its height is known before the drawing is. */
export class Legend {
  readonly #rows: readonly LegendRow[];
  readonly #key: (style: Style) => string;

  /** @param key marks of a series, `KEY` pixels wide, around y = 0 */
  constructor(names: readonly string[], width: number, key: (style: Style) => string) {
    this.#key = key;
    const rows: LegendRow[] = [];
    let x = Number.POSITIVE_INFINITY;
    for (const [series, full] of names.entries()) {
      const name = shortened(full, 48);
      const needed = KEY + 8 + widthOf(name) + 18;
      if (x + needed > width) {
        rows.push({ entries: [] });
        x = 0;
      }
      rows[rows.length - 1].entries.push({ name, series, x });
      x += needed;
    }
    this.#rows = rows;
  }

  get height(): number {
    return this.#rows.length * LINE_HEIGHT;
  }

  draw(left: number, top: number): string {
    return this.#rows
      .flatMap(({ entries }, row) =>
        entries.map(({ name, series, x }) =>
          element(
            'g',
            { transform: `translate(${Math.round(left + x)} ${Math.round(top + (row + 0.5) * LINE_HEIGHT)})` },
            this.#key(styleOf(series)) + text(name, { x: KEY + 8, y: 4.5 }),
          ),
        ),
      )
      .join('\n');
  }
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
    'font-size': 13,
    fill: INK,
  };
  const content = [
    element('title', { id: 'title' }, escaped(title)),
    element('desc', { id: 'desc' }, escaped(description)),
    element('rect', { width, height, fill: '#fff' }),
    text(title, { x: 20, y: 28, 'font-size': 17, 'font-weight': 600 }),
    ...inside,
  ];
  return `${element('svg', attributes, content.join('\n'))}\n`;
}

export const TITLE_HEIGHT = 46;
export const LEFT = 76;
export const RIGHT = 24;
