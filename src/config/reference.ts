/** Generates the reference of all settings in docs/configuration.md from the schema. */
import { stringify } from 'yaml';
import { z } from 'zod';
import { variableOf } from './environment.ts';
import { configSchema } from './schema.ts';
import { childrenOf, defaultOf, entryOf, isTree, type Schema, unwrap } from './tree.ts';
import { ON_CHANGE, UNITS } from './values.ts';

/** The placeholder in paths for the free name of an action or an experiment. */
const FREE_NAME = '<name>';

interface SettingRow {
  readonly path: string;
  /** What is expected, in the words of the message for a wrong value. */
  readonly type: string;
  /** The default value; undefined: there is none. */
  readonly usual: unknown;
  /** What is shown if there is no default: nothing, `needed`, or words. */
  readonly otherwise: string;
  readonly meaning: string;
  readonly variable: string;
  /** The effect of a change on stored rows; '': none. */
  readonly change: string;
}

/** One row for each setting at or below `path`, in the order of the schema; none for a group without a description. */
function rowsOf(
  path: readonly string[],
  schema: Schema,
  given: unknown,
  mayMiss = path.at(-1) === FREE_NAME,
  above = '',
): readonly SettingRow[] {
  const change = changeOf(schema) ?? above;
  const usual = given ?? defaultOf(schema);
  const entry = entryOf(schema);
  const isGroup = unwrap(schema) instanceof z.ZodObject && (path.length === 1 || meaningOf(schema) === '');
  const own = isGroup ? [] : [{ ...rowOf(path, schema, usual, mayMiss), change }];
  // A default list stands for its elements: its first one is representative.
  const values = Array.isArray(usual) ? usual[0] : usual;
  const below = [...childrenOf(schema)].flatMap(([name, child]) =>
    rowsOf([...path, name], child, isTree(values) ? values[name] : undefined, isChoice(schema), change),
  );
  // Entries without a description are explained with their group.
  const named =
    entry !== undefined && isExplained(entry) ? rowsOf([...path, FREE_NAME], entry, undefined, true, change) : [];
  return [...own, ...below, ...named];
}

function isExplained(schema: Schema): boolean {
  return meaningOf(schema) !== '' || [...childrenOf(schema).values()].some((child) => meaningOf(child) !== '');
}

/** Whether only one of several groups is written, so that none of their settings is needed. */
function isChoice(schema: Schema): boolean {
  const inner = unwrap(schema);
  return inner instanceof z.ZodUnion && inner.options.filter((option) => option instanceof z.ZodObject).length > 1;
}

function rowOf(path: readonly string[], schema: Schema, usual: unknown, mayMiss: boolean): Omit<SettingRow, 'change'> {
  const [meaning = '', words] = meaningOf(schema).split('. Default: ', 2);
  return {
    path: path.join('.'),
    type: expectedOf(schema),
    usual,
    otherwise: words ?? (mayMiss || z.safeParse(schema, undefined).success ? '' : 'needed'),
    meaning,
    variable: variableOf(path),
  };
}

function meaningOf(schema: Schema): string {
  return z.globalRegistry.get(schema)?.description ?? '';
}

/** The effect of a change; undefined: that of the group above. */
function changeOf(schema: Schema): string | undefined {
  const found = ON_CHANGE.get(schema);
  if (found === undefined) return undefined;
  const { change, only = '' } = found;
  return change === 'free' ? '' : `${change} ${only}`.trimEnd();
}

/** The expected value, in the words of the message for a wrong one. */
function expectedOf(schema: Schema): string {
  if (unwrap(schema) instanceof z.ZodObject) return 'a group of the settings below';
  const message = z.safeParse(unwrap(schema), Symbol('no value')).error?.issues[0]?.message ?? '';
  return message.replace(/^expected /, '').replace(UNITS, '');
}

/** All settings by top-level group; undefined: those at the top level. */
export function settingRows(): ReadonlyMap<string | undefined, readonly SettingRow[]> {
  const groups = new Map<string | undefined, readonly SettingRow[]>([[undefined, []]]);
  for (const [name, schema] of childrenOf(configSchema)) {
    const rows = rowsOf([name], schema, undefined);
    const isAlone = rows.length === 1 && rows[0]?.path === name;
    const group = isAlone ? undefined : name;
    groups.set(group, [...(groups.get(group) ?? []), ...rows]);
  }
  return groups;
}

/** Returns Markdown: a table of the top-level settings, then one under a heading for each group. */
export function configReference(): string {
  const top = childrenOf(configSchema);
  const parts = [...settingRows()].map(([group, rows]) => {
    const schema = group === undefined ? undefined : top.get(group);
    const meaning = schema === undefined || rows[0]?.path === group ? '' : `${meaningOf(schema)}\n\n`;
    const heading = group === undefined ? '' : `### ${group}\n\n${meaning}`;
    return `${heading}${tableOf(rows)}`;
  });
  return `${parts.join('\n\n')}\n`;
}

function tableOf(rows: readonly SettingRow[]): string {
  const lines = rows.map(({ path, type, usual, otherwise, meaning, change, variable }) => {
    const shown = usual === undefined ? cell(otherwise) : code(plain(usual));
    return `| ${[code(path), cell(type), shown, cell(meaning), cell(change), code(variable)].join(' | ')} |`;
  });
  return ['| setting | type | default | meaning | change | variable |', '|---|---|---|---|---|---|', ...lines].join(
    '\n',
  );
}

/** The value in YAML, on one line. */
function plain(value: unknown): string {
  return stringify(value, { collectionStyle: 'flow', flowCollectionPadding: false, lineWidth: 0 }).trim();
}

function code(text: string): string {
  return `\`${text}\``;
}

function cell(text: string): string {
  return text.replaceAll('|', '\\|').replaceAll('__', '\\_\\_').replaceAll('<', '&lt;');
}
