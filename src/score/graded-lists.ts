import { DEEPEST_JSON, isTooDeep } from '../consumers/decode/raw.ts';
import { type PlainList, type PlainSlots, plainJoined } from '../measures/plain.ts';
import { isEmptyList, type Joined } from '../vocabulary/events.ts';
import { nearest } from '../vocabulary/spelling.ts';
import { type BlockReader, InputError, ifComment } from './line-blocks.ts';
import { NEWLINE, textOf } from './line-fields.ts';
import { RunTotals } from './list-values.ts';
import type { Ties } from './order.ts';
import type { Counts, RunScore } from './score-result.ts';
import type { ScoringSettings } from './scoring-settings.ts';
import { TiesMean } from './ties-mean.ts';

/**
 * Scores lists that contain their own grades, one JSON object per line. A list without `query` is named by its line number.
 * Items are in the given order; if a rule for ties is given, lists with scores are ordered by them.
 */
export class GradedLists implements BlockReader {
  readonly #file: string;
  readonly #settings: ScoringSettings;
  readonly #ties: Ties | undefined;
  readonly #totals: RunTotals;
  readonly #mean: TiesMean | undefined;
  /** Line number of each query. */
  readonly #lines = new Map<string, number>();
  readonly #asksKnown: boolean;
  #withoutKnown = 0;
  #empty = 0;
  #line = 0;

  constructor(file: string, settings: ScoringSettings, ties: Ties | undefined) {
    this.#file = file;
    this.#settings = settings;
    this.#ties = ties;
    this.#totals = new RunTotals(settings);
    this.#asksKnown = settings.measures.some(({ params }) => params.get('ideal') === 'all');
    this.#mean = ties === 'mean' ? TiesMean.of(settings.measures) : undefined;
  }

  block(bytes: Uint8Array, from: number, to: number): void {
    for (let at = from; at < to; ) {
      this.#line++;
      const end = bytes.indexOf(NEWLINE, at);
      const text = textOf(bytes, at, end).trim();
      if (text !== '') this.#take(text);
      at = end + 1;
    }
  }

  /** Number of lists so far. */
  get count(): number {
    return this.#lines.size;
  }

