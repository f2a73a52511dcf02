/** All findings on a sample, each with its cause, an example and what to do. Those on events are made here. */

import { filesText, reasonsText } from '../findings/invalid-files.ts';
import { NOT_SHORTENED } from '../findings/shortened-times.ts';
import { MOST_USERLESS } from '../statistics/decision.ts';
import { DAY, MINUTE } from '../vocabulary/durations.ts';
import type { EpochMs } from '../vocabulary/events.ts';
import { grouped } from '../vocabulary/grouped.ts';
import { roughly } from '../vocabulary/numbers.ts';
import { yamlWord } from '../vocabulary/yaml-word.ts';
import { actionAssumed } from './action-assumed.ts';
import { listsOfClicks } from './clicks-within.ts';
import { clockSetBack } from './clock-set-back.ts';
import { isOfElements, mainType, timeFormsOf } from './fields.ts';
import { ofFile, ofRoles } from './file-findings.ts';
import { TOPIC } from './file-shape.ts';
import { filesApart } from './files-apart.ts';
import { flagsNotRead } from './flags-not-read.ts';
import { alikeIn, type InspectedFile, type InspectOptions, type Known } from './inspected.ts';
import { ofClock, ofJoin } from './join-findings.ts';
import { kindsLacking } from './kinds-lacking.ts';
import { kindsSkipped } from './kinds-skipped.ts';
import { touchFinding } from './last-touch.ts';
import { listsEmpty } from './lists-empty.ts';
import { inPages } from './lists-in-pages.ts';
import { sortCommand, textIdsCommand } from './log-commands.ts';
import { cut, type LogFinding, note, wrong } from './log-finding.ts';
import { nothingDone } from './nothing-done.ts';
import { timesIn } from './reading.ts';
import { shortenedTo, spoken, timeWords } from './time-forms.ts';

/** The findings: problems first, then notes, each in the order of the data path. */
export function findingsOf(known: Known, options: InspectOptions): readonly LogFinding[] {
  const ofSides = ofRoles(known);
  // Lists that cannot be read are refused, and so are files that lack what the others have: this is not reported twice.
  const areUnread = ofSides.some(({ code }) => code === 'lists_not_read');
  const apart = filesApart(known);
  const found = [
    ...known.files.flatMap(ofFile),
    ...ofSides,
    ...apart,
    ...touchFinding(known),
    ...kindsSkipped(known),
    ...(areUnread ? [] : ofRefused(known)).filter(
      ({ code }) => code !== 'most_invalid' || !apart.some(({ level }) => level === 'wrong'),
    ),
    ...ofTimes(known, options),
    ...ofJoin(known).filter(({ code }) => !areUnread || code !== 'items_never_match'),
    ...ofClock(known),
    ...actionAssumed(known),
    ...flagsNotRead(known),
    ...listsOfClicks(known),
    ...ofActions(known),
    ...valuesMissing(known),
    ...listsEmpty(known),
    ...ofPeople(known).filter(({ code }) => !areUnread || code !== 'no_user_ids'),
    ...ofOrder(known),
  ];
  if (!found.some(({ level }) => level === 'wrong')) found.push(...nothingDone(known));
  const isLate = found.some(({ code }) => code === 'all_late');
  const setBack = clockSetBack([known.impressions, known.feedback].flatMap((side) => (side ? alikeIn(side) : [])));
  found.push(...setBack);
  const once = found.filter(({ cause }, i) => found.findIndex((one) => one.cause === cause) === i);
  const isExplained = ({ code, level }: LogFinding): boolean =>
    (code === 'out_of_order' || code === 'feedback_before_list') &&
    (isLate || (setBack.length > 0 && level === 'note'));
  const told = once.filter((finding) => !isExplained(finding));
  const packed = known.files.filter((file) => !isPlainJson(file));
  const shown = [...known.mends.map(({ finding }) => finding), ...told].map((finding) => withoutJq(finding, packed));
  return [...shown.filter(({ level }) => level === 'wrong'), ...shown.filter(({ level }) => level === 'note')];
}

/** Whether jq reads the file as it is. */
function isPlainJson({ format: { compression, form, encoding } }: InspectedFile): boolean {
  return compression === 'none' && (form.kind === 'ndjson' || form.kind === 'json-object') && encoding !== undefined;
}

