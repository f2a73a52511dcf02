import type { z } from 'zod';
import { suggestion } from '../vocabulary/spelling.ts';
import { redactAt } from './redact.ts';
import { namesBelow, type Path, printPath, valueAt } from './tree.ts';

export interface Problem {
  /** A path such as `measures[2]`, the name of an environment variable, or a file with line and column. */
  readonly path: string;
  /** What was expected, what was found, and the nearest right name. Never a secret. */
  readonly message: string;
}

/** Everything that is wrong with a configuration. Commands exit with code 2. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';
  readonly exitCode = 2;
  readonly problems: readonly Problem[];

  constructor(problems: readonly Problem[]) {
    const lines = problems.map(({ path, message }) => (path === '' ? message : `${path}: ${message}`));
    super(lines.length === 1 ? lines[0] : [`${lines.length} problems in the configuration:`, ...lines].join('\n  '));
    this.problems = problems;
  }
}

/** Names of settings in other clients of Kafka and Redis, for which the nearest spelling is none of ours, or a wrong one. */
const ELSEWHERE: ReadonlyMap<string, string> = new Map([
  ['ssl', 'tls'],
  ['user', 'username'],
  ['bootstrapServers', 'brokers'],
  ['bootstrap.servers', 'brokers'],
  ['group.id', 'groupId'],
]);

/** A problem, and what must be removed before the rest can be validated. */
export interface Located {
  readonly path: Path;
  readonly message: string;
}

/** Translates the schema's issues with a document into our messages. */
export function locate(issues: readonly z.core.$ZodIssue[], root: z.core.$ZodType, document: unknown): Located[] {
  return issues.flatMap((issue) => locateOne(issue, [], root, document));
}

function locateOne(issue: z.core.$ZodIssue, above: Path, root: z.core.$ZodType, document: unknown): Located[] {
  const path: Path = [...above, ...issue.path.map((step) => (typeof step === 'number' ? step : String(step)))];
  switch (issue.code) {
    case 'unrecognized_keys': {
      const names = namesBelow(root, path);
      const above = path.length === 0 ? [] : namesBelow(root, path.slice(0, -1));
      return issue.keys.map((key) => ({
        path: [...path, key],
        message: above.includes(key)
          ? `unknown setting here; it belongs beside ${printPath(path)}, not in it`
          : `unknown setting${suggestion(names.find((name) => name === ELSEWHERE.get(key)) ?? key, names)}`,
      }));
    }
    case 'invalid_union': {
      // A value may have several forms. The one that it resembles explains best, because it knows the names.
      const forms = issue.errors.filter((errors) => errors.some(isCloser));
      const [form] = [...forms].sort((a, b) => foreignNames(a) - foreignNames(b));
      if (form !== undefined) return form.flatMap((inner) => locateOne(inner, path, root, document));
      return [{ path, message: withFound(issue.message, path, document) }];
    }
    case 'invalid_key': {
      const message = issue.issues[0]?.message ?? issue.message;
      return [{ path, message: `${message}; found the name "${String(path.at(-1)).slice(0, 60)}"` }];
    }
    default:
      return [{ path, message: withFound(issue.message, path, document) }];
  }
}

/** Number of names in the value that this form does not have. */
function foreignNames(errors: readonly z.core.$ZodIssue[]): number {
  return errors.reduce(
    (sum, issue) => sum + (issue.code === 'unrecognized_keys' && issue.path.length === 0 ? issue.keys.length : 0),
    0,
  );
}

/** Whether the issue says more than that the value has another type. */
function isCloser(issue: z.core.$ZodIssue): boolean {
  if (issue.path.length > 0) return true;
  if (issue.code === 'invalid_union') return issue.errors.some((errors) => errors.some(isCloser));
  return issue.code !== 'invalid_type' && issue.code !== 'invalid_value';
}

function withFound(message: string, path: Path, document: unknown): string {
  if (!message.startsWith('expected')) return message;
  return `${message}; found ${printFound(redactAt(printPath(path), valueAt(document, path)))}`;
}

/** A short text for a value that was found. */
export function printFound(value: unknown): string {
  if (value === undefined) return 'nothing';
  if (typeof value === 'number') return String(value);
  if (Array.isArray(value)) return value.length === 0 ? 'an empty list' : 'a list';
  if (typeof value === 'object' && value !== null) return 'a group of settings';
  const text = JSON.stringify(value);
  return text.length <= 80 ? text : `${text.slice(0, 79)}…"`;
}

/** Collects problems between settings. Ignores settings that are already wrong by themselves. */
export class Report {
  readonly problems: Located[] = [];
  readonly #broken: readonly string[];

  /** `broken`: printed paths of settings that have their defaults because they are wrong. */
  constructor(broken: readonly string[]) {
    this.#broken = broken;
  }

  /** `needs`: other settings that the problem depends on; it is moot if one of them is wrong. */
  add(path: Path, message: string, needs: readonly string[] = []): void {
    const mine = this.problems.map((problem) => printPath(problem.path));
    const isMoot = needs.some((text) => this.isBroken(text) || mine.some((wrong) => isWithin(wrong, text)));
    if (!isMoot && !this.isBroken(printPath(path))) this.problems.push({ path, message });
  }

  /** Whether this setting, or one above or below it, is wrong by itself. */
  isBroken(path: string): boolean {
    return this.#broken.some((wrong) => isWithin(wrong, path) || isWithin(path, wrong));
  }
}

function isWithin(path: string, above: string): boolean {
  return path === above || (path.startsWith(above) && '.['.includes(path[above.length]));
}
