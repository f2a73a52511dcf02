/** Ids that are written in two ways, or stand inside a longer text: transforms of the map make them equal. */
import type { ValueSource } from '../consumers/decode/decoder-settings.ts';
import { getterOf } from '../consumers/decode/field-source.ts';
import { parsePointer, resolvePointer } from '../consumers/decode/pointer.ts';
import type { Fields } from '../consumers/decode/raw.ts';
import type { FindingCode } from '../findings/catalogue.ts';
import type { IdChange } from '../findings/id-forms.ts';
import { type Difference, differenceWords, normalizers } from '../findings/id-match.ts';
import { nameFit } from './field-names.ts';
import { type Field, isIdLike, isOfElements, mainType, timesOf } from './fields.ts';
import type { InspectedFile, InspectedSide, Sides } from './inspected.ts';
import { type ItemTrial, pairText } from './join-trial.ts';
import { cut, note } from './log-finding.ts';
import { entryPath, type MadeField } from './made-fields.ts';
import { type Mend, mapText } from './mends.ts';

const CODES: Readonly<Record<Difference['kind'], FindingCode>> = {
  prefix: 'ids_differ_by_prefix',
  suffix: 'ids_differ_by_prefix',
  case: 'ids_differ_by_case',
  number: 'other_type_of_id',
  blanks: 'ids_differ',
  dashes: 'ids_differ',
  letters: 'ids_differ',
};

/** How ids differ: the code of the finding, and its cause with an example of both sides. */
export interface IdDifference {
  readonly code: FindingCode;
  readonly cause: string;
}

/** undefined: the ids of lists are equal on both sides. */
export function requestIdDifference({ impressions, feedback, joins: [join] }: Sides): IdDifference | undefined {
  if (join?.match.difference === undefined) return undefined;
  const { difference } = join.match;
  const ids = pairText(join).replace(' = ', ' and ');
  const example = exampleIds(impressions, feedback);
  return {
    code: CODES[difference.kind],
    cause: `The request ids differ (${ids}): ${differenceWords(difference)}. ${example}`,
  };
}

/** undefined: the ids of items are equal on both sides. */
export function itemIdDifference({ impressions, feedback, items: [item] }: Sides): IdDifference | undefined {
  if (item?.difference === undefined) return undefined;
  return {
    code: CODES[item.difference.kind],
    cause: `The item ids differ: ${differenceWords(item.difference)}. ${exampleItems(impressions, feedback)}`,
  };
}

/** Returns text such as: Lists have "1001", feedback "q-1001". */
export function exampleIds(impressions: InspectedSide | undefined, feedback: InspectedSide | undefined): string {
  return bothWords(impressions?.sample.lists[0]?.requestId, feedback?.sample.feedback[0]?.requestId);
}

export function exampleItems(impressions: InspectedSide | undefined, feedback: InspectedSide | undefined): string {
  return bothWords(impressions?.sample.lists[0]?.items[0] ?? '', feedback?.sample.feedback[0]?.itemId);
}

function bothWords(list: string | undefined, event: string | undefined): string {
  return list === undefined || event === undefined
    ? ''
    : `Lists have ${JSON.stringify(cut(list))}, feedback ${JSON.stringify(cut(event))}.`;
}

/** The mends of ids that differ. */
export function mendsOfIds(sides: Sides): readonly Mend[] {
  const {
    impressions,
    feedback,
    joins: [join],
    items: [item],
  } = sides;
  if (impressions === undefined || feedback === undefined) return [];
  const mends: (Mend | undefined)[] = [];
  const requests = requestIdDifference(sides);
  if (join?.match.difference !== undefined && requests !== undefined) {
    const places = { impressions: placeAt(join.impressions), feedback: placeAt(join.feedback) };
    mends.push(mendOf('requestId', requests, join.match.difference, places, { impressions, feedback }));
  }
  const items = itemIdDifference(sides);
  if (item?.difference !== undefined && items !== undefined) {
    const places = { impressions: placeOfItems(item), feedback: placeAt(item.feedback) };
    mends.push(mendOf('itemId', items, item.difference, places, { impressions, feedback }));
  }
  return mends.filter((mend) => mend !== undefined);
}

/** Where ids stand: a path, and the list that has to be made of a text first. */
interface Place {
  readonly path: string;
  readonly list?: MadeField['source'];
}

function placeAt(path: string): Place {
  return { path };
}

