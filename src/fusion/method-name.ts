import { nearest, suggestion } from '../vocabulary/spelling.ts';
import { FusionError } from './ballots.ts';
import { type Method, type NumberParam, type Param, Params } from './method.ts';
import { METHODS } from './methods.ts';

/** A method with the values of its parameters. */
export interface ParsedMethod {
  readonly method: Method;
  readonly params: Params;
  /** The name with the parameters that are not the default: equal methods have equal names, and it parses back. */
  readonly canonical: string;
}

/** A parameter of every method. */
export const above: NumberParam = {
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
