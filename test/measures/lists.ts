/** Lists for tests: arbitrary ones, and their form in the scorer's buffers. */
import fc from 'fast-check';
import type { GradeRule, Grading } from '../../src/measures/scorer-contract.ts';
import type { Joined } from '../../src/vocabulary/events.ts';
import { type PlainEvent, type PlainImpression, plainGrades } from './reference.ts';

const fixed = (grade: number, more: Partial<GradeRule> = {}): GradeRule => ({
  from: 'grade',
  grade,
  rule: 'max',
  max: 30,
  veto: false,
  ...more,
});
const valued = (rule: GradeRule['rule'], max: number): GradeRule => fixed(0, { from: 'value', rule, max });

/** Every kind of rule. `share` is known to measures only, `wave` to nobody. */
export const GRADING: Grading = {
  actions: [
    { name: 'click', rule: fixed(1) },
    { name: 'view', rule: fixed(0) },
    { name: 'purchase', rule: fixed(3) },
    { name: 'rating', rule: valued('last', 5) },
    { name: 'tip', rule: valued('sum', 4) },
    { name: 'play', rule: fixed(0.5, { rule: 'sum', max: 2 }) },
    { name: 'dwell', rule: valued('max', 30) },
    { name: 'save', rule: fixed(2, { rule: 'last' }) },
    { name: 'hide', rule: fixed(0, { veto: true }) },
  ],
  relevantFrom: 1,
};
export const ACTIONS = [...GRADING.actions.map(({ name }) => name), 'share', 'wave'];

export const fixedGrade = fixed;
export const valueGrade = valued;

function eventOn(items: readonly string[]): fc.Arbitrary<PlainEvent> {
  return fc.record({
    item: fc.constantFrom(...items),
    action: fc.oneof({ weight: 2, arbitrary: fc.constantFrom('click', 'view') }, fc.constantFrom(...ACTIONS)),
    value: fc.option(
      fc.integer({ min: -8, max: 24 }).map((quarter) => quarter / 4),
      { nil: undefined, freq: 5 },
    ),
    ts: fc.integer({ min: 0, max: 3 }),
  });
}

/** Up to `most` slots: pages, gaps, repeated items, decimals, vetoes, ties in time. In some lists every item has a rating and a score. */
export function impressions(most: number): fc.Arbitrary<PlainImpression> {
  const rank = fc.integer({ min: 1, max: 2 * most });
  const offset = fc.oneof(fc.constant(0), fc.integer({ min: 0, max: 12 }));
  const names = fc.oneof(
    fc.integer({ min: 0, max: most }).map((n) => Array.from({ length: n }, (_, s) => `i${s}`)),
    fc.array(fc.constantFrom('a', 'b', 'c', 'd', 'e'), { maxLength: Math.min(most, 9) }),
  );
  /** Predicted scores that tie, or none; and the grades of known items that were not shown, or nothing known of them. */
  const score = fc.option(fc.integer({ min: -2, max: 6 }), { nil: undefined, freq: 4 });
  const more = fc.option(fc.array(fc.constantFrom(-1, 0, 0.5, 1, 2, 3, 40), { maxLength: 5 }), { nil: undefined });
  return fc.tuple(names, offset, fc.boolean()).chain(([items, pageOffset, explicit]) => {
    const ranks = explicit
      ? fc.uniqueArray(rank, { minLength: items.length, maxLength: items.length })
      : fc.constant(items.map((_, s) => s + 1));
    const events = items.length === 0 ? fc.constant([]) : fc.array(eventOn(items), { maxLength: 2 * most });
    const all = { minLength: items.length, maxLength: items.length };
    const rated = fc.array(fc.tuple(fc.integer({ min: 1, max: 5 }), fc.integer({ min: -2, max: 6 })), all);
    const scored = fc.oneof(
      {
        weight: 3,
        arbitrary: fc.array(score, all).map((scores) => ({ scores, ratings: [] as readonly PlainEvent[] })),
      },
      rated.map((pairs) => ({
        scores: pairs.map(([, score]) => score),
        ratings: pairs.map(([value], s): PlainEvent => ({ item: items[s], action: 'rating', value, ts: 0 })),
      })),
    );
    return fc.tuple(ranks, events, scored, more).map(([places, others, { scores, ratings }, unseen]) => {
      const happened = [...ratings, ...others];
      const ascending = places.toSorted((a, b) => a - b);
      const slots = items.map((item, s) => ({ item, rank: pageOffset + ascending[s], score: scores[s] }));
      const list = { offset: pageOffset, slots, events: happened };
      if (unseen === undefined) return list;
      return { ...list, known: [...plainGrades(list, GRADING, undefined, 'first'), ...unseen] };
    });
  });
}

/** The buffers of the join for a list. `actions`: the scorer's. */
export function joined(list: PlainImpression, actions: readonly string[]): Joined {
  const { slots, offset, events } = list;
  const firstSlot = slots.map(({ item }) => slots.findIndex((other) => other.item === item));
  return {
    length: slots.length,
    pageOffset: offset,
    ranks: slots.every(({ rank }, s) => rank === offset + s + 1)
      ? undefined
      : Int32Array.from(slots, ({ rank }) => rank),
    firstSlot: firstSlot.every((first, s) => first === s) ? undefined : Int32Array.from(firstSlot),
    events: events.length,
    slot: Int32Array.from(events, ({ item }) => slots.findIndex((slot) => slot.item === item)),
    action: Int32Array.from(events, ({ action }) => actions.indexOf(action)),
    value: Float64Array.from(events, ({ value }) => value ?? Number.NaN),
    ts: Float64Array.from(events, ({ ts }) => ts),
    known: list.known,
    scores: slots.every(({ score }) => score === undefined)
      ? undefined
      : Float64Array.from(slots, ({ score }) => score ?? Number.NaN),
  };
}
