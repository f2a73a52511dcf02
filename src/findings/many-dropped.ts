import {
  type DurationMs,
  type EpochMs,
  type Feedback,
  type Impression,
  NO_ID,
  type Side,
} from '../vocabulary/events.ts';
import { grouped } from '../vocabulary/grouped.ts';
import { percent } from '../vocabulary/numbers.ts';
import type { FindingCode } from './catalogue.ts';
import type { DroppedEvent, EventSample } from './event-sample.ts';
import { type Finding, quoted } from './finding.ts';
import { filesText, placeText } from './invalid-files.ts';
import type { RunFacts } from './run-facts.ts';
import { durationText, type Matches, timeText } from './sample-findings.ts';

/** A smaller share of a side is usual. */
const MUCH = 0.05;
const MOST = 0.5;
/** If other findings explain this share of the dropped events, they are enough. */
const EXPLAINED = 0.8;
/** Fewest events of a side that were read, and that were dropped, for a share. */
const LEAST_READ = 30;
const LEAST_DROPPED = 3;

/** Reasons for which readable events are dropped. Other findings cover unreadable records and dates in the future. */
const REASONS = ['late', 'orphan', 'not_in_list', 'duplicate', 'capped'] as const;
type Reason = (typeof REASONS)[number];

export interface Lost {
  readonly side: Side;
  readonly reason: Reason;
  /** The reason, as a part of the cause. */
  readonly why: string;
  readonly finding: Finding;
}

/** Findings on events that are dropped for one reason, unless other findings explain it. @param found codes of the other findings */
export function manyDropped(facts: RunFacts, matches: Matches, found: ReadonlySet<FindingCode>): readonly Lost[] {
  return (['impressions', 'feedback'] as const).flatMap((side) => {
    const { read } = facts[side];
    const drops: Readonly<Partial<Record<Reason, number>>> = facts[side].drops;
    return REASONS.flatMap((reason): readonly Lost[] => {
      const n = drops[reason] ?? 0;
      const explained = side === 'feedback' ? explainedOf(reason, n, facts, matches, found) : 0;
      if (!isMuch(n - explained, read) || explained >= EXPLAINED * n) return [];
      const words = wordsOf(side, reason, facts);
      const what = side === 'feedback' ? 'feedback events' : 'impressions';
      const of = `${grouped(n)} of ${grouped(read)} ${what} (${percent(n / read)}) are dropped as ${reason}`;
      const finding: Finding = {
        code: 'many_dropped',
        cause: `${of}${whenText(facts, side, reason, n)}: ${words.why}.`,
        example: words.example ?? examplesText(facts.dropped.of(side, reason)),
        remedy: `${words.remedy} --dropped FILE writes all of them, with where they stand.`,
      };
      return [{ side, reason, why: words.why, finding }];
    });
  });
}

function isMuch(n: number, read: number): boolean {
  return n > MOST * read || (read >= LEAST_READ && n >= LEAST_DROPPED && n >= MUCH * read);
}

const IDS_DIFFER: readonly FindingCode[] = [
  'ids_differ_by_prefix',
  'ids_differ_by_suffix',
  'ids_differ_by_case',
  'other_type_of_id',
];

/** Estimates, from the sample, how many of the n dropped events other findings explain. */
function explainedOf(
  reason: Reason,
  n: number,
  { impressions, feedback, sample, settings: { attribution } }: RunFacts,
  { unknown, lags }: Matches,
  found: ReadonlySet<FindingCode>,
): number {
  if (reason === 'not_in_list') return found.has('items_never_match') ? n : 0;
  if (reason !== 'orphan') return 0;
  if (impressions.accepted === 0) return n;
  const isOff = found.has('clock_offset');
  const ofIds = IDS_DIFFER.some((code) => found.has(code)) ? unknown.length : 0;
  const before = isOff || found.has('before_list') ? lags.filter((lag) => lag < -attribution.backward).length : 0;
  const after = isOff || found.has('beyond_horizon') ? lags.filter((lag) => lag >= attribution.window.ms).length : 0;
  const ofSample = ((ofIds + before + after) * sample.count('feedback')) / Math.max(1, sample.feedback.length);
  // Adds feedback on lists that were dropped themselves.
  const { read, accepted, drops } = impressions;
  return ofSample + (feedback.read * (read - accepted - drops.duplicate)) / read;
}

