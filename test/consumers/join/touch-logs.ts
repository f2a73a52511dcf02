/** Random logs with feedback that has no id of its list, and what a `Touch` makes of them, by the rule in its plainest form (specification: join 10). */
import { isDeepStrictEqual } from 'node:util';
import fc from 'fast-check';
import type { JoinSettings } from '../../../src/consumers/join/api.ts';
import type { TOUCHES, Touch, TouchCounts, TouchSettings } from '../../../src/consumers/join/touch.ts';
import type { Event, TopicRole } from '../../../src/vocabulary/events.ts';
import { click, impression, SMALL } from '../../reference/builders.ts';
import { allEvents, type LogRecord, type TopicLog } from '../../reference/logs.ts';
import { nameOf, referenceTouch } from '../../reference/touch.ts';

export type TouchClass = typeof Touch<Delivered>;

/** What files deliver. */
export interface Delivered {
  readonly topic: number;
  readonly offset: number;
  readonly value: Uint8Array;
  readonly decoded:
    | { readonly events: readonly Event[]; readonly excluded: readonly Event[] }
    | { readonly refused: string };
}

export function delivered(record: LogRecord, topic: number): Delivered {
  const { offset } = record;
  const decoded =
    record.kind === 'read' ? { events: record.events, excluded: record.excluded ?? [] } : { refused: 'invalid' };
  return { topic, offset, value: new Uint8Array(1), decoded };
}

export interface History {
  readonly settings: TouchSettings & JoinSettings;
  readonly logs: readonly TopicLog[];
  /** Decide which topic is read next, how far, and when what can be judged is taken. */
  readonly choices: readonly number[];
}

const LISTS: TopicRole = { impressions: true, feedback: false };
const ACTIONS: TopicRole = { impressions: false, feedback: true };
const BOTH: TopicRole = { impressions: true, feedback: true };
const BEGIN = 100;
/** Later records are `future`. Few logs get there. */
const LATEST = 150;

interface Seed {
  readonly pace: number;
  readonly age: number;
  readonly kind: 'list' | 'act' | 'refused';
  readonly key: string | undefined;
  readonly items: readonly string[];
  readonly item: string;
  readonly id: string;
  readonly page: number;
  readonly hasId: boolean;
  readonly isLeftOut: boolean;
  /** Whether it is in the record of the event before it, in a log of both sides. */
  readonly isBeside: boolean;
}

const oneIn = (n: number): fc.Arbitrary<boolean> => fc.integer({ min: 1, max: n }).map((drawn) => drawn === 1);
const anItem = fc.constantFrom('a', 'b', 'c', 'd', 'z');
const seed: fc.Arbitrary<Seed> = fc.record({
  pace: fc.integer({ min: 0, max: 2 }),
  age: fc.oneof(
    { weight: 60, arbitrary: fc.integer({ min: 0, max: 4 }) },
    { weight: 8, arbitrary: fc.integer({ min: -3, max: 20 }) },
    { weight: 1, arbitrary: fc.constantFrom(60, -30) },
  ),
  kind: fc.constantFrom('list', 'list', 'act', 'act', 'act', 'refused'),
  key: fc.constantFrom('u', 'u', 'u', 'v', undefined),
  items: fc.array(anItem, { maxLength: 3 }),
  item: anItem,
  id: fc.integer({ min: 0, max: 60 }).map((n) => `r${n}`),
  page: fc.constantFrom(0, 0, 10),
  hasId: oneIn(8),
  isLeftOut: oneIn(16),
  isBeside: oneIn(6),
});

function eventOf({ kind, id, key, items, item, page, hasId }: Seed, ts: number): Event {
  if (kind === 'list') return impression(ts, { requestId: id, joinKey: key, items, pageOffset: page });
  return click(ts, { requestId: hasId ? id : '', itemId: item, joinKey: key ?? (hasId ? undefined : 'nobody') });
}