/** Drops the jq command of a finding if it could not read the files that it names. */
function withoutJq(finding: LogFinding, others: readonly InspectedFile[]): LogFinding {
  const { command, remedy } = finding;
  if (command?.startsWith('jq ') !== true) return finding;
  const isForArrays = command.includes('type == "array"');
  const unread = others.filter(({ format: { compression, form, encoding } }) => {
    return !(isForArrays && form.kind === 'json-array' && compression === 'none' && encoding !== undefined);
  });
  if (finding.code === 'not_a_log' || !unread.some(({ name }) => command.includes(` ${name} `))) return finding;
  return { ...finding, remedy: remedy.replace(/:$/, '.'), command: undefined };
}

/** Findings on records that lack a field, or hold something else in it. */
function ofRefused({ refused, impressions, feedback, files: all }: Known): readonly LogFinding[] {
  return refused.map(({ side, code, files, invalid, read, reasons }) => {
    const [first] = reasons;
    const { fits, profile } = (side === 'impressions' ? impressions : feedback) ?? { fits: [], profile: undefined };
    const paths = fits.filter(({ as }) => as === first.field).map(({ path }) => path);
    const rounded = [...(profile?.fields.values() ?? [])].filter(
      (field) => field.rounded > 0 && fits.some(({ path }) => field.path === path || field.path === `${path}[]`),
    );
    if (first.code === 'bad_id' && rounded.length > 0) {
      const command = textIdsCommand(files, all);
      return wrong(
        'ids_too_large',
        `Ids above 2^53 lose digits if they are numbers in JSON: ${rounded.map(({ path }) => path).join(', ')} of ${filesText(files)}. ${grouped(invalid)} of ${grouped(read)} records would be invalid (bad_id).`,
        `Write these ids as text${command === undefined ? '.' : ':'}`,
        command,
      );
    }
    const ofFiles = all.filter(({ name }) => files.includes(name));
    const [path] = paths;
    const asNumber = first.code === 'wrong_type' && paths.length === 1 ? profile?.fields.get(path) : undefined;
    const isNumber = asNumber !== undefined && ['whole', 'number', 'boolean'].includes(mainType(asNumber));
    const isLacking = first.code === 'missing_field' && first.field === 'itemId' && feedback !== undefined;
    const kinds = isLacking ? kindsLacking(feedback, impressions, ofFiles) : undefined;
    const message = `${grouped(invalid)} of ${grouped(read)} records of ${filesText(files)} (${roughly(invalid / read)}) would be invalid, and not count: ${reasonsText(reasons)}.${kinds === undefined ? '' : ` ${kinds}`}`;
    const remedy =
      kinds !== undefined
        ? 'Log the item in each of them, unless what they say is of no item: then nothing is lost.'
        : first.code === 'missing_field' && paths.length > 0
          ? `Log ${paths.join(' and ')} in each of them.`
          : isNumber
            ? `Write ${path} as text, such as "${String(asNumber.example)}" in place of ${String(asNumber.example)}.`
            : 'Fix what writes them; docs/events.md explains each code.';
    return (code === 'most_invalid' ? wrong : note)(code, message, remedy);
  });
}

// Findings on events: their times, their actions, who saw them, their order.
/** A split with a p-value below this is reported as uneven. */
const UNEVEN = 0.001;

function ofTimes({ impressions, feedback, oneLog, zones }: Known, { now }: InspectOptions): readonly LogFinding[] {
  const found: LogFinding[] = [];
  const sides = (oneLog ? [impressions] : [impressions, feedback]).filter((side) => side !== undefined);
  for (const side of new Set(sides.flatMap(alikeIn))) {
    const path = side.fits.find(({ as }) => as === 'ts')?.path;
    const field = path === undefined ? undefined : side.profile.fields.get(path);
    if (field === undefined) continue;
    const files = side.files.join(', ');
    const forms = timeFormsOf(field);
    const units = forms.filter((form) => form === 's' || form === 'ms' || form === 'us' || form === 'ns');
    if (units.length > 1) {
      const shares = units.map(
        (unit) => `${timeWords(unit)} (${roughly((field.times.get(unit) ?? 0) / field.values)})`,
      );
      found.push(
        note(
          'unit_of_time',
          `${field.path} of ${files} holds ${shares.join(' and ')}.`,
          'Both are read, since the magnitude of a number shows its unit, but it is better to write one unit.',
        ),
      );
    }
    const left = shortenedTo(field.distinct.keys());
    if (left !== undefined) {
      const message = `The times of ${files} lack their last digits, such as ${String(field.example)}: the last one that is left stands for ${spoken(left)}.`;
      found.push(wrong('times_shortened', message, NOT_SHORTENED));
    }
    const { time } = side.reading;
    if (time?.form === 'local') {
      const zone = side === impressions ? zones.impressions : zones.feedback;
      const isAssumed = zone === undefined || (zones.feedback !== undefined && side === impressions);
      const why = isAssumed ? 'UTC was assumed' : `the other log shows that they are in ${zone}`;
      found.push(
        note(
          'times_without_zone',
          `The times of ${files} have no zone, such as "${String(field.example)}"; ${why}.`,
          'Set timeZone: a name such as Europe/Berlin follows daylight saving time, +01:00 does not.',
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
          `${ahead > 0 ? `${grouped(ahead)} of ${grouped(side.sample.times.length)} times of ${files} lie in the future` : `A time of ${files} lies far after the others`} (${new Date(last).toISOString()}): what comes after it in the log would be late.`,
          'Remove these records, or correct the clock that dated them.',
        ),
      );
    }
  }
  return found;
}

