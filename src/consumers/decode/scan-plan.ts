/**
 * What the scanner looks for in the bytes of a record, of an adapter: members of objects, and which of them is which field. What it cannot express
 * (transforms but constants, `each`, an index in a pointer, names beyond plain ASCII) is left to the adapter.
 */
import { CONTEXT, EXISTS, IS_ABSENT, IS_ONE_OF, MOST_FIELDS, MOST_SPANS } from '../engine/engine-layout.ts';
import { isAsked } from './conditions.ts';
import type { AdapterChoice, Condition, Conditions, FieldMap, FieldSource, MapCase } from './decoder-settings.ts';
import { isTogether } from './field-source.ts';
import { parsePointer } from './pointer.ts';
import { ITEM_FIELDS } from './raw.ts';

/** Fields of a record from which no dimension comes, by the numbers that wasm/scan has for them. */
export const RECORD_FIELDS = [
  'requestId',
  'ts',
  'userId',
  'sessionId',
  'eventId',
  'itemId',
  'action',
  'value',
  'offset',
  'items',
] as const;

/** The fields that dimensions come from. */
export const CONTEXT_FIELDS = ['surface', 'variant', 'experiments', 'cohorts', 'model'] as const;

/** An object: its members by name. */
export interface PlanNode {
  readonly keys: readonly PlanKey[];
  /** Whether an item may be its id alone. */
  readonly scalars: boolean;
}

export interface PlanKey {
  readonly name: string;
  /** The span of the value, or the field of an item; -1: none. */
  readonly field: number;
  /** What is looked for in the value, if it is an object. */
  readonly node: PlanNode | undefined;
  /** What is looked for in the entries, if the value is the list of items. */
  readonly items: PlanNode | undefined;
}

/** A field gets the value of a span, or a JSON text. */
export interface PlanMove {
  readonly field: number;
  readonly from: number | string;
}

export interface PlanCondition {
  readonly span: number;
  readonly kind: number;
  /** JSON texts. */
  readonly values: readonly string[];
}

export interface PlanCase {
  readonly conditions: readonly PlanCondition[];
  readonly moves: readonly PlanMove[];
  /** Whether its records are left to the adapter. */
  readonly isSlow: boolean;
}

export interface ScanPlan {
  readonly root: PlanNode;
  /** Names of the fields in the spans from which dimensions come, as in a map. */
  readonly context: readonly string[];
  readonly spans: number;
  readonly cases: readonly PlanCase[];
}

const CANONICAL: FieldMap = Object.fromEntries([...RECORD_FIELDS, ...CONTEXT_FIELDS].map((name) => [name, `/${name}`]));

/** undefined: the scanner cannot know any of its records. */
export function scanPlan(adapter: AdapterChoice): ScanPlan | undefined {
  const cases = casesOf(adapter);
  if (cases === undefined) return undefined;
  try {
    const plan = new Planner(cases).plan();
    return plan.cases.every(({ isSlow }) => isSlow) ? undefined : plan;
  } catch (error) {
    if (error instanceof NotPlain) return undefined;
    throw error;
  }
}

function casesOf(adapter: AdapterChoice): readonly MapCase[] | undefined {
  if (adapter === 'canonical') return [{ map: CANONICAL }];
  if (typeof adapter === 'string' || 'list' in adapter) return undefined;
  return 'map' in adapter ? [{ map: adapter.map }] : adapter.maps;
}

/** Something that a plan cannot express. */
class NotPlain extends Error {}

