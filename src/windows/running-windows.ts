/**
 * Moving windows: the sums of all of their panes, updated by adding the panes that enter and subtracting those that leave. Sums
 * are whole numbers, so this is exact. The cost of a move is that of the panes that enter and leave, not of the whole window:
 * 24 h of 1 m panes need 2 panes a minute, not 1,440 a second.
 */
import { addExact } from '../accumulators/exact.ts';
import { ItemSums, type ItemsShape } from '../accumulators/item-sums.ts';
import { addRow, copyRow, giveToSum, type Row, subtractRow } from '../accumulators/row.ts';
import { Exposures } from '../measures/exposures.ts';
import { Registers } from '../measures/registers.ts';
import type { Exact } from '../measures/sums.ts';
import { ItemNumbers, PackedItems } from './packed-items.ts';
import type { Rows } from './windows.ts';

interface Sum {
  readonly row: Row;
  /** Number of panes that contain the field. */
  panes: number;
}

interface Window {
  /** Length in panes. */
  readonly length: number;
  /** Numbers of the panes: [start, end). */
  start: number;
  end: number;
  readonly sums: Map<string, Sum>;
  /** Items by field; undefined: the window keeps no items. */
  readonly items: Map<string, WindowItems> | undefined;
}

/**
 * The windows of one horizon. Item sums cannot always be subtracted, so they are kept separately (`WindowItems`). Panes are
 * identified by their number: start / size.
 */
export class RunningWindows {
  readonly #windows: readonly Window[];
  /** Rows of all units together, by pane. */
  readonly #panes = new Map<number, Map<string, Row>>();
  /** The items of these rows, which are stored separately. */
  readonly #items = new Map<number, Map<string, PackedItems>>();
  readonly #numbers = new ItemNumbers();
  #version = 0;

  /**
   * @param lengths of the windows, in panes
   * @param withItems number of windows, from the first on, that keep items
   */
  constructor(lengths: readonly number[], withItems = lengths.length) {
    this.#windows = lengths.map((length, w) => ({
      length,
      start: 0,
      end: 0,
      sums: new Map(),
      items: w < withItems ? new Map() : undefined,
    }));
  }

  /** Changes whenever a sum may have changed. */
  get version(): number {
    return this.#version;
  }

  /** Adds the final rows of one unit in one pane, and takes ownership of them. Must be called once per unit and pane. */
  add(pane: number, rows: Rows): void {
    if (rows.size === 0) return;
    this.#addItems(pane, rows);
    const known = this.#panes.get(pane);
    for (const window of this.#windows) {
      if (pane >= window.start && pane < window.end) addPane(window, rows, known);
    }
    if (known === undefined) this.#panes.set(pane, new Map(rows));
    else for (const [field, row] of rows) giveToSum(known, field, row);
    this.#version++;
  }

  /**
   * Moves all windows so that they end with the pane before `end`, and yields after each pane, since the first move covers a whole day of
   * them. When it is done, sums are valid and panes may be added. Panes that were added are kept until `forget`.
   */
  *moving(end: number): Generator<undefined, void> {
    for (const window of this.#windows) {
      const start = end - window.length;
      if (start === window.start && end === window.end) continue;
      yield* this.#sliding(window, start, end);
      this.#version++;
    }
  }

  /** Evicts the panes below `bound`, which must be at or before the start of every window. */
  forget(bound: number): void {
    for (const pane of this.#panes.keys()) if (pane < bound) this.#panes.delete(pane);
    for (const [pane, rows] of this.#items) {
      if (pane >= bound) continue;
      for (const items of rows.values()) items.unref();
      this.#items.delete(pane);
    }
  }

  /** Rows of one window by field. They change with the next call of `add` or `move`: copy what must be kept. */
  *rows(window: number): Iterable<readonly [field: string, row: Row]> {
    const { sums, items } = this.#windows[window];
    for (const [field, { row }] of sums) {
      const own = items?.get(field);
      yield [field, own === undefined ? row : { ...row, items: own.sum() }];
    }
  }

  /** Rows of all units in one pane, by field; undefined: none are known. Must not be changed. */
  pane(pane: number): Rows | undefined {
    return this.#panes.get(pane);
  }

  /** Moves the items out of rows that are added. */
  #addItems(pane: number, rows: Rows): void {
    for (const [field, row] of rows) {
      const { items } = row;
      if (items === undefined) continue;
      row.items = undefined;
      const ofPane = this.#items.get(pane) ?? new Map<string, PackedItems>();
      this.#items.set(pane, ofPane);
      const known = ofPane.get(field);
      const holders = this.#windows.filter(({ start, end }) => pane >= start && pane < end);
      if (known !== undefined) {
        for (const window of holders) subtractItems(window, field, known);
        known.addTo(items);
        known.unref();
      }
      const packed = new PackedItems(items, this.#numbers);
      ofPane.set(field, packed);
      for (const window of holders) addItems(window, field, packed);
    }
  }

  *#sliding(window: Window, start: number, end: number): Generator<undefined, void> {
    if (start >= window.end || end <= window.start) {
      window.sums.clear();
      window.items?.clear();
      yield* this.#entering(window, start, end);
    } else {
      yield* this.#leaving(window, window.start, start);
      yield* this.#leaving(window, end, window.end);
      yield* this.#entering(window, start, window.start);
      yield* this.#entering(window, window.end, end);
    }
    window.start = start;
    window.end = end;
  }

  *#entering(window: Window, from: number, to: number): Generator<undefined, void> {
    for (let pane = from; pane < to; pane++) {
      const rows = this.#panes.get(pane);
      if (rows === undefined) continue;
      addPane(window, rows, undefined);
      for (const [field, items] of this.#items.get(pane) ?? []) addItems(window, field, items);
      yield;
    }
  }

  *#leaving(window: Window, from: number, to: number): Generator<undefined, void> {
    for (let pane = from; pane < to; pane++) {
      const rows = this.#panes.get(pane);
      if (rows === undefined) continue;
      subtractPane(window, rows);
      for (const [field, items] of this.#items.get(pane) ?? []) subtractItems(window, field, items);
      yield;
    }
  }
}

