import { type Exact, SUMS, SUMS_WIDTH } from '../measures/sums.ts';
import { addExact, difference, ExactSums, parseExact } from './exact.ts';
import { encodeItems, readItems } from './item-sums.ts';
import { CellColumns, type FieldColumn } from './list-sums.ts';
import { encodePositions, readPositions } from './position-sums.ts';
import { emptyRow, type Row, type RowParts, type RowShape, sumsStarts } from './row.ts';
import { keysOf, listOf, parseJson, whole } from './store/json.ts';
import { TextWriter } from './text-writer.ts';
import {
  columnsBeforeSums,
  EMPTY,
  LEFT_OUT_LISTS,
  LISTS,
  MORE_POSITIVES,
  POSITIVES,
  Vector,
  vectorStarts,
} from './vector.ts';

/** Text of rows of one shape. Equal rows have equal text. */
export interface RowCodec {
  encode(row: Row): string;
  /** The text of a row whose head and sums start at `sums[at]`. */
  encodeAt(parts: RowParts, sums: ExactSums, at: number): string;
  /**
   * Reads a row that another configuration may have written: a measure that the text lacks starts empty, one that the shape lacks
   * is ignored. Throws an Error that names the part that is wrong, or that contradicts another.
   *
   * @param held the measures whose sums are valid; others start empty, too. Default: all
   */
  decode(text: string, held?: Held): Row;
}

/** Its keys are canonical names of measures. */
export type Held = Readonly<Record<string, unknown>>;

/** Text of vectors of one shape. Equal vectors have equal text. */
interface VectorCodec {
  /** Appends the text of a vector. */
  write(vector: Vector): void;
  /**
   * Reads a vector that another configuration may have written: a measure that the text lacks starts empty, one that the shape
   * lacks is ignored. Throws an Error that names the part that is wrong.
   */
  decode(text: string): Vector;
  /** Like `decode`, from parsed JSON. @param held as for rows */
  read(json: unknown, held?: Held): Vector;
}

const MOST_BUCKETS = 65_536;
const COMMA = 44;
const CLOSES_LIST = 93;
const CLOSES = 125;

/** A number of a row's text. */
interface RowNumber extends FieldColumn {
  /** The text before the number. */
  readonly before: string;
  /** Whether a 0 is left out, together with the text before it. */
  readonly ifAny?: true;
}

/** The text of rows that have nothing but head and sums. */
export interface RowText {
  readonly numbers: readonly RowNumber[];
  /** The text after the last number. */
  readonly end: string;
}

/**
 * JSON `{"impressions":2,"positives":1,"userless":0,"measures":{"mrr":[2,1,500000000,250000000]}}`, and `"empty":1` before the measures
 * where any list is empty. Measures stand in the order of the shape.
 */
export function rowText(shape: RowShape, { userless, fields }: CellColumns): RowText {
  const numbers: RowNumber[] = [
    { before: '{"impressions":', column: LISTS, of: 'value' },
    { before: ',"positives":', column: POSITIVES, of: 'value' },
    { before: ',"userless":', column: userless, of: 'value' },
    { before: ',"empty":', column: EMPTY, of: 'value', ifAny: true },
  ];
  const starts = sumsStarts(shape);
  let before = ',"measures":{';
  for (const [m, name] of shape.names.entries()) {
    before += `${m === 0 ? '' : ','}${JSON.stringify(name)}:[`;
    for (const field of fields.slice(starts[m], starts[m + 1])) {
      numbers.push({ ...field, before });
      before = ',';
    }
    // Measures of some kinds have no sums.
    before = starts[m] === starts[m + 1] ? `${before}]` : ']';
  }
  return { numbers, end: `${before}}}` };
}

/**
 * Codec of rows: the text of `rowText`, and before its last brace `"vector"`, `"items"` (item-sums.ts) and `"positions"`
 * (position-sums.ts) if the row has them. Digits beyond the safe integers are strings.
 */
