/** The schema as a tree of settings: what is below a path, and what it is called. */
import { z } from 'zod';

type Schema = z.core.$ZodType;

/** Names and list indices from the root. */
export type Path = readonly (string | number)[];

/** `measures[2]`, `kafka.topics.feedback[0].adapter`. */
export function printPath(path: Path): string {
  let text = '';
  for (const step of path) text += typeof step === 'number' ? `[${step}]` : `${text === '' ? '' : '.'}${step}`;
  return text;
}

/** The type inside of defaults and options. */
export function unwrap(schema: Schema): Schema {
  let inner = schema;
  while (
    inner instanceof z.ZodPrefault ||
    inner instanceof z.ZodDefault ||
    inner instanceof z.ZodOptional ||
    inner instanceof z.ZodNullable
  ) {
    inner = inner.unwrap();
  }
  return inner;
}

/** The default; undefined: there is none. */
export function defaultOf(schema: Schema): unknown {
  return schema instanceof z.ZodPrefault ? structuredClone(schema.def.defaultValue) : undefined;
}

/** Settings with a fixed name directly below, of every form of the value. */
export function childrenOf(schema: Schema): ReadonlyMap<string, Schema> {
  const inner = unwrap(schema);
  if (inner instanceof z.ZodObject) return new Map<string, Schema>(Object.entries(inner.shape));
  if (inner instanceof z.ZodUnion) return new Map(inner.options.flatMap((option) => [...childrenOf(option)]));
  return new Map();
}

/** The schema of any entry of a group with free names (actions, experiments); undefined: it is not such a group. */
export function entryOf(schema: Schema): Schema | undefined {
  const inner = unwrap(schema);
  return inner instanceof z.ZodRecord ? inner.valueType : undefined;
}

/** The schema of any element, if the value may be a list. */
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

/** The value at a path; undefined: none. */
export function valueAt(root: unknown, path: Path): unknown {
  let value = root;
  for (const step of path) {
    if (typeof step === 'number') value = Array.isArray(value) ? value[step] : undefined;
    else value = isTree(value) && Object.hasOwn(value, step) ? value[step] : undefined;
  }
  return value;
}

/** Whether there is a group without any setting. */
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
