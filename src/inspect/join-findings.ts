/** Findings on the join: ids, items or clocks that differ between feedback and lists. */

import type { DurationMs } from '../vocabulary/events.ts';
import { roughly } from '../vocabulary/numbers.ts';
import { isOfElements } from './fields.ts';
import { exampleIds, exampleItems, itemIdDifference, requestIdDifference } from './id-mends.ts';
import type { InspectedSide, Known } from './inspected.ts';
import { pairText } from './join-trial.ts';
import { beforeList, isZone, zoneText } from './log-facts.ts';
import { type LogFinding, note, wrong } from './log-finding.ts';
import { mapText } from './mends.ts';
import { spoken } from './time-forms.ts';

/** If a smaller share of feedback joins than FEW, most is lost; below MANY, some is. */
const FEW = 0.5;
const MANY = 0.9;

export function ofJoin(all: Known): readonly LogFinding[] {
  const {
    impressions,
    feedback,
    joins: [join],
    facts,
    oneLog,
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
  const requests = requestIdDifference(all);
  if (requests !== undefined)
    return [wrong(requests.code, requests.cause, 'As they stand, nothing joins. Write them the same way.')];
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
  const itemIds = itemIdDifference(all);
  if (itemIds !== undefined) {
    found.push(wrong(itemIds.code, itemIds.cause, 'As they stand, nothing counts. Write them the same way.'));
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

export function ofClock({ clock, facts, feedback, impressions, proposal, zones }: Known): readonly LogFinding[] {
  const isZoned = (zones.impressions ?? zones.feedback) !== undefined;
  if (clock !== undefined && feedback !== undefined && impressions !== undefined && !isZoned) {
    const { offset, share } = clock;
    const how = offset > 0 ? 'after' : 'before';
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
        `${zone ?? 'Find out which of them is wrong.'} Write both in UTC${shiftWords(feedback, offset)}.`,
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

/** How a map corrects the times of feedback, as the end of a sentence. */
function shiftWords({ fits, reading, profile }: InspectedSide, offset: DurationMs): string {
  const at = fits.find(({ as }) => as === 'ts')?.path;
  const perMs = { s: 1e-3, ms: 1, us: 1e3, ns: 1e6, zoned: undefined, utc: undefined, local: undefined }[
    reading.time?.form ?? 'zoned'
  ];
  if (at === undefined || isOfElements(at)) return '';
  if (perMs !== undefined)
    return `, or correct them in the map of feedback: ${mapText([['ts', { at, add: -offset * perMs }]])}`;
  const areUtc = [...(profile.fields.get(at)?.distinct.keys() ?? [])].every((text) => text.endsWith('Z'));
  return areUtc && isZone(offset)
    ? `, or correct them in the map of feedback: ${mapText([['ts', { at, strip: { suffix: 'Z' }, timeZone: zoneText(offset) }]])}`
    : '';
}
