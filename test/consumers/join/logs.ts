/**
 * Arbitrary logs of one unit. Times lie on a grid of 5 ms and horizons are a few steps of it, so that every boundary of
 * the rules is hit often; there are few request ids, items and event ids, so that everything meets. A scale stretches
 * all of it, with some times a little off the grid: an engine that rounds times, or keeps them by slices, is met there.
 */
import fc from 'fast-check';
import type { DurationMs, EpochMs, Event, Impression, Offset, TopicRole } from '../../../src/vocabulary/events.ts';
import type { LogRecord } from '../../reference/logs.ts';
import { LONG, type Profile, type TimeFrame } from './profile.ts';

const JITTERS = [0, 0, 0, 1, -1, 7, -12] as const;

/** The records of one topic, with holes between the offsets. */
export interface TopicRecords {
  readonly records: readonly LogRecord[];
  /** The offset after the last record and the holes behind it. */
  readonly end: Offset;
}

interface EventSeed {
  readonly onSide: boolean;
  readonly age: number;
  readonly jitter: DurationMs;
  readonly requestId: string;
  readonly page: number;
  readonly items: readonly string[];
  readonly ranked: boolean;
  readonly user: boolean;
  /** Whether items have scores, and categories; the second of them never has. */
  readonly scored: boolean;
  readonly categorised: boolean;
  readonly item: string;
  readonly action: string;
  readonly eventId: string | undefined;
  readonly value: number | undefined;
  /** Say again what was said so many events before; 0: say something new. */
  readonly again: number;
}

interface RecordSeed {
  readonly pace: number;
  readonly hole: number;
  /** Steps by which the record's timestamp leads its time; undefined: it has none. */
  readonly lead: number | undefined;
  readonly refused: 'tombstone' | 'invalid' | 'unmapped' | undefined;
  readonly events: readonly EventSeed[];
}

function age(profile: Profile): fc.Arbitrary<number> {
  return fc.oneof(
    { weight: 5, arbitrary: fc.integer({ min: 0, max: 3 }) },
    { weight: 3, arbitrary: fc.integer({ min: 0, max: profile.oldest }) },
    { weight: 1, arbitrary: fc.integer({ min: -profile.ahead, max: 0 }) },
  );
}

function eventSeed(profile: Profile): fc.Arbitrary<EventSeed> {
  return fc.record({
    onSide: fc.boolean(),
    age: age(profile),
    jitter: fc.constantFrom(...JITTERS),
    requestId: fc.constantFrom(...profile.requests),
    page: fc.constantFrom(...profile.pages),
    items: fc.constantFrom(...profile.lists),
    ranked: fc.boolean(),
    user: fc.boolean(),
    scored: fc.boolean(),
    categorised: fc.boolean(),
    item: fc.constantFrom('a', 'a', 'b', LONG, 'd'),
    action: fc.constantFrom('click', 'click', 'buy', 'view'),
    eventId: fc.constantFrom(undefined, undefined, 'e', 'f'),
    value: fc.constantFrom(undefined, undefined, 0, 1, 2.5),
    again: fc.oneof({ weight: 5, arbitrary: fc.constant(0) }, { weight: 1, arbitrary: fc.integer({ min: 1, max: 5 }) }),
  });
}

function recordSeed(profile: Profile): fc.Arbitrary<RecordSeed> {
  return fc.record({
    pace: fc.integer({ min: 0, max: profile.pace }),
    hole: fc.oneof({ weight: 5, arbitrary: fc.constant(0) }, { weight: 1, arbitrary: fc.integer({ min: 1, max: 4 }) }),
    lead: fc.oneof(
      { weight: 1, arbitrary: fc.constant(undefined) },
      { weight: 3, arbitrary: fc.integer({ min: -1, max: 2 }) },
    ),
    refused: fc.oneof(
      { weight: 12, arbitrary: fc.constant(undefined) },
      { weight: 1, arbitrary: fc.constantFrom('tombstone' as const, 'invalid' as const, 'unmapped' as const) },
    ),
    events: fc.oneof(
      { weight: 4, arbitrary: fc.array(eventSeed(profile), { minLength: 1, maxLength: 1 }) },
      { weight: 1, arbitrary: fc.array(eventSeed(profile), { minLength: 1, maxLength: profile.eventsPerRecord }) },
    ),
  });
}

