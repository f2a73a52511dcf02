/** Fields in a form that no event has: dates of a country, times from a start, pairs of a name and a value, numbers with a comma or in place of text. */

import type { ValueSource } from '../consumers/decode/decoder-settings.ts';
import { escapedStep } from '../consumers/decode/pointer.ts';
import { dateReader } from '../consumers/decode/times.ts';
import type { FindingCode } from '../findings/catalogue.ts';
import { nameFit } from './field-names.ts';
import { decimalComma, type Field, isNumeric, isOfElements, mainType } from './fields.ts';
import { alikeIn, type InspectedFile, type InspectedSide, type Sides } from './inspected.ts';
import { cut, note } from './log-finding.ts';
import { entryPath } from './made-fields.ts';
import { type Mend, mapText } from './mends.ts';
import { pairsOfFields } from './pairs-of-fields.ts';
import { relativeTime, tablesApart } from './tables-apart.ts';
import { dateFormat, isSerial, OF_DOTNET } from './time-forms.ts';

export function mendsOfFields(sides: Sides, files: readonly InspectedFile[]): readonly Mend[] {
  const { impressions, feedback } = sides;
  const all = [impressions, feedback].filter((side) => side !== undefined).flatMap(alikeIn);
  const areTied =
    impressions !== undefined && feedback !== undefined && !all.some(({ missing }) => missing.includes('requestId'));
  const logs = files.filter(({ guess }) => guess !== undefined);
  const isJoined = areTied && sides.joins[0]?.match.share !== 0;
  return [
    ...[...new Set(all)].flatMap((side) => [...timesOfSide(side, logs), ...textsOfSide(side)]),
    ...(feedback === undefined ? [] : alikeIn(feedback).flatMap(valuesOfSide)),
    ...(isJoined ? [] : logs.flatMap(fieldsInPairs)),
  ];
}

function mend(
  code: FindingCode,
  cause: string,
  as: string,
  field: { readonly path: string; readonly source: ValueSource },
  files: readonly string[],
  advice = '',
): Mend {
  const remedy = `The proposed map reads it so: ${mapText([[as, field.source]])}.${advice}`;
  return { fields: [{ ...field, files }], finding: note(code, cause, remedy) };
}

function timesOfSide({ missing, profile, files }: InspectedSide, logs: readonly InspectedFile[]): readonly Mend[] {
  if (!missing.includes('ts')) return [];
  const fields = [...profile.fields.values()].filter((field) => !isOfElements(field.path) && field.distinct.size > 0);
  for (const field of fields) {
    const source = dateSource(field);
    if (source === undefined) continue;
    const areDays = [...field.distinct.keys()].every(isSerial);
    const written = areDays ? ', the days of a spreadsheet, taken for UTC' : '';
    const cause = `The times of ${files.join(', ')} (${field.path}) are written as "${String(field.example)}"${written}.`;
    return [mend('read_by_transforms', cause, 'ts', { path: field.path, source }, files)];
  }
  const relative = tablesApart(logs) === undefined ? relativeTime(profile) : undefined;
  if (relative === undefined) return [];
  const some = [...relative.distinct.keys()].slice(0, 3).join(', ');
  const unit = /ms$|milli/i.test(relative.path) || relative.most >= 1e8 ? 'ms' : 's';
  const source: ValueSource = { at: relative.path, timeOrigin: ORIGIN, unit };
  const cause = `${relative.path} of ${files.join(', ')} counts from a start that the log does not name (${some}, ...).`;
  const advice = ` Put in your own start and unit; ${unit} since ${ORIGIN} are assumed.`;
  return [mend('read_by_transforms', cause, 'ts', { path: relative.path, source }, files, advice)];
}

/** Not the time of any log, so that nobody takes it for one. */
const ORIGIN = '2001-01-01T00:00:00Z';

/** How dates are read; undefined: it holds none, or their day and month cannot be told apart. */
function dateSource({ path, distinct }: Field): ValueSource | undefined {
  const texts = [...distinct.keys()];
  if (texts.every(isSerial)) {
    // Days since the end of 1899.
    return { at: path, ...(texts.some((text) => text.includes(',')) && { decimal: ',' }), add: -25_569, unit: 'd' };
  }
  if (texts.every((text) => OF_DOTNET.test(text))) return { at: path, match: '\\d+' };
  const format = dateFormat(texts);
  const reader = format === undefined ? undefined : dateReader(format);
  if (format === undefined || reader === undefined || texts.some((text) => reader(text) === '')) return undefined;
  return { at: path, format, ...(/(?:GMT|Z)$/.test(format) && { timeZone: 'UTC' }) };
}

/** Fields that are text, and hold numbers or yes and no. */
const TEXTS = /^(?:variant|surface|sessionId|userId|action|items\.category|cohorts\..*)$/;

function textsOfSide({ fits, profile, files }: InspectedSide): readonly Mend[] {
  return fits.flatMap(({ as, path }) => {
    const field = profile.fields.get(path);
    if (field === undefined || !TEXTS.test(as) || !['whole', 'boolean'].includes(mainType(field))) return [];
    if ((as === 'userId' || as === 'sessionId') && mainType(field) === 'whole') return [];
    const cause = `${path} of ${files.join(', ')} (${as}) holds ${String(field.example)}, and not a text.`;
    return [mend('read_by_transforms', cause, as, { path, source: { at: entryPath(path), trim: true } }, files)];
  });
}

function valuesOfSide({ profile, files, fits }: InspectedSide): readonly Mend[] {
  const field = [...profile.fields.values()].find(
    (one) => !isOfElements(one.path) && nameFit(one.path, 'value') > 0 && decimalComma(one) !== undefined,
  );
  if (field === undefined || fits.some(({ as }) => as === 'value')) return [];
  if (![...field.distinct.keys()].every((text) => isNumeric(text.replace(',', '.')))) return [];
  const cause = `${field.path} of ${files.join(', ')} has decimal commas, such as ${decimalComma(field)}.`;
  return [
    mend('read_by_transforms', cause, 'value', { path: field.path, source: { at: field.path, decimal: ',' } }, files),
  ];
}

/** What a pair may hold. */
const FIELDS = ['requestId', 'variant', 'userId', 'sessionId'] as const;
/** More names are no fields of a record, but of something else. */
const MOST_NAMES = 60;

/** Fields that are pairs of a name and a value: no path leads to one of them. */
function fieldsInPairs(file: InspectedFile): readonly Mend[] {
  const pairs = pairsOfFields(file);
  if (pairs === undefined || pairs.names.length > MOST_NAMES) return [];
  const { paths, key, names } = pairs;
  const fits = names.flatMap((name) => FIELDS.map((as) => ({ as, name, fit: nameFit(`/${name}`, as) })));
  const [{ as, name: best }] = fits.sort((a, b) => b.fit - a.fit);
  const few = names.slice(0, 4).map(cut).join(', ');
  const fields = paths.flatMap((path) =>
    names.map((name) => ({
      path: `${path}.${escapedStep(name)}`,
      source: { at: path, pairs: name },
      files: [file.name],
    })),
  );
  return [
    {
      fields,
      finding: note(
        'fields_in_pairs',
        `${paths.join(' and ')} of ${file.name} ${paths.length === 1 ? 'is a list' : 'are lists'} of pairs of ${key} and value (${few}${names.length > 4 ? ', ...' : ''}).`,
        `The proposed map reads a field by its name, such as ${mapText([[as, { at: paths[0], pairs: best }]])}.`,
      ),
    },
  ];
}
