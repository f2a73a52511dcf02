/** Computes facts about the events of a sample: joins, delays, order, duplicates, users and variants. */

import { type Difference, normalizers } from '../findings/id-match.ts';
import { quantile } from '../findings/sample-findings.ts';
import { chiSquareUpper } from '../statistics/distributions.ts';
import type { DurationMs, EpochMs } from '../vocabulary/events.ts';
import { usualGrade } from './field-names.ts';
import type { SampledFeedback, SampledList } from './reading.ts';

/** Upper ends of the bins of delays; one more bin holds what is above the last. */
export const DELAY_BINS: readonly DurationMs[] = [0, 10_000, 60_000, 300_000, 1_800_000, 7_200_000, 86_400_000];

interface Joining {
  /** Number of feedback events that were looked up: those within the sample of lists. */
  readonly asked: number;
  readonly known: number;
  /** Number of those with a known request that are on items of their list. */
  readonly inList: number;
  /** Delays of all feedback that joins and has times on both sides, ascending. */
  readonly delays: readonly DurationMs[];
}

export interface Disorder {
  /** Number of events after an event with a later time. */
  readonly overtaken: number;
  readonly most: DurationMs;
  /** Disorder that 999 of 1000 events do not exceed. */
  readonly usual: DurationMs;
}

export interface Facts {
  readonly joining: Joining;
  readonly actions: ReadonlyMap<string, number>;
  /** Range of the values of actions whose names mean a rating; undefined: there are none. */
  readonly ratings:
    | { readonly least: number; readonly most: number; readonly n: number; readonly isWhole: boolean }
    | undefined;
  readonly users: { readonly lists: number; readonly distinct: number };
  /** Number of lists by variant; empty: no field holds variants. */
  readonly variants: ReadonlyMap<string, number>;
  /** Number of users in more than one variant. */
  readonly crossed: number;
  /** P-value of the split; undefined: fewer than two variants. */
  readonly splitChance: number | undefined;
  readonly duplicates: { readonly lists: number; readonly feedback: number };
  /** Number of requests that were shown in several pages, and number of these pages. */
  readonly paged: { readonly requests: number; readonly pages: number };
  readonly disorder: Disorder;
  /** For each dimension, the number of lists by value. */
  readonly dimensions: ReadonlyMap<string, ReadonlyMap<string, number>>;
  readonly span: { readonly impressions: Span | undefined; readonly feedback: Span | undefined };
}

export interface Span {
  readonly from: EpochMs;
  readonly to: EpochMs;
}

interface FactsInput {
  readonly lists: readonly SampledList[];
  readonly feedback: readonly SampledFeedback[];
  /** Event times of each log, in the order of its records. */
  readonly logs: readonly (readonly EpochMs[])[];
  /** Whether the file of lists continues after the sample. */
  readonly listsCut: boolean;
  readonly requestIds: Difference | undefined;
  readonly itemIds: Difference | undefined;
  /** Expected weights of the variants; undefined: equal ones. */
  readonly weights: ReadonlyMap<string, number> | undefined;
}

export function factsOf(input: FactsInput): Facts {
  const { lists, feedback } = input;
  const actions = new Map<string, number>();
  for (const { action } of feedback) actions.set(action, (actions.get(action) ?? 0) + 1);
  const variants = new Map<string, number>();
  const users = new Map<string, Set<string>>();
  const dimensions = new Map<string, Map<string, number>>();
  for (const { userId, variant, dimensions: values } of lists) {
    if (variant !== undefined) variants.set(variant, (variants.get(variant) ?? 0) + 1);
    if (userId !== undefined) {
      const seen = users.get(userId) ?? new Set();
      if (variant !== undefined) seen.add(variant);
      users.set(userId, seen);
    }
    for (const [name, value] of values) {
      const known = dimensions.get(name) ?? new Map<string, number>();
      dimensions.set(name, known.set(value, (known.get(value) ?? 0) + 1));
    }
  }
  return {
    joining: joiningOf(input),
    actions,
    ratings: ratingsOf(feedback),
    users: { lists: lists.filter(({ userId }) => userId !== undefined).length, distinct: users.size },
    variants,
    crossed: [...users.values()].filter((seen) => seen.size > 1).length,
    splitChance: splitChance(unitsOf(variants, users), input.weights),
    duplicates: {
      lists: repeats(lists.map(({ requestId, offset }) => `${offset} ${requestId}`)),
      feedback: repeats(feedback.map(({ requestId, identity }) => JSON.stringify([requestId, identity]))),
    },
    paged: pagedOf(lists),
    disorder: disorderOf(input.logs),
    dimensions,
    span: { impressions: spanOf(lists), feedback: spanOf(feedback) },
  };
}

