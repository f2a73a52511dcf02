import { z } from 'zod';
import type { TrafficRecord } from '../../src/simulate/delivery.ts';
import { NO_FAULTS, type SimulationSettings, USUAL_SETTINGS } from '../../src/simulate/simulation-settings.ts';
import { Traffic } from '../../src/simulate/traffic.ts';

const id = z.string().min(1);
const time = z.int().positive();
const item = z.union([id.transform((name) => ({ id: name })), z.strictObject({ id, score: z.number().min(0).max(1) })]);

/** The canonical events (specification: events 1), as strict as the simulator writes them. */
export const impressionSchema = z.strictObject({
  requestId: id,
  ts: time,
  userId: id,
  surface: z.enum(['home', 'search', 'similar', 'cart']),
  variant: id,
  cohorts: z.strictObject({
    country: z.string().regex(/^[A-Z]{2}$/),
    tenure: z.enum(['new', 'regular', 'loyal']),
  }),
  offset: z.literal(10).optional(),
  items: z.array(item).min(1).max(10),
});
export const feedbackSchema = z.strictObject({
  requestId: id,
  itemId: id,
  ts: time,
  action: z.enum(['click', 'add_to_cart', 'purchase', 'rating']),
  eventId: id,
  value: z.number().positive().optional(),
});
export type ImpressionEvent = z.infer<typeof impressionSchema>;
export type FeedbackEvent = z.infer<typeof feedbackSchema>;

export function settings(changes: Partial<SimulationSettings> = {}): SimulationSettings {
  return { ...USUAL_SETTINGS, events: 20_000, users: 2000, faults: NO_FAULTS, ...changes };
}

export function recordsOf(given: SimulationSettings): readonly TrafficRecord[] {
  return [...new Traffic(given)];
}

/** The events of traffic without malformed records. */
export function eventsOf(records: readonly TrafficRecord[]): {
  readonly impressions: readonly ImpressionEvent[];
  readonly feedback: readonly FeedbackEvent[];
} {
  const of = (topic: string): unknown[] =>
    records.filter((record) => record.topic === topic).map(({ value }) => JSON.parse(value));
  return {
    impressions: of('impressions').map((event) => impressionSchema.parse(event)),
    feedback: of('feedback').map((event) => feedbackSchema.parse(event)),
  };
}

/** An impression with the number of clicks on each of its slots. */
export interface ClickedList {
  readonly impression: ImpressionEvent;
  readonly clicks: readonly number[];
}

export function clickedLists(records: readonly TrafficRecord[]): readonly ClickedList[] {
  const { impressions, feedback } = eventsOf(records);
  const clicks = new Map<string, number>();
  for (const { requestId, itemId, action } of feedback) {
    const place = `${requestId} ${itemId}`;
    if (action === 'click') clicks.set(place, (clicks.get(place) ?? 0) + 1);
  }
  return impressions.map((impression) => ({
    impression,
    clicks: impression.items.map((slot) => clicks.get(`${impression.requestId} ${slot.id}`) ?? 0),
  }));
}

/** Clicks by rank of the page, over all lists. */
export function clicksByRank(lists: readonly ClickedList[]): readonly number[] {
  const sums = new Array<number>(10).fill(0);
  for (const { clicks } of lists) {
    for (const [slot, count] of clicks.entries()) sums[slot] += count;
  }
  return sums;
}

/** Standard deviations between a count and its expectation under the binomial distribution. */
export function deviations(count: number, trials: number, probability: number): number {
  return Math.abs(count - trials * probability) / Math.sqrt(trials * probability * (1 - probability));
}
