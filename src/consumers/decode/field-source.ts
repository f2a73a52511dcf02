/** From where a map says that a field is to its value in a record: made once, when the configuration is read. */

import type { FieldSource, OneSource, ValueSource } from './decoder-settings.ts';
import { parsePointer, resolvePointer } from './pointer.ts';
import { NUMBER_FIELDS } from './raw.ts';
import { argumentProblem, isNothing, stepsOf, TRANSFORM_NAMES, TRANSFORMS } from './transforms.ts';

export type Getter = (root: unknown) => unknown;

export function getterOf(source: FieldSource): Getter {
  if (!isTogether(source)) return oneGetter(source);
  const getters = source.map(pointerGetter);
  return (root) => together(getters.map((getter) => getter(root)));
}

function oneGetter(source: OneSource): Getter {
  if (typeof source === 'string') return pointerGetter(source);
  const origin = originGetter(source);
  const steps = stepsOf(source);
  if (steps.length === 0) return origin;
  // The entries of a record share what is found once.
  return remembered((root) => steps.reduce((value, step) => step(value), origin(root)));
}

function originGetter({ at = '', first, join, with: between = '', const: constant }: ValueSource): Getter {
  if (constant !== undefined) return () => constant;
  const getters = (first ?? join ?? [at]).map(oneGetter);
  if (first !== undefined) return (root) => firstOf(getters, root);
  return join === undefined
    ? getters[0]
    : (root) =>
        joined(
          getters.map((getter) => getter(root)),
          between,
        );
}

function firstOf(getters: readonly Getter[], root: unknown): unknown {
  for (const getter of getters) {
    const value = getter(root);
    if (!isNothing(value)) return value;
  }
  return undefined;
}

/** Texts and whole numbers as one text. If one of them is neither, it is returned instead, for validation to refuse. */
function joined(values: readonly unknown[], between: string): unknown {
  const wrong = values.findIndex((value) => typeof value !== 'string' && !Number.isSafeInteger(value));
  return wrong < 0 ? values.join(between) : values[wrong];
}

/** The same function, which remembers its last answer. */
export function remembered<From, To>(answer: (from: From) => To): (from: From) => To {
  let last: { readonly from: From; readonly to: To } | undefined;
  return (from) => {
    if (last === undefined || last.from !== from) last = { from, to: answer(from) };
    return last.to;
  };
}

export function pointerGetter(text: string): Getter {
  const pointer = parsePointer(text) ?? [];
  return (root) => resolvePointer(root, pointer);
}

/** To be checked before `in`: every list has a method `at`. */
export function isTogether(source: FieldSource): source is readonly string[] {
  return Array.isArray(source);
}

/**
 * Joins several ids into one that no other ids give (specification: events 2.1): `a|b` and `c` are `a\|b|c`. If one of them is
 * not an id, it is returned instead, for validation to refuse.
 */
export function together(ids: readonly unknown[]): unknown {
  const wrong = ids.findIndex((id) => id === '' || (typeof id !== 'string' && !Number.isSafeInteger(id)));
  return wrong < 0 ? ids.map((id) => String(id).replace(/[\\|]/g, '\\$&')).join('|') : ids[wrong];
}

/** All pointers of a source. */
export function pointersOf(source: FieldSource | undefined): readonly string[] {
  if (source === undefined) return [];
  if (typeof source === 'string') return [source];
  if (isTogether(source)) return source;
  return originsOf(source).flatMap(pointersOf);
}

function originsOf({ at, first = [], join = [] }: ValueSource): readonly OneSource[] {
  return [...(at === undefined ? [] : [at]), ...first, ...join];
}

const IDS: ReadonlySet<string> = new Set(['requestId', 'itemId', 'items.id', 'eventId', 'userId', 'sessionId']);
const POINTER = 'expected a JSON pointer such as /context/id (RFC 6901)';

/** What is wrong with the source of a field; undefined: nothing. @param field without `each.` */
export function sourceProblem(field: string, source: FieldSource): string | undefined {
  if (!isTogether(source)) return oneProblem(field, source);
  if (!IDS.has(field)) return `only ids are several fields together: ${[...IDS].join(', ')}`;
  return firstProblem(source.map((pointer) => oneProblem(field, pointer)));
}

function oneProblem(field: string, source: OneSource): string | undefined {
  if (typeof source === 'string') return parsePointer(source) === undefined ? POINTER : undefined;
  const names = TRANSFORM_NAMES.filter((name) => source[name] !== undefined);
  return (
    originProblem(field, source, names) ??
    firstProblem(originsOf(source).map((origin) => oneProblem(field, origin))) ??
    firstProblem(names.map((name) => useProblem(field, name))) ??
    firstProblem(names.map((name) => withName(name, argumentProblem(name, source))))
  );
}

function originProblem(field: string, source: ValueSource, names: readonly string[]): string | undefined {
  const { at, first, join, with: between, const: constant } = source;
  const origins = [at, first, join, constant].filter((origin) => origin !== undefined);
  if (origins.length !== 1) return 'needs one of at, first, join and const';
  if (constant !== undefined && isList(field)) return 'expected a JSON pointer; a list cannot be constant';
  if (constant !== undefined && names.length > 0) return `a constant is as it is: leave out ${names.join(', ')}`;
  if (between !== undefined && join === undefined) return 'with stands between the values of join';
  return undefined;
}

type Name = (typeof TRANSFORM_NAMES)[number];

/** The fields of each kind of transform. */
const USES = { any: () => true, lists: isList, times: (field: string) => field === 'ts', numbers: isNumber } as const;
const SUCH = { any: '', lists: 'lists, such as items', times: 'times, such as ts', numbers: 'numbers, such as value' };

function useProblem(field: string, name: Name): string | undefined {
  const { of } = TRANSFORMS[name];
  if (!USES[of](field)) return `${name} is for ${SUCH[of]}`;
  return name === 'default' && isList(field) ? 'a list has no default' : undefined;
}

function isList(field: string): boolean {
  return field === 'items' || field === 'each';
}

function isNumber(field: string): boolean {
  return field === 'ts' || NUMBER_FIELDS.has(field.replace(/^items\./, ''));
}

function withName(name: string, problem: string | undefined): string | undefined {
  return problem === undefined ? undefined : `${name}: ${problem}`;
}

function firstProblem(problems: readonly (string | undefined)[]): string | undefined {
  return problems.find((problem) => problem !== undefined);
}
