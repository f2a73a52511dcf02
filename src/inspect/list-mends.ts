/** Lists that a map can make: of texts with something around or behind the ids, of fields with an item each, of lists in lists, and of clicks within lists. */
import type { Conditions, ValueSource } from '../consumers/decode/decoder-settings.ts';
import { getterOf } from '../consumers/decode/field-source.ts';
import { parsePointer, resolvePointer } from '../consumers/decode/pointer.ts';
import type { Fields } from '../consumers/decode/raw.ts';
import type { FindingCode } from '../findings/catalogue.ts';
import { nameFit } from './field-names.ts';
import { type Field, isIdLike, isOfElements, mainType, type Profile, timesOf } from './fields.ts';
import type { InspectedFile, InspectedSide, Sides } from './inspected.ts';
import { cut, note } from './log-finding.ts';
import { type Mend, mapText } from './mends.ts';
import { idOf } from './reading.ts';
import { clickedValues } from './row-shape.ts';

const NEARLY_ALL = 0.98;

/** The mends of lists. Where a side is read already, only what it lacks is looked for. */
export function mendsOfLists(sides: Sides, files: readonly InspectedFile[]): readonly Mend[] {
  const { impressions, feedback } = sides;
  const logs = files.filter(({ guess }) => guess !== undefined);
  const found = files.flatMap((file) => labelledList(file) ?? []);
  if (found.length === 0) found.push(...logs.flatMap((file) => valuesBehindIds(file) ?? []));
  if (impressions === undefined) return [...found, ...logs.flatMap((file) => itemsInFields(file) ?? [])];
  const within = feedback === undefined ? clicksInItems(impressions) : undefined;
  return [...found, ...bracketedLists(impressions), within, listsInLists(sides)].filter((mend) => mend !== undefined);
}

function mend(
  code: FindingCode,
  cause: string,
  fields: readonly { readonly as: string; readonly path: string; readonly source: ValueSource }[],
  files: readonly string[],
): Mend {
  const map = mapText(fields.map(({ as, source }) => [as, source]));
  return {
    fields: fields.map(({ path, source }) => ({ path, source, files })),
    finding: note(code, cause, `The proposed map reads it so: ${map}.`),
  };
}

/** An id and whether it was clicked. */
const LABELLED = /^(.*[^-:=_/])([-:=_/])([01])$/s;
const FEWEST = 10;
const SEPARATORS = [' ', '|', ',', ';', '\t'];

