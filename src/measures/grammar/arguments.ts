import { assertNever } from '../../vocabulary/events.ts';
import { nearest, suggestion } from '../../vocabulary/spelling.ts';
import { definitionOf, MEASURES } from '../all.ts';
import type { MeasureDefinition } from '../definition.ts';
import { LARGEST_K, type MeasureDefaults, type ParamShape } from './parameters.ts';
import { PRESETS, presetFor } from './presets.ts';
import { MeasureError, type Written } from './scan.ts';

/** Makes an error that begins with the text it is about. */
export type Fail = (what: string) => MeasureError;

const NAMES: readonly string[] = MEASURES.map(({ name }) => name);

/** By alias. */
const ALIASES: ReadonlyMap<string, MeasureDefinition> = new Map(
  MEASURES.flatMap((definition) => (definition.aliases ?? []).map((alias) => [alias, definition] as const)),
);

/** The measure that a written name or alias means. */
export function definitionOfText({ text, name }: Written): MeasureDefinition {
  const lower = name.toLowerCase();
  const found = definitionOf(lower) ?? ALIASES.get(lower);
  if (found !== undefined) return found;
  const near = nearest(lower, [...NAMES, ...ALIASES.keys()]);
  const hint = near === undefined ? suggestion(lower, NAMES) : `; did you mean "${near}${text.slice(name.length)}"?`;
  throw new MeasureError(`unknown measure "${text}"${hint}`);
}

/** The texts of the parameters: the preset's, then the written ones over them. */
export function givenParams(
  written: Written,
  { name, params: taken }: MeasureDefinition,
  fail: Fail,
): ReadonlyMap<string, string> {
  const own = new Map<string, string>();
  for (const [key, value] of written.params) {
    if (own.has(key)) throw fail(`the parameter ${key} is given twice`);
    if (key !== 'preset' && !Object.hasOwn(taken, key)) {
      const known = MEASURES.some(({ params }) => Object.hasOwn(params, key));
      const keys = Object.keys(taken);
      if (keys.length === 0) throw fail(`${name} takes no parameters, got "${key}"`);
      if (known) throw fail(`${name} takes no parameter "${key}"; it takes ${keys.join(', ')}`);
      throw fail(`unknown parameter "${key}"${suggestion(key, [...keys, 'preset'])}`);
    }
    own.set(key, value);
  }
  const preset = own.get('preset');
  if (preset === undefined) return own;
  const set = presetFor(preset.toLowerCase(), name);
  if (set === undefined) throw fail(`unknown preset "${preset}"${suggestion(preset, [...PRESETS.keys()])}`);
  const merged = new Map([...set].filter(([key]) => Object.hasOwn(taken, key)));
  for (const [key, value] of own) if (key !== 'preset') merged.set(key, value);
  return merged;
}

/** The default of a parameter; undefined: none. */
export function initialOf(shape: ParamShape, defaults: MeasureDefaults): string | number | undefined {
  switch (shape.kind) {
    case 'word':
      return shape.values[0];
    case 'action':
      return shape.initial;
    case 'number':
      if (shape.initial === 'relevantFrom') return defaults.relevantFrom;
      return shape.initial === 'highestGrade' ? defaults.highestGrade : shape.initial;
    default:
      return assertNever(shape);
  }
}

/** The value of a parameter, in its canonical form. */
export function readValue(name: string, key: string, shape: ParamShape, source: string, fail: Fail): string | number {
  switch (shape.kind) {
    case 'action':
      return source;
    case 'word': {
      const value = source.toLowerCase();
      if (shape.values.includes(value)) return value;
      if (takenElsewhere(key, value)) {
        throw fail(`${name} does not take ${key}=${value}; it takes ${shape.values.join(', ')}`);
      }
      throw fail(`unknown value ${key}=${value}${suggestion(value, shape.values)}`);
    }
    case 'number': {
      const value = /^-?\d+(\.\d+)?$/.test(source) ? Number(source) : Number.NaN;
      if (!shape.allows(value)) throw fail(`${key} must be ${shape.range}, got "${source}"`);
      return value;
    }
    default:
      return assertNever(shape);
  }
}

/** Whether another measure takes this value of the parameter. */
function takenElsewhere(key: string, value: string): boolean {
  return MEASURES.some(({ params }) => {
    const shape = Object.hasOwn(params, key) ? params[key] : undefined;
    return shape?.kind === 'word' && shape.values.includes(value);
  });
}

/** The cut-off of a measure; undefined: none. */
export function cutOf({ cut }: Written, { name, takesCut }: MeasureDefinition, fail: Fail): number | undefined {
  if (cut === undefined) return undefined;
  if (!takesCut) throw fail(`${name} takes no cut-off, got "@${cut}"`);
  const k = cutOff(cut);
  if (k !== undefined) return k;
  if (cut === '') throw fail(`k is missing after "@"; expected a whole number from 1 to ${LARGEST_K}`);
  if (cut.includes('..')) throw fail(`"@${cut}" stands for several measures; expected one k`);
  throw fail(`k must be a whole number from 1 to ${LARGEST_K} without a leading zero, got "${cut}"`);
}

/** A whole number from 1 to LARGEST_K without a leading zero; undefined: the text is none. */
export function cutOff(text: string): number | undefined {
  const k = /^[1-9]\d{0,4}$/.test(text) ? Number(text) : 0;
  return k >= 1 && k <= LARGEST_K ? k : undefined;
}
