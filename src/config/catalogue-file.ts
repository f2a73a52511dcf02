import { createHash } from 'node:crypto';
import { createInterface } from 'node:readline';
import { Readable } from 'node:stream';
import { mustBeTextFile } from '../connections/text-file.ts';
import { splitRow } from '../consumers/decode/csv-line.ts';
import { readBytes } from '../consumers/source/files/lines.ts';
import type { ItemFile } from '../measures/item-catalogue.ts';
import { catalogueProblem } from '../measures/needs.ts';
import { messageOf } from '../vocabulary/error-text.ts';
import { ConfigError, type Problem } from './problems.ts';
import type { Settings } from './settings.ts';

interface Known {
  /** NaN: unknown. */
  readonly popularity: number;
  readonly category: string | undefined;
}

interface Row extends Known {
  readonly item: string;
}

/** Reads a line; returns text that says what is wrong with it. undefined: the line is a header. */
type ReadRow = (line: string) => Row | string | undefined;

/** Reading stops after this many problems. */
const MOST_PROBLEMS = 10;
const LONGEST_LINE = 64 * 1024;
const BYTE_ORDER_MARK = '\ufeff';

/**
 * The settings, with the content of the item file that `catalogue` names, if any. Rejects with a ConfigError that names file and
 * line: when the file cannot be read, when a line of it is wrong, and when it does not fit the measures.
 */
export async function withCatalogue(settings: Settings): Promise<Settings> {
  const { catalogue, limits, measures } = settings;
  if (catalogue === undefined) return settings;
  const itemFile = await readCatalogue(catalogue, limits.catalogueItems);
  const problems = measures.flatMap((measure): readonly Problem[] => {
    const message = catalogueProblem(measure, itemFile);
    return message === undefined ? [] : [{ path: 'measures', message: `${measure.canonical}: ${message}` }];
  });
  if (problems.length > 0) throw new ConfigError(problems);
  return { ...settings, itemFile };
}

/**
 * Reads an item file, plain or gzipped: CSV (RFC 4180, without line breaks inside of fields) with a header that names `item` and
 * any of `popularity` and `category`; or NDJSON with these fields. Other columns and fields are ignored. An item that appears
 * twice is an error, since either line could be the right one.
 *
 * @param most largest number of items
 */
export async function readCatalogue(path: string, most: number): Promise<ItemFile> {
  const items = new Map<string, Known>();
  const categories = new Map<string, string>();
  const problems: Problem[] = [];
  let read: ReadRow | undefined;
  let number = 0;
  try {
    mustBeTextFile(path);
    const lines = createInterface({
      input: Readable.from(readBytes(path, { bytes: 0 })),
      crlfDelay: Number.POSITIVE_INFINITY,
    });
    for await (const text of lines) {
      number++;
      const line = number === 1 && text.startsWith(BYTE_ORDER_MARK) ? text.slice(1) : text;
      if (line.trim() === '') continue;
      read ??= readerFor(line);
      const row = checkRow(line, read, items);
      if (typeof row === 'string') problems.push({ path: `${path}:${number}`, message: row });
      if (problems.length === MOST_PROBLEMS || read === NO_READER) break;
      if (row === undefined || typeof row === 'string') continue;
      if (items.size === most) {
        problems.push({ path: `${path}:${number}`, message: `more than ${most} items; raise limits.catalogueItems` });
        break;
      }
      const { category } = row;
      // Many lines share few categories, so each string is kept once.
      if (category !== undefined && !categories.has(category)) categories.set(category, category);
      items.set(row.item, {
        popularity: row.popularity,
        category: category === undefined ? undefined : categories.get(category),
      });
    }
  } catch (error) {
    const reason = messageOf(error);
    throw new ConfigError([
      { path: 'catalogue', message: reason.startsWith('cannot read') ? reason : `cannot read ${path}: ${reason}` },
    ]);
  }
  if (problems.length === 0 && items.size === 0) problems.push({ path: 'catalogue', message: `${path} holds no item` });
  if (problems.length > 0) throw new ConfigError(problems);
  return new Items(items);
}

