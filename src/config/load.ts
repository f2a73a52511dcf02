import { readReason } from '../connections/text-file.ts';
import type { Command } from '../measures/grammar/measure-name.ts';
import { printDuration } from '../vocabulary/durations.ts';
import { codeOf } from '../vocabulary/error-text.ts';
import { USUAL_FILE } from '../vocabulary/usual-file.ts';
import { applyEnvironment, applyOverrides, type Environment } from './environment.ts';
import { ConfigError, type Located, locate, type Problem, Report } from './problems.ts';
import { resolve } from './resolve.ts';
import { configSchema, type ParsedConfig } from './schema.ts';
import type { Settings, TopicSettings } from './settings.ts';
import { completed, isEmptyAt, isTree, type Path, printPath, removeAt, type Tree, valueAt } from './tree.ts';
import { isTooMany, MOST_ENTRIES, parseYaml, takeProto } from './yaml.ts';

interface LoadOptions {
  /** undefined: `receval.yaml` in the current folder, if it exists. */
  readonly file?: string | undefined;
  /** Returns the text of a file. @throws an Error with `code`, as node:fs does. */
  readonly readFile: (path: string) => string;
  readonly env: Environment;
  /** Values by path, such as `http.port`, written as in environment variables. They override everything. */
  readonly overrides?: Readonly<Record<string, string>>;
  /** Not every command offers every measure. Default: the service. */
  readonly command?: Command;
  /** Not every setting is for topics. Default: topics. */
  readonly reads?: 'files' | 'topics';
}

export interface Configuration {
  readonly settings: Settings;
  /** The document with all defaults. May contain secrets (redact.ts). */
  readonly document: Tree;
}

/** Loads the settings. @throws ConfigError with everything that is wrong. */
export function loadSettings(options: LoadOptions): Settings {
  return loadConfiguration(options).settings;
}

/** Loads the file, then applies the environment, then the flags. @throws ConfigError with everything that is wrong. */
export function loadConfiguration({
  file,
  readFile,
  env,
  overrides = {},
  command = 'run',
  reads = 'topics',
}: LoadOptions): Configuration {
  const tree = readTree(file, readFile);
  const fromEnvironment = applyEnvironment(tree, configSchema, env, readFile);
  const wrongFlags = applyOverrides(tree, configSchema, overrides);
  refuseTooMany('the configuration with its variables', tree);
  const reserved = takeProto(tree).map((path) => ({ path, message: 'is a name that cannot be used: choose another' }));
  const { document, parsed, problems } = validate(tree);

  const report = new Report(problems.map(({ path }) => printPath(path)));
  const settings = resolve(parsed, report, command, reads);
  const all: readonly Problem[] = [
    ...fromEnvironment.problems,
    ...wrongFlags,
    ...[...reserved, ...problems, ...report.problems].map((problem) =>
      printed(problem, fromEnvironment.sources, overrides),
    ),
  ];
  if (all.length > 0) throw new ConfigError(all);
  return { settings, document };
}

interface Validated {
  readonly parsed: ParsedConfig;
  readonly document: Tree;
  readonly problems: readonly Located[];
}

/**
 * Returns the valid part of the document, and what is wrong. A wrong setting is removed and the rest validated again, so that one
 * mistake does not hide another.
 */
function validate(tree: Tree): Validated {
  let rest = structuredClone(tree);
  const problems: Located[] = [];
  for (;;) {
    const parsed = configSchema.safeParse(rest);
    if (parsed.success) return { parsed: parsed.data, document: completed(configSchema, rest), problems };
    const removed = new Set<string>();
    const before = new Report(problems.map(({ path }) => printPath(path)));
    const found = locate(parsed.error.issues, configSchema, rest);
    for (const problem of found) {
      // A problem that only follows from an earlier one, or from one inside it, is not reported.
      const holdsOther = found.some(({ path }) => isBelow(path, problem.path));
      if (!holdsOther && !before.isBroken(printPath(problem.path))) problems.push(problem);
      // A missing setting is removed with its group, and so is a group that is left empty: it would be taken for one of another
      // form.
      let path = settingAt(problem.path);
      while (path.length > 0 && !removed.has(printPath(path)) && !removeAt(rest, path)) path = path.slice(0, -1);
      removed.add(printPath(path));
      for (let above = path.slice(0, -1); isEmptyAt(rest, above) && removeAt(rest, above); ) above = above.slice(0, -1);
    }
    if (removed.size === 1 && removed.has('')) rest = {};
  }
}

