import type { DurationMs, EpochMs } from '../vocabulary/events.ts';
import { grouped } from '../vocabulary/grouped.ts';
import { percent } from '../vocabulary/numbers.ts';
import type { EventSample } from './event-sample.ts';
import type { Finding } from './finding.ts';
import { type Matches, quantile, timeText } from './sample-findings.ts';

/** A smaller share of the lists hardly changes a mean. */
const LEAST_SHARE = 0.02;
/** This many lists with feedback must be expected in a time without any. Then their absence is no accident. */
const LEAST_EXPECTED = 30;

/**
 * Findings on lists that are later than all feedback, or so much earlier that theirs would have come before the first: nobody
 * logged what people did with them, but they count as lists without a positive, unless those at the end are open. The lists
 * between show how many of them would have feedback.
 */
export function feedbackPeriod(
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
export function mostOpen(
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
export function feedbackToCome(
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
