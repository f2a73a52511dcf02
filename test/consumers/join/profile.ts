/** What the generators of histories vary: broad or narrow, and on which scale of time. */
import fc from 'fast-check';
import type { JoinSettings } from '../../../src/consumers/join/api.ts';
import type { DurationMs, EpochMs, TopicRole } from '../../../src/vocabulary/events.ts';

const GRID = 5;
/** A time scale of 10,000 makes H 400 s, the last one 46 days: more milliseconds than 31 bits hold. */
const SCALES = [1, 1, 100, 10_000, 100_000_000] as const;

/** What a generator varies. The default is broad; a narrow one finds rare conjunctions sooner. */
export interface Profile {
  readonly layouts: readonly (readonly TopicRole[])[];
  readonly horizons: readonly (readonly number[])[];
  readonly backward: readonly number[];
  readonly futureSkew: readonly number[];
  readonly outOfOrderness: readonly number[];
  readonly feedbackPerImpression: readonly number[];
  readonly requests: readonly string[];
  readonly pages: readonly number[];
  readonly lists: readonly (readonly string[])[];
  readonly recordsPerTopic: number;
  readonly eventsPerRecord: number;
  /** Most steps of the grid by which the time continues from record to record. */
  readonly pace: number;
  /** Most steps by which an event is older than its record. */
  readonly oldest: number;
  /** Most steps by which an event's time runs ahead of its record's. */
  readonly ahead: number;
}

const I: TopicRole = { impressions: true, feedback: false };
const F: TopicRole = { impressions: false, feedback: true };
const BOTH: TopicRole = { impressions: true, feedback: true };
/** An item id of several hundred bytes, not all of them Latin. */
export const LONG = `${'c'.repeat(200)}\u4e2d`;

export const BROAD: Profile = {
  layouts: [[I, F], [F, I], [BOTH], [BOTH, F], [F, BOTH, F], [I, F, F], [I, F, F, F]],
  horizons: [[40], [10, 40], [5, 20, 40], [15, 25]],
  backward: [0, 0, 5, 10, 45],
  futureSkew: [0, 10, 30, 1000],
  outOfOrderness: [0, 5, 10, 10],
  feedbackPerImpression: [1, 2, 3],
  requests: ['r', 'r', 'r', 'r', 'r|1', '\u00e9\u4e2d', 'r'.repeat(70)],
  pages: [0, 0, 10],
  lists: [[], ['a'], ['a', 'b'], ['b', LONG], [LONG, 'a', 'b'], ['a', 'a'], ['b', 'a', LONG, 'b', 'a']],
  recordsPerTopic: 16,
  eventsPerRecord: 3,
  pace: 4,
  oldest: 14,
  ahead: 8,
};

/** One request has many pages and much feedback that waits for them, so that its indexes are made, filled and let go. */
export const MANY_PAGES: Profile = {
  ...BROAD,
  requests: ['r'],
  pages: [0, 1, 2, 3, 4, 10],
  lists: [
    [],
    ['a'],
    ['b'],
    ['a', 'b'],
    ['d', LONG],
    ['a', 'a'],
    ['item-0a1b2c3d-0000-4000-8000-00000000000a', 'item-9'],
  ],
  recordsPerTopic: 24,
};

/** Where the logs begin, and the length of a step in all their times. */
export interface TimeFrame {
  readonly scale: number;
  readonly origin: EpochMs;
  readonly step: DurationMs;
}

/** The origin lies long enough after 1970 for every age, or in our days, which need more than 32 bits. */
export const timeFrames: fc.Arbitrary<TimeFrame> = fc
  .tuple(fc.constantFrom(...SCALES), fc.boolean())
  .map(([scale, ofToday]) => ({ scale, origin: ofToday ? 1_700_000_000_000 : 1000 * scale, step: GRID * scale }));

export function settingsOf(profile: Profile, { scale }: TimeFrame): fc.Arbitrary<JoinSettings> {
  const scaled = (lengths: readonly number[]): fc.Arbitrary<DurationMs> =>
    fc.constantFrom(...lengths).map((length) => length * scale);
  return fc.record({
    topics: fc.constantFrom(...profile.layouts),
    horizons: fc.constantFrom(...profile.horizons).map((ladder) => ladder.map((length) => length * scale)),
    outOfOrderness: scaled(profile.outOfOrderness),
    backward: scaled(profile.backward),
    futureSkew: scaled(profile.futureSkew),
    feedbackPerImpression: fc.constantFrom(...profile.feedbackPerImpression),
    actions: fc.constant(['click', 'buy']),
    hashSeed: fc.constantFrom(0, 1, 2 ** 53 - 1),
    searchUpTo: fc.constantFrom(0, 1, 64),
    namesItems: fc.constant(true),
  });
}
