/** Renders one screen of text: problems first, then the files and fields, how they join, and the proposed settings. */
import { printDuration } from '../vocabulary/durations.ts';
import type { DurationMs } from '../vocabulary/events.ts';
import { grouped } from '../vocabulary/grouped.ts';
import { roughly } from '../vocabulary/numbers.ts';
import { distinctWords, type Field, mainType, timesOf } from './fields.ts';
import { formWords } from './file-shape.ts';
import { alikeIn, type InspectedFile, type InspectedSide, type Inspection } from './inspected.ts';
import { pairText } from './join-trial.ts';
import { DELAY_BINS, delayBins } from './log-facts.ts';
import { baseName, type LogFinding, mayReplay, wrapped } from './log-finding.ts';
import type { Grade } from './proposal.ts';
import { spoken } from './time-forms.ts';

const WIDTH = 100;
const LINES = 40;
const LABEL = 9;
/** Least number of lines per side; one less if there are three. */
const LEAST_FIELDS = 4;
/** If feedback has more shapes than this, its fields are not shown. */
const MOST_SHAPES = 2;
const MOST_NOTES = 4;
/** More files than this are summarised. */
const MOST_FILES = 4;
/** With fewer lists the split is not reported. */
const FEWEST_SPLIT = 100;

/** @param command how to continue; undefined: the log cannot be read */
export function screenOf(inspection: Inspection, command: string | undefined): string {
  const { findings, files, impressions, feedback } = inspection;
  const wrong = findings.filter(({ level }) => level === 'wrong');
  const notes = findings.filter(({ level }) => level === 'note');
  const isLog = files.some(({ guess }) => guess !== undefined);
  const top = [
    ...(isLog || wrong.length > 0 ? wrongLines(wrong) : ['None of these files is a log.']),
    '',
    ...fileLines(files),
  ];
  const bottom = [
    ...joinLines(inspection),
    ...factLines(inspection),
    ...noteLines(notes),
    ...(mayReplay(findings) ? nextLines(command) : []),
  ];
  const sides = [impressions, feedback === impressions ? undefined : feedback]
    .filter((side) => side !== undefined)
    .flatMap((side) => alikeIn(side).slice(0, MOST_SHAPES));
  const room = Math.max(0, LINES - top.length - bottom.length - 1 - sides.length);
  const middle = fieldLines(sides, room, [impressions, feedback]);
  return `${[...top, ...middle, ...bottom].map((line) => line.trimEnd()).join('\n')}\n`;
}

function wrongLines(wrong: readonly LogFinding[]): readonly string[] {
  if (wrong.length === 0) return ['Nothing looks wrong.'];
  return ['What looks wrong', ...wrong.flatMap((finding, i) => findingLines(finding, `  ${i + 1}. `))];
}

function findingLines({ cause, remedy, command }: LogFinding, start: string): readonly string[] {
  const indent = ' '.repeat(start.length);
  const lines = wrapped(printable(`${cause} ${remedy}`), WIDTH - start.length).map(
    (line, i) => (i === 0 ? start : indent) + line,
  );
  return command === undefined ? lines : [...lines, `${indent}$ ${command}`];
}

function fileLines(files: readonly InspectedFile[]): readonly string[] {
  const byName = new Map<string, InspectedFile[]>();
  for (const file of files) byName.set(file.name, [...(byName.get(file.name) ?? []), file]);
  const alike = new Map<string, { readonly names: string[]; readonly parts: InspectedFile[] }>();
  for (const [name, parts] of byName) {
    const [{ format, guess }] = parts;
    const key = byName.size <= MOST_FILES ? name : JSON.stringify([format, guess?.role, guess?.why]);
    const known = alike.get(key) ?? { names: [], parts: [] };
    known.names.push(name);
    known.parts.push(...parts);
    alike.set(key, known);
  }
  const lines = [...alike.values()].flatMap(({ names, parts }) => {
    const [{ format, guess, more, log }] = parts;
    const records = parts.reduce((sum, { rows, bad }) => sum + rows.length + bad.length, 0);
    const { compression, encoding, lineEnds } = format;
    const about = [
      formWords(format.form),
      compression === 'none' ? '' : compression,
      encoding ?? '',
      lineEnds === 'LF' || lineEnds === 'none' ? '' : lineEnds,
      records > 0
        ? `${log !== undefined ? 'newest ' : more || parts.some((part) => part.more) ? 'first ' : ''}${grouped(records)} record${records === 1 ? '' : 's'}`
        : '',
    ].filter((word) => word !== '');
    const role =
      guess === undefined ? '' : `${guess.role === 'both' ? 'lists and feedback' : guess.role}: ${guess.why}`;
    const others = names.length === 1 ? '' : ` and ${names.length - 1} more`;
    return [`  ${cut(names[0], 40)}${others}  ${role}`, `    ${about.join(', ')}`].map((line) =>
      cut(printable(line), WIDTH),
    );
  });
  return ['Files', ...lines];
}

