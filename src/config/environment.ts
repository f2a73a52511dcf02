import { z } from 'zod';
import { codeOf, messageOf } from '../vocabulary/error-text.ts';
import { suggestion } from '../vocabulary/spelling.ts';
import type { Problem } from './problems.ts';
import {
  childrenOf,
  defaultOf,
  elementOf,
  entryOf,
  isTree,
  type Path,
  printPath,
  type Schema,
  type Tree,
  unwrap,
} from './tree.ts';
import { parseYaml } from './yaml.ts';

const PREFIX = 'RECEVAL_';
const FROM_FILE = '_FILE';

/**
 * Variables with our prefix that are not settings: those that Kubernetes sets for a service named receval (RECEVAL_SERVICE_HOST,
 * RECEVAL_PORT_9464_TCP_ADDR, ...), and the command line with which a script runs receval.
 */
const FOREIGN =
  /^RECEVAL_(?:CMD|SERVICE_(?:HOST|PORT(?:_[A-Z0-9_]+)?)|PORT(?:_\d+_(?:TCP|UDP)(?:_(?:ADDR|PORT|PROTO))?)?)$/;

/** The environment, as in `process.env`. */
export type Environment = Readonly<Record<string, string | undefined>>;

interface Setting {
  readonly path: readonly string[];
  readonly schema: Schema;
  /** The group of free names (actions, experiments) that it belongs to, with the entries that the group had before. */
  readonly group: { readonly path: readonly string[]; readonly entries: Tree } | undefined;
}

interface Applied {
  readonly problems: readonly Problem[];
  /** For the path of each setting from the environment, its variable. */
  readonly sources: ReadonlyMap<string, string>;
}

/**
 * Applies the RECEVAL_ variables to a document, in place.
 *
 * `readFile` reads the file that a variable ending in _FILE names.
 */
export function applyEnvironment(
  document: Tree,
  root: Schema,
  env: Environment,
  readFile: (path: string) => string,
): Applied {
  const settings = settingsByVariable(root, document);
  const problems: Problem[] = [];
  const sources = new Map<string, string>();
  for (const name of Object.keys(env).sort()) {
    const given = env[name];
    if (!name.startsWith(PREFIX) || given === undefined || FOREIGN.test(name)) continue;
    const isFile = !settings.has(name) && name.endsWith(FROM_FILE);
    const variable = isFile ? name.slice(0, -FROM_FILE.length) : name;
    const setting = settings.get(variable);
    if (setting === undefined) {
      const near = suggestion(variable, [...settings.keys()]);
      const message = near.startsWith('; did')
        ? near
        : `; expected ${PREFIX} and the path of a setting in upper snake case`;
      problems.push({ path: name, message: `unknown variable${message}` });
    } else if (isFile && env[variable] !== undefined) {
      problems.push({ path: name, message: `conflicts with ${variable}; leave one out` });
    } else {
      const message = isFile ? applyFile(document, setting, given, readFile) : applyText(document, setting, given);
      if (message !== undefined) problems.push({ path: name, message });
      sources.set(printPath(setting.path), name);
    }
  }
  return { problems, sources };
}

/** Applies values by path (`http.port`) to a document, in place, as flags do. Returns what is wrong with them. */
export function applyOverrides(
  document: Tree,
  root: Schema,
  overrides: Readonly<Record<string, string>>,
): readonly Problem[] {
  const settings = new Map<string, Setting>();
  for (const setting of settingsByVariable(root, document).values()) settings.set(printPath(setting.path), setting);
  const problems: Problem[] = [];
  for (const [path, text] of Object.entries(overrides)) {
    const setting = settings.get(path);
    const message =
      setting === undefined
        ? `unknown setting${suggestion(path, [...settings.keys()])}`
        : applyText(document, setting, text);
    if (message !== undefined) problems.push({ path, message });
  }
  return problems;
}

/** The variable that sets the value at a path. A free name such as `<name>` keeps its brackets. */
export function variableOf(path: readonly string[]): string {
  return PREFIX + path.map((name) => (/^<.*>$/.test(name) ? name.toUpperCase() : upperSnake(name))).join('_');
}

/** Returns OUT_OF_ORDERNESS for `outOfOrderness`. */
export function upperSnake(name: string): string {
  return name
    .replace(/([a-z0-9])([A-Z])/g, '$1_$2')
    .replace(/[^A-Za-z0-9]/g, '_')
    .toUpperCase();
}

