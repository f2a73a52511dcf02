/** Which events are left out (specification: events 8): conditions on fields of the event, or on what the record holds. */
import { suggestion } from '../../vocabulary/spelling.ts';
import { askedProblem, conditionOf, isAsked } from './conditions.ts';
import type { Condition, Drop } from './decoder-settings.ts';
import { parsePointer, resolvePointer } from './pointer.ts';
import { parseJson, type RawRecord } from './raw.ts';

/** Fields of events that a condition may name, besides those of cohorts and experiments. */
const NAMES = [
  'requestId',
  'userId',
  'sessionId',
  'itemId',
  'action',
  'value',
  'eventId',
  'offset',
  'surface',
  'variant',
  'model.name',
  'model.version',
];
const GROUPED = /^(?:cohorts|experiments)\.(.+)$/;

/** From the text of a record to the test whether an event of it is left out. */
export type Exclusion = (text: string) => (event: RawRecord) => boolean;

type Test = (event: RawRecord, root: () => unknown) => boolean;

/** undefined: no event is left out. */
export function exclusionOf(drop: Drop): Exclusion | undefined {
  if (drop.length === 0) return undefined;
  const all = drop.map((conditions) => Object.entries(conditions).map(([name, condition]) => testOf(name, condition)));
  return (text) => {
    let parsed: { readonly root: unknown } | undefined;
    const root = (): unknown => {
      parsed ??= { root: firstRow(parseJson(text)) };
      return parsed.root;
    };
    return (event) => all.some((tests) => tests.every((test) => test(event, root)));
  };
}

/** Where rows of one item each are a list, the first of them stands for it. */
function firstRow(value: unknown): unknown {
  return Array.isArray(value) ? value[0] : value;
}

function testOf(name: string, condition: Condition): Test {
  if (name.startsWith('/')) {
    const pointer = parsePointer(name) ?? [];
    const isMet = conditionOf(condition);
    return (_, root) => isMet(resolvePointer(root(), pointer));
  }
  const [, key] = GROUPED.exec(name) ?? [];
  const path = key === undefined ? name.split('.') : [name.slice(0, -key.length - 1), key];
  const isMet = conditionOf(asText(condition));
  return (event) => isMet(plainText(resolvePointer(event, path)));
}

/** Fields of an event compare as text: `7` and `"7"` are one id. */
function asText(condition: Condition): Condition {
  if (isAsked(condition)) return condition.not === undefined ? condition : { ...condition, not: asText(condition.not) };
  return [condition].flat().map(String);
}

function plainText(value: unknown): unknown {
  return typeof value === 'number' || typeof value === 'boolean' ? String(value) : value;
}

interface DropProblem {
  /** Its path below the setting. */
  readonly at: readonly string[];
  readonly message: string;
}

/** What is wrong with the conditions. */
export function dropProblems(drop: Drop): readonly DropProblem[] {
  return drop.flatMap((conditions) => {
    const entries = Object.entries(conditions);
    if (entries.length === 0) return [{ at: [], message: 'has no condition, and would leave out everything' }];
    return entries.flatMap(([name, condition]) => {
      const message = nameProblem(name) ?? askedProblem(condition);
      return message === undefined ? [] : [{ at: [name], message }];
    });
  });
}

function nameProblem(name: string): string | undefined {
  if (name.startsWith('/')) return parsePointer(name) === undefined ? 'expected a JSON pointer (RFC 6901)' : undefined;
  if (NAMES.includes(name) || GROUPED.test(name)) return undefined;
  return `unknown field${suggestion(name, [...NAMES, 'cohorts.<name>', 'experiments.<name>', '/<pointer>'])}`;
}

/** The conditions with what the files list that they name. @param valuesOf undefined: the file is not read */
export function withListed(drop: Drop, valuesOf: (file: string) => ReadonlySet<string> | undefined): Drop {
  const filled = (condition: Condition): Condition => {
    if (!isAsked(condition)) return condition;
    const { in: file, listed: _, not, ...others } = condition;
    return {
      ...others,
      ...(file === undefined ? {} : { in: file, listed: valuesOf(file) }),
      ...(not === undefined ? {} : { not: filled(not) }),
    };
  };
  return drop.map((conditions) =>
    Object.fromEntries(Object.entries(conditions).map(([name, condition]) => [name, filled(condition)])),
  );
}

/** All files that the conditions name. */
export function listedFiles(drop: Drop): readonly string[] {
  const files: string[] = [];
  withListed(drop, (file) => {
    files.push(file);
    return undefined;
  });
  return files;
}