/** The fields that are read come first; fields that do not fit are counted. */
function fieldLines(
  sides: readonly InspectedSide[],
  room: number,
  both: readonly (InspectedSide | undefined)[],
): readonly string[] {
  const lines: string[] = [];
  const least = sides.length > 2 ? LEAST_FIELDS - 1 : LEAST_FIELDS;
  const each = Math.max(least, Math.floor(room / Math.max(1, sides.length)) - 1);
  let left = room;
  for (const [i, side] of sides.entries()) {
    const isLast = i === sides.length - 1;
    const title =
      sides.length === 1 && both[1] !== undefined
        ? 'Fields'
        : side === both[0]
          ? 'Fields of impressions'
          : `Fields of ${both[1]?.apart.length === 0 ? 'feedback' : baseName(side.files[0])}`;
    const shown = rowsOf(side, Math.max(least, isLast ? left - 1 : each));
    left -= shown.length + 1;
    lines.push(row([title, 'type', 'in', 'values', 'example', 'read as']), ...shown);
  }
  return lines;
}

function rowsOf({ profile, fits }: InspectedSide, most: number): readonly string[] {
  const used = fits.flatMap((fit) => {
    const field = profile.fields.get(fit.path);
    return field === undefined ? [] : [{ field, as: `${fit.as}: ${fit.why}` }];
  });
  const others = [...profile.fields.values()]
    .filter((field) => !used.some((one) => one.field === field) && mainType(field) !== 'object')
    .filter(
      ({ path }) => !used.some((one) => one.field.path === `${path}[]` || one.field.path.startsWith(`${path}[]/`)),
    );
  const all = [...used, ...others.map((field) => ({ field, as: '' }))];
  const left = all.length - most;
  const shown = left > 0 ? all.slice(0, most - 1) : all;
  const lines = shown.map(({ field, as }) => fieldRow(field, profile.records, as));
  return left > 0 ? [...lines, `  ${all.length - shown.length} more: --output json shows all`] : lines;
}

function fieldRow(field: Field, records: number, as: string): string {
  const isList = mainType(field) === 'list';
  const example = isList
    ? `${Math.round((10 * field.elements) / Math.max(1, field.records)) / 10} elements`
    : String(field.example);
  const values = isList ? '' : distinctWords(field);
  const type = typeWords(field);
  return row([
    `  ${tail(field.path, COLUMNS[0] - 2)}`,
    type,
    roughly(field.records / Math.max(1, records)),
    values,
    example,
    as,
  ]);
}

function typeWords(field: Field): string {
  const time = timesOf(field);
  if (time === undefined) return mainType(field);
  return time.form === 'zoned' || time.form === 'local' || time.form === 'utc' ? 'time' : `time, ${time.form}`;
}

const COLUMNS = [27, 8, 6, 7, 13, 34];

function row(cells: readonly string[]): string {
  return cells
    .map(printable)
    .map((cell, i) => (i === cells.length - 1 ? cut(cell, COLUMNS[i]) : `${cut(cell, COLUMNS[i]).padEnd(COLUMNS[i])} `))
    .join('');
}

function joinLines({ joins, facts, impressions, feedback, items, clock }: Inspection): readonly string[] {
  if (impressions === undefined || feedback === undefined || feedback.sample.feedback.length === 0) return [];
  const { asked, known, inList, delays } = facts.joining;
  const share = asked === 0 ? 0 : known / asked;
  const [first, ...rest] = joins;
  const tried = rest
    .filter(({ match, rating }) => match.difference === undefined && (match.share > 0 || rating >= 0.00088))
    .slice(0, 2);
  const best =
    first === undefined
      ? `${roughly(share)} of feedback belongs to a list`
      : `${pairText(first)}: ${roughly(share)}${first.match.difference === undefined ? '' : ' if mended'}`;
  const also = tried.map((one) => `${pairText(one)}: ${roughly(one.match.share)}`);
  const pairs = new Map(feedback.apart.map(({ side, join }) => [pairText(join), { side, join }] as const));
  const each = [...pairs].map(([pair, { side, join }]) => {
    return `${pairs.size === 1 ? '' : `${baseName(side.files[0])}: `}${pair}: ${roughly(pairs.size === 1 ? share : join.match.share)}`;
  });
  const lines = labelled('Join', (each.length > 0 ? each : [best, ...also]).join('; '));
  if (known === 0) return lines;
  const item = items[0];
  const found = item?.difference === undefined ? '' : ' if mended';
  return [
    ...lines,
    ...labelled('Items', `${roughly(inList / known)} of the feedback that joins names an item of its list${found}`),
    ...(delays.length === 0 ? [] : labelled('Delays', delayWords(delays, clock?.offset ?? 0))),
  ];
}

