/** Measures and grades of the simulated service: a mean, a fraction, and grades to which the order of feedback matters. */

import type { Settings } from '../../src/config/settings.ts';
import type { JoinSettings } from '../../src/consumers/join/api.ts';
import { parseMeasures } from '../../src/measures/grammar/measure-name.ts';
import { compile } from '../../src/measures/scorer.ts';
import { LEFT_OUT, SCORE_WIDTH, WITH_POSITIVE, WITHOUT_POSITIVE } from '../../src/measures/sums.ts';
import { load } from '../config/fixture.ts';
import { type PlainImpression, plainGrades, plainScore } from '../measures/reference.ts';
import type { ReferenceClosing } from '../reference/join.ts';

/** The configuration of the service; only the check of its start reads it. */
const CONFIGURATION = load(
  JSON.stringify({
    kafka: { brokers: ['localhost:9092'], topics: { impressions: { name: 'i' }, feedback: [{ name: 'f' }] } },
    redis: { url: 'redis://localhost' },
    measures: ['mrr'],
  }),
);

/** With as many topics and horizons as are simulated. */
export function configurationOf({ horizons }: JoinSettings, topics: readonly string[]): Settings {
  const { attribution, kafka } = CONFIGURATION;
  const [topic] = kafka.topics;
  return {
    ...CONFIGURATION,
    attribution: { ...attribution, horizons: horizons.map((ms) => ({ text: `${ms / 1000}s`, ms })) },
    kafka: { ...kafka, topics: topics.map((name) => ({ ...topic, name })) },
  };
}

const fixed = (grade: number) => ({ from: 'grade', grade, rule: 'max', max: 30, veto: false }) as const;
const GRADING = {
  relevantFrom: 1,
  actions: [
    { name: 'click', rule: fixed(1) },
    { name: 'buy', rule: fixed(3) },
    { name: 'rate', rule: { from: 'value', grade: 0, rule: 'last', max: 5, veto: false } },
  ],
} as const;
export const MEASURES = parseMeasures(['mrr', 'ndcg@3', 'ctr(avg=micro)@3'], { relevantFrom: 1 }).measures;

export const SCORER = compile(MEASURES, GRADING);

export interface Scored {
  readonly positive: boolean;
  readonly out: Float64Array;
  /** Ranks of its slots, and of its positives. */
  readonly places: {
    readonly slots: readonly number[];
    readonly positives: readonly number[];
    readonly pageOffset: number;
  };
}

const known = new Map<string, Scored>();

/** One list by the plain scorer. Lists that are alike have one score. */
export function scoreOf({ impression, feedback }: ReferenceClosing): Scored {
  const { items, pageOffset, ranks } = impression;
  const alike = JSON.stringify([
    items,
    pageOffset,
    ranks,
    feedback.map(({ slot, action, value, ts }) => [slot, action, value, action === 2 ? ts - impression.ts : 0]),
  ]);
  let scored = known.get(alike);
  if (scored === undefined) {
    if (known.size > 100_000) known.clear();
    scored = score({
      offset: pageOffset,
      slots: items.map((item, slot) => ({ item, rank: ranks?.[slot] ?? pageOffset + slot + 1 })),
      events: feedback.map(({ slot, action, value, ts }) => ({
        item: items[slot],
        action: SCORER.actions[action] ?? '(none)',
        value,
        ts,
      })),
    });
    known.set(alike, scored);
  }
  return scored;
}

function score(list: PlainImpression): Scored {
  const out = new Float64Array(SCORE_WIDTH * MEASURES.length);
  for (const [m, measure] of MEASURES.entries()) {
    const plain = plainScore(measure, list, GRADING);
    const state = plain?.positive === true ? WITH_POSITIVE : WITHOUT_POSITIVE;
    if (plain === undefined) out[SCORE_WIDTH * m] = LEFT_OUT;
    else out.set([state, ...plain.values], SCORE_WIDTH * m);
  }
  const grades = plainGrades(list, GRADING, undefined, 'first');
  const slots = list.slots.map(({ rank }) => rank);
  const positives = slots.filter((_, s) => grades[s] >= GRADING.relevantFrom);
  return { positive: positives.length > 0, out, places: { slots, positives, pageOffset: list.offset } };
}
