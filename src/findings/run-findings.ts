import { needsFeedback } from '../measures/needs.ts';
import type { DurationMs, EpochMs, Side } from '../vocabulary/events.ts';
import { grouped } from '../vocabulary/grouped.ts';
import { percent } from '../vocabulary/numbers.ts';
import { sumOfUnmapped } from '../vocabulary/unmapped.ts';
import { clockChange } from './clock-change.ts';
import type { EventSample } from './event-sample.ts';
import { feedbackMissing, lateForHorizon, passedText } from './feedback-missing.ts';
import { type Finding, inOrder } from './finding.ts';
import { filesText, invalidFiles, namesText, placeText, reasonsText } from './invalid-files.ts';
import { hasFeedback, type InvalidReason } from './invalid-reasons.ts';
import { FILES, invalidRemedy } from './invalid-remedy.ts';
import { examplesText, type Lost, manyDropped } from './many-dropped.ts';
import type { RunFacts } from './run-facts.ts';
import { durationText, type Matches, matchesOf, quantile, sampleFindings, timeText } from './sample-findings.ts';
import { shortenedTimes } from './shortened-times.ts';

/** A run over files has standard errors from about this many impressions on. */
const ENOUGH_IMPRESSIONS = 1000;
/** Above this ratio of late to attributed feedback, a log is not in order. */
const MUCH_LATE = 0.1;
/** Share of events dated ahead. */
const MUCH_AHEAD = 0.01;
/** Share of feedback that cannot be read. */
const MUCH_UNREAD = 0.02;

/** Whether the run has no result: no impression counted, or a measure needs feedback and none joined. */
export function isEmpty({ input, impressions, feedback, unmapped, settings }: RunFacts): boolean {
  if (impressions.accepted === 0) return true;
  if (!needsFeedback(settings.measures)) return false;
  const mayBeThere = feedback.read > 0 || unmapped.events !== undefined;
  const wasGiven = input === 'two sides' || (input === 'one log' && mayBeThere);
  return wasGiven && feedback.attributed === 0;
}

/** All findings on a run, in the order of the codes. */
export function runFindings(facts: RunFacts): readonly Finding[] {
  const { sample, settings } = facts;
  const swapped = filesSwapped(facts);
  const causes = [
    ...swapped,
    ...(swapped.length > 0 ? [] : [...invalidRecords(facts, 'impressions'), ...invalidRecords(facts, 'feedback')]),
    ...datedAhead(facts, 'impressions'),
    ...datedAhead(facts, 'feedback'),
    ...shortenedTimes(sample),
    ...clockChanges(facts),
    ...tooLate(facts),
    ...(needsFeedback(settings.measures) && facts.feedback.read === 0 && facts.impressions.accepted > 0
      ? [feedbackMissing(facts)]
      : []),
    ...feedbackPartial(facts),
    ...sampleFindings(sample, settings),
    ...severalLists(facts),
    ...noUserIds(facts),
  ];
  const lost = manyDropped(facts, matchesOf(sample), new Set(causes.map(({ code }) => code)));
  const main = hasNothingJoined(facts) ? mainOf(facts, lost) : undefined;
  return inOrder([
    ...nothingCounted(facts),
    ...nothingJoined(facts, causes, main),
    ...lost.filter((one) => one !== main).map(({ finding }) => finding),
    ...causes,
  ]);
}

function nothingCounted({ impressions, unmapped }: RunFacts): readonly Finding[] {
  if (impressions.accepted > 0) return [];
  const { read, drops } = impressions;
  const passed = sumOfUnmapped([unmapped.impressions ?? unmapped.events ?? []]);
  return [
    {
      code: 'nothing_counted',
      cause:
        read === 0
          ? passed.length === 0
            ? 'There is no impression in the input.'
            : `No impression was read; ${passedText(passed)}.`
          : `None of ${grouped(read)} impressions counted: ${dropText(drops)}.`,
      example: null,
      remedy:
        read === 0
          ? passed.length === 0
            ? 'Check that the file is the right one, and not empty.'
            : 'Add the records of lists to the maps; receval inspect FILE... finds out what they hold.'
          : 'See below; docs/concepts.md explains each reason.',
    },
  ];
}

function dropText(drops: Readonly<Record<string, number>>): string {
  return Object.entries(drops)
    .filter(([, n]) => n > 0)
    .sort(([, a], [, b]) => b - a)
    .map(([reason, n]) => `${reason} ${grouped(n)}`)
    .join(', ');
}

