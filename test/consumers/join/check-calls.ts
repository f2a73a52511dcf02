/** The law of what a join reports: sinks and observers get the calls of the reference, in its order (specification: join 4.2). */
import assert from 'node:assert/strict';
import fc from 'fast-check';
import { Delays, type JoinSettings, type JoinSink, type RecordPlace } from '../../../src/consumers/join/api.ts';
import type { FeedbackTexts } from '../../../src/consumers/packed/packed-events.ts';
import { readText } from '../../../src/consumers/packed/text.ts';
import type { JoinCheckpoint } from '../../../src/vocabulary/checkpoint.ts';
import type { Feedback, Offset } from '../../../src/vocabulary/events.ts';
import { referenceJoin } from '../../reference/join.ts';
import { type Beginning, type Call, JoinCalls, type Step } from '../../reference/join-calls.ts';
import { Collector, expectedClosing } from './closings.ts';
import { type TopicRecords, topicRecords } from './logs.ts';
import { type Profile, settingsOf, timeFrames } from './profile.ts';
import type { CreateJoin } from './worker.ts';

export interface Reading {
  readonly settings: JoinSettings;
  readonly topics: readonly TopicRecords[];
  /** Topics in the order in which their records are read. */
  readonly order: readonly number[];
  /** After so many reads another join takes over, and reads all. */
  readonly cut: number;
}

export function readings(profile: Profile): fc.Arbitrary<Reading> {
  return timeFrames.chain((frame) =>
    settingsOf(profile, frame).chain((settings) =>
      fc.record({
        settings: fc.constant(settings),
        topics: fc.tuple(...settings.topics.map((role) => topicRecords(profile, role, frame))),
        order: fc.array(fc.nat(settings.topics.length - 1), { maxLength: 60, size: 'max' }),
        cut: fc.nat(60),
      }),
    ),
  );
}

/** Throws when a join reports anything else than the reference, in another order or at another time. */
export function checkCalls(create: CreateJoin, reading: Reading): void {
  const { topics, order, cut } = reading;
  const none = topics.map(() => 0);
  const steps = stepsOf(topics, order.slice(0, cut), none);
  const beginning: Beginning = { replay: none, committed: none, decided: -Infinity };
  const first = compare(create, reading, steps, beginning);
  const rest = topics.flatMap(({ records }, topic) => records.map(() => topic));
  compare(create, reading, stepsOf(topics, [...order, ...rest], first.next.replay), first.next, first);
}

/** What is left of the topics, in this order; every third turn the join advances, and at the end. */
function stepsOf(topics: readonly TopicRecords[], order: readonly number[], from: readonly Offset[]): readonly Step[] {
  const left = topics.map(({ records }, topic) => records.filter(({ offset }) => offset >= from[topic]));
  const steps = order.flatMap((topic, turn): readonly Step[] => {
    const record = left[topic].shift();
    const read = record === undefined ? [] : [{ topic, offset: record.offset }];
    return turn % 3 === 0 ? [...read, 'advance'] : read;
  });
  return [...steps, 'advance'];
}

/** What a join leaves to the next one, and the delays that are not counted again. */
interface Before {
  readonly checkpoint: JoinCheckpoint;
  readonly delays: { readonly counts: readonly number[]; readonly sum: number };
}

function compare(
  create: CreateJoin,
  reading: Reading,
  steps: readonly Step[],
  beginning: Beginning,
  before?: Before,
): Before & { readonly next: Beginning } {
  const { settings, topics } = reading;
  const logs = topics.map(({ records }) => ({ records, idleAdvances: [], clockDrops: [] }));
  const expected = new JoinCalls(settings, logs, steps, beginning);
  const seen = seenBy(create, reading, steps, before?.checkpoint);
  const isIndexed = settings.searchUpTo === 0 || settings.searchUpTo === 1;
  for (const [s, step] of expected.steps.entries()) {
    const { calls: told, ...state } = seen.steps[s];
    const { calls, ...expectedState } = { ...step, calls: step.calls.map(expectedCall) };
    assert.deepEqual(ordered(told, isIndexed), ordered(calls, isIndexed), `what step ${s} tells`);
    assert.deepEqual(state, expectedState, `what is open, waits and is remembered after step ${s}`);
    if (!isIndexed) continue;
    const texts = new Set(textsOf(calls));
    for (const text of textsOf(told)) assert.ok(texts.has(text), `step ${s} tells what it should not: ${text}`);
  }
  const { next } = expected;
  const { checkpoint, counts, delays } = seen;
  assert.deepEqual(
    checkpoint.topics.map(({ committed, replay, replayWatermark }) => ({ committed, replay, replayWatermark })),
    next.committed.map((committed, t) => {
      return { committed, replay: next.replay[t], replayWatermark: next.watermarks[t] };
    }),
  );
  assert.equal(checkpoint.watermark, next.decided);
  const read = logs.map(({ records, ...inputs }, t) => {
    return { ...inputs, records: records.filter(({ kind, offset }) => kind === 'read' && offset < next.committed[t]) };
  });
  const result = referenceJoin(settings, read);
  assert.deepEqual(counts, result.counts);
  assert.deepEqual(checkpoint.counts, result.counts);
  const seconds = result.feedback.flatMap(({ event, verdict }) =>
    verdict.kind === 'attributed' ? [Math.max(0, event.ts - verdict.to.event.ts) / 1000] : [],
  );
  const all = {
    counts: delays.counts.map((n, i) => n + (before?.delays.counts[i] ?? 0)),
    sum: delays.sum + (before?.delays.sum ?? 0),
  };
  const bounds = [...Delays.bounds, Infinity];
  assert.deepEqual(
    all.counts,
    bounds.map((bound, i) => seconds.filter((each) => each <= bound && !(each <= bounds[i - 1])).length),
  );
  const sum = seconds.reduce((total, each) => total + each, 0);
  assert.ok(Math.abs(all.sum - sum) <= 1e-9 * sum, `the delays sum up to ${all.sum}, not ${sum}`);
  return { next, checkpoint, delays };
}

