/** What looks wrong in a sample, each with its cause, an example and what to do. */
import { assertNever } from '../events.ts';
import { percent } from './canonical.ts';
import { beforeList, zoneText } from './delays.ts';
import { isOfElements, timeFormsOf } from './fields.ts';
import type { Form } from './format.ts';
import { type Difference, differenceWords } from './ids.ts';
import type { InspectedFile, InspectedSide, Inspection, InspectOptions } from './inspection.ts';
import type { JoinTrial } from './join-trial.ts';
import { nameFit } from './names.ts';
import { isOtherDate, spoken, timeWords } from './times.ts';

export type FindingCode =
  | 'not_a_log'
  | 'format_not_read'
  | 'bad_rows'
  | 'encoding'
  | 'no_header'
  | 'files_swapped'
  | 'no_lists'
  | 'feedback_missing'
  | 'feedback_within_items'
  | 'most_invalid'
  | 'kinds_unclear'
  | 'nothing_joined'
  | 'few_joined'
  | 'ids_differ'
  | 'ids_differ_by_prefix'
  | 'ids_differ_by_case'
  | 'other_type_of_id'
  | 'items_never_match'
  | 'few_items_match'
  | 'clock_offset'
  | 'unit_of_time'
  | 'times_without_zone'
  | 'feedback_before_list'
  | 'all_late'
  | 'unknown_actions'
  | 'no_user_ids'
  | 'one_variant'
  | 'uneven_split'
  | 'users_of_two_variants'
  | 'request_ids_repeat'
  | 'duplicates'
  | 'out_of_order';

export interface Finding {
  readonly code: FindingCode;
  /** `wrong`: the numbers of a replay would be wrong or none. `note`: worth to know. */
  readonly level: 'wrong' | 'note';
  /** What, and why: whole sentences. */
  readonly message: string;
  /** What to do: a whole sentence. */
  readonly remedy: string;
  /** A command that does it; undefined: none. */
  readonly command: string | undefined;
}

type Known = Omit<Inspection, 'findings'>;

const FEW = 0.5;
const MANY = 0.9;
const DAY = 86_400_000;
const MINUTE = 60_000;
/** Chance below which a split is told to be uneven. */
const UNEVEN = 0.001;

/** What is wrong first, then in the order of the data path. */
export function findingsOf(known: Known, options: InspectOptions): readonly Finding[] {
  const found = [
    ...known.files.flatMap(ofFile),
    ...ofRoles(known),
    ...ofTimes(known, options),
    ...ofJoin(known),
    ...ofClock(known),
    ...ofActions(known),
    ...ofPeople(known),
    ...ofOrder(known),
  ];
  const shown = known.files.every(isPlainJson) ? found : found.map(withoutJq);
  return [...shown.filter(({ level }) => level === 'wrong'), ...shown.filter(({ level }) => level === 'note')];
}

/** Whether jq reads it as it is. */
function isPlainJson({ format: { compression, form, encoding } }: InspectedFile): boolean {
  return compression === 'none' && form.kind === 'ndjson' && encoding !== undefined;
}

function withoutJq(finding: Finding): Finding {
  if (finding.command?.startsWith('jq ') !== true) return finding;
  return { ...finding, remedy: finding.remedy.replace(/:$/, '.'), command: undefined };
}

function wrong(code: FindingCode, message: string, remedy: string, command?: string): Finding {
  return { code, level: 'wrong', message, remedy, command };
}

function note(code: FindingCode, message: string, remedy: string, command?: string): Finding {
  return { code, level: 'note', message, remedy, command };
}

export function formWords(form: Form): string {
  switch (form.kind) {
    case 'empty':
      return 'empty';
    case 'ndjson':
      return 'NDJSON';
    case 'json-array':
      return 'a JSON array';
    case 'json-object':
      return 'JSON over several lines';
    case 'delimited':
      return `${form.delimiter === '\t' ? 'TSV' : form.delimiter === ',' ? 'CSV' : `CSV with "${form.delimiter}"`}, ${form.width} columns`;
    case 'parquet':
      return 'Parquet';
    case 'avro':
      return 'Avro';
    case 'orc':
      return 'ORC';
    case 'trec-run':
      return 'a TREC run';
    case 'trec-qrels':
      return 'TREC qrels';
    case 'unknown':
      return 'of no known form';
    default:
      return assertNever(form);
  }
}