function isBelow(path: Path, above: Path): boolean {
  return path.length > above.length && above.every((step, i) => path[i] === step);
}

/** The path of what must be removed: a list is removed as a whole. */
function settingAt(path: Path): Path {
  const index = path.findIndex((step) => typeof step === 'number');
  return index < 0 ? path : path.slice(0, index);
}

function printed(
  { path, message }: Located,
  sources: ReadonlyMap<string, string>,
  overrides: Readonly<Record<string, string>>,
): Problem {
  for (let length = path.length; length > 0; length--) {
    const above = printPath(path.slice(0, length));
    const source = Object.hasOwn(overrides, above) ? 'given on the command line' : sources.get(above);
    if (source === undefined) continue;
    return {
      path: printPath(path),
      message: `${message} (${source.startsWith('given') ? source : `set by ${source}`})`,
    };
  }
  return { path: printPath(path), message };
}

function readTree(file: string | undefined, readFile: (path: string) => string): Tree {
  const name = file ?? USUAL_FILE;
  let text: string;
  try {
    text = readFile(name);
  } catch (error) {
    if (file === undefined && codeOf(error) === 'ENOENT') return {};
    throw new ConfigError([
      {
        path: name,
        message: `cannot read the configuration file: ${readReason(error)}`,
      },
    ]);
  }
  return parseTree(name, text);
}

function parseTree(name: string, text: string): Tree {
  const parsed = parseYaml(text, 100);
  if (parsed.problem !== undefined) {
    const { problem } = parsed;
    throw new ConfigError([
      typeof problem === 'string'
        ? { path: name, message: problem }
        : { path: `${name}:${problem.line}:${problem.column}`, message: `not valid YAML: ${problem.message}` },
    ]);
  }
  const { value } = parsed;
  if (value === null || value === undefined) return {};
  if (!isTree(value))
    throw new ConfigError([{ path: name, message: 'expected settings by name, such as namespace: default' }]);
  refuseTooMany(name, value);
  return value;
}

/** Refuses a tree with too many entries. @throws ConfigError */
function refuseTooMany(path: string, tree: Tree): void {
  if (!isTooMany(tree)) return;
  const message = `is too large: more than ${MOST_ENTRIES} settings, names and elements of lists`;
  throw new ConfigError([{ path, message }]);
}

/** The configuration as YAML data with every default written out. May contain secrets (redact.ts). */
export function effectiveDocument({ document, settings }: Configuration): object {
  const { sets, measures, horizon, lowerIsBetter } = settings.detect;
  const { topics } = settings.kafka;
  const group = (...path: Path): Tree => {
    const found = valueAt(document, path);
    return isTree(found) ? found : {};
  };
  return {
    ...document,
    kafka: {
      ...group('kafka'),
      topics: {
        impressions: topics.filter(({ role }) => role.impressions).map(plainTopic)[0],
        feedback: topics.filter(({ role }) => role.feedback).map(plainTopic),
      },
    },
    lowerIsBetter: [...lowerIsBetter],
    itemSets: settings.itemSets,
    positions: settings.positions,
    limits: { ...group('limits'), cohortsPerSet: settings.limits.cohortsPerSet },
    experiments: Object.fromEntries(
      settings.experiments.map(({ name, primary, horizon: { text } }) => [
        name,
        { ...group('experiments', name), primary, horizon: text },
      ]),
    ),
    deadLetter: settings.deadLetter.to === 'off' ? 'off' : settings.deadLetter,
    statistics: { clustered: settings.statistics.clustered },
    detect: { ...group('detect'), sets, measures, horizon: horizon.text, step: printDuration(settings.detect.step) },
  };
}

function plainTopic({ name, adapter, tsUnit, timeZone, positionBase, drop }: TopicSettings): object {
  return {
    name,
    adapter,
    tsUnit,
    ...(timeZone === undefined ? {} : { timeZone }),
    positionBase,
    ...(drop.length === 0 ? {} : { drop }),
  };
}