function placeOfItems({ list: { form } }: ItemTrial): Place {
  if (form.kind === 'rows') return { path: form.item };
  const path = `${form.path}[]${form.id}`;
  return form.kind === 'text' ? { path, list: { at: form.path, split: form.separator } } : { path };
}

const SIDES = ['impressions', 'feedback'] as const;
type Byside<T> = Readonly<Record<(typeof SIDES)[number], T>>;

/** undefined: no transform undoes the difference. */
function mendOf(
  as: 'requestId' | 'itemId',
  { code, cause }: IdDifference,
  difference: Difference,
  places: Byside<Place>,
  sides: Byside<InspectedSide>,
): Mend | undefined {
  const changed = SIDES.flatMap((side) => {
    const change = changeOf(difference, side);
    const { path, list } = places[side];
    const { profile, files } = sides[side];
    const ids = [...(profile.fields.get(path)?.distinct.keys() ?? [])];
    if (change === undefined || (ids.length > 0 && !isChanged(ids, difference))) return [];
    const read = getterOf({ at: '', ...change });
    if (ids.some((id) => typeof read(id) !== 'string')) return [];
    const [head] = path.split('[]');
    const source: ValueSource = { at: entryPath(path), ...change };
    const fields: readonly MadeField[] = [
      ...(list === undefined ? [] : [{ path: head, source: list, files }]),
      { path, source, files },
    ];
    const named =
      side === 'impressions' && as === 'itemId' ? (list === undefined && path === head ? 'itemId' : 'items.id') : as;
    return [{ fields, said: [named, source] as const, side }];
  });
  if (changed.length === 0) return undefined;
  const where = changed.map(({ said, side }) => `${mapText([said])} (${side})`).join('; ');
  const remedy = `The proposed map makes them equal: ${where}. Better log the same id on both sides.`;
  return { fields: changed.flatMap(({ fields }) => fields), finding: note(code, cause, remedy) };
}

function isChanged(ids: readonly string[], difference: Difference): boolean {
  if (difference.kind === 'prefix' || difference.kind === 'suffix') return true;
  const [normal] = normalizers(difference);
  // What is left of an id is without all signs, not only without those that differ.
  const areBare = difference.kind === 'dashes' || difference.kind === 'letters';
  return ids.some((id) => normal(id) !== id || (areBare && /[^\p{L}\p{M}\p{Nd}]/u.test(id)));
}

/** The transforms of one side; undefined: its ids stay as they are. */
function changeOf(difference: Difference, side: (typeof SIDES)[number]): Partial<ValueSource> | undefined {
  if (difference.kind !== 'prefix' && difference.kind !== 'suffix') return TRANSFORMS[difference.kind];
  const { kind, rest } = difference;
  const part = difference[side];
  const cutting = part === '' ? {} : { strip: kind === 'prefix' ? part : { suffix: part } };
  const change = { ...cutting, ...(rest === undefined ? {} : TRANSFORMS[rest]) };
  return Object.keys(change).length === 0 ? undefined : change;
}

const TRANSFORMS: Readonly<Record<IdChange, Partial<ValueSource>>> = {
  case: { lower: true },
  number: { match: '^ *0*([0-9]+)(?:[.]0*)? *$' },
  blanks: { trim: true },
  dashes: { only: 'letters-and-digits' },
  letters: { lower: true, only: 'letters-and-digits' },
};

// Ids inside longer texts of feedback, such as a token in the address of a page.

/** The position of an id in a text: after `before`, up to the next separator. */
interface IdInText {
  readonly path: string;
  readonly before: string;
  /** One of the ids. */
  readonly example: string;
  readonly pattern: string;
}

const LOOKED_AT = 500;
const LONGEST = 2000;
const MOST_FIELDS = 10;
const NEARLY_ALL = 0.9;
/** Shorter ids, or fewer, occur in any text by chance. */
const LEAST_LENGTH = 3;
const LEAST_DIFFERENT = 5;
/**
 * Separators in addresses and most other texts. Those in MAYBE separate only if no id contains them, for example if a title
 * follows the id.
 */
const SEPARATORS = '\\s/?&=#;,|"<>()';
const MAYBE = [':', '~', '_', '.', '-'];