function ofFile({ name, format, rows, bad }: InspectedFile): readonly Finding[] {
  const { form, encoding } = format;
  switch (form.kind) {
    case 'empty':
      return [wrong('not_a_log', `${name} is empty.`, 'Name a file with records in it.')];
    case 'trec-run':
      return [
        note(
          'not_a_log',
          `${name} is a TREC run: ranked lists for judged queries, no log.`,
          'Score takes it, with its judgements:',
          `receval score ${name} --qrels QRELS`,
        ),
      ];
    case 'trec-qrels':
      return [
        note(
          'not_a_log',
          `${name} holds TREC qrels: judgements of queries, no log.`,
          'Score takes them, with a run:',
          `receval score RUN --qrels ${name}`,
        ),
      ];
    case 'unknown':
      return [
        wrong(
          'format_not_read',
          `${name} is no JSON and has no columns.`,
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
  const found: Finding[] = [];
  if (encoding === 'UTF-16')
    found.push(
      wrong(
        'encoding',
        `${name} is UTF-16; records are read as UTF-8.`,
        'Change it:',
        `iconv -f UTF-16 -t UTF-8 ${name} > utf8-${baseName(name)}`,
      ),
    );
  if (encoding === 'not UTF-8')
    found.push(
      wrong(
        'encoding',
        `${name} is not UTF-8, perhaps Latin-1: its records count as invalid (not_utf8).`,
        'Change it:',
        `iconv -f ISO-8859-1 -t UTF-8 ${name} > utf8-${baseName(name)}`,
      ),
    );
  if (form.kind === 'delimited' && form.columns === undefined) {
    found.push(
      wrong(
        'no_header',
        `The first row of ${name} holds values: nothing says what its ${form.width} columns are.`,
        'Put a row with the names of the columns before it.',
      ),
    );
  }
  if (bad.length > 0) {
    const [{ row, why }] = bad;
    const all = rows.length + bad.length;
    const level = bad.length > 0.005 * all ? wrong : note;
    found.push(
      level(
        'bad_rows',
        `${count(bad.length)} of ${count(all)} records of ${name} cannot be read; record ${count(row)} ${why}.`,
        'They count as invalid. receval replay --dead-letters FILE keeps them.',
      ),
    );
  }
  return found;
}

function baseName(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1);
}

function ofRoles({ files, impressions, feedback, oneLog, joined, whoJoins }: Known): readonly Finding[] {
  const logs = files.filter(({ judged }) => judged !== undefined);
  if (logs.length === 0) return [];
  const found: Finding[] = [];
  const swapped = logs
    .filter(({ role, judged }) => role === 'impressions' && judged?.role === 'feedback')
    .map(({ name }) => name);
  if (swapped.length > 0) {
    const others = logs
      .filter(({ role, judged }) => role === 'feedback' && judged?.role === 'impressions')
      .map(({ name }) => name);
    found.push(
      wrong(
        'files_swapped',
        `The files are the wrong way round: ${others.join(', ')} holds lists, ${swapped.join(', ')} holds none.`,
        'They are read the right way round here. Give them so:',
        `--impressions ${others.join(' ')} --feedback ${swapped.join(' ')}`,
      ),
    );
  }
  if (impressions === undefined) {
    found.push(
      wrong(
        'no_lists',
        'No file holds lists, so nothing says what was shown.',
        'Add the log of what was shown, with the items in order; feedback alone shows no ranking.',
      ),
    );
  } else if (feedback === undefined) {
    found.push(...withoutFeedback(impressions));
  }
  for (const [side, word] of [
    [impressions, 'lists'],
    [feedback, 'feedback'],
  ] as const) {
    if (side !== undefined && side.missing.length > 0) found.push(mostInvalid(side, word, whoJoins[0]));
  }
  if (oneLog && joined === undefined && impressions !== undefined && feedback !== undefined) {
    found.push(
      wrong(
        'kinds_unclear',
        'Lists and feedback stand in one log, with their fields at different places, and no field tells which record is which.',
        'Write them to two files, or add a field such as "type" to every record.',
      ),
    );
  }
  return found;
}

function withoutFeedback({ files, profile, fits }: InspectedSide): readonly Finding[] {
  const inside = [...profile.fields.keys()].find(
    (path) => isOfElements(path) && nameFit(path.slice(path.indexOf('[]') + 2), 'clicked') >= 0.7,
  );
  if (inside === undefined) {
    return [
      wrong(
        'feedback_missing',
        `${files.join(', ')} holds lists, and no file holds feedback: every measure of clicks would be 0.`,
        'Name the log of clicks, too.',
      ),
    ];
  }
  const at = (as: string): string => jqPath(fits.find((fit) => fit.as === as)?.path ?? `/${as}`);
  const [list, flag] = [inside.slice(0, inside.indexOf('[]')), inside.slice(inside.indexOf('[]') + 2)];
  const id = fits.find(({ as }) => as === 'items.id')?.path ?? '/id';
  const item = jqPath(id.slice(id.indexOf('[]') + 2));
  return [
    wrong(
      'feedback_within_items',
      `The clicks stand inside of the lists (${inside}): a replay wants each as a record of its own.`,
      'Write them to a file:',
      `jq -c '. as $l | ${jqPath(list)}[] | select(${jqPath(flag)}) | {requestId: ($l|${at('requestId')}), ts: ($l|${at('ts')}), itemId: ${item}, action: "click"}' ${files[0]} > clicks.ndjson`,
    ),
  ];
}

function mostInvalid({ files, missing, profile }: InspectedSide, what: string, who: JoinTrial | undefined): Finding {
  if (who !== undefined && who.match.share > 0 && missing.includes('requestId')) {
    return wrong(
      'nothing_joined',
      `Both sides have ${who.impressions === who.feedback ? who.impressions : `${who.feedback} and ${who.impressions}`}, which says who it was, but the ${what} in ${files.join(', ')} has no id of the list: somebody sees many lists, and nobody can tell which one was clicked.`,
      'Send the id of the list along with each click.',
    );
  }
  const names = [...profile.fields.keys()].filter((path) => !isOfElements(path)).slice(0, 6);
  const meaning: Readonly<Record<string, string>> = {
    requestId: 'an id that ties a click to its list',
    ts: 'a time',
    items: 'a list',
    itemId: 'the id of an item',
  };
  const wanted = missing.map((field) => `${meaning[field] ?? field} (${field})`).join(' and ');
  const dated = [...profile.fields.values()].find(({ example }) => isOtherDate(example));
  const remedy =
    missing.includes('ts') && dated !== undefined
      ? `${dated.path} is written as "${String(dated.example)}": write ISO 8601, such as 2026-11-21T08:00:00Z.`
      : 'Log it; without it no record counts.';
  return wrong(
    'most_invalid',
    `No field of the ${what} in ${files.join(', ')} holds ${wanted}. There are ${names.join(', ')}.`,
    remedy,
  );
}

function ofTimes({ impressions, feedback, oneLog, zones }: Known, { now }: InspectOptions): readonly Finding[] {
  const found: Finding[] = [];
  for (const side of new Set(oneLog ? [impressions] : [impressions, feedback])) {
    const path = side?.fits.find(({ as }) => as === 'ts')?.path;
    const field = path === undefined ? undefined : side?.profile.fields.get(path);
    if (side === undefined || field === undefined) continue;
    const files = side.files.join(', ');
    const forms = timeFormsOf(field);
    const units = forms.filter((form) => form === 's' || form === 'ms' || form === 'us' || form === 'ns');
    if (units.length > 1) {
      const shares = units.map(
        (unit) => `${timeWords(unit)} (${percent((field.times.get(unit) ?? 0) / field.values)})`,
      );
      found.push(
        note(
          'unit_of_time',
          `${field.path} of ${files} holds ${shares.join(' and ')}.`,
          'Each number tells its unit by its size, so they are read; better write one unit.',
        ),
      );
    }
    const { time } = side.reading;
    if (time?.form === 'local') {
      const zone = (side === impressions ? zones.impressions : zones.feedback) ?? 'UTC';
      const why = zone === 'UTC' ? 'UTC was assumed' : `by the other log they are of ${zone}`;
      found.push(
        note(
          'times_without_zone',
          `The times of ${files} name no zone, such as "${String(field.example)}"; ${why}.`,
          'timeZone names it: a name such as Europe/Berlin knows of summer, +01:00 does not.',
        ),
      );
    }
    const ahead = [...side.sample.times].filter((ts) => ts > now + 5 * MINUTE).length;
    const far = outlier(side.sample.times);
    if (ahead > 0 || far !== undefined) {
      const last = finite(side.sample.times).reduce((most, ts) => Math.max(most, ts), 0);
      found.push(
        wrong(
          'all_late',
          `${ahead > 0 ? `${count(ahead)} of ${count(side.sample.times.length)} times of ${files} lie in the future` : `A time of ${files} lies far after the others`} (${new Date(last).toISOString()}): what comes after it in the log would be late.`,
          'Take these records out, or mend their clock.',
        ),
      );
    }
  }
  return found;
}

/** The newest time, where it lies more than a day after all but one in a hundred of the others, and these lie closer together. */
function outlier(times: readonly number[]): number | undefined {
  const sorted = finite(times).sort((a, b) => a - b);
  if (sorted.length < 20) return undefined;
  const most = sorted[sorted.length - 1];
  const usual = sorted[Math.floor(0.99 * (sorted.length - 1))];
  return most - usual > DAY + 2 * (usual - sorted[0]) ? most : undefined;
}

function finite(times: readonly number[]): number[] {
  return times.filter((ts) => !Number.isNaN(ts));
}

function ofJoin({ impressions, feedback, joins: [join], items: [item], facts, oneLog }: Known): readonly Finding[] {
  if (
    impressions === undefined ||
    feedback === undefined ||
    facts.joining.asked === 0 ||
    impressions.sample.lists.length === 0
  )
    return [];
  const { asked, known, inList } = facts.joining;
  const ids = join === undefined ? 'the ids' : `feedback${join.feedback} and impressions${join.impressions}`;
  const example = exampleIds(impressions, feedback);
  if (join?.match.difference !== undefined) {
    return [
      differing(
        join.match.difference,
        `The request ids differ (${ids}): ${differenceWords(join.match.difference)}. ${example}`,
        'As they stand, nothing joins. Write them alike:',
        idCommand(join.match.difference, join.feedback, join.impressions, feedback, impressions),
      ),
    ];
  }
  const share = known / asked;
  const found: Finding[] = [];
  if (known === 0) {
    return [
      wrong(
        'nothing_joined',
        `No feedback joins: no field of ${feedback.files.join(', ')} holds an id of a list in ${impressions.files.join(', ')}. ${example}`,
        oneLog
          ? 'Send the id of the list along with each click.'
          : 'Are the files of the same hours? Else send the id of the list along with each click.',
      ),
    ];
  }
  if (share < MANY) {
    found.push(
      (share < FEW ? wrong : note)(
        'few_joined',
        `${percent(share)} of feedback joins (${ids}); the rest would count as orphan.`,
        'Are lists missing from the log (sampled, other hours, other pages)? Does every click carry the id of its list?',
      ),
    );
  }
  if (item?.difference !== undefined) {
    found.push(
      differing(
        item.difference,
        `The item ids differ: ${differenceWords(item.difference)}. ${exampleItems(impressions, feedback)}`,
        'As they stand, nothing counts. Write them alike:',
        idCommand(item.difference, item.feedback, undefined, feedback, impressions),
      ),
    );
  } else if (inList / known < 0.05) {
    found.push(
      wrong(
        'items_never_match',
        `Feedback joins, but ${inList === 0 ? 'none of it' : `only ${percent(inList / known)}`} names an item of its list. ${exampleItems(impressions, feedback)}`,
        'Log the same id of the item on both sides (a sku is no product id), and what was shown, not what was retrieved.',
      ),
    );
  } else if (inList / known < MANY) {
    found.push(
      (inList / known < FEW ? wrong : note)(
        'few_items_match',
        `${percent(inList / known)} of the feedback that joins names an item of its list; the rest would count as not_in_list.`,
        'Did the other clicks come from another list on the page? Each list needs a request id of its own.',
      ),
    );
  }
  return found;
}

function differing(difference: Difference, message: string, remedy: string, command: string): Finding {
  const codes: Readonly<Record<Difference['kind'], FindingCode>> = {
    prefix: 'ids_differ_by_prefix',
    suffix: 'ids_differ_by_prefix',
    case: 'ids_differ_by_case',
    number: 'other_type_of_id',
    blanks: 'ids_differ',
    dashes: 'ids_differ',
  };
  return wrong(codes[difference.kind], message, remedy, command);
}

/** A command that makes the ids of one side those of the other; for both sides, where both must change. */
function idCommand(
  difference: Difference,
  ofFeedback: string,
  ofImpressions: string | undefined,
  feedback: InspectedSide,
  impressions: InspectedSide,
): string {
  const change = (path: string, how: string, file: string): string =>
    `jq -c '${jqPath(path)} |= ${how}' ${file} > mended-${baseName(file)}`;
  const [lists, clicks] = [impressions.files[0], feedback.files[0]];
  const both = (how: string): string =>
    [change(ofFeedback, how, clicks), ...(ofImpressions === undefined ? [] : [change(ofImpressions, how, lists)])].join(
      '; ',
    );
  switch (difference.kind) {
    case 'case':
      return both('ascii_downcase');
    case 'number':
      return both('(tostring | sub("\\\\.0+$"; "") | sub("^0+(?=.)"; ""))');
    case 'blanks':
      return both('gsub("^ +| +$"; "")');
    case 'dashes':
      return both('gsub("[-_{}]"; "")');
    default: {
      const cut = difference.kind === 'prefix' ? 'ltrimstr' : 'rtrimstr';
      const put = difference.kind === 'prefix' ? `"${difference.impressions}" + .` : `. + "${difference.impressions}"`;
      const bare = difference.feedback === '' ? '.' : `${cut}("${difference.feedback}")`;
      return change(ofFeedback, difference.impressions === '' ? bare : `(${bare} | ${put})`, clicks);
    }
  }
}

function exampleIds(impressions: InspectedSide, feedback: InspectedSide): string {
  const [list] = impressions.sample.lists;
  const [event] = feedback.sample.feedback;
  return list === undefined || event === undefined
    ? ''
    : `Lists have ${JSON.stringify(cut(list.requestId))}, feedback ${JSON.stringify(cut(event.requestId))}.`;
}

function exampleItems(impressions: InspectedSide, feedback: InspectedSide): string {
  const [list] = impressions.sample.lists;
  const [event] = feedback.sample.feedback;
  return list === undefined || event === undefined
    ? ''
    : `Lists have ${JSON.stringify(cut(list.items[0] ?? ''))}, feedback ${JSON.stringify(cut(event.itemId))}.`;
}

function cut(text: string): string {
  return text.length > 40 ? `${text.slice(0, 39)}…` : text;
}

function ofClock({ clock, facts, feedback, impressions, proposal, zones }: Known): readonly Finding[] {
  const isZoned = (zones.impressions ?? zones.feedback) !== undefined;
  if (clock !== undefined && feedback !== undefined && impressions !== undefined && !isZoned) {
    const { offset, share } = clock;
    const how = offset > 0 ? 'after' : 'before';
    const command = shiftCommand(feedback, offset);
    return [
      wrong(
        'clock_offset',
        `Feedback is dated ${spoken(offset)} ${how} its list, always (${percent(share)} lie within half an hour of that): the clocks are of two time zones.`,
        `If the lists are in UTC, the feedback's clock wrote the time of a zone at ${zoneText(offset)}. Write both in UTC${command === undefined ? '.' : ':'}`,
        command,
      ),
    ];
  }
  const sorted = facts.joining.delays;
  const { share, by } = beforeList(sorted.map((delay) => delay - (clock?.offset ?? 0)));
  if (share === 0) return [];
  const message = `${percent(share)} of feedback is dated before its list, nearly all by at most ${spoken(by)}: the clocks of two producers differ.`;
  return proposal.backward > 0
    ? [
        note(
          'feedback_before_list',
          message,
          `attribution.backward: ${spoken(proposal.backward)} lets it count; it is proposed.`,
        ),
      ]
    : [
        (share > 0.05 ? wrong : note)(
          'feedback_before_list',
          message,
          'It would not count. Which of the two clocks is right?',
        ),
      ];
}

/** For times that are numbers. */
function shiftCommand({ fits, reading, files }: InspectedSide, offset: number): string | undefined {
  const path = fits.find(({ as }) => as === 'ts')?.path;
  const perMs = { s: 1e-3, ms: 1, us: 1e3, ns: 1e6, zoned: undefined, utc: undefined, local: undefined }[
    reading.time?.form ?? 'zoned'
  ];
  if (path === undefined || perMs === undefined || reading.time?.quoted === true || isOfElements(path))
    return undefined;
  return `jq -c '${jqPath(path)} -= ${offset * perMs}' ${files[0]} > mended-${baseName(files[0])}`;
}

function ofActions({ proposal, facts }: Known): readonly Finding[] {
  const { unknownActions, grades } = proposal;
  const found: Finding[] = [];
  if (unknownActions.length > 0) {
    const listed = unknownActions
      .slice(0, 5)
      .map((action) => `${cut(action)} (${count(facts.actions.get(action) ?? 0)})`);
    const more = unknownActions.length > 5 ? ` and ${unknownActions.length - 5} more` : '';
    const none = [...grades.values()].every((grade) => grade === 0 || grade === 'veto');
    found.push(
      (none ? wrong : note)(
        'unknown_actions',
        `Actions that have no grade are worth 0: ${listed.join(', ')}${more}.`,
        `Say in grades what they are worth, such as grades: {${cut(unknownActions[0])}: 1}.`,
      ),
    );
  }
  return found;
}

function ofPeople({ impressions, facts }: Known): readonly Finding[] {
  if (impressions === undefined || impressions.sample.lists.length === 0) return [];
  const found: Finding[] = [];
  const lists = impressions.sample.lists.length;
  if (facts.users.lists < 0.5 * lists) {
    found.push(
      note(
        'no_user_ids',
        facts.users.lists === 0
          ? 'No field holds a user id: errors and tests of experiments will be weaker.'
          : `Only ${percent(facts.users.lists / lists)} of the lists have a user id.`,
        'Log userId with every list.',
      ),
    );
  }
  const { variants, splitChance, crossed } = facts;
  if (variants.size === 1)
    found.push(
      note(
        'one_variant',
        `There is one variant, "${[...variants.keys()][0]}": nothing to compare.`,
        'If an experiment runs, look for the field that names its arms.',
      ),
    );
  if (splitChance !== undefined && splitChance < UNEVEN && lists >= 100) {
    found.push(
      note(
        'uneven_split',
        `The variants do not share the traffic as expected (chance ${splitChance < 1e-6 ? 'below 0.000001' : splitChance.toPrecision(2)}).`,
        'If they should not share it evenly, say so in experiments.default.variants; else see who assigns them.',
      ),
    );
  }
  if (crossed > 0 && crossed > 0.01 * facts.users.distinct) {
    found.push(
      note(
        'users_of_two_variants',
        `${count(crossed)} of ${count(facts.users.distinct)} users saw more than one variant.`,
        'Assign users, not requests; or is the id of a device, and one person has several?',
      ),
    );
  }
  return found;
}

function ofOrder({ impressions, feedback, facts, oneLog }: Known): readonly Finding[] {
  const found: Finding[] = [];
  const lists = impressions?.sample.lists.length ?? 0;
  const clicks = feedback?.sample.feedback.length ?? 0;
  const { duplicates, disorder } = facts;
  if (duplicates.lists > 0.2 * lists) {
    found.push(
      wrong(
        'request_ids_repeat',
        `${percent(duplicates.lists / lists)} of the lists have a request id that was there before: they would be dropped as duplicate.`,
        'Each showing of a list needs an id of its own; pages of one request need an offset.',
      ),
    );
  } else if (duplicates.lists + duplicates.feedback > 0.01 * (lists + clicks)) {
    found.push(
      note(
        'duplicates',
        `${count(duplicates.lists)} of ${count(lists)} lists and ${count(duplicates.feedback)} of ${count(clicks)} feedback events stand there twice.`,
        'Nothing: they are counted once.',
      ),
    );
  }
  if (disorder.most > 10 * MINUTE && disorder.overtaken > 0) {
    const remedy = oneLog
      ? 'Sort the log by time, or write lists and feedback to two files.'
      : 'Sort each file by time; else what comes too late is dropped.';
    const isBad = disorder.usual > 10 * MINUTE;
    found.push(
      (isBad ? wrong : note)(
        'out_of_order',
        `Records are out of order by up to ${spoken(disorder.most)} (${count(disorder.overtaken)} of them stand behind a later one).`,
        remedy,
      ),
    );
  }
  return found;
}

/** `/rec/id` as jq has it: `.rec.id`. */
export function jqPath(path: string): string {
  const steps = path.split('/').slice(1);
  return steps.length === 0
    ? '.'
    : steps
        .map((step) =>
          /^[A-Za-z_]\w*$/.test(step) ? `.${step}` : `["${step.replaceAll('~1', '/').replaceAll('~0', '~')}"]`,
        )
        .join('')
        .replace(/^\[/, '.[');
}

function count(n: number): string {
  return n.toLocaleString('en-US');
}
