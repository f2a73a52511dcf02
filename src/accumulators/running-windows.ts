/**
 * Windows that move: the same sums as `readWindow`, kept up by adding the panes that enter and subtracting those that
 * leave. Sums are whole numbers, so this is exact. A move costs the rows of the panes that came and went, not those of
 * the window: 24 h of 1 m panes need 2 panes a minute, not 1,440 a second.
 */
import type { EpochMs } from '../events.ts';
import { type AdmissionState, shownByName } from './admission.ts';
import { addExact } from './exact.ts';
import { addRow, copyRow, type Row } from './row.ts';
import { otherValues, parseField, setText, splitValues } from './store/layout.ts';
import type { CohortRow, Rows } from './windows.ts';

interface Sum {
  readonly row: Row;
  /** Panes that hold the field. */
  panes: number;
}

interface Window {
  /** In panes. */
  readonly length: number;
  /** Numbers of the panes: [start, end). */
  start: number;
  end: number;
  readonly sums: Map<string, Sum>;
}

/** The windows of one horizon. Panes are named by their number: start / size. */
export class RunningWindows {
  readonly #windows: readonly Window[];
  /** Rows of all units together, by pane. */
  readonly #panes = new Map<number, Map<string, Row>>();
  #version = 0;

  /** `lengths`: of each window, in panes. */
  constructor(lengths: readonly number[]) {
    this.#windows = lengths.map((length) => ({ length, start: 0, end: 0, sums: new Map() }));
  }

  /** Changes whenever a sum may have changed. */
  get version(): number {
    return this.#version;
  }

  /** Adds the final rows of one unit in one pane, once. Takes the rows over. */
  add(pane: number, rows: Rows): void {
    if (rows.size === 0) return;
    const known = this.#panes.get(pane);
    for (const window of this.#windows) {
      if (pane >= window.start && pane < window.end) addPane(window, rows, known);
    }
    if (known === undefined) this.#panes.set(pane, new Map(rows));
    else for (const [field, row] of rows) addField(known, field, row);
    this.#version++;
  }

  /** Lets all windows end with the pane before `end`. Panes that were added stay known until they are forgotten. */
  move(end: number): void {
    for (const window of this.#windows) {
      const start = end - window.length;
      if (start === window.start && end === window.end) continue;
      this.#slide(window, start, end);
      this.#version++;
    }
  }

  /** Forgets the panes below `bound`, which must lie at or before the start of every window. */
  forget(bound: number): void {
    for (const pane of this.#panes.keys()) if (pane < bound) this.#panes.delete(pane);
  }

  /** Rows of one window by field. They change with the next call of `add` and `move`: copy what is to be kept. */
  *rows(window: number): Iterable<readonly [field: string, row: Row]> {
    for (const [field, { row }] of this.#windows[window].sums) yield [field, row];
  }

  /** Rows of all units in one pane, by field; undefined: none are known. Not to be changed. */
  pane(pane: number): Rows | undefined {
    return this.#panes.get(pane);
  }

  #slide(window: Window, start: number, end: number): void {
    if (start >= window.end || end <= window.start) {
      window.sums.clear();
      this.#each(start, end, (rows) => addPane(window, rows, undefined));
    } else {
      this.#each(window.start, start, (rows) => subtractPane(window, rows));
      this.#each(end, window.end, (rows) => subtractPane(window, rows));
      this.#each(start, window.start, (rows) => addPane(window, rows, undefined));
      this.#each(window.end, end, (rows) => addPane(window, rows, undefined));
    }
    window.start = start;
    window.end = end;
  }

  #each(from: number, to: number, visit: (rows: Rows) => void): void {
    for (let pane = from; pane < to; pane++) {
      const rows = this.#panes.get(pane);
      if (rows !== undefined) visit(rows);
    }
  }
}

/** `known`: what the pane held before; its fields are counted already. */
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

function addField(rows: Map<string, Row>, field: string, row: Row): void {
  const known = rows.get(field);
  if (known === undefined) rows.set(field, row);
  else addRow(known, row);
}

/** Takes the head of `row` off `from`: the inverse of `addRow`. Both must have one shape; vectors stay as they are. */
export function subtractRow(from: Row, row: Row): void {
  from.impressions -= row.impressions;
  from.positives -= row.positives;
  from.userless -= row.userless;
  for (let i = 0; i < row.sums.length; i++) {
    const sum = row.sums[i];
    if (sum !== 0) from.sums[i] = addExact(from.sums[i], -sum);
  }
}

/**
 * Copies of the rows of one window as a reader shows them: cohorts that may not be shown by name are added to the rest of
 * their set. `tables`: of each unit; undefined: the unit has none. `start`: of the window.
 */
export function cohortRows(
  rows: Iterable<readonly [field: string, row: Row]>,
  sets: readonly (readonly string[])[],
  tables: readonly (readonly AdmissionState[] | undefined)[],
  start: EpochMs,
): readonly CohortRow[] {
  const bySet = new Map(
    sets.map((by) => {
      const name = setText(by);
      const shown = shownByName(
        tables.map((unit) => unit?.find((table) => setText(table.by) === name)),
        start,
      );
      return [name, { by, shown, other: otherValues(by), sums: new Map<string, Row>() }] as const;
    }),
  );
  for (const [field, row] of rows) {
    const name = parseField(field);
    const set = name && bySet.get(name.by);
    if (name === undefined || set === undefined) continue;
    const values = set.shown(name.values) ? name.values : set.other;
    const sum = set.sums.get(values);
    if (sum === undefined) set.sums.set(values, copyRow(row));
    else addRow(sum, row);
  }
  return [...bySet.values()].flatMap(({ by, sums }) =>
    [...sums]
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([values, row]) => ({ by, values: splitValues(by, values), row })),
  );
}