export function rowCodec(shape: RowShape): RowCodec {
  const starts = sumsStarts(shape);
  const writer = new TextWriter();
  const vectors = vectorCodec(shape, writer);
  const places = shape.names.map((name) => `row.measures.${name}`);

  const columns = new CellColumns(shape);
  const single = new ExactSums(columns.width);
  const { numbers, end } = rowText(shape, columns);
  const beforeParts = end.slice(0, -1);
  const contradictionIn = contradictions(shape);

  function encodeAt({ vector, items, positions }: RowParts, sums: ExactSums, at: number): string {
    for (const number of numbers) {
      const value = columns.number(sums, at, number);
      if (number.ifAny && value === 0) continue;
      writer.text(number.before);
      writer.exact(value);
    }
    writer.text(beforeParts);
    if (vector !== undefined) {
      writer.text(',"vector":');
      vectors.write(vector);
    }
    if (items !== undefined) writer.text(`,"items":${encodeItems(items)}`);
    if (positions !== undefined) writer.text(`,"positions":${encodePositions(positions)}`);
    writer.byte(CLOSES);
    return writer.take();
  }

  function encode(row: Row): string {
    single.clear(0, columns.width);
    columns.put(row, single, 0);
    return encodeAt(row, single, 0);
  }

  function decode(text: string, held?: Held): Row {
    const json = keysOf(parseJson(text, 'row'), 'row');
    const measures = keysOf(json['measures'], 'row.measures');
    const row = emptyRow(shape);
    row.impressions = whole(json['impressions'], 'row.impressions');
    row.positives = whole(json['positives'], 'row.positives');
    row.userless = whole(json['userless'], 'row.userless');
    if (json['empty'] !== undefined) row.empty = whole(json['empty'], 'row.empty');
    shape.names.forEach((name, m) => {
      if (!Object.hasOwn(measures, name) || !isHeld(held, name)) return;
      const sums = listOf(measures[name], places[m], exactAt);
      const width = SUMS_WIDTH[shape.kinds[m]];
      if (sums.length !== width) throw new Error(`${places[m]}: expected ${width} sums, found ${sums.length}`);
      sums.forEach((sum, i) => {
        row.sums[starts[m] + i] = sum;
      });
    });
    if (json['vector'] !== undefined) row.vector = vectors.read(json['vector'], held);
    if (json['items'] !== undefined && shape.items !== undefined) row.items = readItems(json['items'], shape.items);
    if (json['positions'] !== undefined && shape.ranks !== undefined) {
      row.positions = readPositions(json['positions'], shape.ranks);
    }
    const contradiction = contradictionIn(row);
    if (contradiction !== undefined) throw new Error(`row.${contradiction}`);
    return row;
  }

  return { encode, encodeAt, decode };
}

/** Codec of rows that keep only a vector: the text of `VectorCodec`. */
export function vectorRowCodec(shape: RowShape): RowCodec {
  const writer = new TextWriter();
  const vectors = vectorCodec(shape, writer);
  function encode({ vector }: RowParts): string {
    if (vector === undefined) throw new Error('a row without a vector cannot be kept as one');
    vectors.write(vector);
    return writer.take();
  }

  return {
    encode,
    encodeAt: encode,
    decode: (text) => ({ ...emptyRow(shape), vector: vectors.decode(text) }),
  };
}

function isHeld(held: Held | undefined, name: string): boolean {
  return held === undefined || Object.hasOwn(held, name);
}

function exactAt(value: unknown, where: string): Exact {
  const sum = parseExact(value);
  if (sum === undefined) throw new Error(`${where}: expected a whole number`);
  return sum;
}

