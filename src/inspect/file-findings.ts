/** Findings on whole files: unknown formats, swapped files, no lists, a missing required field. */
import { NOT_SHORTENED } from '../findings/shortened-times.ts';
import { assertNever } from '../vocabulary/events.ts';
import { grouped } from '../vocabulary/grouped.ts';
import { shellWord } from '../vocabulary/shell-word.ts';
import { doneWords } from './done-lists.ts';
import { nameFit } from './field-names.ts';
import { type Field, isIdLike, isOfElements, timesOf } from './fields.ts';
import { formWords } from './file-shape.ts';
import type { BadRow, InspectedFile, InspectedSide, Known } from './inspected.ts';
import { isPlace } from './join-trial.ts';
import { judgedFile, judgedFinding } from './judged-files.ts';
import { recoded } from './log-commands.ts';
import { cut, type LogFinding, note, wrong } from './log-finding.ts';
import { headedFinding, linesNotRead, listsNotRead, otherLog, otherLogFinding, raggedFinding } from './other-logs.ts';
import type { Role } from './roles.ts';
import { rowsBesideFeedback } from './rows-beside-feedback.ts';
import { rowsWithoutList } from './rows-without-list.ts';
import { sideTableFinding } from './side-tables.ts';
import { tablesApart } from './tables-apart.ts';
import { dateFormat, isOtherDate, shortenedTo } from './time-forms.ts';

export function ofFile(file: InspectedFile): readonly LogFinding[] {
  const { name, format } = file;
  const { form, compression } = format;
  if (file.isSideTable === true) return [sideTableFinding(file)];
  switch (form.kind) {
    case 'empty':
      return [wrong('not_a_log', `${name} is empty.`, 'Name a file with records in it.')];
    case 'trec-run':
      return [
        note(
          'not_a_log',
          `${name} is a TREC run: ranked lists for judged queries, not a log.`,
          'receval score takes it, with its judgements:',
          `receval score --run ${shellWord(name)} --qrels QRELS`,
        ),
      ];
    case 'trec-qrels':
      return [
        note(
          'not_a_log',
          `${name} holds TREC qrels: judgements of queries, not a log.`,
          'receval score takes them, with a run:',
          `receval score --run RUN --qrels ${shellWord(name)}`,
        ),
      ];
    case 'unknown':
      if (typeof form.lines === 'object')
        return [
          'kind' in form.lines
            ? headedFinding(form.lines, name, compression)
            : raggedFinding(form.lines, name, compression),
        ];
      if (form.lines !== undefined) return [linesNotRead(form.lines, name, compression)];
      return [
        wrong(
          'format_not_read',
          `${name} is not JSON and has no columns.`,
          'Write one JSON object a line, or CSV with a header.',
        ),
      ];
    case 'avro':
    case 'orc':
      return [
        wrong(
          'format_not_read',
          `${name} is ${formWords(form)}, which receval does not read.`,
          'Export it as NDJSON, one JSON object a line.',
        ),
      ];
    default:
  }
  const judged = file.guess === undefined && file.rows.length > 0 ? judgedFile(file) : undefined;
  if (judged !== undefined) return [judgedFinding(judged, file)];
  const other = otherLog(file);
  return other === undefined
    ? [...otherEncoding(file), ...withoutHeader(file), ...badRows(file)]
    : [otherLogFinding(other, file)];
}

function otherEncoding({ name, format: { encoding, compression } }: InspectedFile): readonly LogFinding[] {
  const found = (what: string, from: string): readonly LogFinding[] => [
    wrong('encoding', `${name} is ${what}`, 'Convert it:', recoded(from, name, compression)),
  ];
  if (encoding === 'UTF-16' || encoding === 'UTF-32') return found(`${encoding}; a replay reads UTF-8.`, encoding);
  if (encoding !== 'not UTF-8') return [];
  return found('not UTF-8, perhaps Latin-1: its records count as invalid (not_utf8).', 'ISO-8859-1');
}

function withoutHeader({ name, format: { form } }: InspectedFile): readonly LogFinding[] {
  if (form.kind !== 'delimited' || form.columns !== undefined) return [];
  return [
    note(
      'no_header',
      `The first row of ${name} holds values, so nothing says what its ${form.width} columns are.`,
      'They are called column_1, column_2, ... here; name them in inputs.',
    ),
  ];
}

/** Some invalid records in a large log are usual. */
const MANY_BAD = 0.005;