/** Findings on times without feedback. There are none if much feedback is unreadable, because its time is unknown. */
function feedbackPartial({ settings, longest, feedback, end, sample }: RunFacts): readonly Finding[] {
  const { invalid, undecodable } = feedback.drops;
  if (!needsFeedback(settings.measures) || invalid + undecodable > MUCH_UNREAD * feedback.read) return [];
  const isWaitedFor = Number.isFinite(end.reach);
  const partial = feedbackPeriod(sample, matchesOf(sample), isWaitedFor && !end.closeAll);
  if (partial.length > 0 || !isWaitedFor) return partial;
  const { window: horizon, outOfOrderness } = settings.attribution;
  return end.closeAll ? feedbackToCome(sample, horizon) : mostOpen(horizon, longest, end.reach + outOfOrderness);
}

function filesSwapped({ input, invalid, impressions }: RunFacts): readonly Finding[] {
  if (input !== 'two sides' || impressions.accepted > 0) return [];
  const wrong = (['impressions', 'feedback'] as const).map((side) =>
    invalid.of(side).find(({ code }) => code === 'wrong_kind'),
  );
  const [first] = wrong;
  if (first === undefined) return [];
  const others = wrong.map((reason) => reason?.count ?? 0);
  // A record without items looks like feedback, and so does one whose list has another name.
  if (others[1] === 0 && !hasFeedback(first)) return [];
  return [
    {
      code: 'files_swapped',
      cause: `${grouped(others[0])} records of --impressions are feedback${others[1] > 0 ? `, and ${grouped(others[1])} of --feedback are impressions` : ''}.`,
      example: recordText(first),
      remedy: 'Swap --impressions and --feedback; name a log that holds both with --events.',
    },
  ];
}

function invalidRecords({ invalid, valid }: RunFacts, side: Side): readonly Finding[] {
  return invalidFiles(invalid, valid, side).map(({ code, files, areAll, invalid: refused, read, reasons }) => ({
    code,
    cause: `${grouped(refused)} of ${grouped(read)} records of ${areAll ? `the ${side}` : filesText(files)} cannot be used: ${reasonsText(reasons)}.`,
    example: recordText(reasons[0]),
    remedy: invalidRemedy(code, reasons[0], FILES),
  }));
}

/** Returns text such as: row 1 of shown.ndjson has request_id, ts, items. */
function recordText(reason: InvalidReason): string | null {
  const { place, fields } = reason;
  if (place === undefined && fields.length === 0) return null;
  const row = place === undefined ? 'the first such record' : placeText(place);
  return fields.length === 0 ? row : `${row} has ${namesText(reason)}`;
}

function datedAhead(facts: RunFacts, side: Side): readonly Finding[] {
  const { read, drops } = facts[side];
  if (drops.future === 0 || drops.future <= MUCH_AHEAD * read) return [];
  return [
    {
      code: 'dated_ahead',
      cause: `${grouped(drops.future)} of ${grouped(read)} ${side} are dated more than ${durationText(facts.settings.attribution.futureSkew)} (attribution.futureSkew) ahead of now, and dropped as future.`,
      example: examplesText(facts.dropped.of(side, 'future')),
      remedy:
        'Correct the clock that dates them, or timeZone or tsUnit of the topic; for logs that are dated ahead on purpose set --now.',
    },
  ];
}

function clockChanges({ input, impressions, feedback, clocks }: RunFacts): readonly Finding[] {
  const [lists, log] = [impressions.read, impressions.read + feedback.read];
  return [
    ...(input === 'one log'
      ? clockChange('the log', log, [...clocks.impressions])
      : clockChange('the impressions', lists, [...clocks.impressions])),
    ...clockChange('the feedback', feedback.read, [...clocks.feedback]),
  ];
}

/** Findings on late events. In one log of both sides, much late feedback has a cause of its own. */
function tooLate(facts: RunFacts): readonly Finding[] {
  const jumbled = outOfOrder(facts);
  const { impressions, feedback } = facts;
  return jumbled.length > 0
    ? jumbled
    : lateForHorizon(
        { counted: impressions.accepted, late: impressions.late },
        { counted: feedback.attributed, late: feedback.late },
      );
}

function outOfOrder({ input, feedback }: RunFacts): readonly Finding[] {
  const late = Object.values(feedback.late).reduce((sum, n) => sum + n, 0);
  if (input !== 'one log' || late <= MUCH_LATE * feedback.attributed) return [];
  return [
    {
      code: 'out_of_order',
      cause: `Much feedback (${grouped(late)} times) came too late for a horizon.`,
      example: null,
      remedy: 'A log of both sides must be in time order: sort it, or pass the sides as --impressions and --feedback.',
    },
  ];
}

function hasNothingJoined({ impressions, feedback }: RunFacts): boolean {
  return feedback.read > 0 && feedback.attributed === 0 && impressions.accepted > 0;
}