function pagedOf(lists: readonly SampledList[]): Facts['paged'] {
  const offsets = new Map<string, Set<number>>();
  for (const { requestId, offset } of lists) {
    const seen = offsets.get(requestId);
    if (seen === undefined) offsets.set(requestId, new Set([offset]));
    else seen.add(offset);
  }
  const paged = [...offsets.values()].filter(({ size }) => size > 1);
  return { requests: paged.length, pages: paged.reduce((pages, { size }) => pages + size, 0) };
}

function ratingsOf(feedback: readonly SampledFeedback[]): Facts['ratings'] {
  let [least, most, n] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY, 0];
  let isWhole = true;
  for (const { action, value } of feedback) {
    if (value === undefined || usualGrade(action) !== 'rating') continue;
    least = Math.min(least, value);
    most = Math.max(most, value);
    isWhole &&= Number.isInteger(value);
    n++;
  }
  return n === 0 ? undefined : { least, most, n, isWhole };
}

function joiningOf({ lists, feedback, listsCut, requestIds, itemIds }: FactsInput): Joining {
  const asIs = [(id: string) => id, (id: string) => id] as const;
  const [ofLists, ofFeedback] = requestIds === undefined ? asIs : normalizers(requestIds);
  const [ofItems, ofItem] = itemIds === undefined ? asIs : normalizers(itemIds);
  const byRequest = new Map<string, SampledList[]>();
  for (const list of lists) {
    const id = ofLists(list.requestId);
    const known = byRequest.get(id);
    if (known === undefined) byRequest.set(id, [list]);
    else known.push(list);
  }
  const found = feedback.map((event) => byRequest.get(ofFeedback(event.requestId)));
  // The sample of lists ends before the feedback on them: only feedback between the first and the last that joins is counted.
  const first = listsCut
    ? Math.max(
        0,
        found.findIndex((known) => known !== undefined),
      )
    : 0;
  const last = listsCut ? found.findLastIndex((known) => known !== undefined) : found.length - 1;
  const asked = last < first ? found.length : last - first + 1;
  let inList = 0;
  const delays: DurationMs[] = [];
  for (const [i, known] of found.entries()) {
    if (known === undefined) continue;
    const { itemId, ts } = feedback[i];
    const item = ofItem(itemId);
    const holding = known.find(({ items }) => items.some((id) => ofItems(id) === item));
    if (holding !== undefined) inList++;
    const delay = ts - (holding ?? known[0]).ts;
    if (!Number.isNaN(delay)) delays.push(delay);
  }
  delays.sort((a, b) => a - b);
  return { asked, known: found.filter((known) => known !== undefined).length, inList, delays };
}

/** Number of delays in each bin of DELAY_BINS, and above the last. The first bin holds feedback dated before its list. */
export function delayBins(delays: readonly DurationMs[]): readonly number[] {
  const bins = [...DELAY_BINS, Number.POSITIVE_INFINITY].map(() => 0);
  for (const delay of delays) {
    const bin = DELAY_BINS.findIndex((end, i) => (i === 0 ? delay < end : delay <= end));
    bins[bin < 0 ? DELAY_BINS.length : bin]++;
  }
  return bins;
}

function repeats(keys: readonly string[]): number {
  return keys.length - new Set(keys).size;
}

/** Disorder of all logs together. Each log is judged by its own order, because the logs of a side are merged by time. */
function disorderOf(logs: readonly (readonly EpochMs[])[]): Disorder {
  const behind: DurationMs[] = [];
  let events = 0;
  for (const times of logs) {
    let newest = Number.NEGATIVE_INFINITY;
    events += times.length;
    for (const ts of times) {
      if (ts < newest) behind.push(newest - ts);
      else if (ts > newest) newest = ts;
    }
  }
  behind.sort((a, b) => b - a);
  return { overtaken: behind.length, most: behind[0] ?? 0, usual: behind[Math.floor(events / 1000)] ?? 0 };
}

