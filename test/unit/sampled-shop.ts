/** A join whose lists are sampled, with events in the order of its time. */
import type { UnitJoin } from '../../src/consumers/join/api.ts';
import { createJoin } from '../../src/consumers/join/join.ts';
import { parseMeasures } from '../../src/measures/grammar/measure-name.ts';
import { compile } from '../../src/measures/scorer.ts';
import { SCORE_WIDTH } from '../../src/measures/sums.ts';
import { ListSamples, type SampledIds } from '../../src/unit/samples.ts';
import type { JoinCheckpoint } from '../../src/vocabulary/checkpoint.ts';
import type { Event } from '../../src/vocabulary/events.ts';

export const GRADING = {
  relevantFrom: 1,
  actions: [
    { name: 'click', rule: { from: 'grade', grade: 1, rule: 'max', max: 30, veto: false } },
    { name: 'rating', rule: { from: 'value', grade: 0, rule: 'last', max: 5, veto: false } },
  ],
} as const;
export const SCORER = compile(parseMeasures(['ndcg@10', 'mrr'], { relevantFrom: 1 }).measures, GRADING);
const HORIZONS = [1000, 10_000];
/** The longest horizon. */
export const H = 10_000;

export interface Shop {
  readonly samples: ListSamples;
  readonly join: UnitJoin;
  readonly shows: (requestId: string, ts: number, items: readonly string[], offset?: number) => void;
  readonly does: (requestId: string, itemId: string, ts: number, action?: string, value?: number) => void;
  /** Lets time pass. */
  readonly at: (ts: number) => void;
}

export function shop(
  most = 5,
  ids: SampledIds = 'shown',
  feedbackPerImpression = 100,
  from: JoinCheckpoint | undefined = undefined,
): Shop {
  const samples = new ListSamples({ most, ids, key: 'key' }, GRADING, SCORER);
  const unit = samples.watch(1, 0);
  const scores = new Float64Array(SCORE_WIDTH * SCORER.names.length);
  const join: UnitJoin = createJoin(
    {
      topics: [
        { impressions: true, feedback: false },
        { impressions: false, feedback: true },
      ],
      horizons: HORIZONS,
      outOfOrderness: 0,
      backward: 1000,
      futureSkew: 1000,
      feedbackPerImpression,
      actions: SCORER.actions,
    },
    {
      accepted: () => 0,
      unref: () => {},
      closed: (closing, names) => {
        SCORER.score(closing.list, scores);
        unit.closed(closing, names, () => ({ scores, dimensions: ['control'] }));
      },
      observer: unit,
    },
    from,
  );
  const offsets = [0, 0];
  const put = (topic: number, events: readonly Event[], ts: number): void => {
    join.record(topic, offsets[topic]++, ts, events, undefined);
    join.advance();
  };
  return {
    samples,
    join,
    shows: (requestId, ts, items, pageOffset = 0) => {
      const list = {
        kind: 'impression',
        requestId,
        ts,
        userId: undefined,
        pageOffset,
        items,
        ranks: undefined,
      } as const;
      put(0, [{ ...list, dimensions: [] }], ts);
    },
    does: (requestId, itemId, ts, action = 'click', value = undefined) =>
      put(1, [{ kind: 'feedback', requestId, itemId, ts, action, eventId: undefined, value }], ts),
    at: (ts) => {
      for (const topic of [0, 1]) join.idle(topic, ts);
      join.advance();
    },
  };
}