function badRows({ name, rows, bad, log }: InspectedFile): readonly LogFinding[] {
  const all = rows.length + bad.length;
  const unread = (some: readonly BadRow[], are: string, remedy: string): readonly LogFinding[] => {
    if (some.length === 0) return [];
    const [{ row, why }] = some;
    const level = some.length > MANY_BAD * all ? wrong : note;
    const share = `${grouped(some.length)} of ${grouped(all)}`;
    return [
      level(
        'bad_rows',
        log === undefined
          ? `${share} records of ${name} ${are}; record ${grouped(row)} ${why}.`
          : `${share} sampled records of ${name}, partition ${log.partition}, ${are}; the one at offset ${log.offsets[row - 1]} ${why}.`,
        remedy,
      ),
    ];
  };
  const keeping =
    log === undefined ? 'receval replay --dead-letters FILE' : 'receval run with deadLetter in its configuration';
  const [deep, others] = [bad.filter(({ isDeep }) => isDeep), bad.filter(({ isDeep }) => !isDeep)];
  return [
    ...unread(others, 'cannot be read', `They count as invalid. ${keeping} keeps them.`),
    ...unread(
      deep,
      'were left out here',
      'A replay reads of them what its configuration names. No log needs such depth: look at what wrote them.',
    ),
  ];
}

export function ofRoles(all: Known): readonly LogFinding[] {
  const { files, impressions, feedback, oneLog, joined, kinds, notTaken, guess } = all;
  const logs = files.filter(({ guess }) => guess !== undefined);
  if (logs.length === 0) return [];
  const found = [...swappedFiles(logs)];
  const tables = tablesApart(logs);
  if (tables !== undefined) return [...found, tables];
  if (impressions === undefined) {
    const candidates = logs.flatMap((file) => listsLacking(file) ?? []);
    if (candidates.length > 0) return [...found, ...candidates];
    found.push(
      wrong(
        'no_lists',
        'No file holds lists, so it is unknown what was shown.',
        'Add the log of what was shown, with the items in order; feedback alone shows no ranking.',
      ),
    );
  } else {
    found.push(...listsNotRead(impressions));
    if (feedback === undefined) found.push(withoutFeedback(impressions));
  }
  const isTied = feedback === undefined || impressions === undefined || !feedback.missing.includes('requestId');
  if (!isTied) found.push(noIdOfList(impressions, feedback, notTaken));
  for (const [side, word] of [
    [impressions, 'lists'],
    [feedback, 'feedback'],
  ] as const) {
    const missing = side?.missing.filter((field) => isTied || field !== 'requestId') ?? [];
    const isTold = word === 'feedback' && side === impressions;
    if (side !== undefined && missing.length > 0 && !isTold) found.push(mostInvalid({ ...side, missing }, word));
  }
  if (guess !== undefined) {
    found.push(
      note(
        'clicks_guessed',
        `No name says which column holds clicks; ${guess} is the only one with yes and no, and is taken for it.`,
        'If it means something else, also name the log of clicks.',
      ),
    );
  }
  const areMixed = oneLog && joined === undefined && impressions !== undefined;
  if (areMixed && kinds !== undefined && areRows(impressions)) {
    found.push(rowsBesideFeedback(kinds, all));
  } else if (areMixed && feedback !== undefined) {
    found.push(
      wrong(
        'kinds_unclear',
        'Lists and feedback are in one log, their fields in different places, and no field says which record is which.',
        'Write them to two files, or add a field such as "type" to every record.',
      ),
    );
  }
  return found;
}

/** The finding on what the file holds in place of lists, if this is known: to ask for another log would be misleading. */
function listsLacking(file: InspectedFile): LogFinding | undefined {
  const done = doneWords(file.profile);
  if (done === undefined) return rowsWithoutList(file);
  return wrong(
    'no_lists',
    `${file.name} holds no lists that were shown: ${done}.`,
    'Add the log of what was shown, with the items in order, and log the id of the list with each of these events.',
  );
}

function swappedFiles(logs: readonly InspectedFile[]): readonly LogFinding[] {
  const named = (as: Role, is: Role): readonly string[] =>
    logs.filter(({ role, guess }) => role === as && guess?.role === is).map(({ name }) => name);
  const clicks = named('impressions', 'feedback');
  if (clicks.length === 0) return [];
  const lists = named('feedback', 'impressions');
  return [
    wrong(
      'files_swapped',
      `The files are swapped: ${lists.join(', ')} holds lists, ${clicks.join(', ')} holds none.`,
      'They were read the right way round here. Pass them so:',
      `--impressions ${lists.join(' ')} --feedback ${clicks.join(' ')}`,
    ),
  ];
}

function withoutFeedback({ files }: InspectedSide): LogFinding {
  return wrong(
    'feedback_missing',
    `${files.join(', ')} holds lists, and no file holds feedback: every measure of clicks would be 0.`,
    'Also name the log of clicks.',
  );
}