/** The time of nearly all dropped events, or `throughout the log` if it is most of the log. */
function whenText({ sample, dropped }: RunFacts, side: Side, reason: Reason, n: number): string {
  const times = dropped.of(side, reason).map(({ ts }) => ts);
  if (times.length === 0) return '';
  const within = (all: readonly EpochMs[], [from, to]: Span): readonly EpochMs[] =>
    all.filter((ts) => ts >= from && ts <= to);
  const [begin, end] = densest(times, 0.9);
  // The remaining tenth may be of the same time.
  const more = 0.15 * (end - begin);
  const held = within(times, [begin - more, end + more]);
  const span: Span = [held[0], held[held.length - 1]];
  const all = [...sample[side].map(({ ts }) => ts), ...times].sort((a, b) => a - b);
  if (lengthOf(span) >= 0.8 * lengthOf(densest(all, 0.95))) return ', throughout the log';
  const readThen = (within(all, span).length - held.length) * (sample.count(side) / Math.max(1, sample[side].length));
  const share = Math.min(1, (n * held.length) / times.length / Math.max(1, readThen));
  const dense = share < MOST ? '' : `, where they are ${percent(share)} of the ${side}`;
  return `, nearly all of them from ${timeText(span[0])} to ${timeText(span[1])}${dense}`;
}

type Span = readonly [from: EpochMs, to: EpochMs];

function lengthOf([from, to]: Span): DurationMs {
  return to - from;
}

/** The shortest span that holds this share of the times. @param times ascending */
function densest(times: readonly EpochMs[], share: number): Span {
  const held = Math.ceil(share * times.length);
  let best = 0;
  for (let i = 0; i + held <= times.length; i++) {
    if (times[i + held - 1] - times[i] < times[best + held - 1] - times[best]) best = i;
  }
  return [times[best], times[best + held - 1]];
}

/**
 * Three examples, from the beginning, the middle and the end of the known events, such as: a.csv: row 3 (request "r2",
 * 2026-11-21T08:00:00.000Z).
 */
export function examplesText(events: readonly DroppedEvent[]): string | null {
  const placed = events.filter(({ place }) => place !== undefined);
  const known = placed.length > 0 ? placed : events;
  const picked = [...new Set([0, 0.5, 1].map((share) => known[Math.round(share * (known.length - 1))]))];
  const byFile = new Map<string, string[]>();
  for (const { place, requestId, itemId, ts } of picked.filter((event) => event !== undefined)) {
    const file = place === undefined ? '' : `${filesText([place.file])}: `;
    const what = [
      ...(requestId === NO_ID ? [] : [`request ${quoted(requestId)}`]),
      ...(itemId === undefined ? [] : [`item ${quoted(itemId)}`]),
      timeText(ts),
    ].join(', ');
    const text = place === undefined ? what : `row ${grouped(place.row)} (${what})`;
    byFile.set(file, [...(byFile.get(file) ?? []), text]);
  }
  return byFile.size === 0 ? null : [...byFile].map(([file, texts]) => `${file}${texts.join('; ')}`).join('; ');
}

interface Words {
  readonly why: string;
  readonly remedy: string;
  /** Replaces the examples of dropped events. */
  readonly example?: string;
}

function wordsOf(side: Side, reason: Reason, facts: RunFacts): Words {
  const { sample, settings } = facts;
  switch (reason) {
    case 'late':
      return lateWords(facts, side);
    case 'orphan':
      if (settings.join.by !== 'requestId') return touchWords(`no list was shown to their ${settings.join.by}`, facts);
      return {
        why: `no list with their request id was shown within ${settings.attribution.window.text} before them${apart(sample)}`,
        remedy:
          'Check that both sides log the same request id, that of the list that was shown, and that the logs cover the same time and are complete: lists may be sampled, or a part of them may be missing.',
      };
    case 'not_in_list':
      if (settings.join.by !== 'requestId')
        return touchWords(`none of the lists that were shown to their ${settings.join.by} holds their item`, facts);
      return {
        why: 'their list does not hold their item',
        remedy:
          'Log the same item id on both sides, and all items that were shown. What is clicked in another list of the page needs the request id of that list.',
      };
    case 'duplicate':
      return side === 'impressions' ? repeatedLists(sample.impressions) : repeatedFeedback(sample.feedback);
    case 'capped':
      return {
        why: 'their list had as much feedback as limits.feedbackPerImpression counts',
        remedy: 'Look for a bot or a loop that writes feedback, or raise the limit.',
      };
  }
}

/** Words on feedback without the id of its list that none takes. */
function touchWords(what: string, { sample, settings: { attribution, join } }: RunFacts): Words {
  return {
    why: `${what} within ${attribution.window.text} before them${apart(sample)}`,
    remedy: `Check that both sides log the same ${join.by} and the same item ids, and all lists that are shown: what is clicked may stand on a page whose list is not logged. A list that is logged later than its clicks by more than attribution.outOfOrderness does not get them.`,
  };
}

