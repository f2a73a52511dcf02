/**
 * YAML for configurations. The work is bounded by the size of the text: we search for repeated names ourselves, because the
 * parser's own search is not bounded so.
 */
import { createRequire } from 'node:module';
import type { Document } from 'yaml';
import { once } from '../vocabulary/once.ts';
import { isTree, type Path } from './tree.ts';

/** Loaded only when needed: many commands run without a file of settings. */
const yaml = once((): typeof import('yaml') => createRequire(import.meta.url)('yaml'));

/** Largest size of a file, or of one value from elsewhere. */
export const MOST_BYTES = 256 * 1024;
/** Most settings, names and elements of lists, with aliases expanded. */
export const MOST_ENTRIES = 5000;

interface YamlProblem {
  readonly line: number;
  readonly column: number;
  /** Contains no part of the text. */
  readonly message: string;
}

/** The value, or what is wrong with the text. `maxAliasCount`: as in the YAML library; 0: none are allowed. */
export function parseYaml(
  text: string,
  maxAliasCount: number,
): { readonly value: unknown; readonly problem: undefined } | { readonly problem: YamlProblem | string } {
  const bytes = Buffer.byteLength(text);
  if (bytes > MOST_BYTES) return { problem: `is too large: ${bytes} bytes, where ${MOST_BYTES} are the most` };
  const { LineCounter, parseDocument } = yaml();
  const lineCounter = new LineCounter();
  const at = (offset: number, message: string): { readonly problem: YamlProblem } => {
    const { line, col } = lineCounter.linePos(offset);
    return { problem: { line, column: col, message } };
  };
  try {
    const parsed = parseDocument(text, { lineCounter, prettyErrors: false, logLevel: 'silent', uniqueKeys: false });
    // What follows a colon may be a part of the text.
    for (const { pos, message } of parsed.errors) {
      return at(pos[0], message.startsWith('Maximum call stack') ? 'nested too deep' : message.split(/[:\n]/, 1)[0]);
    }
    const twice = firstRepeated(parsed);
    if (twice !== undefined) return at(twice, 'Map keys must be unique');
    const value: unknown = parsed.toJS({ maxAliasCount });
    return { value, problem: undefined };
  } catch {
    return { problem: 'not valid YAML (an alias without its anchor, too many aliases, or nested too deep)' };
  }
}

/** Position where a name appears for the second time in its group; undefined: nowhere. */
function firstRepeated(parsed: Document.Parsed): number | undefined {
  const { isScalar, visit } = yaml();
  let found: number | undefined;
  visit(parsed, {
    Map(_, { items }) {
      const seen = new Set<unknown>();
      for (const { key } of items) {
        if (!isScalar(key)) continue;
        if (seen.has(key.value)) {
          found = key.range?.[0] ?? 0;
          return visit.BREAK;
        }
        seen.add(key.value);
      }
      return undefined;
    },
  });
  return found;
}

/** Whether a value has more than MOST_ENTRIES. Visits at most that many. */
export function isTooMany(value: unknown): boolean {
  const open: unknown[] = [value];
  let seen = 0;
  while (open.length > 0) {
    const next = open.pop();
    const entries = Array.isArray(next) ? next : isTree(next) ? Object.values(next) : [];
    seen += entries.length;
    if (seen > MOST_ENTRIES) return true;
    for (const entry of entries) open.push(entry);
  }
  return false;
}

/**
 * Removes all keys named __proto__ and returns their paths: JavaScript gives this name a meaning of its own, so the schema would
 * silently drop them.
 */
export function takeProto(root: unknown): readonly Path[] {
  const found: Path[] = [];
  const look = (value: unknown, path: Path): void => {
    if (Array.isArray(value)) for (const [i, element] of value.entries()) look(element, [...path, i]);
    if (!isTree(value)) return;
    for (const name of Object.keys(value)) {
      if (name !== '__proto__') look(value[name], [...path, name]);
      else {
        found.push([...path, name]);
        delete value[name];
      }
    }
  };
  look(root, []);
  return found;
}