/** LogFinding that clicks lack the id of the list, which they must have. */
function noIdOfList(lists: InspectedSide, clicks: InspectedSide, notTaken: Known['notTaken']): LogFinding {
  const own = ownId(lists);
  const has = fieldsOf(clicks).join(', ');
  const met = notTaken.filter(({ join }) => join.match.share > 0).sort((a, b) => b.join.rating - a.join.rating)[0];
  const also = met === undefined ? '' : ` ${doubtWords(met, lists)}`;
  const logged =
    own === undefined
      ? 'The lists have no id either: give each one an id when it is shown, and log it as requestId with the list and with each click on it.'
      : `Log ${own} with each click on a list.`;
  return wrong(
    'nothing_joined',
    `The feedback in ${clicks.files.join(', ')} has no id of a list (its fields: ${has}), so nobody can tell which list was clicked.${also}`,
    logged,
  );
}

function doubtWords({ join, doubt }: Known['notTaken'][number], lists: InspectedSide): string {
  const { profile, sample } = lists;
  const both =
    join.impressions === join.feedback
      ? `${join.impressions} of both sides`
      : `${join.feedback} and ${join.impressions} of the lists`;
  switch (doubt) {
    case 'who':
      return `Both sides have ${join.impressions === join.feedback ? join.impressions : `${join.feedback} and ${join.impressions}`}, which says who it was, but one person sees many lists.`;
    case 'repeats': {
      const field = profile.fields.get(join.impressions);
      return `The values of ${both} match, but lists share them: ${grouped(field?.distinct.size ?? 0)} values in ${grouped(areRows(lists) ? sample.lists.length : (field?.values ?? 0))} lists.`;
    }
    case 'chance':
      return `The numbers in ${both} match no more often than by chance.`;
    default:
      return assertNever(doubt);
  }
}

/** Whether a list has several records. */
function areRows({ reading: { adapter } }: InspectedSide): boolean {
  return typeof adapter === 'object' && 'list' in adapter;
}

/** The field that identifies the lists, such as: /request (such as "r1"). For rows of items, the fields that group them. */
function ownId(lists: InspectedSide): string | undefined {
  const { profile, fits } = lists;
  const chosen = fits.filter(({ as }) => as === 'requestId').map(({ path }) => path);
  if (areRows(lists) && chosen.length > 0) return chosen.join(' and ');
  const others = fits.filter(({ as }) => as === 'items' || as === 'userId').map(({ path }) => path);
  const [id = profile.fields.get(chosen[0] ?? '')] = [...profile.fields.values()]
    .filter((field) => !isOfElements(field.path) && !others.includes(field.path) && isIdLike(field))
    .filter((field) => timesOf(field) === undefined && isOwn(field))
    .sort((a, b) => nameFit(b.path, 'requestId') - nameFit(a.path, 'requestId'));
  return id === undefined ? undefined : `${id.path} (such as ${JSON.stringify(cut(String(id.example)))})`;
}

function isOwn({ distinct, values }: Field): boolean {
  return distinct.size >= 0.95 * values;
}

function fieldsOf({ profile }: InspectedSide): readonly string[] {
  return [...profile.fields.keys()].filter((path) => !isOfElements(path)).slice(0, 6);
}

function mostInvalid(side: InspectedSide, what: string): LogFinding {
  const { files, missing, profile } = side;
  const names = fieldsOf(side);
  const meaning: Readonly<Record<string, string>> = {
    requestId: 'an id that links a click to its list',
    ts: 'a time',
    items: 'a list',
    itemId: 'the id of an item',
  };
  const wanted = missing.map((field) => `${meaning[field] ?? field} (${field})`).join(' and ');
  const dated = [...profile.fields.values()].find(
    ({ example, distinct }) => isOtherDate(example) || (distinct.size > 0 && dateFormat(distinct.keys()) !== undefined),
  );
  const message = `No field of the ${what} in ${files.join(', ')} holds ${wanted}. Its fields are ${names.join(', ')}.`;
  const place = missing.includes('itemId') ? [...profile.fields.values()].find(isPlace) : undefined;
  if (place !== undefined) {
    const remedy = `${place.path} says only at which position the item was: log its id as well, as lists change.`;
    return wrong('most_invalid', message, remedy);
  }
  if (!missing.includes('ts') || dated === undefined) {
    return wrong('most_invalid', message, 'Log it: no record counts without it.');
  }
  if (dated.distinct.size > 0 && shortenedTo(dated.distinct.keys()) !== undefined) {
    return wrong(
      'most_invalid',
      message,
      `${dated.path} is written as "${String(dated.example)}", a number without its last digits. ${NOT_SHORTENED}`,
    );
  }
  const how = `${dated.path} is written as "${String(dated.example)}": write ISO 8601, such as 2026-11-21T08:00:00Z.`;
  return wrong('most_invalid', message, how);
}
