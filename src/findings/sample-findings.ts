import type { Settings } from '../config/settings.ts';
import { valuedActions } from '../measures/needs.ts';
import { MINUTE, printDuration, usualDuration } from '../vocabulary/durations.ts';
import {
  type DurationMs,
  type EpochMs,
  type Feedback,
  type Impression,
  isGradable,
  type Side,
} from '../vocabulary/events.ts';
import { grouped } from '../vocabulary/grouped.ts';
import { percent } from '../vocabulary/numbers.ts';
import { nearest } from '../vocabulary/spelling.ts';
import { yamlWord } from '../vocabulary/yaml-word.ts';
import type { EventSample } from './event-sample.ts';
import { type Finding, quoted } from './finding.ts';
import { type IdDifference, idDifference } from './id-difference.ts';

/** The settings that say what joins, and what it is worth. */
type JoinSettings = Pick<Settings, 'attribution' | 'grading' | 'join'>;

const HALF_HOUR: DurationMs = 30 * MINUTE;
/** Zones are whole or half hours apart, and feedback follows within minutes. */
const NEAR_HALF_HOUR: DurationMs = 5 * MINUTE;
/** No log is older: seconds that are read as milliseconds are in 1970. */
const OLDEST_LOG: EpochMs = Date.UTC(1990, 0, 1);
/** With a smaller share of unknown requests, ids are not compared. */
const LEAST_UNKNOWN = 0.1;
const MOST = 0.5;
/** Share of feedback from which on an action that is spelled almost like a configured one is reported. */
const LEAST_MISSPELLED = 0.01;
/** Shorter words are similar to too many others. */
const SPELLED = 5;

/** Findings from a sample of both sides, whatever joined. */
export function sampleFindings(sample: EventSample, settings: JoinSettings): readonly Finding[] {
  const matches = matchesOf(sample);
  const wrongUnits = units(sample);
  return [
    ...wrongUnits,
    // Ids that were given to feedback are those of lists.
    ...(settings.join.by === 'requestId' ? ids(matches, sample) : []),
    // Times in two units differ by decades, so they say nothing about clocks.
    ...(wrongUnits.length > 0 ? [] : clocks(matches, settings)),
    ...items(matches),
    ...actions(sample, settings),
    ...values(sample, settings),
  ];
}

/** Sampled feedback, matched with the impressions of its requests. */
export interface Matches {
  readonly unknown: readonly Feedback[];
  /** Delays of the feedback whose item is in the list; ascending. */
  readonly lags: readonly DurationMs[];
  /** The pairs of these delays, in the same order. */
  readonly inList: readonly Match[];
  readonly notInList: readonly Match[];
  readonly known: number;
}

interface Match {
  readonly feedback: Feedback;
  readonly impression: Impression;
}

export function matchesOf({ impressions, feedback }: EventSample): Matches {
  const byId = new Map<string, Impression[]>();
  for (const impression of impressions) {
    const same = byId.get(impression.requestId);
    if (same === undefined) byId.set(impression.requestId, [impression]);
    else same.push(impression);
  }
  const unknown: Feedback[] = [];
  const inList: Match[] = [];
  const notInList: Match[] = [];
  for (const one of feedback) {
    const lists = byId.get(one.requestId);
    if (lists === undefined) {
      unknown.push(one);
      continue;
    }
    // Among several pages and repeats, the nearest in time that holds the item.
    const holding = lists.filter(({ items }) => items.includes(one.itemId));
    const [impression] = (holding.length === 0 ? lists : holding).sort(
      (a, b) => Math.abs(one.ts - a.ts) - Math.abs(one.ts - b.ts),
    );
    (holding.length === 0 ? notInList : inList).push({ feedback: one, impression });
  }
  inList.sort((a, b) => lagOf(a) - lagOf(b));
  return { unknown, lags: inList.map(lagOf), inList, notInList, known: inList.length + notInList.length };
}

function lagOf({ feedback, impression }: Match): DurationMs {
  return feedback.ts - impression.ts;
}

function units(sample: EventSample): readonly Finding[] {
  return (['impressions', 'feedback'] as const).flatMap((side) =>
    unitOf(
      side,
      sample[side].map(({ ts }) => ts),
    ),
  );
}

