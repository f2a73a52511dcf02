/** The engine against the join that is written in TypeScript (test/reference/packed-join): all that a sink sees, in its order. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { JoinObserver, JoinSettings, JoinSink } from '../../../src/consumers/join/api.ts';
import { createJoin } from '../../../src/consumers/join/join.ts';
import type { FeedbackTexts } from '../../../src/consumers/packed/packed-feedback.ts';
import { readText } from '../../../src/consumers/packed/text.ts';
import type { JoinCheckpoint } from '../../../src/vocabulary/checkpoint.ts';
import { createJoin as createPackedJoin, type PlainJoin } from '../../reference/packed-join/join.ts';
import { runs } from '../../runs.ts';
import { Collector } from './closings.ts';
import { type TopicRecords, topicRecords } from './logs.ts';
import { BROAD, MANY_PAGES, type Profile, settingsOf, timeFrames } from './profile.ts';

type Create = (settings: JoinSettings, sink: JoinSink, from?: JoinCheckpoint) => PlainJoin;

/** All that a sink sees of a log, in its order; and what the engine says of itself at the end. */
function traceOf(create: Create, { settings, topics, order, cut }: Traced): readonly unknown[] {
  const trace: unknown[] = [];
  const sinkOf = (): JoinSink => {
    const collector = new Collector(settings);
    const textsOf = ({ u8, request, item, action, eventId, ts, value }: FeedbackTexts): readonly unknown[] => [
      ...[request, item, action].map((at) => readText(u8, at)),
      eventId < 0 ? undefined : readText(u8, eventId),
      ts,
      value,
    ];
    const observer: JoinObserver = {
      dropped: (reason, list, told) => trace.push(['dropped', reason, list !== 0, ...textsOf(told)]),
      strayed: (list, told) => trace.push(['strayed', list !== 0, ...textsOf(told)]),
      found: (told) => trace.push(['found', ...textsOf(told)]),
    };
    return {
      accepted: (impression, from) => {
        trace.push(['accepted', impression.requestId, { ...from }]);
        return collector.accepted(impression as never);
      },
      unref: (tag) => {
        trace.push(['released', tag]);
        collector.unref(tag);
      },
      closed: (closing, names) => {
        collector.closed(closing);
        trace.push(['closed', collector.seen.at(-1), names.requestId(), names.items(2)]);
      },
      observer,
    };
  };
  const read = (join: PlainJoin, bound: number): JoinCheckpoint => {
    const next = topics.map(({ records }, t) => records.findIndex(({ offset }) => offset >= join.position(t)));
    for (const [turn, t] of order.entries()) {
      if (turn === bound) break;
      const record = next[t] < 0 ? undefined : topics[t].records[next[t]++];
      if (record === undefined) continue;
      if (record.kind === 'read') join.record(t, record.offset, record.timestamp, record.events, undefined);
      else join.seek(t, record.offset + 1);
      if (turn % 3 === 0) join.advance();
      trace.push([join.openImpressions, join.waitingFeedback, join.oldestRemembered]);
    }
    return join.checkpoint();
  };
  const first = create(settings, sinkOf());
  const checkpoint = read(first, cut);
  trace.push(structuredClone(checkpoint));
  const second = create(settings, sinkOf(), checkpoint);
  trace.push(read(second, Number.POSITIVE_INFINITY));
  trace.push(structuredClone(second.counts), [...second.delays.counts], second.delays.sum);
  first.close();
  second.close();
  return trace;
}

interface Traced {
  readonly settings: JoinSettings;
  readonly topics: readonly TopicRecords[];
  /** Topics in the order in which their records are read. */
  readonly order: readonly number[];
  /** After so many reads another engine takes over. */
  readonly cut: number;
}

function traced(profile: Profile): fc.Arbitrary<Traced> {
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

describe('the engine tells its sink what the join in TypeScript tells', () => {
  it.each([
    ['of broad logs', BROAD],
    ['of requests with many pages', MANY_PAGES],
  ])('%s', (_, profile) => {
    fc.assert(
      fc.property(traced(profile), (log) => {
        const differ =
          'the engine and test/reference/packed-join/join.ts differ: a rule of wasm/engine/rules.ts is in both';
        expect(traceOf(createJoin, log), differ).toEqual(traceOf(createPackedJoin, log));
      }),
      { numRuns: runs(500) },
    );
  });
});