type SeenCall =
  | Exclude<Call, { readonly told: 'closed' }>
  | { readonly told: 'closed'; readonly closing: unknown; readonly names: unknown };

/** What a join reports at each of these steps, and what it says of itself at their end. */
function seenBy(create: CreateJoin, { settings, topics }: Reading, steps: readonly Step[], from?: JoinCheckpoint) {
  const collector = new Collector(settings);
  let calls: SeenCall[] = [];
  const placeOf = ({ topic, offset }: RecordPlace) => ({ topic, offset });
  const sink: JoinSink = {
    accepted: (impression, place) => {
      calls.push({ told: 'accepted', requestId: impression.requestId, from: { ...place } });
      return collector.accepted(impression as never);
    },
    unref: (tag) => calls.push({ told: 'released', of: collector.unref(tag) }),
    closed: (closing, names) => {
      collector.closed(closing);
      calls.push({ told: 'closed', closing: collector.seen.at(-1), names: [names.requestId(), names.items(2)] });
    },
    observer: {
      dropped: (reason, list, texts, place) => {
        const hasList = list !== 0;
        calls.push({ told: 'dropped', reason, hasList, feedback: copied(texts), from: place && placeOf(place) });
      },
      notTaken: (why, event, place) =>
        calls.push({ told: 'not taken', why, event: event as Feedback, from: placeOf(place) }),
      strayed: (list, texts) => {
        assert.notEqual(list, 0, 'feedback strays from no list');
        calls.push({ told: 'strayed', feedback: copied(texts) });
      },
      found: (texts) => calls.push({ told: 'found', feedback: copied(texts) }),
    },
  };
  const join = create(settings, sink, from);
  const seen = steps.map((step) => {
    calls = [];
    if (step === 'advance') join.advance();
    else {
      const { topic, offset } = step;
      const record = topics[topic].records.find((each) => each.offset === offset);
      if (record?.kind === 'read')
        join.record(topic, offset, record.timestamp, record.events, undefined, record.excluded);
      else join.seek(topic, offset + 1);
    }
    return { calls, open: join.openImpressions, waiting: join.waitingFeedback, oldest: join.oldestRemembered };
  });
  const checkpoint = structuredClone(join.checkpoint());
  const { sum, counts } = join.delays;
  const delays = { sum, counts: [...counts] };
  const end = { checkpoint, counts: structuredClone(join.counts), delays };
  join.close();
  return { steps: seen, ...end };
}

function copied({ u8, request, item, action, eventId, ts, value }: FeedbackTexts): Feedback {
  return {
    kind: 'feedback',
    requestId: readText(u8, request),
    itemId: readText(u8, item),
    ts,
    action: readText(u8, action),
    eventId: eventId < 0 ? undefined : readText(u8, eventId),
    value: Number.isNaN(value) ? undefined : value,
  };
}

/** A call of the reference, as `seenBy` writes it. */
function expectedCall(call: Call): SeenCall {
  if (call.told !== 'closed') return call;
  const { requestId, items } = call.closing.impression;
  return { told: 'closed', closing: expectedClosing(call.closing), names: [requestId, items.slice(0, 2)] };
}

/**
 * The calls in their order, but for those that have none: feedback of one deadline; and with indexes, which find first what is late,
 * all that only observers get.
 */
function ordered(calls: readonly SeenCall[], isIndexed: boolean): readonly unknown[] {
  const isSettled = (call: SeenCall): boolean =>
    call.told === 'dropped' && (call.reason === 'orphan' || call.reason === 'not_in_list');
  const isFree = (call: SeenCall): boolean =>
    isSettled(call) || (isIndexed && !['accepted', 'closed', 'released'].includes(call.told));
  const fixed = calls.filter((call) => isSettled(call) || !isFree(call));
  return [
    ...fixed.map((call) => (isSettled(call) && 'feedback' in call ? call.feedback.ts : call)),
    ...textsOf(calls.filter((call) => isFree(call) && !(isIndexed && call.told === 'strayed'))),
  ];
}

function textsOf(calls: readonly SeenCall[]): readonly string[] {
  return calls.map((call) => JSON.stringify(call, (_, value: unknown) => (value === undefined ? null : value))).sort();
}