function unitOf(side: Side, times: readonly EpochMs[]): readonly Finding[] {
  const old = times.filter((ts) => ts < OLDEST_LOG);
  if (old.length <= MOST * times.length) return [];
  const [ts] = old;
  // Seconds since 2001, read as milliseconds, lie in January 1970.
  const isSeconds = ts >= 1e9 && ts < 1e10;
  return [
    {
      code: 'unit_of_time',
      cause: `Most times of the ${side} are before 1990${isSeconds ? ': seconds were read as milliseconds' : ''}.`,
      example: `the first of them is read as ${timeText(ts)}`,
      remedy: isSeconds
        ? 'Set tsUnit: s for the topic in the configuration.'
        : 'Check what the log writes as time, and tsUnit of the topic in the configuration.',
    },
  ];
}

const ID_CODES = {
  prefix: 'ids_differ_by_prefix',
  suffix: 'ids_differ_by_suffix',
  form: 'ids_differ_by_case',
  number: 'other_type_of_id',
} as const;

function ids({ unknown, known }: Matches, { impressions }: EventSample): readonly Finding[] {
  if (unknown.length === 0 || unknown.length < LEAST_UNKNOWN * (unknown.length + known)) return [];
  const difference = idDifference(
    unknown.map(({ requestId }) => requestId),
    impressions.map(({ requestId }) => requestId),
  );
  if (difference === undefined) return [];
  const { kind, wanted, share } = difference;
  return [
    {
      code: ID_CODES[kind],
      cause: `${percent(share)} of the feedback of unknown requests would be known, but ${differs(difference, 'the request id', 'the feedback', 'the impressions')}.`,
      example: `${quoted(wanted)} in the feedback, ${quoted(difference.known)} in the impressions`,
      remedy: 'Log the same request id on both sides: ids are compared character by character.',
    },
  ];
}

/** Returns text such as: the feedback writes "web-" before the request id. */
export function differs(difference: IdDifference, what: string, wantedSide: string, knownSide: string): string {
  const { kind, wantedPart, knownPart, rest } = difference;
  if (kind === 'number') return `${what} is the same number in another form`;
  if (kind === 'form') return `${what} differs in upper and lower case, blanks or punctuation`;
  const where = kind === 'prefix' ? 'before' : 'behind';
  const [first, second] = knownPart === '' || wantedPart !== '' ? [wantedSide, wantedPart] : [knownSide, knownPart];
  const other = knownPart === '' || wantedPart === '' ? '' : `, ${knownSide} ${quoted(knownPart)}`;
  const also = rest === undefined ? '' : `, and the rest differs in ${REST_WORDS[rest]}`;
  return `${first} ${verb(first)} ${quoted(second)} ${where} ${what}${other}${also}`;
}

const REST_WORDS = {
  number: 'how the number is written (leading zeros, or .0)',
  form: 'upper and lower case, blanks or punctuation',
} as const;

function verb(side: string): string {
  return side.endsWith('s') ? 'write' : 'writes';
}

function clocks(matches: Matches, { attribution }: JoinSettings): readonly Finding[] {
  const { lags, inList } = matches;
  const { window: horizon, backward } = attribution;
  if (inList.length === 0) return [];
  const least = quantile(lags, 0.05);
  const middle = quantile(lags, 0.5);
  const example = pairText(inList[Math.floor(inList.length / 2)]);
  if (middle < -backward) {
    const zone = zoneOf(least);
    return [
      {
        code: 'clock_offset',
        cause: `Most feedback is dated before its list, by ${durationText(-middle)} at the median${zone === undefined ? '' : `: a time zone of ${durationText(-zone)} too little`}.`,
        example,
        remedy:
          zoneRemedy(zone) ??
          'Correct the clock that dates one of the sides, or set attribution.backward to how far the clocks may differ.',
      },
    ];
  }
  const zone = zoneOf(least);
  if (zone !== undefined && zone > 0 && middle - least < HALF_HOUR && (lags.length >= 20 || middle >= horizon.ms)) {
    return [
      {
        code: 'clock_offset',
        cause: `Hardly any feedback comes sooner than ${durationText(zone)} after its list: a time zone of ${durationText(zone)} too much.`,
        example,
        remedy: zoneRemedy(zone) ?? '',
      },
    ];
  }
  return [...beforeList(matches, backward), ...beyondHorizon(lags, horizon, example)];
}