/** Mostly about as many on each topic: the slowest holds the combined watermark back. */
function recordSeeds(profile: Profile): fc.Arbitrary<RecordSeed[]> {
  const maxLength = profile.recordsPerTopic;
  const minLength = Math.ceil(0.7 * maxLength);
  return fc.oneof(
    { weight: 3, arbitrary: fc.array(recordSeed(profile), { minLength, maxLength, size: 'max' }) },
    { weight: 1, arbitrary: fc.array(recordSeed(profile), { maxLength, size: 'max' }) },
  );
}

export function topicRecords(profile: Profile, role: TopicRole, frame: TimeFrame): fc.Arbitrary<TopicRecords> {
  return fc
    .record({
      first: fc.constantFrom(0, 0, 3, 2 ** 40, 2 ** 48 - 3),
      seeds: recordSeeds(profile),
      tail: fc.constantFrom(0, 0, 2),
    })
    .map(({ first, seeds, tail }) => grown(role, frame, first, seeds, tail));
}

function grown(
  role: TopicRole,
  frame: TimeFrame,
  first: Offset,
  seeds: readonly RecordSeed[],
  tail: number,
): TopicRecords {
  const records: LogRecord[] = [];
  const said: Event[] = [];
  let time = frame.origin;
  let offset = first;
  for (const seed of seeds) {
    offset += seed.hole;
    time += seed.pace * frame.step;
    const onImpressions = role.impressions && !(role.feedback && seed.events[0].onSide);
    if (seed.refused === 'unmapped') {
      const { action: value } = seed.events[0];
      records.push({ kind: 'passed', offset, condition: { field: '/kind', value } });
    } else if (seed.refused !== undefined) {
      const side = onImpressions ? 'impressions' : 'feedback';
      records.push({ kind: 'refused', offset, side, reason: seed.refused });
    } else {
      const events = seed.events.map((each, place) => {
        const event = eventOf(role, frame, each, time, said, `${offset}.${place}`);
        said.push(event);
        return event;
      });
      const timestamp = seed.lead === undefined ? undefined : time + seed.lead * frame.step;
      // Behind the largest holes all events but the first few are left out: so no more is drawn than before there was this.
      const kept = seed.hole === 4 ? seed.pace % 2 : events.length;
      const [excluded, more] = [events.slice(kept), events.slice(0, kept)];
      records.push({ kind: 'read', offset, timestamp, events: more, ...(excluded.length === 0 ? {} : { excluded }) });
    }
    offset += 1;
  }
  return { records, end: offset + tail };
}

/** An impression carries its place in the log as its dimension, so that a closing shows whose it is. */
function eventOf(
  role: TopicRole,
  frame: TimeFrame,
  seed: EventSeed,
  time: EpochMs,
  said: readonly Event[],
  place: string,
): Event {
  const before = said[said.length - seed.again];
  if (seed.again > 0 && before !== undefined) {
    return before.kind === 'impression' ? { ...before, dimensions: [place] } : { ...before };
  }
  const ts = time - seed.age * frame.step + (frame.scale > 1 ? seed.jitter : 0);
  if (role.impressions && !(role.feedback && seed.onSide)) return impressionOf(seed, ts, place);
  return {
    kind: 'feedback',
    requestId: seed.requestId,
    itemId: seed.item,
    ts,
    action: seed.action,
    eventId: seed.eventId,
    value: seed.value,
  };
}

function impressionOf(seed: EventSeed, ts: EpochMs, place: string): Impression {
  const isEmpty = seed.items.length === 0;
  return {
    kind: 'impression',
    requestId: seed.requestId,
    ts,
    userId: seed.user ? 'u' : undefined,
    pageOffset: seed.page,
    items: seed.items,
    ranks: seed.ranked ? seed.items.map((_, slot) => seed.page + 2 * slot + 1) : undefined,
    dimensions: [place],
    scores: seed.scored && !isEmpty ? seed.items.map((_, s) => (s === 1 ? Number.NaN : 0.1 * s - 0.2)) : undefined,
    categories: seed.categorised && !isEmpty ? seed.items.map((item, s) => (s === 1 ? '' : `${item}é`)) : undefined,
  };
}