function addItems({ items }: Window, field: string, added: PackedItems): void {
  if (items === undefined) return;
  const sum = items.get(field) ?? new WindowItems(added.shape);
  items.set(field, sum);
  sum.add(added);
}

function subtractItems({ items }: Window, field: string, gone: PackedItems): void {
  const sum = items?.get(field);
  sum?.subtract(gone);
  if (sum?.isEmpty === true) items?.delete(field);
}

/** @param known the rows that the pane contained before, whose fields are already counted */
function addPane(window: Window, rows: Rows, known: Rows | undefined): void {
  for (const [field, row] of rows) {
    const sum = window.sums.get(field);
    if (sum === undefined) {
      window.sums.set(field, { row: copyRow(row), panes: 1 });
      continue;
    }
    addRow(sum.row, row);
    if (known?.has(field) !== true) sum.panes++;
  }
}

function subtractPane(window: Window, rows: Rows): void {
  for (const [field, row] of rows) {
    const sum = window.sums.get(field);
    if (sum === undefined) continue;
    sum.panes--;
    if (sum.panes === 0) window.sums.delete(field);
    else subtractRow(sum.row, row);
  }
}

/** The exposures of the panes of a window. */
interface Moving {
  readonly amounts: Map<string, Exact>;
  /** Number of panes whose exposures are unknown because there were more than the limit. */
  over: number;
}

/**
 * The items of one row of a moving window: equal to the merged items of its panes. Exposures are updated by adding and subtracting panes,
 * since a window of a day has many more items than a pane; registers are merged again at 4 us a pane, since a maximum cannot be
 * subtracted.
 */
class WindowItems {
  readonly #shape: ItemsShape;
  readonly #panes = new Set<PackedItems>();
  /** Exposures by part; unused for registers. */
  readonly #moving: readonly Moving[];
  #sum: ItemSums | undefined;

  constructor(shape: ItemsShape) {
    this.#shape = shape;
    this.#moving = shape.parts.map(() => ({ amounts: new Map(), over: 0 }));
  }

  /** Adds a pane. */
  add(items: PackedItems): void {
    this.#panes.add(items);
    this.#move(items, 1);
  }

  /** Removes a pane. */
  subtract(items: PackedItems): void {
    this.#panes.delete(items);
    this.#move(items, -1);
  }

  get isEmpty(): boolean {
    return this.#panes.size === 0;
  }

  /** The items of all panes together. Must not be changed. */
  sum(): ItemSums {
    this.#sum ??= this.#merged();
    return this.#sum;
  }

  #move({ sketches }: PackedItems, sign: 1 | -1): void {
    this.#sum = undefined;
    for (const [p, sketch] of sketches.entries()) {
      if (sketch instanceof Registers) continue;
      const moving = this.#moving[p];
      if (sketch.isOver) moving.over += sign;
      sketch.each((item, amount) => put(moving.amounts, item, sign === 1 ? amount : -amount));
    }
  }

  #merged(): ItemSums {
    const sum = new ItemSums(this.#shape);
    for (const [p, sketch] of sum.sketches.entries()) {
      for (const items of this.#panes) {
        sum.lists[p] += items.lists[p];
        const own = items.sketches[p];
        if (sketch instanceof Registers && own instanceof Registers) sketch.merge(own);
      }
      if (sketch instanceof Exposures) fill(sketch, this.#moving[p]);
    }
    return sum;
  }
}

function put(amounts: Map<string, Exact>, item: string, change: Exact): void {
  const sum = addExact(amounts.get(item) ?? 0, change);
  if (sum === 0) amounts.delete(item);
  else amounts.set(item, sum);
}

function fill(into: Exposures, { amounts, over }: Moving): void {
  if (over > 0 || amounts.size > into.limit) into.exceed();
  else for (const [item, amount] of amounts) into.add(item, amount);
}
