/** The schema as a tree of settings: the names at and below a path. */
import { z } from 'zod';

export type Schema = z.core.$ZodType;

/** Names and list indices from the root. */
export type Path = readonly (string | number)[];

/** Returns text such as `measures[2]` or `kafka.topics.feedback[0].adapter`. */
export function printPath(path: Path): string {
  let text = '';
  for (const step of path) text += typeof step === 'number' ? `[${step}]` : `${text === '' ? '' : '.'}${step}`;
  return text;
}

/** The type inside of defaults, options and transformations. */
export function unwrap(schema: Schema): Schema {
  let inner = schema;
  for (;;) {
    if (inner instanceof z.ZodPipe) inner = inner.in;
    else if (
      inner instanceof z.ZodPrefault ||
      inner instanceof z.ZodDefault ||
      inner instanceof z.ZodOptional ||
      inner instanceof z.ZodNullable
    ) {
      inner = inner.unwrap();
    } else return inner;
  }
}

/** The default value; undefined: there is none. */
export function defaultOf(schema: Schema): unknown {
  return schema instanceof z.ZodPrefault ? structuredClone(schema.def.defaultValue) : undefined;
}

/** Settings with a fixed name directly below, in any form of the value. */
export function childrenOf(schema: Schema): ReadonlyMap<string, Schema> {
  const inner = unwrap(schema);
  if (inner instanceof z.ZodObject) return new Map<string, Schema>(Object.entries(inner.shape));
  if (inner instanceof z.ZodUnion) return new Map(inner.options.flatMap((option) => [...childrenOf(option)]));
  return new Map();
}

/** The valid value with all defaults, as it would be written. */
export function completed(schema: Schema, tree: Tree): Tree {
  const whole = filled(schema, tree);
  return isTree(whole) ? whole : tree;
}

function filled(schema: Schema, value: unknown): unknown {
  const given = value === undefined ? defaultOf(schema) : value;
  if (Array.isArray(given)) {
    const element = elementOf(schema);
    return element === undefined ? given : given.map((each) => filled(element, each));
  }
  if (!isTree(given)) return given;
  const [children, entry] = [childrenOf(schema), entryOf(schema)];
  const whole: Tree = {};
  for (const name of new Set([...children.keys(), ...Object.keys(given)])) {
    const child = children.get(name) ?? entry;
    const below = child === undefined ? given[name] : filled(child, given[name]);
    if (below !== undefined) whole[name] = below;
  }
  return whole;
}

/** The schema of the entries of a group with free names (actions, experiments); undefined: it is no such group. */
export function entryOf(schema: Schema): Schema | undefined {
  const inner = unwrap(schema);
  if (inner instanceof z.ZodUnion) return inner.options.map(entryOf).find((entry) => entry !== undefined);
  return inner instanceof z.ZodRecord ? inner.valueType : undefined;
}

/** The schema of the elements, if the value may be a list. */
export function elementOf(schema: Schema): Schema | undefined {
  const inner = unwrap(schema);
  if (inner instanceof z.ZodArray) return inner.element;
  if (!(inner instanceof z.ZodUnion)) return undefined;
  for (const option of inner.options) {
    const element = elementOf(option);
    if (element !== undefined) return element;
  }
  return undefined;
}

/** Names that are allowed below `path`. */
export function namesBelow(root: Schema, path: Path): readonly string[] {
  let schema: Schema | undefined = root;
  for (const step of path) {
    if (schema === undefined) return [];
    schema = typeof step === 'number' ? elementOf(schema) : (childrenOf(schema).get(step) ?? entryOf(schema));
  }
  return schema === undefined ? [] : [...childrenOf(schema).keys()];
}

export type Tree = { [name: string]: unknown };

export function isTree(value: unknown): value is Tree {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The value at a path; undefined: there is none. */
export function valueAt(root: unknown, path: Path): unknown {
  let value = root;
  for (const step of path) {
    if (typeof step === 'number') value = Array.isArray(value) ? value[step] : undefined;
    else value = isTree(value) && Object.hasOwn(value, step) ? value[step] : undefined;
  }
  return value;
}

/** Whether the path leads to a group without any setting. */
export function isEmptyAt(root: Tree, path: Path): boolean {
  const group = valueAt(root, path);
  return isTree(group) && Object.keys(group).length === 0;
}

/** Removes a setting. Returns whether there was one. */
export function removeAt(root: Tree, path: Path): boolean {
  const name = String(path.at(-1));
  const parent = valueAt(root, path.slice(0, -1));
  return isTree(parent) && Object.hasOwn(parent, name) && delete parent[name];
}
