/** Weakened rules of closings that the engine adds itself: each must be caught. */
import { type History, MANY_EVENTS, MANY_LISTS } from '../accumulators/added.ts';
import { type Change, change, type Mutation } from './mutation.ts';

const ADDING = '../wasm/engine/adding.ts';
const RULES = '../wasm/engine/rules.ts';
const DUE = '../wasm/engine/due.ts';
const PENDING = 'accumulators/pending-sums.ts';
const PANES = 'accumulators/panes.ts';
const TABLE = 'accumulators/kept-lists.ts';

/** So few that patterns take their places from each other. */
export const FEW_PLACES: readonly Change[] = [
  { file: ADDING, text: 'PLACE_BITS: u32 = 15', replacement: 'PLACE_BITS: u32 = 2' },
  { file: 'consumers/engine/engine-layout.ts', text: 'PLACE_BITS = 15', replacement: 'PLACE_BITS = 2' },
];

export const ADDING_MUTATIONS: readonly Mutation[] = [
  change(
    'what is due is not done first',
    ADDING,
    'if (pattern < 0 || time >= adder.due) return false;',
    'if (pattern < 0) return false;',
  ),
  change('a list of the next pane is added to this one', ADDING, 'ts >= pane.from && ts < pane.to', 'ts >= pane.from'),
  change('what is not plain is scored as if it were', DUE, 'if (body(due.body).isPlain()) ', ''),
  change('the first list of a cell changes no rows', ADDING, 'cell.isTouched === 0 || ', ''),
  change(
    'nor does the first one after a commit',
    'accumulators/pending-sums.ts',
    'this.#blocks.engine.words[this.#headOf(cell) + CELL.isTouched] = 0;',
    '',
  ),
  change(
    'feedback that comes too late for a horizon counts',
    ADDING,
    '(event.missed() & (1 << horizon)) !== 0 || ',
    '',
  ),
  change('values are not read', ADDING, 'codes.readsValue === 0', 'codes.readsValue <= 1'),
  change(
    'the same event again does not count where it should',
    ADDING,
    'if (isAgain && codes.addsUp === 0) continue;',
    'if (isAgain) continue;',
  ),
  change('events of no listed action count', ADDING, ' || action < 0) continue;', ') continue;'),
  change(
    'a code takes the place of another',
    ADDING,
    'for (let from = end; from > to; from -= 4) store<u32>(from, load<u32>(from - 4));',
    '',
  ),
  change(
    'values of no class are all alike',
    ADDING,
    'halves < <f64>classes ? halves : -1',
    'halves < <f64>classes ? halves : 31',
  ),
  change('actions are alike', ADDING, 'ofSlot + codes.first + <u32>value', 'ofSlot + <u32>value'),
  change('slots are alike', ADDING, 'event.slot() * table.width', 'event.slot() * 0'),
  change('pages are alike', ADDING, 'let pattern = <f64>body(bodyAt).page();', 'let pattern: f64 = 0;'),
  change('lists with positives are not counted', ADDING, 'if (kept.isPositive !== 0) increase(to + POSITIVES);', ''),
  change('lists without a user are not counted', ADDING, 'if (list.isUserless()) increase', 'if (false) increase'),
  change('buckets add what cells alone have', ADDING, 'addTo(to, kept, kept.shared);', 'addTo(to, kept, kept.all);'),
  change(
    'all users are of one bucket',
    ADDING,
    'const bucket = user & (vector.buckets - 1);',
    'const bucket: u32 = 0;',
  ),
  change(
    'only the first vector is added to',
    ADDING,
    'v === 0 ? cell.first : v === 1 ? cell.second : cell.third',
    'cell.first',
  ),
  change(
    'a tag is forgotten before the list that waits is told',
    ADDING,
    '  flushQueue();\n  const holders',
    '  const holders',
  ),
  change('a tag is never forgotten', ADDING, 'else unref(tag);', 'else store<u32>(holder, 1);'),
  change('what came too late for a horizon is added', RULES, '!missed(bodyAt, entryAt, horizon)', 'true'),
  change('what is shared by rows that keep counts by rank is added', PENDING, ' || positions.length > 0', ''),
  change('cells of cohorts in the rest are added to', PENDING, 'this.admittedAt[cell] !== NAMED || ', ''),
  change(
    'who lost a place is added by name',
    PENDING,
    'for (const tag of this.#tags) this.#pane.cells.set(tag, 0);\n  }\n\n  /** Folds all cells into',
    '}\n\n  /** Folds all cells into',
  ),
  change(
    'what is deferred by bucket is not folded',
    PENDING,
    'for (const buckets of this.#buckets.values()) buckets.fold();',
    '',
  ),
  change('buckets are folded twice', PENDING, '      doubles.fill(0, at, at + width);\n', ''),
  change(
    'the pane of a horizon stays the first',
    PENDING,
    '    this.#pane.setTimes(from, to);\n',
    '    if (from < to) this.#pane.setTimes(-Infinity, Infinity);\n',
  ),
  change(
    'what is due next stays what it was',
    PANES,
    '    this.#adder.setDue(this.#due);\n',
    '    this.#adder.setDue(Number.POSITIVE_INFINITY);\n',
  ),
  change('sums of another list that were large stay', TABLE, 'if (sums.large.length > 0) sums.large = [];', ''),
  change(
    'empty lists that are kept are not counted',
    'accumulators/kept-lists.ts',
    'isEmptyList(list.length, list.pageOffset)',
    'false',
  ),
  change('ranks of positives are not kept', TABLE, 'positives.count = ranks;', 'positives.count = 0;'),
  change('buckets that were added to are not known', ADDING, 'if (load<f64>(to + LISTS) === 0) {', 'if (false) {'),
  {
    name: 'any pattern of a place is the one that is kept there',
    changes: [
      ...FEW_PLACES,
      { file: ADDING, text: 'place.pattern === pattern ? place.sums : 0', replacement: 'place.sums' },
    ],
  },
];

/** They matter for histories that are seldom drawn. */
export const BOUND_MUTATIONS: readonly (Mutation & { readonly history: History })[] = [
  {
    ...change(
      'a cell is not folded in time',
      ADDING,
      ' || load<f64>(cellAt + CELL_HEAD + LISTS) >= MOST_LISTS - 1',
      '',
    ),
    history: MANY_LISTS,
  },
  {
    ...change('a bucket takes any number of lists', ADDING, 'if (!hasRoom(cell, user, width)) return false;', ''),
    history: MANY_LISTS,
  },
  {
    ...change(
      'feedback beyond the most does not count',
      ADDING,
      'if (end === codesAt + 4 * <usize>table.mostEvents) return -1;',
      'if (end === codesAt + 4 * <usize>table.mostEvents) break;',
    ),
    history: MANY_EVENTS,
  },
];
