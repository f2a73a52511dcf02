/** Findings on the join: ids, items or clocks that differ between feedback and lists. */

import type { FindingCode } from '../findings/catalogue.ts';
import type { IdChange } from '../findings/id-forms.ts';
import { type Difference, differenceWords, normalizers } from '../findings/id-match.ts';
import { roughly } from '../vocabulary/numbers.ts';
import { isOfElements } from './fields.ts';
import type { InspectedSide, Known } from './inspected.ts';
import { pairText } from './join-trial.ts';
import type { ListCandidate } from './list-candidates.ts';
import { listsInLists } from './lists-in-lists.ts';
import { beforeList, isZone, zoneText } from './log-facts.ts';
import { cut, type LogFinding, note, wrong } from './log-finding.ts';
import { mendCommand, type Step } from './mend.ts';
import { spoken } from './time-forms.ts';

/** If a smaller share of feedback joins than FEW, most is lost; below MANY, some is. */
const FEW = 0.5;
const MANY = 0.9;

export function ofJoin(all: Known): readonly LogFinding[] {
  const {
    impressions,
    feedback,
    joins: [join],
    items: [item],
    facts,
    oneLog,
    files,
  } = all;
  if (
    impressions === undefined ||
    feedback === undefined ||
    facts.joining.asked === 0 ||
    impressions.sample.lists.length === 0
  )
    return [];
  const { asked, known, inList } = facts.joining;
  const ids = join === undefined ? 'the ids' : pairText(join).replace(' = ', ' and ');
  const example = exampleIds(impressions, feedback);
  if (join?.match.difference !== undefined) {
    return [
      differing(
        join.match.difference,
        `The request ids differ (${ids}): ${differenceWords(join.match.difference)}. ${example}`,
        'As they stand, nothing joins. Write them the same way:',
        idCommand(join.match.difference, join.feedback, join.impressions, { feedback, impressions, files }),
      ),
    ];
  }
  const share = known / asked;
  const found: LogFinding[] = [];
  if (known === 0) {
    return [
      wrong(
        'nothing_joined',
        `No feedback joins: no field of ${feedback.files.join(', ')} holds an id of a list in ${impressions.files.join(', ')}. ${example}`,
        oneLog
          ? 'Send the id of the list with each click.'
          : 'Do the files cover the same hours? If so, send the id of the list with each click.',
      ),
    ];
  }
  if (share < MANY) {
    found.push(
      (share < FEW ? wrong : note)(
        'few_joined',
        `${roughly(share)} of feedback joins (${ids}); the rest would count as orphan.`,
        'Are lists missing from the log (sampling, other hours, other pages)? Does every click carry the id of its list?',
      ),
    );
  }
  // Ids that match unchanged in an inner list are better than ids that match after a change.
  const nested = item?.difference !== undefined || inList / known < 0.05 ? listsInLists(all) : undefined;
  if (nested !== undefined) found.push(nested);
  else if (item?.difference !== undefined) {
    found.push(
      differing(
        item.difference,
        `The item ids differ: ${differenceWords(item.difference)}. ${exampleItems(impressions, feedback)}`,
        'As they stand, nothing counts. Write them the same way:',
        idCommand(item.difference, item.feedback, itemsAt(item.list), { feedback, impressions, files }),
      ),
    );
  } else if (inList / known < 0.05) {
    found.push(
      wrong(
        'items_never_match',
        `Feedback joins, but ${inList === 0 ? 'none of it' : `only ${roughly(inList / known)}`} names an item of its list. ${exampleItems(impressions, feedback)}`,
        'Log the same item id on both sides (a SKU is not a product id), and the items that were shown, not all that were retrieved.',
      ),
    );
  } else if (inList / known < MANY) {
    found.push(
      (inList / known < FEW ? wrong : note)(
        'few_items_match',
        `${roughly(inList / known)} of the feedback that joins names an item of its list; the rest would count as not_in_list.`,
        'Did the other clicks come from another list on the page? Each list needs a request id of its own.',
      ),
    );
  }
  return found;
}

function differing(difference: Difference, message: string, remedy: string, command: string | undefined): LogFinding {
  const codes: Readonly<Record<Difference['kind'], FindingCode>> = {
    prefix: 'ids_differ_by_prefix',
    suffix: 'ids_differ_by_prefix',
    case: 'ids_differ_by_case',
    number: 'other_type_of_id',
    blanks: 'ids_differ',
    dashes: 'ids_differ',
    letters: 'ids_differ',
  };
  return wrong(codes[difference.kind], message, command === undefined ? remedy.replace(/:$/, '.') : remedy, command);
}