function lateWords({ sample, settings: { attribution } }: RunFacts, side: Side): Words {
  const newest = sample.newest(side);
  const times = sample[side].map(({ ts }) => ts).sort((a, b) => a - b);
  const why = `they came when time had passed ${side === 'impressions' ? 'their longest horizon' : 'the longest horizon of their list'}, ${attribution.window.text}`;
  if (newest !== undefined && areAhead([...times, newest.ts], 10 * attribution.window.ms)) {
    return {
      why,
      example: `the newest is from ${timeText(newest.ts)} (${placeText(newest.place)}), the median from ${timeText(times[Math.floor(times.length / 2)])}`,
      remedy: 'A few events dated far ahead of the others moved time on: correct their dates, or leave them out.',
    };
  }
  return {
    why,
    remedy: `Sort the log by time, lines of JSON for example by jq -sc 'sort_by(.ts)[]' FILE (.ts: your name of it). A dump of a topic has one partition after the other: write a file for each partition, and name all of them, which are merged by time. Or raise attribution.outOfOrderness (${durationText(attribution.outOfOrderness)}).`,
  };
}

/**
 * Whether less than half of the events are far ahead of the rest, after a gap that is longer than the time of the rest. Events
 * that are only out of order, such as those of one partition after those of another, leave no such gap.
 *
 * @param times ascending
 */
function areAhead(times: readonly EpochMs[], least: DurationMs): boolean {
  return times.some((ts, i) => {
    const before = times[i - 1];
    return 2 * i >= times.length && ts - before > Math.max(least, before - times[0]);
  });
}

/** A clause that the two sides cover different times; '': they overlap. */
function apart({ impressions, feedback }: EventSample): string {
  const [shown, done] = [impressions, feedback].map((side) =>
    side.reduce(({ first, last }, { ts }) => ({ first: Math.min(first, ts), last: Math.max(last, ts) }), {
      first: Number.POSITIVE_INFINITY,
      last: Number.NEGATIVE_INFINITY,
    }),
  );
  if (impressions.length === 0 || feedback.length === 0) return '';
  if (done.first <= shown.last && shown.first <= done.last) return '';
  return `; the impressions are from ${timeText(shown.first)} to ${timeText(shown.last)}, the feedback from ${timeText(done.first)} to ${timeText(done.last)}`;
}

/** Nothing is lost if a producer sent the same list again. If the items differ, the request id is not unique. */
function repeatedLists(impressions: readonly Impression[]): Words {
  const differ = differing(
    impressions,
    ({ requestId, pageOffset }) => JSON.stringify([requestId, pageOffset]),
    ({ items }) => JSON.stringify(items),
  );
  const why = 'a list with their request id and offset was counted before';
  return differ === 0
    ? {
        why: `${why}, so nothing is lost if it was sent again`,
        remedy: 'Nothing, if the producer sends again; else look for a file that is there twice.',
      }
    : {
        why: `${why}, and ${percent(differ)} of them show other items, which are lost`,
        remedy: 'Make the request id unique for each list, and log offset with the pages of one.',
      };
}

function repeatedFeedback(feedback: readonly Feedback[]): Words {
  const differ = differing(
    feedback.filter(({ eventId }) => eventId !== undefined),
    ({ requestId, eventId }) => JSON.stringify([requestId, eventId]),
    ({ itemId, action }) => JSON.stringify([itemId, action]),
  );
  return differ === 0
    ? {
        why: 'the same event id, or the same item, action, value and time, was counted on their list before, so nothing is lost if it was sent again',
        remedy: 'Nothing, if the producer sends again; else log an eventId with each event.',
      }
    : {
        why: `their event id was counted on their list before, and ${percent(differ)} of them say something else, which is lost`,
        remedy: 'Make eventId unique for each event, or leave it out.',
      };
}

/** Share of the events with a repeated key whose content differs from that of the first event with this key. */
function differing<T>(all: readonly T[], keyOf: (one: T) => string, contentOf: (one: T) => string): number {
  const first = new Map<string, string>();
  let [repeated, differ] = [0, 0];
  for (const one of all) {
    const [key, content] = [keyOf(one), contentOf(one)];
    const known = first.get(key);
    if (known === undefined) first.set(key, content);
    else {
      repeated++;
      if (known !== content) differ++;
    }
  }
  return repeated === 0 ? 0 : differ / repeated;
}
