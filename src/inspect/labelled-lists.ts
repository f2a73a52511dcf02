/** LogFinding on lists with a label of what was clicked after each id, `N1-0 N2-1`: no map reads them, but one command writes both sides. */
import { type Field, isIdLike, isOfElements, mainType, timesOf } from './fields.ts';
import type { InspectedFile } from './inspected.ts';
import { cut, type LogFinding, wrong } from './log-finding.ts';
import { printing, recordsIn, valueAt } from './python-records.ts';
import { dateFormat } from './time-forms.ts';

/** An id and whether it was clicked. */
const LABELLED = /^(.*[^-:=_/])([-:=_/])([01])$/s;
const FEWEST = 10;
const NEARLY_ALL = 0.98;

interface LabelledList {
  readonly path: string;
  /** The character between an id and its label. */
  readonly sign: string;
  readonly example: string;
}

/** Returns undefined if no field holds such lists. */
export function labelledList({ profile }: Pick<InspectedFile, 'profile'>): LabelledList | undefined {
  for (const field of profile.fields.values()) {
    const { path, distinct } = field;
    if (mainType(field) !== 'text' || (isOfElements(path) && !/^[^[]*\[\]$/.test(path))) continue;
    const texts = [...distinct.keys()];
    const parts = texts.flatMap((text) => (isOfElements(path) ? [text] : text.trim().split(/[\s|,;]+/)));
    const found = parts.flatMap((part) => [LABELLED.exec(part) ?? []].filter(({ length }) => length > 0));
    const sign = found[0]?.[2];
    const isList = isOfElements(path) || parts.length >= 2 * texts.length;
    const areAll = found.length >= NEARLY_ALL * parts.length && found.every((match) => match[2] === sign);
    const labels = new Set(found.map((match) => match[3]));
    const ids = new Set(found.map((match) => match[1]));
    if (sign === undefined || !isList || !areAll || found.length < FEWEST || labels.size < 2 || ids.size < 3) continue;
    return { path, sign, example: String(field.example) };
  }
  return undefined;
}

export function labelledFinding(list: LabelledList, file: InspectedFile): LogFinding {
  const { path, sign, example } = list;
  const { form } = file.format;
  const where =
    form.kind === 'delimited' && form.columns === undefined
      ? `column ${path.replace('/column_', '')}`
      : path.replace('[]', '');
  const command = commandFor(list, file);
  return wrong(
    'lists_not_read',
    `The lists of ${file.name} are in ${where}, with 1 behind the ids that were clicked and 0 behind the others: ${cut(example)}. No map takes ids and clicks apart at "${sign}".`,
    `Write both as lists, what was shown and what was clicked${command === undefined ? '.' : ', and inspect that:'}`,
    command,
  );
}

function commandFor({ path, sign }: LabelledList, file: InspectedFile): string | undefined {
  const records = recordsIn(file, 'sys.stdin');
  const list = valueAt(path.replace('[]', ''));
  const fields = [...file.profile.fields.values()].filter((field) => !isOfElements(field.path) && field.path !== path);
  const time = fields.map((field) => ({ field, value: timeIn(field) })).find(({ value }) => value !== undefined);
  if (records === undefined || list === undefined || time?.value === undefined) return undefined;
  const id = fields.find(
    (field) =>
      field !== time.field &&
      isIdLike(field) &&
      field.distinct.size === file.rows.length &&
      field.values === field.distinct.size,
  );
  const request = (id === undefined ? undefined : valueAt(id.path)) ?? 'str(n)';
  const parts = isOfElements(path) ? list : `re.split(r"[\\s|,;]+",${list}.strip())`;
  // Leaves out the text, which inspect would report again otherwise.
  const others = `{k:v for k,v in r.items() if k!=${list.slice(2, -1)}}`;
  const made = `{**${others},"requestId":${request},"ts":${time.value},"items":[p[0] for p in P(r)],"clicked":[p[0] for p in P(r) if p[2]=="1"]}`;
  const setup = ['import re', `P=lambda r:[p.rpartition(${JSON.stringify(sign)}) for p in ${parts} if p]`];
  return printing(setup, `sorted((${made} for n,r in enumerate(${records})),key=lambda r:r["ts"])`, file, true);
}

/** Expression for the time of a record; dates become ISO 8601. undefined: the field holds no times. */
function timeIn(field: Field): string | undefined {
  const value = valueAt(field.path);
  if (value === undefined || timesOf(field) !== undefined) return value;
  const format = field.distinct.size === 0 ? undefined : dateFormat(field.distinct.keys());
  if (format === undefined) return undefined;
  return `str(datetime.datetime.strptime(${value},${JSON.stringify(format)}))`;
}
