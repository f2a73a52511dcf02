import type { DurationMs, EpochMs } from '../vocabulary/events.ts';
import { grouped } from '../vocabulary/grouped.ts';
import type { EventSample } from './event-sample.ts';
import { type Finding, percent } from './finding.ts';
import { type Matches, quantile, timeText } from './sample-findings.ts';

/** A smaller share of the lists hardly moves a mean. */
const LEAST_SHARE = 0.02;
/** So many lists with feedback must be expected where there is none: then it is no accident. */
const LEAST_EXPECTED = 30;

/**
 * Lists that are later than all feedback, or so much earlier that theirs would have come before the first: nobody logged what
 * people did with them, but they count as lists without a positive. How many of them would have feedback is known from the
 * lists between.
 */
export function feedbackPeriod(
  { impressions, feedback }: Pick<EventSample, 'impressions' | 'feedback'>,
  { lags }: Pick<Matches, 'lags'>,
): readonly Finding[] {
  const shown = new Set(impressions.map(({ requestId }) => requestId));
  const known = feedback.filter(({ requestId }) => shown.has(requestId));
  if (known.length === 0 || lags.length === 0) return [];
  // All of it: what joins no list is told by its ids.
  const first = feedback.reduce((least, { ts }) => Math.min(least, ts), Infinity);
  const last = feedback.reduce((most, { ts }) => Math.max(most, ts), -Infinity);
  // Nine of ten would have come by then.
  const begin = first - Math.max(0, quantile(lags, 0.9));
  const before = impressions.filter(({ ts }) => ts < begin).length;
  const after = impressions.filter(({ ts }) => ts > last).length;
  const asked = new Set(known.map(({ requestId }) => requestId));
  const between = impressions.filter(({ ts }) => ts >= begin && ts <= last);
  const rate = between.filter(({ requestId }) => asked.has(requestId)).length / Math.max(1, between.length);
  const told = (lists: number, edge: 'begins' | 'ends', at: EpochMs): readonly Finding[] => {
    if (lists < LEAST_SHARE * impressions.length || rate * lists < LEAST_EXPECTED) return [];
    return [
      {
        code: 'feedback_partial',
        cause: `The feedback ${edge} at ${timeText(at)}, and ${percent(lists / impressions.length)} of the impressions are ${edge === 'ends' ? 'later' : 'earlier'}: they count as lists without a positive, though about ${grouped(Math.round(100 * rate))} of 100 of the others have feedback.`,
        example: null,
        remedy: `Add the feedback of that time, or leave out the impressions ${edge === 'ends' ? 'after' : 'before'} it.`,
      },
    ];
  };
  return [...told(before, 'begins', first), ...told(after, 'ends', last)];
}

/** From this share of the feedback on, what is still to come moves the means. */
const MUCH_TO_COME = 0.05;

/**
 * At the end of files all lists close, also those that are younger than the longest horizon. How much of their feedback is still
 * to come is known from the delays of the feedback on lists that are old enough.
 *
 * Example: lists of two days, feedback 8 h later on average and a horizon of 24 h: a sixth is to come.
 */
export function feedbackToCome(
  { impressions, feedback }: Pick<EventSample, 'impressions' | 'feedback'>,
  horizon: { readonly text: string; readonly ms: DurationMs },
): readonly Finding[] {
  const end = [...impressions, ...feedback].reduce((most, { ts }) => Math.max(most, ts), -Infinity);
  const isOld = (ts: EpochMs): boolean => ts + horizon.ms <= end;
  const old = impressions.filter(({ ts }) => isOld(ts)).length;
  if (old < LEAST_EXPECTED) return [];
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
  return [
    {
      code: 'feedback_to_come',
      cause: `${percent(1 - old / impressions.length)} of the impressions are younger than ${horizon.text} at the end of the logs, ${timeText(end)}: about ${percent(share)} of all feedback at that horizon is still to come, so means over all lists are too low there.`,
      example: null,
      remedy: `Add the feedback of the next ${horizon.text}, leave out the impressions of the last ${horizon.text}, or read a shorter horizon.`,
    },
  ];
}

/** How many of these are above x. @param ascending in order */
function above(ascending: readonly number[], x: number): number {
  let [low, high] = [0, ascending.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (ascending[middle] > x) high = middle;
    else low = middle + 1;
  }
  return ascending.length - low;
}