function pairText({ impression, feedback }: Match): string {
  return `list at ${timeText(impression.ts)}, its feedback at ${timeText(feedback.ts)}`;
}

/** A smaller share, or fewer events of the sample, are noise. */
const SOME_BEFORE = 0.001;
const LEAST_BEFORE = 3;
/** Feedback that is dated earlier than this before its list has another cause than clocks that differ a little. */
const LITTLE_BEFORE: DurationMs = 5 * MINUTE;

/** Finding on clocks that differ a little, or that show whole seconds: a click in the second of its list is dated before it. */
function beforeList({ lags, inList }: Matches, backward: DurationMs): readonly Finding[] {
  const before = inList.filter((match) => lagOf(match) < -backward && lagOf(match) >= -LITTLE_BEFORE);
  if (before.length < LEAST_BEFORE || before.length < SOME_BEFORE * lags.length) return [];
  const by = -quantile(before.map(lagOf), 0.01);
  const isWhole = (side: 'impression' | 'feedback') => inList.every((match) => match[side].ts % 1000 === 0);
  const isCoarse = by < 1000 && isWhole('feedback') && !isWhole('impression');
  const why = isCoarse
    ? 'the feedback is dated in whole seconds, the lists are not'
    : 'the clocks of the two sides differ a little';
  return [
    {
      code: 'before_list',
      cause: `${percent(before.length / lags.length)} of the feedback on known lists is dated before its list, nearly all by ${durationText(by)} at most, and dropped as orphan: ${why}.`,
      example: pairText(before[Math.floor(before.length / 2)]),
      remedy: `Set attribution.backward: ${printDuration(by <= 1000 ? 1000 : usualDuration(by))}, or log both times with the same clock, in milliseconds.`,
    },
  ];
}

/** A smaller share of feedback after the longest horizon is normal. */
const MANY_BEYOND = 0.05;

function beyondHorizon(
  lags: readonly DurationMs[],
  { ms, text }: Settings['attribution']['window'],
  middleExample: string,
): readonly Finding[] {
  const beyond = lags.filter((lag) => lag > ms);
  if (beyond.length < MANY_BEYOND * lags.length || beyond.length === 0) return [];
  const longer = printDuration(usualDuration(quantile(lags, 0.99) + 1));
  const of = `${grouped(beyond.length)} of ${grouped(lags.length)} feedback events on a known list come later than the longest horizon, ${text}`;
  return [
    {
      code: 'beyond_horizon',
      cause: `${of}, and are dropped as orphan: ${durationText(quantile(beyond, 0.5))} after their list at the median, ${durationText(beyond[beyond.length - 1])} at most.`,
      example: beyond.length > MOST * lags.length ? middleExample : null,
      remedy: `Add a longer horizon to attribution.horizons: ${longer} would take ${percent(lags.filter((lag) => lag <= usualDuration(quantile(lags, 0.99) + 1)).length / lags.length)} of them all.`,
    },
  ];
}

/** The multiple of half an hour that is near the least delay; undefined: there is none. */
function zoneOf(least: DurationMs): DurationMs | undefined {
  const zone = HALF_HOUR * Math.round(least / HALF_HOUR);
  return zone === 0 || Math.abs(least - zone) > NEAR_HALF_HOUR || Math.abs(zone) > 14 * 2 * HALF_HOUR
    ? undefined
    : zone;
}

function zoneRemedy(zone: DurationMs | undefined): string | undefined {
  return zone === undefined
    ? undefined
    : 'Log the times of both sides in UTC, or with their offset, such as 2026-11-21T09:00:00+01:00.';
}