  end(): void {
    if (this.#lines.size === 0) throw new InputError(this.#file, undefined, 'there is no list in it');
  }

  finish(name: string): RunScore {
    return { ...this.#totals.finish(name), withoutKnown: this.#withoutKnown, emptyLists: this.#empty };
  }

  #take(text: string): void {
    const named = namedList(text);
    if (typeof named === 'string') throw new InputError(this.#file, this.#line, `${named}${ifComment(text)}`);
    const query = named.query ?? String(this.#line);
    const other = this.#lines.get(query);
    if (other !== undefined) {
      throw new InputError(this.#file, this.#line, `the query "${query}" has a list on line ${other} already`);
    }
    this.#lines.set(query, this.#line);
    if (this.#asksKnown && 'grades' in named.list && named.list.known === undefined) this.#withoutKnown++;
    const list = this.#joined(named.list);
    const { scorer, out } = this.#settings;
    if (isEmptyList(list.length, list.pageOffset)) this.#empty++;
    scorer.score(list, out);
    const { scores } = list;
    if (scores !== undefined) this.#mean?.correct(list, (slot) => scores[slot], out);
    this.#totals.add(query, list, this.#counts(list), named);
  }

  #joined(list: PlainList): Joined {
    const { depth, scorer, gradeLimit } = this.#settings;
    try {
      const ordered = this.#ties === undefined ? list : byScores(list, this.#ties);
      const cut = cutList(ordered, depth);
      const joined = withActions(plainJoined(cut, gradeLimit), scorer.actions.length);
      if (scorer.needs.items && joined.items === undefined) {
        throw new RangeError('the measures need items; expected {"items": [...]}');
      }
      return joined;
    } catch (error) {
      if (!(error instanceof RangeError)) throw error;
      throw new InputError(this.#file, this.#line, error.message);
    }
  }

  #counts({ length, events, action, value, known }: Joined): Counts {
    const { relevantFrom } = this.#settings;
    let shown = 0;
    for (let e = 0; e < events; e++) if (action[e] === 0 && value[e] >= relevantFrom) shown++;
    let relevant = 0;
    if (known !== undefined) for (const grade of known) if (grade >= relevantFrom) relevant++;
    return { retrieved: length, relevant: Math.max(relevant, shown), relevantRetrieved: shown };
  }
}

/** The list with an event of every action that a measure names on each relevant slot. */
function withActions(list: Joined, actions: number): Joined {
  if (actions === 1) return list;
  const { events } = list;
  const [slot, action, value]: number[][] = [[], [], []];
  for (let e = 0; e < events; e++) {
    for (let a = 0; a < (list.value[e] > 0 ? actions : 1); a++) {
      slot.push(list.slot[e]);
      action.push(a);
      value.push(list.value[e]);
    }
  }
  return {
    ...list,
    events: slot.length,
    slot: Int32Array.from(slot),
    action: Int32Array.from(action),
    value: Float64Array.from(value),
    ts: new Float64Array(slot.length),
  };
}

/**
 * The list in descending order of its scores; one without scores is not changed.
 * @throws RangeError if ids are needed that the list does not have
 */
function byScores(list: PlainList, ties: Ties): PlainList {
  const { scores } = list;
  if (scores === undefined || 'ratings' in list) return list;
  if (ties === 'docno' && !('items' in list)) {
    throw new RangeError('--ties docno orders by id, and this list has none; expected items, or --ties first or last');
  }
  const value = (slot: number): number => scores[slot] ?? Number.NEGATIVE_INFINITY;
  const order = scores.map((_, slot) => slot);
  const ids = 'items' in list ? list.items.map(String) : [];
  order.sort((a, b) => {
    if (value(a) !== value(b)) return value(b) - value(a);
    if (ties === 'docno') return ids[a] < ids[b] ? 1 : ids[a] > ids[b] ? -1 : a - b;
    return ties === 'last' ? b - a : a - b;
  });
  return taken(list, order);
}

/** The first slots of a list. */
function cutList(list: PlainList, depth: number): PlainList {
  const length = 'grades' in list ? list.grades.length : 'items' in list ? list.items.length : list.ratings.length;
  if (length <= depth) return list;
  // Grades known for the whole list stay known.
  const known = 'grades' in list && list.known === undefined ? { known: list.grades } : {};
  return {
    ...taken(
      list,
      Array.from({ length: depth }, (_, slot) => slot),
    ),
    ...known,
  };
}

function taken(list: PlainList, order: readonly number[]): PlainList {
  const pick = <T>(from: readonly T[]): T[] => order.map((slot) => from[slot]);
  const slots = {
    ...(list.scores === undefined ? {} : { scores: pick(list.scores) }),
    ...(list.ranks === undefined ? {} : { ranks: list.ranks.slice(0, order.length) }),
    ...(list.offset === undefined ? {} : { offset: list.offset }),
  };
  if ('grades' in list) {
    return { ...slots, grades: pick(list.grades), ...(list.known === undefined ? {} : { known: list.known }) };
  }
  if ('items' in list) return { ...slots, items: pick(list.items), positives: list.positives };
  return { ...slots, ratings: pick(list.ratings) };
}

/** A graded list from a line of NDJSON: a plain list and its query. */
interface NamedList {
  readonly query: string | undefined;
  readonly user: string | undefined;
  readonly session: string | undefined;
  readonly list: PlainList;
}

const LIST_FORMS =
  'expected {"grades": [...]}, {"items": [...], "positives": [...]} or {"scores": [...], "ratings": [...]}';

/** @returns a text if something is wrong */
function namedList(line: string): NamedList | string {
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch {
    return `this is no JSON; ${LIST_FORMS}`;
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return `no object; ${LIST_FORMS}`;
  if (isTooDeep(line)) return `nested deeper than ${DEEPEST_JSON} levels; ${LIST_FORMS}`;
  const fields = new Map<string, unknown>(Object.entries(value));
  for (const field of FIELDS) {
    const wrong = field.wrong(fields);
    if (wrong !== undefined) return wrong;
  }
  const slip = misspelt(fields);
  if (slip !== undefined) return slip;
  const clash = clashOf(fields);
  if (clash !== undefined) return `${clash} do not go together; ${LIST_FORMS}`;
  const list = plainList(fields);
  if (list === undefined) return LIST_FORMS;
  const name = (field: Field<string | number>): string | undefined => field.of(fields)?.toString();
  return { query: name(QUERY), user: name(USER), session: name(SESSION), list };
}

type Guard<T> = (value: unknown) => value is T;

const isId: Guard<string | number> = (value) => typeof value === 'string' || typeof value === 'number';
const isNumber: Guard<number> = (value) => typeof value === 'number';
const isNumberOrNull: Guard<number | null> = (value) => typeof value === 'number' || value === null;

function listOf<T>(entry: Guard<T>): Guard<readonly T[]> {
  return (value): value is readonly T[] => Array.isArray(value) && value.every(entry);
}

/** A field of a line and the type that it must have. It may be absent. */
class Field<T> {
  readonly name: string;
  readonly #guard: Guard<T>;
  readonly #expected: string;

  constructor(name: string, guard: Guard<T>, expected: string) {
    this.name = name;
    this.#guard = guard;
    this.#expected = expected;
  }

  of(fields: ReadonlyMap<string, unknown>): T | undefined {
    const value = fields.get(this.name);
    return this.#guard(value) ? value : undefined;
  }

  accepts(value: unknown): boolean {
    return this.#guard(value);
  }

  wrong(fields: ReadonlyMap<string, unknown>): string | undefined {
    const value = fields.get(this.name);
    if (value === undefined || this.#guard(value)) return undefined;
    return `${this.name} must be ${this.#expected}, got ${shortened(JSON.stringify(value))}`;
  }
}

const id = (name: string) => new Field(name, isId, 'a text or a number');
const ids = (name: string) => new Field(name, listOf(isId), 'a list of ids');
const numbers = (name: string) => new Field(name, listOf(isNumber), 'a list of numbers');
const numbersOrNull = (name: string) => new Field(name, listOf(isNumberOrNull), 'a list of numbers or null');

const QUERY = id('query');
const USER = id('user');
const SESSION = id('session');
const GRADES = numbers('grades');
const KNOWN = numbers('known');
const SCORES = numbersOrNull('scores');
const RATINGS = numbersOrNull('ratings');
const ITEMS = ids('items');
const POSITIVES = ids('positives');
const RANKS = numbers('ranks');
const OFFSET = new Field('offset', isNumber, 'a whole number');
const FIELDS = [QUERY, USER, SESSION, GRADES, KNOWN, SCORES, RATINGS, ITEMS, POSITIVES, RANKS, OFFSET];

/** Fields that describe a list in two ways, or that its form ignores. */
const CLASHES: readonly (readonly [form: Field<unknown>, others: readonly Field<unknown>[]])[] = [
  [GRADES, [ITEMS, POSITIVES, RATINGS]],
  [ITEMS, [RATINGS, KNOWN]],
  [RATINGS, [POSITIVES, KNOWN]],
];

function clashOf(fields: ReadonlyMap<string, unknown>): string | undefined {
  for (const [form, others] of CLASHES) {
    const other = fields.has(form.name) ? others.find(({ name }) => fields.has(name)) : undefined;
    if (other !== undefined) return `${form.name} and ${other.name}`;
  }
  return undefined;
}

/**
 * Finds misspelt fields. Unknown fields are ignored, but one that is spelled almost like an absent one, with a value that this one can
 * have, is a slip.
 */
function misspelt(fields: ReadonlyMap<string, unknown>): string | undefined {
  const absent = new Map(FIELDS.flatMap((field) => (fields.has(field.name) ? [] : [[field.name, field] as const])));
  for (const [name, value] of fields) {
    if (FIELDS.some((field) => field.name === name)) continue;
    const near = nearest(name, absent.keys());
    if (near === undefined || absent.get(near)?.accepts(value) !== true) continue;
    return `unknown field "${shortened(name)}"; did you mean "${near}"?`;
  }
  return undefined;
}

function shortened(text: string): string {
  return text.length > 40 ? `${text.slice(0, 40)}...` : text;
}

/** undefined if it has none of the forms. Items alone are a list without positives, for measures that need no judgements. */
function plainList(fields: ReadonlyMap<string, unknown>): PlainList | undefined {
  const [scores, ranks, offset] = [SCORES.of(fields), RANKS.of(fields), OFFSET.of(fields)];
  const slots: PlainSlots = {
    ...(scores === undefined ? {} : { scores }),
    ...(ranks === undefined ? {} : { ranks }),
    ...(offset === undefined ? {} : { offset }),
  };
  const grades = GRADES.of(fields);
  const known = KNOWN.of(fields);
  if (grades !== undefined) return { ...slots, grades, ...(known === undefined ? {} : { known }) };
  const items = ITEMS.of(fields);
  if (items !== undefined) return { ...slots, items, positives: POSITIVES.of(fields) ?? [] };
  const ratings = RATINGS.of(fields);
  return ratings === undefined ? undefined : { ...slots, ratings };
}
