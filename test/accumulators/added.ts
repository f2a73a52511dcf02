/** What becomes of closings that the engine may add itself, and of the same ones where the host adds each. */
import fc from 'fast-check';
import type { PanesSettings } from '../../src/accumulators/panes-settings.ts';
import { shapeOf } from '../../src/accumulators/row.ts';
import type { JoinSettings } from '../../src/consumers/join/api.ts';
import { parseMeasure } from '../../src/measures/grammar/measure-name.ts';
import { click, impression } from '../reference/builders.ts';

/** What a mutation may change. */
export interface Parts {
  readonly createJoin: typeof import('../../src/consumers/join/join.ts').createJoin;
  readonly Panes: typeof import('../../src/accumulators/panes.ts').Panes;
  readonly UnitScoring: typeof import('../../src/unit/unit-scoring.ts').UnitScoring;
  readonly compile: typeof import('../../src/measures/scorer.ts').compile;
}

type Step =
  | {
      readonly kind: 'list';
      readonly after: number;
      readonly variant: number;
      readonly length: number;
      readonly page: number;
      readonly user: number;
      /** Its ranks leave a gap. */
      readonly hasGap: boolean;
      /** How long before its record it was shown. */
      readonly back: number;
    }
  | {
      readonly kind: 'event';
      readonly after: number;
      /** How many lists before. */
      readonly of: number;
      readonly slot: number;
      readonly action: string;
      readonly value: number | undefined;
      readonly topic: 1 | 2;
      readonly times: number;
      readonly back: number;
    }
  | { readonly kind: 'advance' }
  | { readonly kind: 'commit' };

export interface History {
  readonly steps: readonly Step[];
  /** How many topics carry feedback. */
  readonly topics: 1 | 2;
  /** Most cohorts that are kept by name. */
  readonly cohorts: number;
  readonly countsRanks: boolean;
}

const after = fc.constantFrom(0, 0, 0, 0, 0, 0, 1, 1, 2, 9);
const list: fc.Arbitrary<Step> = fc.record({
  kind: fc.constant('list' as const),
  after,
  variant: fc.constantFrom(0, 0, 0, 1, 1, 2),
  length: fc.constantFrom(2, 2, 2, 3, 1, 0),
  page: fc.constantFrom(0, 0, 0, 0, 2),
  user: fc.nat(4),
  hasGap: fc.constantFrom(false, false, false, false, true),
  back: fc.constantFrom(0, 0, 0, 0, 0, 0, 0, 0, 30),
});
const event: fc.Arbitrary<Step> = fc.record({
  kind: fc.constant('event' as const),
  after,
  of: fc.constantFrom(0, 0, 0, 1, 2, 5),
  slot: fc.constantFrom(0, 0, 1),
  action: fc.constantFrom('click', 'click', 'purchase', 'rating', 'rating', 'wave'),
  value: fc.constantFrom(undefined, 4, 4, 3.25, 15.5, 15.5),
  times: fc.constantFrom(1, 1, 1, 1, 1, 1, 1, 3, 6, 7),
  back: fc.constantFrom(0, 0, 0, 3),
  topic: fc.constantFrom(1 as const, 2 as const),
});
export const histories: fc.Arbitrary<History> = fc.record({
  steps: fc.array(
    fc.oneof(
      { weight: 24, arbitrary: list },
      { weight: 14, arbitrary: event },
      { weight: 1, arbitrary: fc.constant<Step>({ kind: 'advance' }) },
      { weight: 1, arbitrary: fc.constantFrom<Step>({ kind: 'commit' }, { kind: 'advance' }, { kind: 'advance' }) },
    ),
    { minLength: 200, maxLength: 600, size: 'max' },
  ),
  topics: fc.constantFrom(1 as const, 1 as const, 2 as const),
  cohorts: fc.constantFrom(1, 2, 5),
  countsRanks: fc.constantFrom(false, false, false, true),
});

/** So many lists of one user that add so much that doubles would not hold all of them exactly. */
export const MANY_LISTS: History = {
  topics: 1,
  cohorts: 5,
  countsRanks: false,
  steps: Array.from({ length: 30_000 }, (): readonly Step[] => [
    { kind: 'list', after: 0, variant: 0, length: 2, page: 0, user: 1, hasGap: false, back: 0 },
    { kind: 'event', after: 0, of: 0, slot: 1, action: 'rating', value: 5, topic: 1, times: 1, back: 0 },
  ]).flat(),
};

function eventOn(slot: number, action: string): Step {
  return { kind: 'event', after: 0, of: 0, slot, action, value: 4, topic: 1, times: 1, back: 0 };
}

/** Lists with as many events as a pattern may have, and then with one more that counts most. */
export const MANY_EVENTS: History = {
  topics: 1,
  cohorts: 5,
  countsRanks: false,
  steps: Array.from({ length: 20 }, (_, n): readonly Step[] => [
    { kind: 'list', after: 1, variant: 0, length: 3, page: 0, user: 1, hasGap: false, back: 0 },
    ...[0, 1, 2].flatMap((slot) => [eventOn(slot, 'click'), eventOn(slot, 'purchase')]),
    ...(n < 10 ? [] : [eventOn(2, 'rating')]),
  ]).flat(),
};