/** @param causes the other findings; @param main the finding on most of the dropped feedback, unless others explain it */
function nothingJoined(facts: RunFacts, causes: readonly Finding[], main: Lost | undefined): readonly Finding[] {
  if (!hasNothingJoined(facts)) return [];
  const { read, drops } = facts.feedback;
  const found = `None of ${grouped(read)} feedback events counted: ${dropText(drops)}`;
  if (main !== undefined)
    return [
      {
        ...main.finding,
        code: 'nothing_joined',
        cause: `${found}. ${main.why.charAt(0).toUpperCase()}${main.why.slice(1)}.`,
      },
    ];
  const isExplained = causes.some(
    ({ code }) => code !== 'no_user_ids' && code !== 'unknown_actions' && code !== 'several_lists',
  );
  const remedy = isExplained ? 'See below.' : 'See the counts: docs/concepts.md says what to do for each reason.';
  return [{ code: 'nothing_joined', cause: `${found}.`, example: null, remedy }];
}

/** The finding on the reason for which most feedback was dropped. */
function mainOf({ feedback: { drops } }: RunFacts, lost: readonly Lost[]): Lost | undefined {
  const most = Math.max(...Object.values(drops));
  return lost.find(({ side, reason }) => side === 'feedback' && drops[reason] === most);
}

/** Share of the feedback without the id of its list that several lists could have, and the fewest events. */
const MUCH_SEVERAL = 0.1;
const LEAST_SEVERAL = 3;

function severalLists({ touched, settings: { join } }: RunFacts): readonly Finding[] {
  if (touched === undefined) return [];
  const { looked, several } = touched;
  if (several < LEAST_SEVERAL || several < MUCH_SEVERAL * looked) return [];
  const [taker, other] = join.touch === 'last' ? ['last', 'first'] : ['first', 'last'];
  return [
    {
      code: 'several_lists',
      cause: `${percent(several / looked)} of the feedback without the id of a list (${grouped(several)} of ${grouped(looked)}) could belong to several lists with its item, and counts on the ${taker} of them that was shown.`,
      example: null,
      remedy: `Log the id of the list with each click. Until then compare no lists that show the same users the same items, such as the surfaces of one page: one takes what the other earned. join.touch: ${other} shows how much depends on it.`,
    },
  ];
}

function noUserIds({ sample, impressions }: RunFacts): readonly Finding[] {
  if (sample.withUser > 0 || impressions.accepted < ENOUGH_IMPRESSIONS) return [];
  return [
    {
      code: 'no_user_ids',
      cause:
        'No impression names its user, so standard errors treat lists as independent: they are too small where users come back.',
      example: null,
      remedy: 'Log userId in the impressions.',
    },
  ];
}

/** A smaller share of the lists hardly changes a mean. */
const LEAST_SHARE = 0.02;
/** This many lists with feedback must be expected in a time without any. Then their absence is no accident. */
const LEAST_EXPECTED = 30;

/**
 * Findings on lists that are later than all feedback, or so much earlier that theirs would have come before the first: nobody
 * logged what people did with them, but they count as lists without a positive, unless those at the end are open. The lists
 * between show how many of them would have feedback.
 */
function feedbackPeriod(
  { impressions, feedback }: Pick<EventSample, 'impressions' | 'feedback'>,
  { lags }: Pick<Matches, 'lags'>,
  isOpenAtEnd: boolean,
): readonly Finding[] {
  const shown = new Set(impressions.map(({ requestId }) => requestId));
  const known = feedback.filter(({ requestId }) => shown.has(requestId));
  if (known.length === 0 || lags.length === 0) return [];
  // All feedback counts here: findings on ids explain what joins no list.
  const first = feedback.reduce((least, { ts }) => Math.min(least, ts), Infinity);
  const last = feedback.reduce((most, { ts }) => Math.max(most, ts), -Infinity);
  // Nine tenths of the feedback would have come by then.
  const begin = first - Math.max(0, quantile(lags, 0.9));
  const before = impressions.filter(({ ts }) => ts < begin).length;
  const after = impressions.filter(({ ts }) => ts > last).length;
  const asked = new Set(known.map(({ requestId }) => requestId));
  const between = impressions.filter(({ ts }) => ts >= begin && ts <= last);
  const rate = between.filter(({ requestId }) => asked.has(requestId)).length / Math.max(1, between.length);
  const told = (lists: number, edge: 'begins' | 'ends', at: EpochMs): readonly Finding[] => {
    if (lists < LEAST_SHARE * impressions.length || rate * lists < LEAST_EXPECTED) return [];
    const isOpen = edge === 'ends' && isOpenAtEnd;
    const fate = isOpen
      ? 'what people did with them is not in the logs, so they count at no horizon.'
      : `they count as lists without a positive, though about ${grouped(Math.round(100 * rate))} of 100 of the others have feedback.`;
    const instead = isOpen ? '' : `, or leave out the impressions ${edge === 'ends' ? 'after' : 'before'} it`;
    return [
      {
        code: 'feedback_partial',
        cause: `The feedback ${edge} at ${timeText(at)}, and ${percent(lists / impressions.length)} of the impressions are ${edge === 'ends' ? 'later' : 'earlier'}: ${fate}`,
        example: null,
        remedy: `Add the feedback of that time${instead}.`,
      },
    ];
  };
  return [...told(before, 'begins', first), ...told(after, 'ends', last)];
}