function spanOf(events: readonly { readonly ts: EpochMs }[]): Span | undefined {
  let from = Number.POSITIVE_INFINITY;
  let to = Number.NEGATIVE_INFINITY;
  for (const { ts } of events) {
    if (ts < from) from = ts;
    if (ts > to) to = ts;
  }
  return from <= to ? { from, to } : undefined;
}

/** Number of users by variant, because users are assigned, not lists; number of lists if hardly any user is known. */
function unitsOf(
  variants: ReadonlyMap<string, number>,
  users: ReadonlyMap<string, ReadonlySet<string>>,
): ReadonlyMap<string, number> {
  const counts = new Map([...variants.keys()].map((name) => [name, 0]));
  let assigned = 0;
  for (const seen of users.values()) {
    const [only] = seen;
    if (seen.size !== 1) continue;
    counts.set(only, (counts.get(only) ?? 0) + 1);
    assigned++;
  }
  return assigned >= 20 ? counts : variants;
}

/** Pearson's chi-square test of the counts against the weights. */
export function splitChance(
  counts: ReadonlyMap<string, number>,
  weights: ReadonlyMap<string, number> | undefined,
): number | undefined {
  const names = weights === undefined ? [...counts.keys()] : [...weights.keys()];
  if (names.length < 2) return undefined;
  const n = names.reduce((sum, name) => sum + (counts.get(name) ?? 0), 0);
  const total = names.reduce((sum, name) => sum + (weights?.get(name) ?? 1), 0);
  if (n === 0) return undefined;
  let statistic = 0;
  for (const name of names) {
    const expected = (n * (weights?.get(name) ?? 1)) / total;
    statistic += ((counts.get(name) ?? 0) - expected) ** 2 / expected;
  }
  return chiSquareUpper(statistic, names.length - 1);
}

// Clock differences that the delays reveal: another zone, or a small offset.
const HOUR: DurationMs = 3_600_000;
const HALF_HOUR: DurationMs = HOUR / 2;
/** Zones are between UTC-12 and UTC+14, so two of them differ by at most 26 hours. */
const FARTHEST: DurationMs = 26 * HOUR;
/** With fewer delays nothing is reported about clocks. */
const FEWEST = 2;

export interface ClockOffset {
  /** Multiple of half an hour by which feedback is dated after its lists, in addition to the time people take; negative: before them. */
  readonly offset: DurationMs;
  /** Share of the delays that the offset explains. */
  readonly share: number;
}

/**
 * A constant offset of half hours. People click soon after they see a list: without an offset most delays are short and none is
 * negative. With an offset the delays start at a multiple of half an hour other than 0, and most lie within the half hour after it.
 */
export function clockOffset(sorted: readonly DurationMs[]): ClockOffset | undefined {
  if (sorted.length < FEWEST) return undefined;
  const early = quantile(sorted, 0.02);
  // Clocks that differ by a few seconds make a delay fall just below.
  const offset = Math.floor((early + 30_000) / HALF_HOUR) * HALF_HOUR;
  if (offset === 0 || Math.abs(offset) > FARTHEST) return undefined;
  const after = sorted.map((delay) => delay - offset);
  const soon = after.filter((delay) => delay >= -30_000 && delay < HALF_HOUR).length / after.length;
  const middle = quantile(after, 0.5);
  const begins = early - offset;
  return soon >= 0.7 && middle < HALF_HOUR / 2 && begins < HALF_HOUR / 4 ? { offset, share: soon } : undefined;
}

/** Whether it can be the offset of a zone from UTC. */
export function isZone(offset: DurationMs): boolean {
  return offset >= -12 * HOUR && offset <= 14 * HOUR;
}

/** The offset in the form of a zone's name: `+01:00`. */
export function zoneText(offset: DurationMs): string {
  const minutes = Math.abs(Math.round(offset / 60_000));
  const two = (n: number): string => String(n).padStart(2, '0');
  return `${offset < 0 ? '-' : '+'}${two(Math.floor(minutes / 60))}:${two(minutes % 60)}`;
}

/** The share of feedback that is dated a little before its list, and by how much at most for nearly all of it. */
export function beforeList(sorted: readonly DurationMs[]): { readonly share: number; readonly by: DurationMs } {
  const before = sorted.filter((delay) => delay < 0);
  if (before.length === 0) return { share: 0, by: 0 };
  return { share: before.length / sorted.length, by: -quantile(before, 0.01) };
}
