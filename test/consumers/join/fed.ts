/** Logs of records, and two ways to give them to a join: decoded one by one, or as bytes by the hundred. */
import fc from 'fast-check';
import type { createDecoder, Decoder } from '../../../src/consumers/decode/decoder.ts';
import type { recordRows } from '../../../src/consumers/engine/record-rows.ts';
import type { JoinObserver, JoinSettings, JoinSink, UnitJoin } from '../../../src/consumers/join/api.ts';
import type { createJoin } from '../../../src/consumers/join/join.ts';
import { readText } from '../../../src/consumers/packed/text.ts';
import type { LogRecord } from '../../../src/consumers/source/source-port.ts';
import type { Event, TopicRole } from '../../../src/vocabulary/events.ts';
import { runOf } from '../source/run-of.ts';
import { Collector } from './closings.ts';
import { type TopicRecords, topicRecords } from './logs.ts';
import { BROAD, type Profile, settingsOf, timeFrames } from './profile.ts';

/** Times of the generator are small; those of records are of this century. */
const BASE = 1_760_000_000_000;

const IMPRESSIONS: TopicRole = { impressions: true, feedback: false };
const FEEDBACK: TopicRole = { impressions: false, feedback: true };

/** Much feedback on one list. */
export const MANY_EVENTS: Profile = {
  ...BROAD,
  layouts: [[IMPRESSIONS, FEEDBACK], [{ impressions: true, feedback: true }]],
  feedbackPerImpression: [6],
  requests: ['r'],
  pages: [0],
  lists: [
    ['a', 'b'],
    ['a', 'b', 'd'],
  ],
  recordsPerTopic: 24,
};

interface Turn {
  readonly topic: number;
  readonly records: number;
  /** The clock, from the begin of the log; undefined: there is none. */
  readonly now: number | undefined;
  /** The topic passes for silent until then. */
  readonly idle: number | undefined;
}

export interface Fed {
  readonly settings: JoinSettings;
  readonly logs: readonly (readonly LogRecord[])[];
  readonly turns: readonly Turn[];
  /** After so many turns another engine takes over. */
  readonly cut: number;
  /** Somebody reads names and watches feedback; else closings wait for each other. */
  readonly isWatched: boolean;
}

/** Other names for the items of the generator: lists of numbers, with and without noughts before them, and some that are almost so. */
const NAMES: readonly Readonly<Record<string, string>>[] = [
  {},
  { a: 'item-7', b: 'item-07', d: 'item-0' },
  { a: 'item-7', b: 'item-70', d: 'itxm-7' },
  { a: '7', b: '1234567890', d: '0' },
  // Distances of two, three and four bytes, some with the same lower half.
  { a: '7', b: '65542', d: '65543' },
  { a: 'item-7', b: 'item-65543', d: 'item-131079' },
  { a: '000000007', b: '016777223', d: '999999999' },
];

function jsonOf(event: Event, names: Readonly<Record<string, string>>): object {
  const ts = BASE + event.ts;
  if (event.kind === 'feedback') {
    return { ...event, kind: undefined, ts, itemId: names[event.itemId] ?? event.itemId };
  }
  const { requestId, userId, pageOffset, items, ranks, scores, categories, dimensions } = event;
  const ids = items.map((id) => names[id] ?? id);
  const slots = ids.map((id, s) => ({ id, position: ranks?.[s], score: scores?.[s], category: categories?.[s] }));
  // Keys that are no names of dimensions are counted.
  const cohorts = { country: dimensions[0], 'not a name': userId === undefined ? undefined : 'x' };
  return { requestId, ts, userId, offset: pageOffset, items: slots, cohorts };
}

/** A record with several events has no canonical form, and becomes one that is not valid. `isAscii`: ids are made so. */
function recordsOf({ records }: TopicRecords, isAscii: boolean, names: (typeof NAMES)[number]): readonly LogRecord[] {
  return records.map((record) => {
    const { offset } = record;
    if (record.kind !== 'read') return { offset, timestamp: undefined, value: null };
    const { events } = record;
    const timestamp = record.timestamp === undefined ? undefined : BASE + record.timestamp;
    const text = events.length === 1 ? JSON.stringify(jsonOf(events[0], names)) : '{"requestId":';
    const value = new TextEncoder().encode(isAscii ? text.replaceAll(/[^ -~]/g, 'x') : text);
    return { offset, timestamp, value };
  });
}

/** The parts that are tried. */
export interface Parts {
  readonly createDecoder: typeof createDecoder;
  readonly createJoin: typeof createJoin;
  readonly recordRows: typeof recordRows;
}

function decoderOf(parts: Parts, role: TopicRole): Decoder {
  return parts.createDecoder({
    adapter: 'canonical',
    role,
    dimensions: ['country'],
    itemsPerList: 1000,
    // So that some are too large.
    impressionBytes: 1500,
    feedbackBytes: 1500,
    tsUnit: 'auto',
    positionBase: 1,
    sampleUsers: true,
    carries: { scores: true, categories: true },
  });
}

interface Path {
  feed(topic: number, records: readonly LogRecord[], now: number | undefined): void;
}

type PathOf = (parts: Parts, join: UnitJoin, decoders: readonly Decoder[]) => Path;

export const oneByOne: PathOf = (_, join, decoders) => {
  return {
    feed: (topic, records, now) => {
      for (const record of records) judge(join, decoders, topic, record, now);
    },
  };
};