/** The latest time, if it is more than a day after 99 % of the others, and these are closer together; else undefined. */
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

/** LogFinding on ratings without a value in any field, which would be worth 0. */
function valuesMissing({ proposal: { grades, ratings }, facts, feedback }: Known): readonly LogFinding[] {
  const actions = [...grades].filter(([, grade]) => grade === 'rating').map(([action]) => action);
  if (actions.length === 0 || ratings !== undefined || feedback === undefined) return [];
  const n = actions.reduce((sum, action) => sum + (facts.actions.get(action) ?? 0), 0);
  return [
    wrong(
      'values_missing',
      `Feedback holds ratings (${actions.map(cut).join(', ')}: ${grouped(n)}), but no field holds numbers that are their values: they would be worth 0.`,
      'Log the value, or give the action a fixed grade.',
    ),
  ];
}

function ofActions({ proposal, facts }: Known): readonly LogFinding[] {
  const { unknownActions, grades, ratings } = proposal;
  const found: LogFinding[] = [];
  const named = [...grades].filter(([action, grade]) => grade === 0 && !unknownActions.includes(action));
  const all = [...facts.actions.values()].reduce((sum, n) => sum + n, 0);
  const sights = named.reduce((sum, [action]) => sum + (facts.actions.get(action) ?? 0), 0);
  if (sights > 0.5 * all && sights < all) {
    found.push(
      note(
        'unknown_actions',
        `${roughly(sights / all)} of feedback has actions that seem to mean only that the list was seen, and have grade 0: ${named
          .map(([action]) => cut(action))
          .slice(0, 5)
          .join(', ')}.`,
        'If they mean more, set their grades.',
      ),
    );
  }
  if (ratings !== undefined) {
    const { least, most, relevantFrom } = ratings;
    found.push(
      note(
        'ratings',
        `Feedback holds ratings of ${least} to ${most}${relevantFrom === undefined ? ' beside other actions: each rating from 1 on counts as much as a click' : `; ratings from ${relevantFrom} on are taken for a success`}.`,
        relevantFrom === undefined
          ? 'Measures such as mrr(rel=4) require more.'
          : 'Set relevantFrom to the lowest rating that is a success; every measure but ndcg depends on it.',
      ),
    );
  }
  if (unknownActions.length > 0) {
    const listed = unknownActions
      .slice(0, 5)
      .map((action) => `${cut(action)} (${grouped(facts.actions.get(action) ?? 0)})`);
    const more = unknownActions.length > 5 ? ` and ${unknownActions.length - 5} more` : '';
    const none = [...grades.values()].every((grade) => grade === 0 || grade === 'veto');
    found.push(
      (none ? wrong : note)(
        'unknown_actions',
        `Actions without a grade are worth 0: ${listed.join(', ')}${more}.`,
        `Set their grades, such as grades: {${yamlWord(unknownActions[0])}: 1}.`,
      ),
    );
  }
  return found;
}