const GRADING = {
  actions: [
    { name: 'click', rule: { from: 'grade', grade: 1, rule: 'max', max: 30, veto: false } },
    { name: 'purchase', rule: { from: 'grade', grade: 3, rule: 'sum', max: 30, veto: false } },
    { name: 'rating', rule: { from: 'value', grade: 0, rule: 'last', max: 5, veto: false } },
  ],
  relevantFrom: 2,
} as const;
const MEASURES = ['mrr', 'precision(rel=1)@2', 'ndcg(gain=exp)', 'dcg(gain=exp)', 'rate(action=click)'].map((text) =>
  parseMeasure(text, { relevantFrom: 2 }),
);

const HORIZONS = [20, 60];

function joinSettings(topics: 1 | 2): JoinSettings {
  const feedback = { impressions: false, feedback: true };
  return {
    topics: [{ impressions: true, feedback: false }, ...Array.from({ length: topics }, () => feedback)],
    horizons: HORIZONS,
    outOfOrderness: 0,
    backward: 5,
    futureSkew: 1000,
    feedbackPerImpression: 100,
    actions: GRADING.actions.map(({ name }) => name),
  };
}

function panesSettings({ cohorts, countsRanks }: Pick<History, 'cohorts' | 'countsRanks'>): PanesSettings {
  return {
    owner: { namespace: 'ns', unit: 0, generation: 'g' },
    paneSize: 200,
    hour: 600,
    horizons: HORIZONS.map((ms) => ({ text: `${ms}ms`, ms })),
    dimensions: ['variant'],
    sets: [[], ['variant']],
    clustered: [[], ['variant']],
    shape: shapeOf(MEASURES, undefined, countsRanks ? 2 : 0),
    ...(countsRanks ? { positions: { sets: [['variant']], inTotals: false, horizon: 1 } } : {}),
    cohortsPerSet: cohorts,
    takeover: { candidates: 2, ratio: 1 },
    keepMinutes: 200,
    keepHours: 700,
    keepVectors: 600,
    totals: [],
    runs: [],
    closedUpTo: Number.NEGATIVE_INFINITY,
  };
}

interface Added {
  /** What each commit writes: rows, keys that are deleted, and what counters get. */
  readonly commits: readonly unknown[];
  /** What remains of tags, in bytes. */
  readonly tags: number;
  /** How many closings were reported to the host. */
  readonly told: number;
}

/** `byEngine`: it may add closings itself. */
export function added({ createJoin, Panes, UnitScoring, compile }: Parts, history: History, byEngine: boolean): Added {
  const settings = joinSettings(history.topics);
  const shape = panesSettings(history);
  const panes = new Panes(shape);
  const scorer = compile(MEASURES, GRADING);
  const scoring = new UnitScoring({ join: settings, panes: shape }, { scorer }, panes, {
    feedbackFrom: Number.NEGATIVE_INFINITY,
  });
  let told = 0;
  const join = createJoin(settings, {
    accepted: ({ dimensions }) => panes.cohorts.tag(dimensions),
    unref: (tag) => panes.cohorts.unref(tag),
    closed: (closing, names) => {
      told++;
      scoring.closed(closing, names);
    },
    readsNames: false,
    adder: byEngine ? scoring.letEngineAdd() : undefined,
  });
  const commits: unknown[] = [];
  const next = [0, 0, 0];
  const lists: string[] = [];
  let now = 1000;
  const advance = (): void => {
    for (const topic of settings.topics.keys()) join.idle(topic, now);
    join.advance();
  };
  const commit = (): void => {
    advance();
    panes.advance(join.watermark);
    const { rows, deletes } = panes.takeChanges();
    const { added: rowsAdded, dropped, slots, sums } = panes.takeScored();
    const { width } = panes.columns;
    const counted = slots.map((slot, i) => [slot, Array.from({ length: width }, (_, c) => sums.get(i * width + c))]);
    commits.push([[...rows].map(([key, fields]) => [key, [...fields].sort()]), deletes, rowsAdded, dropped, counted]);
  };
  for (const step of history.steps) {
    if (step.kind === 'advance') advance();
    if (step.kind === 'commit') commit();
    if (step.kind === 'list') {
      now += step.after;
      const requestId = `r${lists.length}`;
      const userId = step.user === 0 ? undefined : `u${step.user}`;
      const items = ['a', 'b', 'c'].slice(0, step.length);
      const dimensions = [`v${step.variant}`];
      const ranks = step.hasGap ? items.map((_, s) => step.page + 2 * s + 1) : undefined;
      lists.push(requestId);
      const event = impression(now - step.back, {
        requestId,
        userId,
        items,
        ranks,
        pageOffset: step.page,
        dimensions,
      });
      join.record(0, next[0]++, undefined, [event], undefined);
    }
    if (step.kind === 'event' && lists.length > step.of) {
      now += step.after;
      const requestId = lists[lists.length - 1 - step.of];
      const topic = Math.min(step.topic, history.topics);
      const { action, value } = step;
      for (let n = 0; n < step.times; n++) {
        const eventId = `e${next[topic]}`;
        const event = click(now - step.back, { requestId, itemId: 'abc'[step.slot], action, value, eventId });
        join.record(topic, next[topic]++, undefined, [event], undefined);
      }
    }
  }
  now += 1000;
  commit();
  now += 1000;
  commit();
  join.close();
  const tags = panes.cohorts.bytes;
  panes.close();
  return { commits, tags, told };
}