/** Every setting that a variable can name. Entries of free names are those of the document, or else those of the defaults. */
function settingsByVariable(root: Schema, document: Tree): ReadonlyMap<string, Setting> {
  const settings = new Map<string, Setting>();
  const visit = (path: readonly string[], schema: Schema, given: unknown, above: Setting['group']): void => {
    const value = given ?? defaultOf(schema);
    const name = variableOf(path);
    if (path.length > 0 && !settings.has(name)) settings.set(name, { path, schema, group: above });
    const entry = entryOf(schema);
    const entries = isTree(value) ? value : {};
    const group = above ?? (entry === undefined ? undefined : { path, entries });
    for (const [below, child] of childrenOf(schema)) visit([...path, below], child, entries[below], group);
    if (entry !== undefined)
      for (const below of Object.keys(entries)) visit([...path, below], entry, entries[below], group);
  };
  visit([], root, document, undefined);
  return settings;
}

function applyFile(
  document: Tree,
  setting: Setting,
  file: string,
  readFile: (path: string) => string,
): string | undefined {
  let text: string;
  try {
    text = readFile(file);
  } catch (error) {
    return `cannot read the file that it names (${codeOf(error) || messageOf(error)})`;
  }
  // The value of a secret is never printed, so an empty file must be reported here.
  if (text.trim() === '' && readText('', setting.schema) === '') return 'the file that it names is empty';
  return applyText(document, setting, text.replace(/\r?\n$/, ''));
}

function applyText(document: Tree, { path, schema, group }: Setting, text: string): string | undefined {
  let value: unknown;
  try {
    value = readText(text, schema);
  } catch {
    return `cannot be read as a value of ${printPath(path)}; write it as in YAML, lists as a,b,c`;
  }
  if (group !== undefined && path.length > group.path.length) setAt(document, group.path, group.entries);
  return setAt(document, path, value)
    ? undefined
    : `needs ${printPath(path.slice(0, -1))} to be a group; set it as a whole`;
}

/** Creates the missing groups of the path. Returns false if another value is in the way. */
function setAt(root: Tree, path: Path, value: unknown): boolean {
  let tree = root;
  for (const step of path.slice(0, -1).map(String)) {
    const next = Object.hasOwn(tree, step) ? tree[step] : {};
    if (!isTree(next)) return false;
    tree[step] = next;
    tree = next;
  }
  tree[String(path.at(-1))] = value;
  return true;
}

/**
 * Text stays text if the setting is text. A list is split at commas outside brackets; brackets around all of it are optional.
 * Everything else is read as YAML: numbers, true, {a: 1}.
 * @throws Error if that is not YAML, or too large.
 */
function readText(text: string, schema: Schema): unknown {
  const inner = unwrap(schema);
  if (inner instanceof z.ZodString || inner instanceof z.ZodEnum) return text;
  const element = elementOf(inner);
  const isGroup = text.trim().startsWith('{') && splitList(text).length === 1;
  if (element === undefined || isGroup) return readForms(text, inner);
  const isNested = elementOf(element) !== undefined;
  const list = isBracketed(text, isNested ? /^\[\s*\[/ : /^\[/) ? text.trim().slice(1, -1) : text;
  return splitList(list).map((part) => readText(part, element));
}

function readForms(text: string, schema: Schema): unknown {
  const parsed = parseYaml(text, 0);
  if (parsed.problem !== undefined) throw new Error('not valid YAML');
  const { value } = parsed;
  const mayBeText =
    schema instanceof z.ZodUnion && schema.options.some((option) => unwrap(option) instanceof z.ZodString);
  return mayBeText && typeof value !== 'object' ? text : value;
}

/** Whether the first bracket closes at the very end. */
function isBracketed(text: string, opening: RegExp): boolean {
  const trimmed = text.trim();
  if (!opening.test(trimmed) || !trimmed.endsWith(']')) return false;
  let depth = 0;
  for (let i = 0; i < trimmed.length - 1; i++) {
    if (trimmed[i] === '[') depth++;
    else if (trimmed[i] === ']') depth--;
    if (depth === 0) return false;
  }
  return true;
}

/** Parts between the commas outside brackets and parentheses, without blanks around them. */
export function splitList(text: string): string[] {
  if (text.trim() === '') return [];
  const parts: string[] = [];
  let depth = 0;
  let from = 0;
  for (let i = 0; i < text.length; i++) {
    const sign = text[i];
    if ('([{'.includes(sign)) depth++;
    else if (')]}'.includes(sign)) depth = Math.max(0, depth - 1);
    else if (sign === ',' && depth === 0) {
      parts.push(text.slice(from, i).trim());
      from = i + 1;
    }
  }
  parts.push(text.slice(from).trim());
  return parts;
}
