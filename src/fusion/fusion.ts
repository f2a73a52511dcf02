/**
 * Merging ranked lists of several voters (runs, rankers, people) into one: `receval/fusion`.
 *
 * @example
 * fusion('rrf').fuse([{ items: ['a', 'b', 'c'] }, { items: ['b', 'd'] }]);
 * // [{ item: 'b', score: 0.0325 }, { item: 'a', score: 0.0164 }, { item: 'd', score: 0.0161 }, { item: 'c', score: 0.0159 }]
 * fusion(' CombSUM( norm=rank )').name; // 'combsum(norm=rank)'
 * methods()[0]; // 'combsum'
 */

import { nearest, suggestion } from '../vocabulary/spelling.ts';
import { type FusedItem, FusionError, orderOf, type RankedList, readBallots, rounded } from './ballots.ts';
import { type Method, type NumberParam, type Param, Params } from './method.ts';
import { METHODS } from './methods.ts';
import { Lessons, type Training, UNTRAINED } from './training.ts';

export interface Fusion {
  /** The canonical name: equal methods have equal names, and the name contains every parameter that is not the default. */
  readonly name: string;
  /** What the method does, in one sentence. */
  readonly summary: string;
  /** The paper. */
  readonly source: string;
  /** Whether it learns from judged queries. Then `fuse` needs lessons, and lists need `voter`. */
  readonly trained: boolean;
  /**
   * The merged list of one query, best first: by score, then by the number of lists that contain the item, then by id
   * (ascending code units). It does not depend on the order of the lists. Empty lists do not vote; if all are empty, so is the
   * result.
   *
   * @param training for methods that learn: `learn(judged).without(query)`
   * @throws FusionError if a list does not have as many scores as items, if the method needs scores or lessons that are
   * missing, or if the lists are too long for it; the message says what to do
   */
  fuse(lists: readonly RankedList[], training?: Training): FusedItem[];
}

/**
 * The method of this name, such as `rrf(k=60)` or `combsum(norm=rank)`. Convention, formula, paper and a worked example of
 * each are at the top of its own file.
 *
 * @throws FusionError (an Error with this name) if the name is wrong; the message says what is right
 */
export function fusion(name: string): Fusion {
  const { method, params, canonical } = parseMethod(name);
  const above = params.number('above');
  return {
    name: canonical,
    summary: method.summary,
    source: method.source,
    trained: method.trained === true,
    fuse: (lists, training = UNTRAINED) => {
      const ballots = readBallots(lists, params.flagr ? 'given' : 'content');
      if (ballots.ballots.length === 0) return [];
      const exact = method.fuse(ballots, params, training);
      const scores = params.flagr ? exact : rounded(exact);
      const order = orderOf(ballots, scores).filter((item) => scores[item] > above);
      return Array.from(order, (item) => ({ item: ballots.items[item], score: scores[item] }));
    },
  };
}

/** Names of all methods. */
export function methods(): string[] {
  return METHODS.map(({ name }) => name);
}

/** A query whose relevant items are known. */
export interface JudgedQuery {
  readonly query: string;
  /** Ids of all relevant items, listed or not. */
  readonly relevant: readonly string[];
  /** Lists, each with its `voter`. */
  readonly lists: readonly RankedList[];
}

/** Collects what methods can learn from judged queries. Use `without(query)`: no query may learn from itself. */
export function learn(judged: Iterable<JudgedQuery>): Lessons {
  const lessons = new Lessons();
  for (const { query, relevant, lists } of judged) {
    lessons.addQuery(query);
    const known = new Set(relevant);
    for (const { items, voter = '' } of lists) {
      const found = new Set<string>();
      const hits = items.map((item) => known.has(item) && found.size < found.add(item).size);
      lessons.add(query, voter, hits, known.size);
    }
  }
  return lessons;
}