/**
 * JSON `{"buckets":64,"filled":[3,9],"n":[2,1],"positives":[1,0],"measures":{"mrr":{"S":[500000000,0]}}}`: sums of the
 * buckets that `filled` names, all others are 0; and `"empty":[1,0]` behind the positives where any list is empty. A measure has the sums of its kind by name (sums.ts): a mean `S`, a
 * fraction `above` and `below`. One that counts lists also has `n` and `n+`, its own lists and lists with positives, each
 * only where they are not those of the head in every bucket. Sums in 1e-9; digits beyond the safe integers are strings.
 */
function vectorCodec(shape: RowShape, writer: TextWriter): VectorCodec {
  const starts = vectorStarts(shape.kinds);
  const width = starts[starts.length - 1];

  const names = shape.names.map((name, m) => `${m === 0 ? '' : ','}${JSON.stringify(name)}:{`);

  function write(vector: Vector): void {
    const lists: Exact[] = [];
    const positives: Exact[] = [];
    const sums: Exact[] = [];
    const all = vector.filled();
    vector.column(LISTS, all, lists);
    const filled = lists.every((n) => n !== 0) ? all : all.filter((_, i) => lists[i] !== 0);
    vector.column(LISTS, filled, lists);
    vector.column(POSITIVES, filled, positives);
    const list = (values: readonly Exact[]): void => {
      for (let i = 0; i < filled.length; i++) {
        if (i > 0) writer.byte(COMMA);
        writer.exact(values[i]);
      }
      writer.byte(CLOSES_LIST);
    };
    writer.text(`{"buckets":${vector.buckets},"filled":[`);
    list(filled);
    writer.text(',"n":[');
    list(lists);
    writer.text(',"positives":[');
    list(positives);
    if (vector.column(EMPTY, filled, sums)) {
      writer.text(',"empty":[');
      list(sums);
    }
    writer.text(',"measures":{');
    for (let m = 0; m < names.length; m++) {
      writer.text(names[m]);
      const at = starts[m];
      const { counted, values } = SUMS[shape.kinds[m]];
      let comma = '';
      const part = (name: string, column: readonly Exact[]): void => {
        writer.text(`${comma}"${name}":[`);
        list(column);
        comma = ',';
      };
      if (counted) {
        if (vector.column(at + LEFT_OUT_LISTS, filled, sums)) part('n', differences(lists, sums));
        if (vector.column(at + MORE_POSITIVES, filled, sums)) part('n+', totals(positives, sums));
      }
      const first = at + columnsBeforeSums(shape.kinds[m]);
      for (let i = 0; i < values.length; i++) {
        vector.column(first + i, filled, sums);
        part(values[i], sums);
      }
      writer.byte(CLOSES);
    }
    writer.text('}}');
  }

  function read(json: unknown, held?: Held): Vector {
    const text = keysOf(json, 'vector');
    const buckets = whole(text['buckets'], 'vector.buckets');
    if (buckets < 1 || buckets > MOST_BUCKETS || (buckets & (buckets - 1)) !== 0) {
      throw new Error(`vector.buckets: expected a power of two up to ${MOST_BUCKETS}, found ${buckets}`);
    }
    const filled = listOf(text['filled'], 'vector.filled', whole);
    for (const [i, bucket] of filled.entries()) {
      if (bucket < (i === 0 ? 0 : filled[i - 1] + 1) || bucket >= buckets) {
        throw new Error(`vector.filled[${i}]: expected ascending buckets below ${buckets}, found ${bucket}`);
      }
    }
    const sums = (value: unknown, where: string): readonly Exact[] => {
      const found = listOf(value, where, exactAt);
      if (found.length === filled.length) return found;
      throw new Error(`${where}: expected ${filled.length} sums, one per filled bucket, found ${found.length}`);
    };
    const vector = new Vector(buckets, width);
    const put = (column: number, values: readonly Exact[]): void =>
      filled.forEach((bucket, i) => {
        vector.addTo(bucket, column, values[i]);
      });
    const lists = sums(text['n'], 'vector.n');
    const positives = sums(text['positives'], 'vector.positives');
    put(LISTS, lists);
    put(POSITIVES, positives);
    if (text['empty'] !== undefined) put(EMPTY, sums(text['empty'], 'vector.empty'));
    const measures = keysOf(text['measures'], 'vector.measures');
    const none = filled.map(() => 0);
    shape.names.forEach((name, m) => {
      const where = `vector.measures.${name}`;
      const isKnown = Object.hasOwn(measures, name) && isHeld(held, name);
      const own = isKnown ? keysOf(measures[name], where) : {};
      const part = (key: string, usual: readonly Exact[]): readonly Exact[] =>
        own[key] === undefined && (key === 'n' || key === 'n+') ? usual : sums(own[key], `${where}.${key}`);
      const at = starts[m];
      const { counted, values } = SUMS[shape.kinds[m]];
      if (counted) {
        put(at + LEFT_OUT_LISTS, differences(lists, isKnown ? part('n', lists) : none));
        put(at + MORE_POSITIVES, differences(isKnown ? part('n+', positives) : none, positives));
      }
      const first = at + columnsBeforeSums(shape.kinds[m]);
      if (isKnown) for (const [i, value] of values.entries()) put(first + i, part(value, none));
    });
    return vector;
  }

  return { write, read, decode: (text) => read(parseJson(text, 'vector')) };
}

