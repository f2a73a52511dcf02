/** Finds ids inside longer texts of the feedback, such as a token in the address of a page, where no map can read them. */
import { parsePointer, resolvePointer } from '../consumers/decode/pointer.ts';
import type { Fields } from '../consumers/decode/raw.ts';
import { nameFit } from './field-names.ts';
import { type Field, isIdLike, isOfElements, mainType, timesOf } from './fields.ts';
import type { InspectedSide, Known } from './inspected.ts';
import { cut, type LogFinding, wrong } from './log-finding.ts';
import { extractCommand } from './mend.ts';

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

function separatorsOf(ids: ReadonlyMap<string, number>): string {
  return SEPARATORS + MAYBE.filter((sign) => ![...ids.keys()].some((id) => id.includes(sign))).join('');
}

/** A pattern for JavaScript, Python and jq that finds the id after `before`. */
function patternOf(before: string, separators: string): string {
  return `${before.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')}([^${separators}]+)`;
}

/** Canonical fields that the feedback lacks, but that are in its texts. */
export function inText({
  impressions,
  feedback,
  files,
  oneLog,
}: Known): Partial<Record<'requestId' | 'itemId', IdInText>> {
  if (impressions === undefined || feedback === undefined || oneLog) return {};
  const rows = files
    .filter(({ name }) => feedback.files.includes(name))
    .flatMap((file) => file.rows)
    .slice(0, LOOKED_AT);
  const texts = [...feedback.profile.fields.values()].filter(
    (field) => !isOfElements(field.path) && mainType(field) === 'text' && timesOf(field) === undefined,
  );
  const found: Partial<Record<'requestId' | 'itemId', IdInText>> = {};
  for (const as of ['requestId', 'itemId'] as const) {
    if (!feedback.missing.includes(as)) continue;
    const shown = new Map(impressions.sample.lists.flatMap(({ items }) => items.map((id) => [id, 1] as const)));
    const fields = idFields(impressions, as).map(({ distinct }) => distinct);
    const known = as === 'itemId' && shown.size > 0 ? [shown, ...fields] : fields;
    for (const { path } of texts.slice(0, MOST_FIELDS)) {
      for (const ids of known) {
        const at = found[as] ?? idInText(rows, path, ids);
        if (at !== undefined) found[as] = at;
      }
    }
  }
  return found;
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
  const separators = separatorsOf(ids);
  const parts = new RegExp(`[^${separators}]+`, 'g');
  const befores = new Map<string, number>();
  for (const text of texts)
    for (const before of new Set(placesOf(text, ids, parts))) befores.set(before, (befores.get(before) ?? 0) + 1);
  const [best] = [...befores].sort(([, a], [, b]) => b - a);
  if (best === undefined) return undefined;
  const [before] = best;
  const pattern = patternOf(before, separators);
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

/** One finding on all of them, with the command that extracts each into a field of its own. */
export function ofText(found: ReturnType<typeof inText>, { feedback, files }: Known): readonly LogFinding[] {
  const given = Object.entries(found);
  if (given.length === 0 || feedback === undefined) return [];
  const where = given.map(
    ([as, { path, before, example }]) =>
      `that of the ${as === 'requestId' ? 'list' : 'item'} in ${path}, such as "${before}${cut(example)}"`,
  );
  const command = extractCommand(
    given.map(([as, at]) => ({ as, path: at.path, pattern: at.pattern })),
    feedback.files,
    files,
  );
  return [
    wrong(
      found.requestId === undefined ? 'most_invalid' : 'nothing_joined',
      `The feedback in ${feedback.files.join(', ')} has ids only inside a text, where nothing reads them: ${where.join('; ')}.`,
      command === undefined ? 'Write each to a field of its own.' : 'Write each to a field of its own:',
      command,
    ),
  ];
}
