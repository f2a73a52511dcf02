import { isTooDeep, parseJson } from './raw.ts';

/** A parsed JSON pointer (RFC 6901). */
type Pointer = readonly string[];

/** undefined: not a pointer. It is empty or starts with `/`; `~` may only occur in `~0` (for ~) and `~1` (for /). */
export function parsePointer(text: string): Pointer | undefined {
  if (text === '') return [];
  if (!text.startsWith('/') || /~(?![01])/.test(text)) return undefined;
  return text
    .slice(1)
    .split('/')
    .map((token) => token.replaceAll('~1', '/').replaceAll('~0', '~'));
}

/** A name as a step of a pointer. */
export function escapedStep(name: string): string {
  return name.replaceAll('~', '~0').replaceAll('/', '~1');
}

const INDEX = /^(?:0|[1-9][0-9]{0,8})$/;

/**
 * The value that the pointer refers to; undefined: there is none. Only own fields are considered. If it leads into a text, the
 * text is parsed as JSON.
 */
export function resolvePointer(root: unknown, pointer: Pointer): unknown {
  let value = root;
  for (const token of pointer) {
    if (typeof value === 'string') value = jsonIn(value);
    if (Array.isArray(value)) {
      if (!INDEX.test(token)) return undefined;
      value = value[Number(token)];
    } else if (isHolder(value) && Object.hasOwn(value, token)) {
      value = value[token];
    } else {
      return undefined;
    }
  }
  return value;
}

/** The text that was read last: several pointers of a map lead into the same one. */
let lastText = '';
let lastValue: unknown;

/** The object or list that a text holds as JSON, unless it is nested too deep; else the text. */
export function jsonIn(text: string): unknown {
  if (!/^\s*[[{]/.test(text)) return text;
  if (text === lastText) return lastValue;
  lastValue = isTooDeep(text) ? text : (parseJson(text) ?? text);
  lastText = text;
  return lastValue;
}

function isHolder(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null;
}

const NUMBER = /^\s*-?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?\s*$/;
const LONGEST = 40;

/** The number that a text holds, else the value as it is. */
export function numberIn(value: unknown): unknown {
  return typeof value === 'string' && value.length <= LONGEST && NUMBER.test(value) ? Number(value) : value;
}