/** Each event is in the first topic that may hold it. */
function logsOf(topics: readonly TopicRole[], seeds: readonly Seed[]): readonly TopicLog[] {
  const records: LogRecord[][] = topics.map(() => []);
  let time = BEGIN;
  for (const one of seeds) {
    time += one.pace;
    if (one.kind === 'refused') {
      records[0].push({ kind: 'refused', offset: records[0].length, side: 'impressions', reason: 'invalid' });
      continue;
    }
    const event = eventOf(one, time - one.age);
    const own = records[topics.findIndex((role) => role[event.kind === 'impression' ? 'impressions' : 'feedback'])];
    const before = own.at(-1);
    const joined = one.isBeside && before?.kind === 'read' ? own.pop() : undefined;
    const { events, excluded = [] } = joined?.kind === 'read' ? joined : { events: [] };
    own.push({
      kind: 'read',
      offset: own.length,
      timestamp: undefined,
      events: one.isLeftOut ? events : [...events, event],
      excluded: one.isLeftOut ? [...excluded, event] : excluded,
    });
  }
  return records.map((own) => ({
    records: own,
    idleAdvances: [],
    clockDrops: own.filter(isFuture).map(({ offset }) => offset),
  }));
}

function isFuture(record: LogRecord): boolean {
  return record.kind === 'read' && allEvents(record).some(({ ts }) => ts > LATEST);
}

export function histories(touch: (typeof TOUCHES)[number]): fc.Arbitrary<History> {
  return fc
    .record({
      topics: fc.constantFrom<readonly TopicRole[]>([LISTS, ACTIONS], [LISTS, ACTIONS], [BOTH], [BOTH, ACTIONS]),
      horizons: fc.constantFrom([5], [3, 12], [10, 30]),
      outOfOrderness: fc.constantFrom(0, 3, 8),
      backward: fc.constantFrom(0, 0, 2, 7),
      seeds: fc.array(seed, { maxLength: 80, size: 'max' }),
      choices: fc.array(fc.integer({ min: 0, max: 60 }), { minLength: 5, maxLength: 40 }),
    })
    .map(({ topics, horizons, outOfOrderness, backward, seeds, choices }) => ({
      settings: { ...SMALL, topics, horizons, outOfOrderness, backward, futureSkew: 1e9, touch, latest: LATEST },
      logs: logsOf(topics, seeds),
      choices,
    }));
}

/** What comes out, by topic, and what was counted. */
export function released({ settings, logs, choices }: History, OfThis: TouchClass) {
  const touch = new OfThis(settings);
  const read = logs.map(() => 0);
  const records: Delivered[][] = logs.map(() => []);
  const release = (): void => {
    for (const [topic, own] of records.entries()) own.push(...touch.release(topic));
  };
  for (let turn = 0; ; turn++) {
    const left = [...logs.keys()].filter((topic) => read[topic] < logs[topic].records.length);
    if (left.length === 0) break;
    const choice = choices[turn % choices.length];
    const topic = left[choice % left.length];
    const until = Math.min(logs[topic].records.length, read[topic] + 1 + (choice >> 3));
    while (read[topic] < until) touch.read(topic, delivered(logs[topic].records[read[topic]++], topic));
    if (read[topic] === logs[topic].records.length && choice % 3 === 0) touch.ended(topic);
    if (choice % 5 < 3) release();
  }
  for (const topic of logs.keys()) touch.ended(topic);
  release();
  return { records, counts: touch.counts };
}

/** What is as the rule says: the records that come out and their order, the ids, the counts. undefined: all of it. */
export function difference(history: History, OfThis: TouchClass): string | undefined {
  const { settings, logs } = history;
  const { records, counts } = released(history, OfThis);
  const wanted = referenceTouch(settings, settings.touch, logs);
  const whole = logs.map((log, topic) =>
    log.records.map((record) => {
      const { decoded, ...rest } = delivered(record, topic);
      if (!('events' in decoded)) return { ...rest, decoded };
      const named = decoded.events.map((event, place) => {
        const requestId = wanted.given.get(nameOf({ topic, offset: record.offset, place }));
        return requestId === undefined ? event : { ...event, requestId };
      });
      return { ...rest, decoded: { ...decoded, events: named } };
    }),
  );
  if (!isDeepStrictEqual(records.map(plain), whole.map(plain))) return 'other ids or records';
  return isDeepStrictEqual({ ...counts }, wanted.counts) ? undefined : 'other counts';
}

/** Whether nothing is left out need not be said. */
function plain(records: readonly Delivered[]): readonly object[] {
  return records.map(({ decoded, ...rest }) =>
    'events' in decoded ? { ...rest, events: decoded.events, excluded: decoded.excluded ?? [] } : { ...rest, decoded },
  );
}

export function sumOf(all: readonly TouchCounts[]): TouchCounts {
  const sum = (of: keyof TouchCounts): number => all.reduce((total, counts) => total + counts[of], 0);
  return { looked: sum('looked'), several: sum('several'), none: sum('none'), listsWithoutKey: sum('listsWithoutKey') };
}