/** A method with the values of its parameters. */
interface ParsedMethod {
  readonly method: Method;
  readonly params: Params;
  /** The name with the parameters that are not the default: equal methods have equal names, and it parses back. */
  readonly canonical: string;
}

/** A parameter of every method. */
const above: NumberParam = {
  kind: 'number',
  initial: Number.NEGATIVE_INFINITY,
  range: 'a number',
  allows: () => true,
  meaning: 'items with this score or less are left out',
};

const FORM = 'expected name(key=value), such as rrf(k=60)';

/**
 * Parses `name(key=value, ...)`, in any case, with optional blanks.
 * @throws FusionError that says what was expected and the nearest correct word
 */
export function parseMethod(source: string): ParsedMethod {
  const text = source.trim();
  if (text === '') throw new FusionError(`a method is empty; ${FORM}`);
  const parts = /^([^()]*?)\s*(?:\(([^()]*)\))?$/.exec(text);
  if (parts === null) throw new FusionError(`"${text}": the parentheses do not match; ${FORM}`);
  const method = methodOf(parts[1].toLowerCase(), text);
  const given = givenOf(parts[2], method, text);
  const values = new Map<string, string | number>();
  const printed: string[] = [];
  const known: Readonly<Record<string, Param>> = { ...method.params, above };
  for (const key of Object.keys(known).sort()) {
    const param = known[key];
    const initial = param.kind === 'word' ? param.values[0] : param.initial;
    const own = given.get(key);
    const value = own === undefined ? initial : readValue(key, param, own, text);
    values.set(key, value);
    if (value !== initial) printed.push(`${key}=${value}`);
  }
  // PyFLAGR passes its parameters as floats.
  if (values.get('as') === 'flagr') {
    for (const [key, value] of values) if (typeof value === 'number') values.set(key, Math.fround(value));
  }
  const canonical = printed.length === 0 ? method.name : `${method.name}(${printed.join(',')})`;
  return { method, params: new Params(values), canonical };
}

function methodOf(name: string, text: string): Method {
  const found = METHODS.find((one) => one.name === name || one.aliases?.includes(name) === true);
  if (found !== undefined) return found;
  const names = METHODS.map((one) => one.name);
  const near = nearest(name, [...names, ...METHODS.flatMap(({ aliases = [] }) => aliases)]);
  const hint = near === undefined ? suggestion(name, names) : `; did you mean "${near}${text.slice(name.length)}"?`;
  throw new FusionError(`unknown method "${text}"${hint}`);
}

function givenOf(inner: string | undefined, method: Method, text: string): ReadonlyMap<string, string> {
  const given = new Map<string, string>();
  if (inner === undefined) return given;
  const keys = [...Object.keys(method.params), 'above'];
  for (const part of inner.split(',')) {
    const [, key = '', value = ''] = /^\s*([a-z][a-z0-9_]*)\s*=\s*([a-z0-9_.:-]+)\s*$/i.exec(part) ?? [];
    const lower = key.toLowerCase();
    if (lower === '') throw new FusionError(`"${text}": expected key=value, got "${part.trim()}"`);
    if (!keys.includes(lower)) {
      throw new FusionError(`"${text}": unknown parameter "${key}"${suggestion(lower, keys)}`);
    }
    if (given.has(lower)) throw new FusionError(`"${text}": the parameter ${lower} is given twice`);
    given.set(lower, value.toLowerCase());
  }
  return given;
}

function readValue(key: string, param: Param, value: string, text: string): string | number {
  if (param.kind === 'word') {
    if (param.values.includes(value)) return value;
    throw new FusionError(`"${text}": unknown value ${key}=${value}${suggestion(value, param.values)}`);
  }
  const number = /^-?(?:\d+(?:\.\d*)?|\.\d+)(?:e-?\d+)?$/.test(value) ? Number(value) : Number.NaN;
  if (Number.isFinite(number) && param.allows(number)) return number;
  throw new FusionError(`"${text}": ${key} must be ${param.range}, got "${value}"`);
}
