import type { JoinSettings } from '../../src/consumers/join/api.ts';
import type { EpochMs, Event, Feedback, Impression, Offset } from '../../src/vocabulary/events.ts';
import type { ReadRecord, TopicLog } from './logs.ts';

/** One topic of impressions (0) and one of feedback (1); H is 40, and w is the greatest time seen less 10. */
export const SMALL: JoinSettings = {
  topics: [
    { impressions: true, feedback: false },
    { impressions: false, feedback: true },
  ],
  horizons: [20, 40],
  outOfOrderness: 10,
  backward: 5,
  futureSkew: 30,
  feedbackPerImpression: 2,
  actions: ['click', 'buy'],
  namesItems: true,
};

/** The same topics with H = 10 s, in order, where nearly everything counts. */
export const TWO_TOPICS: JoinSettings = {
  topics: SMALL.topics,
  horizons: [1000, 10_000],
  outOfOrderness: 0,
  backward: 0,
  futureSkew: 1000,
  feedbackPerImpression: 1000,
  actions: ['click'],
};

export function impression(ts: EpochMs, changes: Partial<Impression> = {}): Impression {
  return {
    kind: 'impression',
    requestId: 'r',
    ts,
    userId: undefined,
    pageOffset: 0,
    items: ['a', 'b', 'c'],
    ranks: undefined,
    dimensions: [],
    ...changes,
  };
}

export function click(ts: EpochMs, changes: Partial<Feedback> = {}): Feedback {
  return {
    kind: 'feedback',
    requestId: 'r',
    itemId: 'a',
    ts,
    action: 'click',
    eventId: undefined,
    value: undefined,
    ...changes,
  };
}

export function record(offset: Offset, events: readonly Event[], timestamp?: EpochMs): ReadRecord {
  return { kind: 'read', offset, timestamp, events };
}

/** Records at offsets 0, 1, 2, ... with one event each and no record timestamp. */
export function log(events: readonly Event[], inputs: Partial<TopicLog> = {}): TopicLog {
  return {
    records: events.map((event, offset) => record(offset, [event])),
    idleAdvances: [],
    clockDrops: [],
    ...inputs,
  };
}