/** Lists with a label behind each id that says whether it was clicked: `N1-0 N2-1`. */
function labelledList({ name, profile, format }: InspectedFile): Mend | undefined {
  for (const field of profile.fields.values()) {
    const { path, distinct, example } = field;
    const isList = isOfElements(path);
    if (mainType(field) !== 'text' || (isList && !/^[^[]*\[\]$/.test(path))) continue;
    const texts = [...distinct.keys()];
    const split = isList
      ? undefined
      : SEPARATORS.find((one) => texts.filter((text) => text.includes(one)).length >= 0.5 * texts.length);
    if (!isList && split === undefined) continue;
    const parts = texts.flatMap((text) => (split === undefined ? [text] : text.trim().split(split)));
    const signs = labelSigns(parts);
    if (signs === undefined) continue;
    const at = path.replace('[]', '');
    const source = { at, ...(split !== undefined && { split }), label: signs };
    const where =
      format.form.kind === 'delimited' && format.form.columns === undefined
        ? `column ${at.replace('/column_', '')}`
        : at;
    return mend(
      'read_by_transforms',
      `The lists of ${name} are in ${where}, with 1 behind the ids that were clicked and 0 behind the others: ${cut(String(example))}.`,
      [
        { as: 'items', path: at, source },
        { as: 'each', path: `${at}.clicked`, source: { ...source, keep: { '/label': '1' } } },
      ],
      [name],
    );
  }
  return undefined;
}

/** The sign between ids and labels; undefined: the parts have no labels. */
function labelSigns(parts: readonly string[]): string | undefined {
  const found = parts.flatMap((part) => {
    const match = LABELLED.exec(part);
    return match === null ? [] : [match];
  });
  const sign = found[0]?.[2];
  const areAll = found.length >= NEARLY_ALL * parts.length && found.every((match) => match[2] === sign);
  const [ids, labels] = [1, 3].map((group) => new Set(found.map((match) => match[group])).size);
  return areAll && found.length >= FEWEST && labels === 2 && ids >= 3 ? sign : undefined;
}

/** Fields with names that differ only by a number, from 0 or 1 on, and with the same ids: `item_1` to `item_9`, or `slots/1/id`. */
function itemsInFields({ name: file, rows, profile: { fields, records } }: InspectedFile): Mend | undefined {
  const families = new Map<string, Map<number, Field>>();
  for (const field of fields.values()) {
    const match = /^(.*?)(\d+)(\/\D+)?$/.exec(field.path);
    if (match === null || isOfElements(field.path) || !isIdLike(field) || timesOf(field) !== undefined) continue;
    if (match[3] !== undefined && nameFit(match[3], 'itemId') === 0) continue;
    const name = `${match[1]} ${match[3] ?? ''}`;
    families.set(name, (families.get(name) ?? new Map<number, Field>()).set(Number(match[2]), field));
  }
  for (const [name, family] of families) {
    const from = family.has(0) ? 0 : 1;
    const members = Array.from({ length: family.size }, (_, i) => family.get(from + i)).filter(
      (one) => one !== undefined,
    );
    const [first, second] = members;
    if (members.length < 3 || members.length < family.size || first.records < 0.5 * records) continue;
    if (!areApart(rows, members)) continue;
    const common = [...second.distinct.keys()].filter((id) => first.distinct.has(id)).length;
    // With many items, few appear at two positions within a sample. Then the names decide.
    const [head, behind] = name.split(' ');
    const [before, own] = [head, behind].map((part) => part.replace(/[/_.-]+$/, ''));
    const isNamed = nameFit(own === '' ? before : own, 'itemId') > 0 || nameFit(before, 'items') > 0;
    if (!isNamed && common < 0.2 * second.distinct.size) continue;
    const cutAt = head.lastIndexOf('/');
    const [at, gather] = [
      head.slice(0, cutAt),
      head
        .slice(cutAt + 1)
        .replaceAll('~1', '/')
        .replaceAll('~0', '~'),
    ];
    return mend(
      'read_by_transforms',
      `Each item of the lists in ${file} is in a field of its own, ${members[0].path} to ${members[members.length - 1].path}.`,
      [{ as: 'items', path: gather === '' ? at : `${at}/items`, source: { at, gather } }],
      [file],
    );
  }
  return undefined;
}

/** Whether the fields of a record differ, as the items of a list do: columns of yes and no do not. */
function areApart(rows: readonly Fields[], members: readonly Field[]): boolean {
  const pointers = members.map(({ path }) => parsePointer(path) ?? []);
  const apart = rows.filter((row) => {
    const ids = pointers.flatMap((pointer) => idOf(resolvePointer(row, pointer)) ?? []);
    return new Set(ids).size === ids.length;
  });
  return apart.length >= 0.9 * rows.length;
}

const WITH_VALUE = /^[^\s,;|:=]+[:=][^\s,;|:=]+$/;

/** Lists as text with a value behind each id, such as a price: `sku-1:17.99, sku-2:5.00`. */
function valuesBehindIds({ name, profile }: InspectedFile): Mend | undefined {
  for (const { path, distinct, values } of profile.fields.values()) {
    if (isOfElements(path) || values < 3) continue;
    const texts = [...distinct.keys()];
    for (const split of [',', ';', '|', ' ']) {
      const lists = texts.map((text) => text.split(split).map((part) => part.trim()));
      const several = lists.filter((parts) => parts.length > 1 && parts.every((part) => WITH_VALUE.test(part)));
      if (several.length === 0 || several.length < 0.9 * texts.length) continue;
      const label = /[:=]/.exec(several[0][0])?.[0] ?? ':';
      return mend(
        'read_by_transforms',
        `${path} of ${name} holds lists as text, with a value behind each id: ${cut(texts[0])}.`,
        [{ as: 'items', path, source: { at: path, split, label } }],
        [name],
      );
    }
  }
  return undefined;
}

const BRACKETS: Readonly<Record<string, string>> = { '[': ']', '{': '}', '(': ')' };

/** Lists as text in the notation of Python or PostgreSQL. Split at commas, items would keep brackets and quotes. */
function bracketedLists({ files, profile, fits }: InspectedSide): readonly Mend[] {
  const path = fits.find(({ as }) => as === 'items')?.path;
  const [shown, source] = [profile.fields.get(path ?? ''), bracketed(profile.fields.get(path ?? ''))];
  if (shown === undefined || source === undefined) return [];
  const cause = `The lists in ${shown.path} of ${files.join(', ')} are text that is not JSON, such as ${cut([...shown.distinct.keys()][0])}.`;
  // The items that were clicked may stand beside them in the same notation.
  const others = [...profile.fields.values()].flatMap((field) => {
    const own = field === shown || isOfElements(field.path) ? undefined : bracketed(field);
    return own === undefined ? [] : [{ path: field.path, source: own, files }];
  });
  const made = mend('read_by_transforms', cause, [{ as: 'items', path: shown.path, source }], files);
  return [{ ...made, fields: [...made.fields, ...others] }];
}

/** How the lists of such texts are read; undefined: they are in another notation. */
function bracketed(field: Field | undefined): ValueSource | undefined {
  if (field === undefined || mainType(field) !== 'text') return undefined;
  const texts = [...field.distinct.keys()].map((text) => text.trim()).filter((text) => text !== '');
  const [open] = texts[0] ?? '';
  const close = BRACKETS[open ?? ''];
  const bare = texts.filter((text) => text.length > 2);
  if (close === undefined || !texts.every((text) => text.startsWith(open) && text.endsWith(close))) return undefined;
  const quote = bare.every((text) => /^.['"]/.test(text)) ? (bare[0]?.[1] ?? '') : '';
  const between = bare
    .map((text) => new RegExp(`${quote}(\\s*,\\s*|\\s+)${quote}`).exec(text)?.[1])
    .find((one) => one !== undefined);
  const split = `${quote}${between ?? ','}${quote}`;
  const source: ValueSource = { at: '', strip: { prefix: `${open}${quote}`, suffix: `${quote}${close}` }, split };
  const read = getterOf(source);
  const areRead = bare.every((text) => {
    const ids = read(text);
    return Array.isArray(ids) && ids.every((id: unknown) => typeof id === 'string' && !/^['"[{(]|['"\]})]$/.test(id));
  });
  return areRead ? { ...source, at: field.path } : undefined;
}

/** Clicks inside the items of the lists: a yes or no of each. */
function clicksInItems({ files, profile, fits }: InspectedSide): Mend | undefined {
  const flag = [...profile.fields.values()].find(
    ({ path }) => path.split('[]').length === 2 && nameFit(path.slice(path.indexOf('[]') + 2), 'clicked') >= 0.7,
  );
  const list = fits.find(({ as }) => as === 'items')?.path;
  const set = flag === undefined ? undefined : clickedValues(flag);
  if (flag === undefined || set === undefined || flag.path.slice(0, flag.path.indexOf('[]')) !== list) return undefined;
  const keep: Conditions = { [flag.path.slice(list.length + 2)]: set };
  return mend(
    'feedback_within_items',
    `The clicks of ${files.join(', ')} are inside the lists (${flag.path}).`,
    [{ as: 'each', path: `${list}.clicked`, source: { at: list, keep } }],
    files,
  );
}

/** Least share of the clicked items that must be in the inner lists. */
const MOST = 0.5;

/** Lists two levels deep, such as the products of each carousel of a page, where the list that was found is that of the carousels. */
function listsInLists({ impressions, feedback, items: [item] }: Sides): Mend | undefined {
  const clicked = feedback?.profile.fields.get(feedback.fits.find(({ as }) => as === 'itemId')?.path ?? '');
  if (impressions === undefined || clicked === undefined) return undefined;
  if (item !== undefined && item.difference === undefined && item.share >= MOST) return undefined;
  const { files, profile } = impressions;
  const [inner] = innerLists(profile)
    .filter((field) => shareOf(clicked, field) >= MOST)
    .sort((a, b) => rating(clicked, b) - rating(clicked, a));
  if (inner === undefined) return undefined;
  const [outer, flatten] = inner.path.split('[]');
  return mend(
    'read_by_transforms',
    `Feedback names what is in ${inner.path.replaceAll('[]', '/*')}: lists within the entries of ${outer}.`,
    [{ as: 'items', path: outer, source: { at: outer, flatten } }],
    files,
  );
}

function innerLists({ fields }: Profile): readonly Field[] {
  return [...fields.values()].filter((field) => field.path.split('[]').length === 3 && isIdLike(field));
}

function rating(clicked: Field, field: Field): number {
  return shareOf(clicked, field) + 0.1 * nameFit(field.path, 'itemId');
}

/** Share of the clicked items that occur in the field. */
function shareOf(clicked: Field, { distinct }: Field): number {
  let known = 0;
  for (const [id, n] of clicked.distinct) if (distinct.has(id)) known += n;
  return known / Math.max(1, clicked.values);
}