function judge(join: UnitJoin, decoders: readonly Decoder[], topic: number, record: LogRecord, now?: number): void {
  const decoded = decoders[topic].decode(record.value, 'log', record.offset);
  if ('events' in decoded) join.record(topic, record.offset, record.timestamp, decoded.events, now);
  else if (decoded.refused === 'unmapped') join.passedOver(topic, record.offset, decoded.condition);
  else join.refused(topic, record.offset, decoded.side, decoded.refused);
}

/** How many records the engine did not know, of all. */
export const known = { all: 0, unknown: 0 };

export const byTheHundred: PathOf = (parts, join, decoders) => {
  const rows = parts.recordRows();
  return {
    feed: (topic, records, now) => {
      const run = runOf(records);
      const { reader } = decoders[topic];
      if (reader === undefined) throw new Error('there is no memory to scan in');
      known.all += records.length;
      for (let first = 0, end = 0; first < run.count; first = end) {
        end = rows.fill(run, first, reader.limit);
        for (let unknown = 0; unknown >= 0; ) {
          unknown = join.feed(topic, reader, rows, now);
          if (unknown < 0) break;
          known.unknown++;
          judge(join, decoders, topic, records[first + unknown], now);
        }
      }
    },
  };
};

/** All that a sink and a reader of the engine see, in its order. */
export function traceOf(
  parts: Parts,
  { settings, logs, turns, cut, isWatched }: Fed,
  pathOf: PathOf,
): readonly unknown[] {
  const trace: unknown[] = [];
  const decoders = settings.topics.map((role) => decoderOf(parts, role));
  const sinkOf = (): JoinSink => {
    const collector = new Collector(settings);
    const observer: JoinObserver = {
      dropped: (reason, list, { u8, request, item, ts }) =>
        trace.push(['dropped', reason, list !== 0, readText(u8, request), readText(u8, item), ts]),
      strayed: (list, { u8, action, value }) => trace.push(['strayed', list !== 0, readText(u8, action), value]),
      found: ({ u8, request, eventId }) =>
        trace.push(['found', readText(u8, request), eventId < 0 ? undefined : readText(u8, eventId)]),
    };
    return {
      accepted: (impression, from) => {
        const { requestId, ts, dimensions } = impression;
        trace.push(['accepted', requestId, ts, [...dimensions], { ...from }]);
        return collector.accepted({ dimensions: [...dimensions] } as never);
      },
      unref: (tag) => {
        trace.push(['released', tag]);
        collector.unref(tag);
      },
      closed: (closing, names) => {
        collector.closed(closing);
        trace.push(['closed', collector.seen.at(-1), ...(isWatched ? [names.requestId(), names.items(2)] : [])]);
      },
      readsNames: isWatched || pathOf === oneByOne,
      observer: isWatched ? observer : undefined,
    };
  };
  const read = (join: UnitJoin, until: number): void => {
    const path = pathOf(parts, join, decoders);
    const next = logs.map((log, t) => log.findIndex(({ offset }) => offset >= join.position(t)));
    for (const [turn, { topic, records, now, idle }] of turns.entries()) {
      if (turn === until) break;
      if (next[topic] >= 0) {
        const some = logs[topic].slice(next[topic], next[topic] + records);
        next[topic] += some.length;
        path.feed(topic, some, now === undefined ? undefined : BASE + now);
      }
      if (idle !== undefined && !join.replaying) trace.push(['idle', join.idle(topic, BASE + idle)]);
      if (turn % 2 === 0) join.advance();
      trace.push([join.position(topic), join.topicWatermark(topic), join.openImpressions, join.waitingFeedback]);
    }
  };
  const first = parts.createJoin(settings, sinkOf());
  read(first, cut);
  const checkpoint = first.checkpoint();
  trace.push(structuredClone(checkpoint));
  const second = parts.createJoin(settings, sinkOf(), checkpoint);
  read(second, Number.POSITIVE_INFINITY);
  trace.push(second.checkpoint(), structuredClone(second.counts), [...second.delays.counts]);
  trace.push(decoders.map(({ ignoredCohortKeys }) => ignoredCohortKeys));
  first.close();
  second.close();
  return trace;
}

export function fed(profile: Profile): fc.Arbitrary<Fed> {
  return timeFrames.chain((frame) =>
    settingsOf(profile, frame).chain((settings) => {
      const span = frame.origin + 70 * frame.step;
      const seldom = fc.option(fc.integer({ min: frame.origin, max: span }), { nil: undefined, freq: 2 });
      return fc
        .record({
          topics: fc.tuple(...settings.topics.map((role) => topicRecords(profile, role, frame))),
          turns: fc.array(
            fc.record({
              topic: fc.nat(settings.topics.length - 1),
              records: fc.integer({ min: 1, max: 12 }),
              now: seldom,
              idle: seldom,
            }),
            { maxLength: 40, size: 'max' },
          ),
          cut: fc.nat(40),
          isAscii: fc.boolean(),
          isWatched: fc.boolean(),
          names: fc.constantFrom(...NAMES),
        })
        .map(({ topics, turns, cut, isAscii, isWatched, names }) => ({
          settings: { ...settings, namesItems: isWatched },
          logs: topics.map((topic) => recordsOf(topic, isAscii, names)),
          turns,
          cut,
          isWatched,
        }));
    }),
  );
}