function checkRow(line: string, read: ReadRow, items: ReadonlyMap<string, Known>): Row | string | undefined {
  if (line.length > LONGEST_LINE) return `a line of more than ${LONGEST_LINE} characters`;
  const row = read(line);
  if (row === undefined || typeof row === 'string') return row;
  if (row.item === '') return 'expected an item id, found none';
  if (!(row.popularity >= 0 || Number.isNaN(row.popularity)) || row.popularity === Number.POSITIVE_INFINITY) {
    return `popularity of "${row.item}": expected a number from 0, found ${row.popularity}`;
  }
  return items.has(row.item) ? `the item "${row.item}" appears twice` : row;
}

/** The reader for a file's format, by its first line. */
function readerFor(line: string): ReadRow {
  if (line.trimStart().startsWith('{')) return readJson;
  const columns = splitRow(line)?.map((name) => name.trim()) ?? [];
  const places = {
    item: columns.indexOf('item'),
    popularity: columns.indexOf('popularity'),
    category: columns.indexOf('category'),
  };
  if (places.item < 0) return NO_READER;
  let isHeader = true;
  return (text) => {
    if (isHeader) {
      isHeader = false;
      return undefined;
    }
    const fields = splitRow(text);
    if (fields === undefined) return 'not CSV: a quote that is not closed, or where none is allowed';
    if (fields.length !== columns.length)
      return `expected ${columns.length} fields as in the header, found ${fields.length}`;
    const popularity = fields[places.popularity] ?? '';
    if (popularity !== '' && !/^\s*[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?\s*$/.test(popularity)) {
      return `popularity: expected a number, found "${popularity.slice(0, 40)}"`;
    }
    return {
      item: fields[places.item],
      popularity: popularity === '' ? Number.NaN : Number(popularity),
      category: fields[places.category] || undefined,
    };
  };
}

const NO_READER: ReadRow = () =>
  'expected a header that names the column "item", such as item,popularity,category, or a JSON object such as {"item":"a"}';

const readJson: ReadRow = (line) => {
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch {
    return 'not JSON: expected an object such as {"item":"a","popularity":50,"category":"x"}';
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return 'expected a JSON object';
  const fields = new Map<string, unknown>(Object.entries(value));
  const item = fields.get('item');
  const popularity = fields.get('popularity') ?? undefined;
  const category = fields.get('category') ?? undefined;
  const isNumber = typeof item === 'number' && Number.isSafeInteger(item);
  if (typeof item !== 'string' && !isNumber) return 'item: expected text or a whole number';
  if (popularity !== undefined && typeof popularity !== 'number') return 'popularity: expected a number';
  if (category !== undefined && typeof category !== 'string') return 'category: expected text';
  return { item: String(item), popularity: popularity ?? Number.NaN, category: category || undefined };
};

class Items implements ItemFile {
  readonly mostPopular: ItemFile['mostPopular'];
  readonly #items: ReadonlyMap<string, Known>;

  constructor(items: ReadonlyMap<string, Known>) {
    this.#items = items;
    let most: ItemFile['mostPopular'];
    for (const [item, { popularity }] of items) {
      if (popularity > (most?.popularity ?? -1)) most = { item, popularity };
    }
    this.mostPopular = most;
  }

  get size(): number {
    return this.#items.size;
  }

  has(item: string): boolean {
    return this.#items.has(item);
  }

  popularity(item: string): number | undefined {
    const popularity = this.#items.get(item)?.popularity;
    return popularity === undefined || Number.isNaN(popularity) ? undefined : popularity;
  }

  category(item: string): string | undefined {
    return this.#items.get(item)?.category;
  }

  fingerprint(of: 'item' | 'popularity' | 'category'): string {
    const hash = createHash('sha256');
    for (const item of [...this.#items.keys()].sort()) {
      const value = of === 'item' ? '' : ((of === 'popularity' ? this.popularity(item) : this.category(item)) ?? null);
      hash.update(`${JSON.stringify([item, value])}\n`);
    }
    return hash.digest('hex').slice(0, 16);
  }
}