/** The mend of ids that feedback lacks, but that are in its texts. */
export function mendsOfTexts(sides: Sides, files: readonly InspectedFile[]): readonly Mend[] {
  const { impressions, feedback, oneLog } = sides;
  if (impressions === undefined || feedback === undefined || oneLog) return [];
  const rows = files
    .filter(({ name }) => feedback.files.includes(name))
    .flatMap((file) => file.rows)
    .slice(0, LOOKED_AT);
  const found = (['requestId', 'itemId'] as const).flatMap((as) => {
    const at = feedback.missing.includes(as) ? inText(as, impressions, feedback, rows) : undefined;
    return at === undefined ? [] : [{ as, at }];
  });
  if (found.length === 0) return [];
  const where = found.map(
    ({ as, at }) =>
      `that of the ${as === 'requestId' ? 'list' : 'item'} in ${at.path}, such as "${at.before}${cut(at.example)}"`,
  );
  const fields = found.map(({ as, at }) => ({
    path: `${at.path}.${as}`,
    source: { at: at.path, match: at.pattern },
    files: feedback.files,
  }));
  const map = mapText(found.map(({ as }, i) => [as, fields[i].source]));
  return [
    {
      fields,
      finding: note(
        'read_by_transforms',
        `The feedback in ${feedback.files.join(', ')} has ids only inside a text: ${where.join('; ')}.`,
        `The proposed map takes them out: ${map}. Better log each in a field of its own.`,
      ),
    },
  ];
}

function inText(
  as: 'requestId' | 'itemId',
  impressions: InspectedSide,
  feedback: InspectedSide,
  rows: readonly Fields[],
): IdInText | undefined {
  const texts = [...feedback.profile.fields.values()].filter(
    (field) => !isOfElements(field.path) && mainType(field) === 'text' && timesOf(field) === undefined,
  );
  const shown = new Map(impressions.sample.lists.flatMap(({ items }) => items.map((id) => [id, 1] as const)));
  const fields = idFields(impressions, as).map(({ distinct }) => distinct);
  const known = as === 'itemId' && shown.size > 0 ? [shown, ...fields] : fields;
  for (const { path } of texts.slice(0, MOST_FIELDS)) {
    for (const ids of known) {
      const at = idInText(rows, path, ids);
      if (at !== undefined) return at;
    }
  }
  return undefined;
}

/** Fields of the lists that may hold the ids, the best names first. */
function idFields({ profile: { fields } }: InspectedSide, as: 'requestId' | 'itemId'): readonly Field[] {
  const isUnique = ({ distinct, values }: Field): boolean => distinct.size >= 0.95 * values;
  return [...fields.values()]
    .filter((field) => isIdLike(field) && timesOf(field) === undefined)
    .filter((field) => (as === 'itemId' ? isOfElements(field.path) : !isOfElements(field.path) && isUnique(field)))
    .sort((a, b) => nameFit(b.path, as) - nameFit(a.path, as))
    .slice(0, MOST_FIELDS);
}

function idInText(rows: readonly Fields[], path: string, ids: ReadonlyMap<string, number>): IdInText | undefined {
  const pointer = parsePointer(path) ?? [];
  const texts = rows.flatMap((row): readonly string[] => {
    const text = resolvePointer(row, pointer);
    return typeof text === 'string' ? [text.slice(0, LONGEST)] : [];
  });
  const separators = SEPARATORS + MAYBE.filter((sign) => ![...ids.keys()].some((id) => id.includes(sign))).join('');
  const parts = new RegExp(`[^${separators}]+`, 'g');
  const befores = new Map<string, number>();
  for (const text of texts)
    for (const before of new Set(placesOf(text, ids, parts))) befores.set(before, (befores.get(before) ?? 0) + 1);
  const [best] = [...befores].sort(([, a], [, b]) => b - a);
  if (best === undefined) return undefined;
  const [before] = best;
  const pattern = `${before.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')}([^${separators}]+)`;
  const reading = new RegExp(pattern);
  const read = texts.flatMap((text) => reading.exec(text)?.[1] ?? []).filter((id) => ids.has(id));
  if (read.length < NEARLY_ALL * rows.length || new Set(read).size < LEAST_DIFFERENT) return undefined;
  return { path, before, example: read[0], pattern };
}

/** For each id in a text, the text before it, up to the previous separator, and that separator. */
function placesOf(text: string, ids: ReadonlyMap<string, number>, parts: RegExp): readonly string[] {
  const places: string[] = [];
  let begin: number | undefined;
  for (const { 0: part, index } of text.matchAll(parts)) {
    if (begin !== undefined && part.length >= LEAST_LENGTH && ids.has(part)) places.push(text.slice(begin, index));
    begin = index;
  }
  return places;
}
