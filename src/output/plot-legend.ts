import { element } from './markup.ts';
import { type Style, styleOf, TITLE_HEIGHT, text } from './plot-frame.ts';
import { fitted, shortened, widthOf } from './plot-words.ts';

const LINE_HEIGHT = 20;
const KEY = 26;

/** Room for a legend in a picture of this height that needs so much for other words below the drawing. */
export function legendRoom(height: number, words: number): number {
  return Math.max(40, Math.min(0.4 * height, height - TITLE_HEIGHT - words - 80));
}

interface Entry {
  readonly name: string;
  /** undefined: words without a key. */
  readonly series: number | undefined;
  readonly x: number;
}

type LegendRow = readonly Entry[];

/** Letters of a name, fewer where there is no room. */
const NAME_LENGTHS = [48, 32, 22, 14];

/** The names of series in rows as wide as the drawing; its height is known before the drawing is. */
export class Legend {
  readonly #rows: readonly LegendRow[];
  readonly #key: (style: Style) => string;

  /**
   * Names are shortened to stay within `height`; what is left over is told as a number.
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

/** The first rows; in place of the last entry the number of those that are not named. */
function cutRows(rows: readonly LegendRow[], most: number, names: number): readonly LegendRow[] {
  const kept = rows.slice(0, most);
  const last = kept[most - 1];
  const named = kept.reduce((sum, row) => sum + row.length, 0) - 1;
  const rest: Entry = { name: `and ${names - named} others`, series: undefined, x: last[last.length - 1].x };
  return [...kept.slice(0, -1), [...last.slice(0, -1), rest]];
}