interface Horizon {
  readonly text: string;
  readonly ms: DurationMs;
}

/** With this many open lists for each that counts, the numbers represent a small part of the log. */
const MUCH_OPEN = 2;

/** Finding that most lists are open at the longest horizon. */
function mostOpen(
  horizon: Horizon,
  lists: { readonly counted: number; readonly open: number },
  end: EpochMs,
): readonly Finding[] {
  const { counted, open } = lists;
  if (counted === 0 || open < MUCH_OPEN * counted || open < LEAST_EXPECTED) return [];
  return [
    {
      code: 'feedback_to_come',
      cause: `${percent(open / (counted + open))} of the lists are younger than ${horizon.text} at the end of the feedback, ${timeText(end)}: the numbers at ${horizon.text} are those of the oldest ${grouped(counted)} lists alone.`,
      example: null,
      remedy: `Add the feedback of the next ${horizon.text}, or read a shorter horizon.`,
    },
  ];
}

/** With this share of the feedback still to come, the means will change. */
const MUCH_TO_COME = 0.05;

/**
 * Finding that with --close-all lists count that are younger than the longest horizon. The share of their feedback that is still
 * to come is estimated from the delays of the feedback on older lists, if there are enough of these.
 *
 * Example: lists of two days, feedback 8 h later on average and a horizon of 24 h: a sixth is to come.
 */
function feedbackToCome(
  { impressions, feedback, oldest = Infinity }: Pick<EventSample, 'impressions' | 'feedback' | 'oldest'>,
  horizon: Horizon,
): readonly Finding[] {
  const end = [...impressions, ...feedback].reduce((most, { ts }) => Math.max(most, ts), -Infinity);
  const isOld = (ts: EpochMs): boolean => ts + horizon.ms <= end;
  const old = impressions.filter(({ ts }) => isOld(ts)).length;
  const told = (share: string, sequel: string): readonly Finding[] => [
    {
      code: 'feedback_to_come',
      cause: `${share} younger than ${horizon.text} at the end of the logs, ${timeText(end)}: ${sequel}`,
      example: null,
      remedy: `Add the feedback of the next ${horizon.text}, leave out --close-all, or read a shorter horizon.`,
    },
  ];
  const young = impressions.length - old;
  if (old < LEAST_EXPECTED) {
    if (young < LEAST_EXPECTED) return [];
    const sequel = 'they count there with the feedback so far, and these logs cannot tell how much is still to come.';
    return told(isOld(oldest) ? 'Nearly all impressions are' : 'All impressions are', sequel);
  }
  const shownAt = new Map<string, EpochMs>();
  for (const { requestId, ts } of impressions) if (!shownAt.has(requestId)) shownAt.set(requestId, ts);
  const delays: DurationMs[] = [];
  let counted = 0;
  for (const { requestId, ts } of feedback) {
    const at = shownAt.get(requestId);
    if (at === undefined || ts < at || ts - at >= horizon.ms) continue;
    counted++;
    if (isOld(at)) delays.push(ts - at);
  }
  delays.sort((a, b) => a - b);
  const toCome = impressions.reduce((sum, { ts }) => sum + (isOld(ts) ? 0 : above(delays, end - ts)), 0) / old;
  const share = toCome / (counted + toCome);
  if (!(toCome >= LEAST_EXPECTED && share >= MUCH_TO_COME)) return [];
  return told(
    `${percent(young / impressions.length)} of the impressions are`,
    `about ${percent(share)} of all feedback at that horizon is still to come, so means over all lists are too low there.`,
  );
}

/** Number of these values above x. @param ascending the values in ascending order */
function above(ascending: readonly number[], x: number): number {
  let [low, high] = [0, ascending.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (ascending[middle] > x) high = middle;
    else low = middle + 1;
  }
  return ascending.length - low;
}
