import { definitionOf } from '../all.ts';
import type { Measure } from '../definition.ts';
import { cutOf, cutOff, definitionOfText, givenParams, initialOf, readValue } from './arguments.ts';
import { forbidden } from './combinations.ts';
import { type Command, offered } from './offered.ts';
import { inOurWords } from './other-tools.ts';
import type { MeasureDefaults } from './parameters.ts';
import { LARGEST_K } from './parameters.ts';
import { MeasureError, scan } from './scan.ts';

/**
 * Reads one measure, offered or not (specification: measures 1).
 * @throws MeasureError that names the place, what was expected and the nearest right word.
 */
export function parseMeasure(text: string, defaults: MeasureDefaults): Measure {
  const written = scan(inOurWords(text, 'trec') ?? text);
  const definition = definitionOfText(written);
  const { name } = definition;
  const fail = (what: string) => new MeasureError(`"${written.text}": ${what}`);
  const given = givenParams(written, definition, fail);
  const params = new Map<string, string | number>();
  const printed: string[] = [];
  const keys = Object.keys(definition.params).sort();
  const changed = new Set<string>();
  for (const key of keys) {
    const shape = definition.params[key];
    const initial = initialOf(shape, defaults);
    const source = given.get(key);
    const value = source === undefined ? initial : readValue(name, key, shape, source, fail);
    if (value === undefined) {
      if (shape.kind === 'action' && shape.required) throw fail(`${name} needs ${key}, such as ${key}=purchase`);
      if (shape.kind === 'number' && shape.always) throw fail(`${name} needs ${key}, ${shape.range}`);
      continue;
    }
    params.set(key, value);
    if (value !== initial) changed.add(key);
    if (value !== initial || (shape.kind === 'number' && shape.always)) printed.push(`${key}=${plain(value)}`);
  }
  const k = cutOf(written, definition, fail);
  const reason = forbidden({ definition, params, changed, k });
  if (reason !== undefined) throw fail(reason);
  const { isOther } = definition;
  const other = isOther !== undefined && params.get(isOther.param) === isOther.value && definitionOf(isOther.name);
  if (!other) return { definition, name, params, k, canonical: join(name, printed, k) };
  params.delete(isOther.param);
  const others = printed.filter((param) => !param.startsWith(`${isOther.param}=`));
  return { definition: other, name: other.name, params, k, canonical: join(other.name, others, k) };
}

/** Splits a list of measures at the commas outside parentheses. A blank text is an empty list. */
export function splitMeasures(text: string): string[] {
  if (text.trim() === '') return [];
  const parts: string[] = [];
  let depth = 0;
  let from = 0;
  for (let i = 0; i < text.length; i++) {
    const c = text[i];
    if (c === '(') depth++;
    else if (c === ')') depth = Math.max(0, depth - 1);
    else if (c === ',' && depth === 0) {
      parts.push(text.slice(from, i).trim());
      from = i + 1;
    }
  }
  parts.push(text.slice(from).trim());
  return parts;
}

export interface MeasureProblem {
  /** Index of the text in the list. */
  readonly index: number;
  readonly message: string;
}

/**
 * Reads a list of measures, expanding `@a..b`. Never throws: whatever is wrong is a problem with the index of its text.
 * A measure that is known but that `command` does not offer is a problem too, unless `family` asks for the whole family.
 */
export function parseMeasures(
  texts: readonly string[],
  defaults: MeasureDefaults,
  { family = false, command = 'run' }: { readonly family?: boolean; readonly command?: Command } = {},
): { readonly measures: readonly Measure[]; readonly problems: readonly MeasureProblem[] } {
  const measures = new Map<string, Measure>();
  const problems: MeasureProblem[] = [];
  for (const [index, text] of texts.entries()) {
    try {
      for (const one of expand(text)) {
        const measure = parseMeasure(one, defaults);
        const reason = family ? undefined : offered(measure, command);
        if (reason !== undefined) throw new MeasureError(`"${one.trim()}": ${reason}`);
        if (measures.has(measure.canonical)) {
          throw new MeasureError(`"${one.trim()}": the same measure twice (${measure.canonical}); leave one out`);
        }
        measures.set(measure.canonical, measure);
      }
    } catch (error) {
      if (!(error instanceof MeasureError)) throw error;
      problems.push({ index, message: error.message });
    }
  }
  return { measures: [...measures.values()], problems };
}

function* expand(text: string): Iterable<string> {
  const range = /^([^@]*)@\s*([^@]*?)\s*\.\.\s*([^@]*?)\s*$/s.exec(text);
  if (range === null) {
    yield text;
    return;
  }
  const [, head, from, to] = range;
  const first = cutOff(from);
  const last = cutOff(to);
  if (first === undefined || last === undefined || first > last) {
    throw new MeasureError(
      `"${text.trim()}": expected @a..b with whole numbers from 1 to ${LARGEST_K}, a at most b, got "${from}..${to}"`,
    );
  }
  for (let k = first; k <= last; k++) yield `${head}@${k}`;
}

function join(name: string, printed: readonly string[], k: number | undefined): string {
  const params = printed.length > 0 ? `(${printed.join(',')})` : '';
  return `${name}${params}${k === undefined ? '' : `@${k}`}`;
}

/** Shortest decimal form without an exponent: 0.0000001, not 1e-7. */
function plain(value: string | number): string {
  const text = String(value);
  const parts = /^(\d)(?:\.(\d+))?e([+-]\d+)$/.exec(text);
  if (typeof value === 'string' || parts === null) return text;
  const digits = parts[1] + (parts[2] ?? '');
  const point = Number(parts[3]) + 1;
  return point <= 0 ? `0.${'0'.repeat(-point)}${digits}` : digits.padEnd(point, '0');
}
