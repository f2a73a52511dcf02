import { escaped } from './jsx.ts';
import { light, SERIES } from './palette.ts';

/** What all plots of measures share: colours, text, and the frame around the drawing. */
export const INK = light('ink');
export const MUTED = light('muted');
export const GRID = light('line');

/** Series that reuse a colour are dashed, then dotted. */
const DASHES = ['none', '7 4', '2 4'];

const TITLE_SIZE = 17;
/** Width of the title's letters, relative to other text. */
const TITLE_WIDTH = 1.4;

export interface Style {
  readonly colour: string;
  readonly dash: string;
}

export function styleOf(series: number): Style {
  return {
    colour: SERIES[series % SERIES.length],
    dash: DASHES[Math.floor(series / SERIES.length) % DASHES.length],
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

/** Approximate number of ticks that fit on an axis of this length. */
export function ticksFor({ top, bottom }: Box, most: number): number {
  return Math.max(2, Math.min(most, Math.floor((bottom - top) / 28)));
}

interface Tick {
  readonly y: number;
  readonly words: string;
}

/** The vertical axis: labels, and lines across the drawing if `grid` is set. */
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
      transform: `translate(${left - LEFT + 20} ${(top + bottom) / 2}) rotate(-90)`,
      'text-anchor': 'middle',
    }),
  ];
}

/** A standalone picture, ending with a newline. @param description alternative text; @param style of classes of the marks */
export function picture(
  title: string,
  description: string,
  { width, height }: { readonly width: number; readonly height: number },
  inside: readonly string[],
  style = '',
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
    ...(style === '' ? [] : [element('style', {}, style)]),
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
/** The drawing is at least this high, however small the picture. */
const LEAST_DRAWING = 34;

/** The lower end of a drawing with this much below it. */
export function bottomOf(height: number, below: number): number {
  return Math.max(TITLE_HEIGHT + LEAST_DRAWING, height - below);
}

export const LEFT = 76;
export const RIGHT = 24;

/** Widths of text are estimates, as the font is unknown. */
const FONT_SIZE = 13;
/** Approximate width of a letter. */
const LETTER = 7.2;
/** Between words and the edge of the picture. */
const EDGE = 20;
const WIDE = /[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Hangul}\uff01-\uff60]/u;

/** Approximate width in pixels; Chinese, Japanese and Korean characters are as wide as they are high. */
export function widthOf(words: string): number {
  let width = 0;
  for (const letter of words) width += WIDE.test(letter) ? FONT_SIZE : LETTER;
  return width;
}

/** Shortened to this many letters. The middle is left out, because names that start alike mostly differ at the end. */
export function shortened(words: string, most: number): string {
  const letters = [...words];
  if (letters.length <= most) return words;
  const tail = Math.floor((most - 1) * 0.4);
  return `${letters.slice(0, most - 1 - tail).join('')}…${letters.slice(letters.length - tail).join('')}`;
}

/** Shortened to this many pixels, but to no less than four letters. */
export function fitted(words: string, width: number): string {
  const own = widthOf(words);
  if (own <= width) return words;
  return shortened(words, Math.max(4, Math.floor(([...words].length * width) / own)));
}

/** Words centred at x, but moved, and shortened, so that they are inside of a picture of this width. */
export function centred(words: string, x: number, width: number, attributes: Attributes): string {
  const shown = fitted(words, width - 2 * EDGE);
  const half = Math.min(width / 2 - EDGE, widthOf(shown) / 2);
  const middle = Math.min(width - EDGE - half, Math.max(EDGE + half, x));
  return text(shown, { x: middle, 'text-anchor': 'middle', ...attributes });
}

const LINE_HEIGHT = 20;
const KEY = 26;

/** Room for a legend in a picture of this height, which needs `words` pixels for other text below the drawing. */
export function legendRoom(height: number, words: number): number {
  return Math.max(40, Math.min(0.4 * height, height - TITLE_HEIGHT - words - 80));
}

interface Entry {
  readonly name: string;
  /** undefined: text without a key. */
  readonly series: number | undefined;
  readonly x: number;
}

type LegendRow = readonly Entry[];

/** Most letters of a name; a shorter length is tried if there is no room. */
const NAME_LENGTHS = [48, 32, 22, 14];

/** The names of series, in rows as wide as the drawing. Its height is known before the drawing's. */
export class Legend {
  readonly #rows: readonly LegendRow[];
  readonly #key: (style: Style) => string;

  /**
   * Names are shortened to stay within `height`; those that still do not fit are counted.
   * @param key marks of a series, `KEY` pixels wide, around y = 0
   */
  constructor(names: readonly string[], width: number, height: number, key: (style: Style) => string) {
    this.#key = key;
    const most = Math.max(1, Math.floor(height / LINE_HEIGHT));
    const layouts = NAME_LENGTHS.map((letters) => rowsOf(names, letters, width));
    this.#rows =
      layouts.find((rows) => rows.length <= most) ?? cutRows(layouts[layouts.length - 1], most, names.length);
  }

  get height(): number {
    return this.#rows.length * LINE_HEIGHT;
  }

  draw(left: number, top: number): string {
    return this.#rows
      .flatMap((entries, row) =>
        entries.map(({ name, series, x }) =>
          element(
            'g',
            { transform: `translate(${Math.round(left + x)} ${Math.round(top + (row + 0.5) * LINE_HEIGHT)})` },
            (series === undefined ? '' : this.#key(styleOf(series))) + text(name, { x: KEY + 8, y: 4.5 }),
          ),
        ),
      )
      .join('\n');
  }
}

function rowsOf(names: readonly string[], letters: number, width: number): readonly LegendRow[] {
  const rows: Entry[][] = [];
  let x = Number.POSITIVE_INFINITY;
  for (const [series, full] of names.entries()) {
    const name = fitted(shortened(full, letters), width - KEY - 8);
    const needed = KEY + 8 + widthOf(name) + 18;
    if (x + needed > width) {
      rows.push([]);
      x = 0;
    }
    rows[rows.length - 1].push({ name, series, x });
    x += needed;
  }
  return rows;
}

/** The first rows, with the number of the names left out in place of the last entry. */
function cutRows(rows: readonly LegendRow[], most: number, names: number): readonly LegendRow[] {
  const kept = rows.slice(0, most);
  const last = kept[most - 1];
  const named = kept.reduce((sum, row) => sum + row.length, 0) - 1;
  const rest: Entry = { name: `and ${names - named} others`, series: undefined, x: last[last.length - 1].x };
  return [...kept.slice(0, -1), [...last.slice(0, -1), rest]];
}

type Attributes = Readonly<Record<string, string | number>>;

/** One element. `inside` is markup: escape any text in it. */
export function element(name: string, attributes: Attributes, inside = ''): string {
  const list = Object.entries(attributes).map(([key, value]) => ` ${key}="${escaped(attributeText(value))}"`);
  return inside === '' ? `<${name}${list.join('')}/>` : `<${name}${list.join('')}>${inside}</${name}>`;
}

/** Coordinates to a hundredth of a pixel. */
function attributeText(value: string | number): string {
  return typeof value === 'number' ? String(Math.round(value * 100) / 100) : value;
}