function ofPeople({ impressions, facts }: Known): readonly LogFinding[] {
  if (impressions === undefined || impressions.sample.lists.length === 0) return [];
  const found: LogFinding[] = [];
  const lists = impressions.sample.lists.length;
  if (facts.users.lists < (1 - MOST_USERLESS) * lists) {
    found.push(
      note(
        'no_user_ids',
        facts.users.lists === 0
          ? 'No field holds a user id: no experiment on these lists can be decided.'
          : `Only ${roughly(facts.users.lists / lists)} of the lists have a user id: an experiment needs ${roughly(1 - MOST_USERLESS)} in each variant.`,
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
        'If an experiment is running, find the field that names its variants.',
      ),
    );
  if (splitChance !== undefined && splitChance < UNEVEN && lists >= 100) {
    found.push(
      note(
        'uneven_split',
        `The traffic is not split between the variants as expected (p ${splitChance < 1e-6 ? '< 0.000001' : `= ${splitChance.toPrecision(2)}`}).`,
        'If the split should not be even, set the weights in experiments.default.variants; else check the assignment.',
      ),
    );
  }
  if (crossed > 0 && crossed > 0.01 * facts.users.distinct) {
    found.push(
      note(
        'users_of_two_variants',
        `${grouped(crossed)} of ${grouped(facts.users.distinct)} users saw more than one variant.`,
        'Assign users, not requests. Or is the user id that of a device, and one person has several?',
      ),
    );
  }
  return found;
}

function ofOrder(known: Known): readonly LogFinding[] {
  const { impressions, feedback, facts, oneLog, proposal } = known;
  const found: LogFinding[] = [];
  const lists = impressions?.sample.lists.length ?? 0;
  const clicks = feedback?.sample.feedback.length ?? 0;
  const { duplicates, disorder } = facts;
  if (duplicates.lists > 0.2 * lists) {
    found.push(
      wrong(
        'request_ids_repeat',
        `${roughly(duplicates.lists / lists)} of the lists repeat the request id of an earlier list: they would be dropped as duplicate.`,
        'Each list that is shown needs an id of its own; pages of one request need an offset.',
      ),
    );
  } else if (duplicates.lists + duplicates.feedback > 0.01 * (lists + clicks)) {
    found.push(
      note(
        'duplicates',
        `${grouped(duplicates.lists)} of ${grouped(lists)} lists and ${grouped(duplicates.feedback)} of ${grouped(clicks)} feedback events are duplicates.`,
        'Nothing to do: they are counted once.',
      ),
    );
  }
  if (facts.paged.requests > 0.01 * lists && impressions !== undefined) found.push(inPages(impressions, known));
  if (disorder.most > 10 * MINUTE && disorder.overtaken > 0) {
    const isBorne = proposal.outOfOrderness >= disorder.most;
    const bears = isBorne
      ? `outOfOrderness: ${spoken(proposal.outOfOrderness)} tolerates it, but delays every result. Better sort`
      : 'Sort';
    const command = sortingCommand(known);
    const others = oneLog ? ', or write lists and feedback to two files.' : '.';
    const remedy = `${bears} ${oneLog ? 'the log by time' : 'each file by time; a dump of a topic needs a file for each partition'}${command === undefined ? others : ':'}`;
    // A replay of files has the same numbers at any time.
    const isOfTopics = known.files.some(({ format }) => format === TOPIC);
    const isBad = disorder.usual > 10 * MINUTE && (isOfTopics || !isBorne);
    found.push(
      (isBad ? wrong : note)(
        'out_of_order',
        `Records are out of order by up to ${spoken(disorder.most)} (${grouped(disorder.overtaken)} of them come after a later one).`,
        remedy,
        command,
      ),
    );
  }
  return found;
}

/**
 * A command that sorts all files of the sides that are out of order; undefined: their times are in different fields, or no
 * command can sort them.
 */
function sortingCommand({ impressions, feedback, oneLog, joined, files }: Known): string | undefined {
  const sides = [impressions, feedback].filter((side) => side !== undefined);
  const jumbled = [...new Set(sides.flatMap(alikeIn))].filter(({ files: names, reading }) => {
    return files.some(({ name, rows }) => {
      const adapter = oneLog && joined !== undefined ? joined : reading.adapter;
      return names.includes(name) && isJumbled(timesIn(rows, { ...reading, adapter }));
    });
  });
  const paths = jumbled.map(({ fits }) => fits.find(({ as }) => as === 'ts')?.path);
  const isOneField = !oneLog || new Set(paths).size === 1;
  const rounded = jumbled.some(({ profile }) => [...profile.fields.values()].some((field) => field.rounded > 0));
  if (!isOneField || rounded) return undefined;
  const commands = (oneLog ? jumbled.slice(0, 1) : jumbled).map((side, i) => {
    const path = paths[i];
    return path === undefined || isOfElements(path) ? undefined : sortCommand(path, side.files, files);
  });
  return commands.length > 0 && commands.every((command) => command !== undefined) ? commands.join('; ') : undefined;
}

function isJumbled(times: readonly EpochMs[]): boolean {
  let newest = Number.NEGATIVE_INFINITY;
  return times.some((ts) => {
    newest = Math.max(newest, Number.isNaN(ts) ? newest : ts);
    return newest - ts > 10 * MINUTE;
  });
}