/** Printable ASCII, without quotes and backslashes. */
const PLAIN = /^[ !#-[\]-~]+$/;
const INDEX = /^[0-9]+$/;
/** Bytes of a name that fit into what is read beyond a record. */
const LONGEST_NAME = 60;
const DEEPEST = 12;
/** Keys of a node have their numbers in seven bits. */
const MOST_KEYS = 127;

type DraftKey = { -readonly [Member in keyof PlanKey]: Member extends 'node' ? Draft | undefined : PlanKey[Member] };

class Draft {
  readonly keys = new Map<string, DraftKey>();

  key(name: string): DraftKey {
    const known = this.keys.get(name);
    if (known !== undefined) return known;
    if (this.keys.size === MOST_KEYS) throw new NotPlain();
    const key = { name, field: -1, node: undefined, items: undefined };
    this.keys.set(name, key);
    return key;
  }

  at(pointer: string): DraftKey {
    const path = parsePointer(pointer) ?? [];
    if (path.length === 0 || path.length > DEEPEST) throw new NotPlain();
    let node: Draft = this;
    for (const [depth, name] of path.entries()) {
      if (!PLAIN.test(name) || INDEX.test(name) || name.length > LONGEST_NAME) throw new NotPlain();
      const key = node.key(name);
      if (depth === path.length - 1) return key;
      key.node ??= new Draft();
      node = key.node;
    }
    throw new NotPlain();
  }

  done(scalars: boolean): PlanNode {
    return {
      scalars,
      keys: [...this.keys.values()].map(({ node, ...key }) => ({ ...key, node: node?.done(false) })),
    };
  }
}

class Planner {
  readonly #root = new Draft();
  readonly #context: string[] = [];
  readonly #cases: readonly MapCase[];
  #spans = MOST_FIELDS;

  constructor(cases: readonly MapCase[]) {
    this.#cases = cases;
  }

  plan(): ScanPlan {
    const cases = this.#cases.map(({ when = {}, map }) => this.#caseOf(when, map));
    const spans = this.#spans === MOST_FIELDS ? CONTEXT + this.#context.length : this.#spans;
    return { root: this.#root.done(false), context: this.#context, spans, cases };
  }

  #caseOf(when: Conditions, map: FieldMap): PlanCase {
    const conditions = Object.entries(when).map(([pointer, condition]) => this.#condition(pointer, condition));
    try {
      return { conditions, moves: this.#moves(map), isSlow: false };
    } catch (error) {
      if (!(error instanceof NotPlain)) throw error;
      return { conditions, moves: [], isSlow: true };
    }
  }

  #condition(pointer: string, condition: Condition): PlanCondition {
    const span = this.#spanAt(pointer, undefined);
    if (!isAsked(condition)) return { span, kind: IS_ONE_OF, values: [condition].flat().map(jsonOf) };
    const { exists, ...others } = condition;
    if (exists === undefined || Object.values(others).some((asked) => asked !== undefined)) throw new NotPlain();
    return { span, kind: exists ? EXISTS : IS_ABSENT, values: [] };
  }

  #moves(map: FieldMap): readonly PlanMove[] {
    const moves: PlanMove[] = [];
    const fields = Object.entries(map).filter(([as]) => !as.startsWith('items.'));
    for (const [as, source] of fields) {
      const field = this.#field(as);
      const from = originOf(source);
      if (typeof from !== 'string') moves.push({ field, from: jsonOf(from.const) });
      else {
        const span = this.#spanAt(from, this.#cases.length === 1 ? field : undefined);
        if (span !== field) moves.push({ field, from: span });
      }
    }
    const { items } = map;
    if (items !== undefined) this.#listAt(items, itemNode(map));
    return moves;
  }

  #field(as: string): number {
    const field = numberOf(RECORD_FIELDS, as);
    if (field >= 0) return field;
    const [head] = as.split('.');
    if (!CONTEXT_FIELDS.some((name) => name === head)) throw new NotPlain();
    const known = this.#context.indexOf(as);
    const place = known >= 0 ? known : this.#context.push(as) - 1;
    if (CONTEXT + place >= MOST_FIELDS) throw new NotPlain();
    return CONTEXT + place;
  }

  /** The span of the value at a pointer. @param own the one that it has if it has none yet; undefined: a new one */
  #spanAt(pointer: string, own: number | undefined): number {
    const key = this.#root.at(pointer);
    if (key.field < 0) {
      if (own === undefined && this.#spans === MOST_SPANS) throw new NotPlain();
      key.field = own ?? this.#spans++;
    }
    return key.field;
  }

  #listAt(source: FieldSource, items: PlanNode): void {
    const from = originOf(source);
    if (typeof from !== 'string') throw new NotPlain();
    const key = this.#root.at(from);
    if (key.items !== undefined && JSON.stringify(key.items) !== JSON.stringify(items)) throw new NotPlain();
    key.items = items;
  }
}

/** The number of a field; -1: it has none. */
function numberOf(names: readonly string[], name: string): number {
  return names.indexOf(name);
}

/** The pointer, or the constant. */
function originOf(source: FieldSource): string | { readonly const: string | number | boolean } {
  if (typeof source === 'string') return source;
  if (isTogether(source)) throw new NotPlain();
  const [[name, origin], ...others] = Object.entries(source).filter(([, value]) => value !== undefined);
  if (others.length > 0) throw new NotPlain();
  if (name === 'at' && typeof origin === 'string') return origin;
  if (source.const === undefined) throw new NotPlain();
  return { const: source.const };
}

function itemNode(map: FieldMap): PlanNode {
  const named = Object.entries(map).flatMap(([as, source]) =>
    as.startsWith('items.') ? [[as.slice('items.'.length), source] as const] : [],
  );
  const node = new Draft();
  const areWhole = named.length === 0;
  const fields: readonly (readonly [string, FieldSource])[] = areWhole
    ? ITEM_FIELDS.map((name) => [name, `/${name}`])
    : named.some(([name]) => name === 'id')
      ? named
      : [...named, ['id', '/id']];
  for (const [name, source] of fields) {
    const from = originOf(source);
    const field = numberOf(ITEM_FIELDS, name);
    if (typeof from !== 'string' || field < 0) throw new NotPlain();
    const key = node.at(from);
    // A value of two fields, or a value and something in it.
    if (key.field >= 0) throw new NotPlain();
    key.field = field;
  }
  return node.done(areWhole);
}

function jsonOf(value: string | number | boolean): string {
  const isPlain =
    typeof value === 'string'
      ? value === '' || PLAIN.test(value)
      : typeof value === 'boolean' || Number.isSafeInteger(value);
  if (!isPlain) throw new NotPlain();
  return JSON.stringify(value);
}