/** Delays without the offset of the clocks, which leaves the time that people took. */
function delayWords(sorted: readonly DurationMs[], offset: DurationMs): string {
  const bins = delayBins(sorted.map((delay) => delay - offset));
  const shares = bins.flatMap((n, i) => {
    if (n === 0) return [];
    const last = DELAY_BINS.length - 1;
    const end =
      i === 0 ? 'before' : i <= last ? `to ${printDuration(DELAY_BINS[i])}` : `over ${printDuration(DELAY_BINS[last])}`;
    return [`${end} ${roughly(n / sorted.length)}`];
  });
  return `${shares.join(', ')}${offset === 0 ? '' : ` (less ${spoken(offset)})`}`;
}

function factLines({ facts, impressions, feedback, proposal }: Inspection): readonly string[] {
  const lists = impressions?.sample.lists.length ?? 0;
  if (lists === 0) return [];
  const lines: string[] = [];
  const { users, variants, splitChance, duplicates, disorder } = facts;
  const people =
    users.lists === 0
      ? 'no user id'
      : `${grouped(users.distinct)} user${users.distinct === 1 ? '' : 's'}, in ${roughly(users.lists / lists)} of the lists`;
  const split = [...variants]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, n]) => `${cut(name, 20)} ${roughly(n / lists)}`);
  const even =
    splitChance === undefined || lists < FEWEST_SPLIT
      ? ''
      : splitChance < 0.001
        ? ', not as expected'
        : ', as expected';
  lines.push(
    ...labelled(
      'People',
      `${people}; ${variants.size === 0 ? 'no variant' : `variants ${split.slice(0, 6).join(', ')}${even}`}`,
    ),
  );
  const clicks = feedback?.sample.feedback.length ?? 0;
  const twice = `twice: ${grouped(duplicates.lists)} of ${grouped(lists)} lists, ${grouped(duplicates.feedback)} of ${grouped(clicks)} feedback`;
  lines.push(
    ...labelled(
      'Order',
      `${disorder.overtaken === 0 ? 'in order' : `out of order by up to ${spoken(disorder.most)} (${grouped(disorder.overtaken)})`}; ${twice}`,
    ),
  );
  if (facts.actions.size > 0) {
    const actions = [...facts.actions]
      .sort(([, a], [, b]) => b - a)
      .map(([action, n]) => `${cut(action, 24)} ${grouped(n)}${gradeWords(proposal.grades.get(action))}`);
    lines.push(
      ...labelled(
        'Actions',
        `${actions.slice(0, 6).join(', ')}${actions.length > 6 ? ` and ${actions.length - 6} more` : ''}`,
      ),
    );
  }
  const cohorts = proposal.dimensions.map(
    ({ name, cohorts: n, isProposed }) => `${name} ${grouped(n)}${isProposed ? '' : ' (left out)'}`,
  );
  if (cohorts.length > 0) lines.push(...labelled('Cohorts', cohorts.slice(0, 8).join(', ')));
  const waits = [
    `horizons ${proposal.horizons.map(printDuration).join(', ')}`,
    `outOfOrderness ${printDuration(proposal.outOfOrderness)}`,
    ...(proposal.backward > 0 ? [`backward ${printDuration(proposal.backward)}`] : []),
  ];
  lines.push(...labelled('Proposed', waits.join('; ')));
  return lines;
}

function gradeWords(grade: Grade | undefined): string {
  if (grade === undefined) return '';
  return typeof grade === 'number' ? ` (grade ${grade})` : ` (${grade})`;
}

function noteLines(notes: readonly LogFinding[]): readonly string[] {
  if (notes.length === 0) return [];
  const shown = notes.slice(0, MOST_NOTES);
  const more = notes.length - shown.length;
  return [
    'Also',
    ...shown.flatMap((finding) => findingLines(finding, '  - ')),
    ...(more > 0 ? [`  ${more} more: --output json shows all`] : []),
  ];
}

function nextLines(command: string | undefined): readonly string[] {
  return command === undefined ? [] : ['Next', ...command.split('\n').map((line) => `  $ ${line}`)];
}

function labelled(label: string, words: string): readonly string[] {
  return wrapped(printable(words), WIDTH - LABEL).map((line, i) => `${(i === 0 ? label : '').padEnd(LABEL)}${line}`);
}

/** Keeps the end of a path, which says more than its beginning. */
function tail(path: string, width: number): string {
  return path.length > width ? `…${path.slice(path.length - width + 1)}` : path;
}

function cut(text: string, width: number): string {
  return text.length > width ? `${text.slice(0, width - 1)}…` : text;
}

/** The text without characters that could break a line or control the terminal. */
function printable(text: string): string {
  return text.replace(/[\p{Cc}\p{Zl}\p{Zp}\p{Bidi_Control}]+/gu, ' ');
}