/** A command that makes the ids of both sides equal, by a change of one side or of both. */
function idCommand(
  difference: Difference,
  ofFeedback: string,
  ofImpressions: string | undefined,
  { feedback, impressions, files }: Pick<Known, 'files'> & Readonly<Record<'feedback' | 'impressions', InspectedSide>>,
): string | undefined {
  const steps = (part: string, put = ''): readonly Step[] => {
    if (difference.kind !== 'prefix' && difference.kind !== 'suffix') return plainSteps(difference.kind);
    const { kind, rest } = difference;
    return [
      ...(part === '' ? [] : [{ kind, cut: part }]),
      ...(rest === undefined ? [] : plainSteps(rest)),
      ...(put === '' ? [] : [{ kind, put }]),
    ];
  };
  const isOneSided = (difference.kind === 'prefix' || difference.kind === 'suffix') && difference.rest === undefined;
  const ofLists = isOneSided || !('impressions' in difference) ? '' : difference.impressions;
  const changes = [
    {
      path: ofFeedback,
      side: feedback,
      steps:
        'feedback' in difference ? steps(difference.feedback, isOneSided ? difference.impressions : '') : steps(''),
    },
    ...(ofImpressions === undefined || isOneSided
      ? []
      : [{ path: ofImpressions, side: impressions, steps: steps(ofLists) }]),
  ];
  const commands = changes
    .filter((change) => change.steps.length > 0 && isChanged(change, difference))
    .map(({ path, side, steps: all }) => mendCommand(path, all, side.files, files));
  return commands.length > 0 && commands.every((command) => command !== undefined) ? commands.join('; ') : undefined;
}

/** Path of the items of lists; undefined: they are inside texts, where no command changes them one by one. */
function itemsAt({ form }: ListCandidate): string | undefined {
  if (form.kind === 'rows') return form.item;
  return form.kind === 'list' ? `${form.path}[]${form.id}` : undefined;
}

function plainSteps(kind: IdChange): readonly Step[] {
  return kind === 'letters' ? [{ kind: 'case' }, { kind: 'dashes' }] : [{ kind }];
}

/** Whether the ids of this side have to change. */
function isChanged(
  { path, side }: { readonly path: string; readonly side: InspectedSide },
  difference: Difference,
): boolean {
  if (difference.kind === 'prefix' || difference.kind === 'suffix') return true;
  const [normal] = normalizers(difference);
  return [...(side.profile.fields.get(path)?.distinct.keys() ?? [])].some((id) => normal(id) !== id);
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

export function ofClock({ clock, facts, feedback, impressions, proposal, zones, files }: Known): readonly LogFinding[] {
  const isZoned = (zones.impressions ?? zones.feedback) !== undefined;
  if (clock !== undefined && feedback !== undefined && impressions !== undefined && !isZoned) {
    const { offset, share } = clock;
    const how = offset > 0 ? 'after' : 'before';
    const command = shiftCommand(feedback, offset, files);
    const zone = isZone(offset)
      ? `If the lists are in UTC, the feedback's clock wrote the time of a zone at ${zoneText(offset)}.`
      : isZone(-offset)
        ? `If the feedback is in UTC, the lists' clock wrote the time of a zone at ${zoneText(-offset)}.`
        : undefined;
    const why =
      zone === undefined
        ? 'the clocks are farther apart than any time zone is from UTC'
        : 'the clocks are in two time zones';
    return [
      wrong(
        'clock_offset',
        `Feedback is always dated ${spoken(offset)} ${how} its list (${roughly(share)} of it within half an hour of that): ${why}.`,
        `${zone ?? 'Find out which of them is wrong.'} Write both in UTC${command === undefined ? '.' : ':'}`,
        command,
      ),
    ];
  }
  const sorted = facts.joining.delays;
  const { share, by } = beforeList(sorted.map((delay) => delay - (clock?.offset ?? 0)));
  if (share === 0) return [];
  const message = `${roughly(share)} of feedback is dated before its list, nearly all by at most ${spoken(by)}: the clocks of two producers differ.`;
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
          'It would not count. Correct the clock that is wrong.',
        ),
      ];
}

/** A command that corrects times that are numbers; undefined: they are text. */
function shiftCommand(
  { fits, reading, files }: InspectedSide,
  offset: number,
  all: Known['files'],
): string | undefined {
  const path = fits.find(({ as }) => as === 'ts')?.path;
  const perMs = { s: 1e-3, ms: 1, us: 1e3, ns: 1e6, zoned: undefined, utc: undefined, local: undefined }[
    reading.time?.form ?? 'zoned'
  ];
  if (path === undefined || perMs === undefined || isOfElements(path)) return undefined;
  return mendCommand(
    path,
    [{ kind: 'subtract', by: offset * perMs, quoted: reading.time?.quoted === true }],
    files,
    all,
  );
}
