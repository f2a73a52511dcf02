import type { TrafficRecord } from '../../src/simulate/delivery.ts';
import { type FeedbackEvent, feedbackSchema, type ImpressionEvent, impressionSchema } from './reading.ts';

type Verdicts = Record<string, number>;

/** What became of one impression that was accepted. */
interface Accepted {
  readonly event: ImpressionEvent;
  readonly items: ReadonlySet<string>;
  /** Identities of the feedback attributed to it. */
  readonly taken: Set<string>;
}

/**
 * The rules of the join (specification: join 3) for one unit, by brute force over the whole logs: the number of records per
 * verdict on each side. `backward` is 0, no limit is reached.
 */
export function judge(
  records: readonly TrafficRecord[],
  window: number,
  outOfOrderness: number,
): { readonly impressions: Verdicts; readonly feedback: Verdicts } {
  const impressions: Verdicts = {};
  const accepted = new Map<string, Accepted[]>();
  const remembered = new Map<string, number[]>();
  walk(records, 'impressions', outOfOrderness, impressions, (value, watermark) => {
    const parsed = impressionSchema.safeParse(value);
    if (!parsed.success) return undefined;
    const event = parsed.data;
    const identity = `${event.requestId} ${event.offset ?? 0}`;
    const earlier = remembered.get(identity) ?? [];
    remembered.set(identity, earlier);
    if (watermark >= event.ts + window) return { ts: event.ts, verdict: 'late' };
    const isDuplicate = earlier.some((ts) => Math.abs(ts - event.ts) < window);
    earlier.push(event.ts);
    if (isDuplicate) return { ts: event.ts, verdict: 'duplicate' };
    const lists = accepted.get(event.requestId) ?? [];
    accepted.set(event.requestId, lists);
    lists.push({ event, items: new Set(event.items.map(({ id }) => id)), taken: new Set() });
    return { ts: event.ts, verdict: 'accepted' };
  });
  const feedback: Verdicts = {};
  walk(records, 'feedback', outOfOrderness, feedback, (value, watermark) => {
    const parsed = feedbackSchema.safeParse(value);
    if (!parsed.success) return undefined;
    return { ts: parsed.data.ts, verdict: judgeFeedback(parsed.data, watermark, window, accepted) };
  });
  return { impressions, feedback };
}

function judgeFeedback(
  event: FeedbackEvent,
  watermark: number,
  window: number,
  accepted: ReadonlyMap<string, readonly Accepted[]>,
): string {
  if (watermark >= event.ts + window) return 'late';
  const near = (accepted.get(event.requestId) ?? []).filter((list) => {
    const age = event.ts - list.event.ts;
    return age >= 0 && age < window;
  });
  if (near.length === 0) return 'orphan';
  const place = near.findIndex((list) => list.items.has(event.itemId));
  const asked = place < 0 ? near : near.slice(0, place + 1);
  if (asked.some((list) => watermark >= list.event.ts + window)) return 'late';
  if (place < 0) return 'not_in_list';
  if (near[place].taken.has(event.eventId)) return 'duplicate';
  near[place].taken.add(event.eventId);
  return 'attributed';
}

/** Goes through one topic in log order; the watermark that a record sees is that of the valid records before it. */
function walk(
  records: readonly TrafficRecord[],
  topic: string,
  outOfOrderness: number,
  verdicts: Verdicts,
  verdictOf: (value: unknown, watermark: number) => { readonly ts: number; readonly verdict: string } | undefined,
): void {
  let watermark = Number.NEGATIVE_INFINITY;
  for (const record of records) {
    if (record.topic !== topic) continue;
    const judged = verdictOf(parsed(record.value), watermark);
    const verdict = judged?.verdict ?? 'invalid';
    verdicts[verdict] = (verdicts[verdict] ?? 0) + 1;
    if (judged !== undefined) watermark = Math.max(watermark, Math.min(judged.ts, record.at) - outOfOrderness);
  }
}

function parsed(value: string): unknown {
  try {
    return JSON.parse(value);
  } catch {
    return undefined;
  }
}
