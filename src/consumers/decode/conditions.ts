import { ABSENT_DIMENSION, INVALID_DIMENSION } from '../../vocabulary/events.ts';
import { valueText } from '../../vocabulary/unmapped.ts';
import type { Asked, Condition, Conditions } from './decoder-settings.ts';
import { patternOf } from './pattern.ts';
import { numberIn, parsePointer, resolvePointer } from './pointer.ts';

/** Counted of a value where there should be none. */
const ANY_VALUE = '__any__';

/** One condition of several. */
interface Tested {
  readonly pointer: string;
  readonly value: (root: unknown) => unknown;
  readonly isMet: (value: unknown) => boolean;
  /** How a value that does not meet it is counted. */
  readonly textOf: (value: unknown) => string;
}

export function testedOf(when: Conditions): readonly Tested[] {
  return Object.entries(when).map(([pointer, condition]) => {
    const path = parsePointer(pointer) ?? [];
    return {
      pointer,
      value: (root) => resolvePointer(root, path),
      isMet: conditionOf(condition),
      // Where it is not asked for values, there can be anything, such as an id.
      textOf: typeof condition === 'object' && !Array.isArray(condition) ? isThere : nameOf,
    };
  });
}

/** Whether a record or an entry meets all conditions. */
export function meetsAll(when: Conditions): (root: unknown) => boolean {
  const tested = testedOf(when);
  return (root) => tested.every(({ value, isMet }) => isMet(value(root)));
}

function isThere(value: unknown): string {
  return isAbsent(value) ? ABSENT_DIMENSION : ANY_VALUE;
}

function nameOf(value: unknown): string {
  if (isAbsent(value) || value === '') return ABSENT_DIMENSION;
  return typeof value === 'object' ? INVALID_DIMENSION : valueText(String(value));
}

export function isAbsent(value: unknown): value is undefined | null {
  return value === undefined || value === null;
}

type Test = (value: unknown) => boolean;

/** Whether a value is as the condition asks. A null is as good as no value, as in every field. */
export function conditionOf(condition: Condition): Test {
  if (isAsked(condition)) {
    const tests = testsOf(condition);
    return (value) => tests.every((test) => test(value));
  }
  const values = new Set<unknown>([condition].flat());
  return (value) => values.has(value);
}

export function isAsked(condition: Condition): condition is Asked {
  return typeof condition === 'object' && !Array.isArray(condition);
}

function testsOf({ exists, matches, above, below, not, in: file, listed }: Asked): readonly Test[] {
  const tests: Test[] = [];
  if (exists !== undefined) tests.push((value) => isAbsent(value) !== exists);
  if (matches !== undefined) tests.push(matching(matches));
  if (above !== undefined) tests.push((value) => isNumber(value, (number) => number > above));
  if (below !== undefined) tests.push((value) => isNumber(value, (number) => number < below));
  if (not !== undefined) tests.push(opposite(conditionOf(not)));
  if (file !== undefined) tests.push(among(file, listed));
  return tests;
}

function matching(pattern: string): Test {
  const matcher = patternOf(pattern);
  if (typeof matcher === 'string') return () => false;
  return (value) => (typeof value === 'string' || typeof value === 'number') && matcher(String(value)) !== undefined;
}

function isNumber(value: unknown, is: (number: number) => boolean): boolean {
  const number = numberIn(value);
  return typeof number === 'number' && is(number);
}

/** @throws if its file was not read, since then nothing would be found in it */
function among(file: string, values: ReadonlySet<string> | undefined): Test {
  if (values === undefined) throw new Error(`${file} was not read`);
  return (value) => (typeof value === 'string' || typeof value === 'number') && values.has(String(value));
}

function opposite(test: Test): Test {
  return (value) => !test(value);
}

/** What is wrong with conditions; undefined: nothing. `at`: the pointer. */
export function conditionProblems(when: Conditions): readonly { readonly at: string; readonly message: string }[] {
  return Object.entries(when).flatMap(([at, condition]) => {
    const message =
      parsePointer(at) === undefined ? 'expected a JSON pointer such as /event (RFC 6901)' : askedProblem(condition);
    return message === undefined ? [] : [{ at, message }];
  });
}

export function askedProblem(condition: Condition): string | undefined {
  if (!isAsked(condition)) return undefined;
  if (Object.values(condition).every((asked) => asked === undefined)) return 'asks nothing';
  const pattern = condition.matches === undefined ? undefined : patternOf(condition.matches);
  if (typeof pattern === 'string') return `matches: ${pattern}`;
  return condition.not === undefined ? undefined : askedProblem(condition.not);
}
