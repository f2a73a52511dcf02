/** Small lists, many of which are scored alike. */
import fc from 'fast-check';
import type { Measure } from '../../src/measures/definition.ts';
import { parseMeasure } from '../../src/measures/grammar/measure-name.ts';
import { NO_PATTERN } from '../../src/measures/patterns.ts';
import { compile } from '../../src/measures/scorer.ts';
import { SCORE_WIDTH } from '../../src/measures/sums.ts';
import type { Joined } from '../../src/vocabulary/events.ts';
import { byName, scoredMeasure } from './grammar/names.ts';
import { ACTIONS, GRADING, joined } from './lists.ts';
import type { PlainImpression } from './reference.ts';

/** Of every family; those that need no feedback read how long a list is, and whether an item repeats. */
export const someMeasures: fc.Arbitrary<readonly Measure[]> = fc.uniqueArray(
  fc.oneof(
    { weight: 8, arbitrary: scoredMeasure },
    fc.constantFrom('length', 'duplicated').map((text) => byName(parseMeasure(text, { relevantFrom: 1 }))),
  ),
  { minLength: 1, maxLength: 4, selector: ({ canonical }) => canonical },
);

const event = fc.record({
  slot: fc.nat(2),
  action: fc.constantFrom('click', 'purchase', 'rating', 'dwell', ...ACTIONS),
  value: fc.constantFrom(undefined, 0, 0.25, 0.5, 1, 4, 4.5, 15.5, 16, 40, -1),
  ts: fc.nat(1),
});

/** At most three slots and four events. */
export const smallList: fc.Arbitrary<PlainImpression> = fc
  .record({
    length: fc.integer({ min: 0, max: 3 }),
    offset: fc.constantFrom(0, 0, 0, 1, 2),
    gap: fc.constantFrom(0, 0, 0, 0, 1),
    repeats: fc.constantFrom(false, false, false, true),
    events: fc.oneof({ weight: 4, arbitrary: fc.array(event, { maxLength: 1 }) }, fc.array(event, { maxLength: 4 })),
    scores: fc.boolean(),
    known: fc.constantFrom(undefined, undefined, undefined, [1], [3, 0, 0, 2]),
  })
  .map(({ length, offset, gap, repeats, events, scores, known }) => {
    const slots = Array.from({ length }, (_, s) => ({
      item: repeats ? 'same' : `i${s}`,
      rank: offset + s + 1 + (s > 0 ? gap : 0),
      score: scores ? 3 - s : undefined,
    }));
    const happened = events
      .filter(({ slot }) => slot < length)
      .map(({ slot, action, value, ts }) => ({ item: slots[slot].item, action, value, ts }));
    return { offset, slots, events: happened, ...(known === undefined ? {} : { known }) };
  });

/** What a list looks like to who adds it. */
function scoredBy(scorer: ReturnType<typeof compile>, list: Joined): string {
  const out = new Float64Array(SCORE_WIDTH * scorer.names.length);
  const isPositive = scorer.score(list, out);
  const { count, ranks } = scorer.positives;
  return JSON.stringify([isPositive, [...out].map(String), [...ranks.subarray(0, count)]]);
}

export interface Alike {
  /** Pairs of one pattern. */
  readonly pairs: number;
  /** Two of one pattern that are scored differently; undefined: there are none. */
  readonly broken: readonly [PlainImpression, PlainImpression] | undefined;
}

/** Whether lists of one pattern are scored alike. `make`: what compiles the measures. */
export function alike(measures: readonly Measure[], lists: readonly PlainImpression[], make = compile): Alike {
  const scorer = make(measures, GRADING);
  const first = new Map<number, { readonly list: PlainImpression; readonly scored: string }>();
  let pairs = 0;
  for (const list of lists) {
    const plain = joined(list, scorer.actions);
    const pattern = scorer.patterns?.of(plain) ?? NO_PATTERN;
    if (pattern === NO_PATTERN) continue;
    const scored = scoredBy(scorer, plain);
    const other = first.get(pattern);
    if (other === undefined) first.set(pattern, { list, scored });
    else if (other.scored !== scored) return { pairs, broken: [other.list, list] };
    else pairs++;
  }
  return { pairs, broken: undefined };
}