function items({ notInList, known }: Matches): readonly Finding[] {
  if (notInList.length <= MOST * known) return [];
  const [{ feedback, impression }] = notInList;
  const difference = idDifference(
    notInList.map(({ feedback: { itemId } }) => itemId),
    new Set(notInList.flatMap(({ impression: { items } }) => items)),
  );
  const why = difference === undefined ? '' : `: ${differs(difference, 'the item id', 'the feedback', 'the lists')}`;
  return [
    {
      code: 'items_never_match',
      cause: `${percent(notInList.length / known)} of the feedback whose request is known names an item that is not in its list${why}.`,
      example:
        difference === undefined
          ? `${quoted(feedback.itemId)} for a list of ${impression.items.slice(0, 3).map(quoted).join(', ')}${impression.items.length > 3 ? ', ...' : ''}`
          : `${quoted(difference.wanted)} in the feedback, ${quoted(difference.known)} in the list`,
      remedy: 'Log the same item id on both sides (not that of a variant or an offer), and all items that were shown.',
    },
  ];
}

function actions({ actions: counts }: EventSample, { grading }: JoinSettings): readonly Finding[] {
  const known = grading.actions.map(({ name }) => name);
  const all = [...counts.values()].reduce((sum, n) => sum + n, 0);
  const ungraded = [...counts].filter(([action]) => !known.includes(action)).sort(([, a], [, b]) => b - a);
  const without = ungraded.reduce((sum, [, n]) => sum + n, 0);
  const gradable = ungraded.filter(([action]) => isGradable(action));
  const misspelled = gradable.find(
    ([action, n]) =>
      n >= LEAST_MISSPELLED * all &&
      action.length >= SPELLED &&
      nearest(action.toLowerCase().trim(), known) !== undefined,
  );
  if (all === 0 || (without <= MOST * all && misspelled === undefined)) return [];
  const names = ungraded.slice(0, 5).map(([action, n]) => `${quoted(action)} ${grouped(n)}`);
  return [
    {
      code: 'unknown_actions',
      cause: `${percent(without / all)} of the feedback has actions without a grade, which are not positives: ${names.join(', ')}${ungraded.length > 5 ? ', ...' : ''}.`,
      example: `configured: ${known.length === 0 ? 'none' : known.map(quoted).join(', ')}`,
      remedy: gradeRemedy(misspelled ?? gradable[0]),
    },
  ];
}

function gradeRemedy(example: readonly [string, number] | undefined): string {
  if (example === undefined) {
    return 'Log other actions: no configuration can name these, which have more than 200 characters, contain control characters, or are reserved.';
  }
  return `Give each action that counts a grade, such as grades: {${yamlWord(example[0])}: 1}; one that does not count may be listed with 0.`;
}

/** Finding on ratings without a value, which are worth 0. */
function values({ feedback }: EventSample, { grading }: JoinSettings): readonly Finding[] {
  return valuedActions(grading).flatMap((name) => {
    const of = feedback.filter(({ action }) => action === name);
    const without = of.filter(({ value }) => value === undefined);
    if (without.length <= MOST * of.length) return [];
    return [
      {
        code: 'values_missing',
        cause: `${percent(without.length / of.length)} of the feedback with the action ${quoted(name)} has no value, which is its grade (from: value), and so is worth 0.`,
        example: null,
        remedy:
          'Say where the value is (adapter: {map: {value: /stars}}), or give the action a fixed grade. If it has a decimal comma, write 3.5 in place of 3,5: receval inspect FILE... shows the command.',
      },
    ];
  });
}

/** The value at a share of an ascending list; NaN: it is empty. */
export function quantile(sorted: readonly number[], share: number): number {
  return sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? Number.NaN;
}

/** The time in ISO 8601, in UTC. */
export function timeText(ts: EpochMs): string {
  return new Date(ts).toISOString();
}

/** Returns text such as: 1.5 h, 12 s. */
export function durationText(ms: DurationMs): string {
  const size = Math.abs(ms);
  const of = (unit: number, name: string): string => `${Number((size / unit).toPrecision(3))} ${name}`;
  if (size < 1000) return of(1, 'ms');
  if (size < 2 * MINUTE) return of(1000, 's');
  if (size < HALF_HOUR) return of(MINUTE, 'minutes');
  return size < 48 * 2 * HALF_HOUR ? of(2 * HALF_HOUR, 'h') : of(48 * HALF_HOUR, 'days');
}