function differences(a: readonly Exact[], b: readonly Exact[]): readonly Exact[] {
  return a.map((value, i) => difference(value, b[i]));
}

function totals(a: readonly Exact[], b: readonly Exact[]): readonly Exact[] {
  return a.map((value, i) => addExact(value, b[i]));
}

/** Counts that cannot exceed the number of lists. */
const HEAD = ['positives', 'userless', 'empty'] as const;

/**
 * Returns a function that finds what no lists can have produced in a row of this shape, such as more lists with a positive than
 * lists: its text was altered. undefined: the row is possible.
 */
export function contradictions(shape: RowShape): (row: Row) => string | undefined {
  const starts = sumsStarts(shape);
  const counted = shape.names.flatMap((name, m) =>
    SUMS[shape.kinds[m]].counted ? [{ name, n: starts[m], positives: starts[m] + 1 }] : [],
  );
  return (row) => {
    const { impressions, sums, vector, items, positions } = row;
    if (impressions < 0) return `impressions: ${impressions}`;
    for (const name of HEAD) if (isBeyond(row[name], impressions)) return excess(name, row[name], impressions);
    for (const { name, n, positives } of counted) {
      if (isBeyond(sums[n], impressions)) return excess(`measures.${name}`, sums[n], impressions);
      if (isBeyond(sums[positives], sums[n])) return excess(`measures.${name}`, sums[positives], sums[n]);
    }
    for (const n of items?.lists ?? []) if (isBeyond(n, impressions)) return excess('items', n, impressions);
    if (positions !== undefined) {
      for (const [r, n] of positions.positives.entries()) {
        if (isBeyond(n, positions.exposed[r])) return excess('positions.positives', n, positions.exposed[r]);
      }
    }
    return vector === undefined ? undefined : contradictionInVector(vector, impressions);
  };
}

/** @param impressions number of lists of its row */
function contradictionInVector(vector: Vector, impressions: number): string | undefined {
  for (const bucket of vector.filled()) {
    const n = vector.sum(bucket, LISTS);
    if (isBeyond(n, impressions)) return excess('vector.n', n, impressions);
    for (const column of [POSITIVES, EMPTY]) {
      const part = vector.sum(bucket, column);
      if (isBeyond(part, n)) return excess('vector', part, n);
    }
  }
  return undefined;
}

function isBeyond(part: Exact, whole: Exact): boolean {
  return part < 0 || part > whole;
}

function excess(name: string, part: Exact, whole: Exact): string {
  return `${name}: ${part} of ${whole} lists`;
}
