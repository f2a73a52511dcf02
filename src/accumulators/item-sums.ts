import type { Exposures } from '../measures/exposures.ts';
import { emptySketch, type ItemPart, type Sketch } from '../measures/item-part.ts';
import { LONGEST_RUN, REGISTERS, Registers } from '../measures/registers.ts';
import type { ShownItems } from '../measures/shown-items.ts';
import { parseExact, printExact } from './exact.ts';
import { keysOf, textOf, whole } from './store/json.ts';

/** Which item parts a row keeps, and how many items each counts. */
export interface ItemsShape {
  readonly parts: readonly ItemPart[];
  /** Most items whose exposure is counted. A row with more items has no exposures at all. */
  readonly limit: number;
}

/** Bytes of a sketch besides its registers, and of its count of lists. */
const SKETCH_BYTES = 250;

/**
 * The items of a row, part by part: the number of lists that were added, and their items. Registers merge by their maximum,
 * everything else by addition, so any split of a history gives the same result (as with rows).
 */
export class ItemSums {
  readonly shape: ItemsShape;
  /** For each part, the number of lists with a slot of rank <= k. */
  readonly lists: number[];
  /** One sketch for each part. */
  readonly sketches: readonly Sketch[];

  constructor(shape: ItemsShape) {
    this.shape = shape;
    this.lists = shape.parts.map(() => 0);
    this.sketches = shape.parts.map((part) => emptySketch(part, shape.limit));
  }

  /** Approximate bytes in memory. */
  get bytes(): number {
    let bytes = SKETCH_BYTES * this.sketches.length;
    for (const sketch of this.sketches) bytes += sketch.bytes;
    return bytes;
  }

  /** Adds one list. */
  add(shown: ShownItems): void {
    const { parts } = this.shape;
    for (let p = 0; p < parts.length; p++) if (shown.addTo(this.sketches[p], parts[p])) this.lists[p]++;
  }

  /** Both must have the same shape. */
  merge(other: ItemSums): void {
    if (other.sketches.length !== this.sketches.length) {
      throw new Error(
        `items of ${this.sketches.length} and ${other.sketches.length} parts cannot be merged: decode both by one shape`,
      );
    }
    for (const [p, sketch] of this.sketches.entries()) {
      this.lists[p] += other.lists[p];
      mergeSketch(sketch, other.sketches[p]);
    }
  }

  copy(): ItemSums {
    const copy = new ItemSums(this.shape);
    copy.merge(this);
    return copy;
  }
}

function mergeSketch(into: Sketch, sketch: Sketch): void {
  if (into instanceof Registers) {
    if (!(sketch instanceof Registers)) throw new Error('registers and exposures cannot be merged');
    into.merge(sketch);
  } else {
    if (sketch instanceof Registers) throw new Error('exposures and registers cannot be merged');
    into.merge(sketch);
  }
}

/** Adds `items` to `into` and returns the sum; undefined is neutral. */
export function addItems(into: ItemSums | undefined, items: ItemSums | undefined): ItemSums | undefined {
  if (into === undefined || items === undefined) return into ?? items?.copy();
  into.merge(items);
  return into;
}

/** One character for each 6 bits, in the order of base64. */
const DIGITS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';

const CODES = Buffer.from(DIGITS);

/** For each character code the value of the digit. */
const VALUES = new Int8Array(128).fill(-1);
for (let i = 0; i < DIGITS.length; i++) VALUES[DIGITS.charCodeAt(i)] = i;

/** Characters of a register in the sparse form: two for the index, one for the run. */
const SPARSE_WIDTH = 3;

const OVER = 'over';

/**
 * JSON `{"registers@10":{"n":2,"runs":"ADC"},"count":{"n":2,"amounts":{"a":2,"b":1}}}`, parts in the order of the shape.
 * n: lists. runs: base64 digits, one per register; or, while that is shorter, three for each register that is not 0: its
 * index, then its run. amounts: by item in the order of UTF-16; `"over"`: there were more items than are counted; digits
 * beyond the safe integers are strings. Equal sums have equal text.
 */
export function encodeItems({ shape, lists, sketches }: ItemSums): string {
  const parts = shape.parts.map(({ name }, p) => {
    const sketch = sketches[p];
    const content = sketch instanceof Registers ? `"runs":"${printRuns(sketch)}"` : `"amounts":${printAmounts(sketch)}`;
    return `${JSON.stringify(name)}:{"n":${lists[p]},${content}}`;
  });
  return `{${parts.join(',')}}`;
}

/**
 * Reads items that another configuration may have written: a part that the JSON lacks starts empty, one that the shape lacks is
 * ignored. Throws an Error that names the part that is wrong.
 */
export function readItems(json: unknown, shape: ItemsShape): ItemSums {
  const parts = keysOf(json, 'items');
  const items = new ItemSums(shape);
  for (const [p, { name }] of shape.parts.entries()) {
    if (!Object.hasOwn(parts, name)) continue;
    const where = `items.${name}`;
    const part = keysOf(parts[name], where);
    items.lists[p] = whole(part['n'], `${where}.n`);
    const sketch = items.sketches[p];
    if (sketch instanceof Registers) readRuns(textOf(part['runs'], `${where}.runs`), sketch, `${where}.runs`);
    else readAmounts(part['amounts'], sketch, `${where}.amounts`);
  }
  return items;
}

function printRuns({ runs }: Registers): string {
  let filled = 0;
  for (const run of runs) if (run > 0) filled++;
  if (filled * SPARSE_WIDTH >= REGISTERS) {
    const text = Buffer.allocUnsafe(REGISTERS);
    for (let i = 0; i < REGISTERS; i++) text[i] = CODES[runs[i]];
    return text.toString('latin1');
  }
  let text = '';
  for (let i = 0; i < REGISTERS; i++) if (runs[i] > 0) text += DIGITS[i >>> 6] + DIGITS[i & 63] + DIGITS[runs[i]];
  return text;
}

function readRuns(text: string, into: Registers, where: string): void {
  const isFull = text.length === REGISTERS;
  if (!isFull && (text.length > REGISTERS || text.length % SPARSE_WIDTH !== 0)) {
    throw new Error(`${where}: expected ${REGISTERS} digits, or three per register; found ${text.length}`);
  }
  const digit = (i: number): number => {
    const value = text.charCodeAt(i) < VALUES.length ? VALUES[text.charCodeAt(i)] : -1;
    if (value < 0) throw new Error(`${where}: expected base64 digits`);
    return value;
  };
  const raise = (index: number, run: number): void => {
    if (run > LONGEST_RUN) throw new Error(`${where}: expected runs up to ${LONGEST_RUN}, found ${run}`);
    into.raise(index, run);
  };
  if (isFull) for (let i = 0; i < REGISTERS; i++) raise(i, digit(i));
  else for (let i = 0; i < text.length; i += SPARSE_WIDTH) raise(digit(i) * 64 + digit(i + 1), digit(i + 2));
}

function printAmounts(exposures: Exposures): string {
  if (exposures.isOver) return `"${OVER}"`;
  const { amounts } = exposures;
  const printed = [...amounts.keys()]
    .sort()
    .map((item) => `${JSON.stringify(item)}:${printExact(amounts.get(item) ?? 0)}`);
  return `{${printed.join(',')}}`;
}

function readAmounts(json: unknown, into: Exposures, where: string): void {
  if (json === OVER) {
    into.exceed();
    return;
  }
  for (const [item, value] of Object.entries(keysOf(json, where))) {
    const amount = parseExact(value);
    if (amount === undefined || amount <= 0) throw new Error(`${where}: expected whole numbers above 0`);
    into.add(item, amount);
  }
}
