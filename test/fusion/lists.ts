import fc from 'fast-check';
import type { RankedList } from '../../src/fusion/ballots.ts';
import { type Fusion, fusion } from '../../src/fusion/fusion.ts';
import { METHODS } from '../../src/fusion/methods.ts';
import { Lessons, type Training } from '../../src/fusion/training.ts';

/** Every method, and each other value of its words. */
export const ALL: readonly Fusion[] = METHODS.flatMap(({ name, params }) => {
  const words = Object.entries(params).flatMap(([key, param]) =>
    param.kind === 'word' ? param.values.slice(1).map((value) => `${name}(${key}=${value})`) : [],
  );
  return [name, ...words].map(fusion);
});

/** Those that do not depend on the order of the lists. */
export const FAIR = ALL.filter(({ name }) => !name.includes('as=flagr'));

/** Whole or partial lists with scores, of up to 7 items and 6 voters; some are empty. */
export const lists: fc.Arbitrary<RankedList[]> = fc
  .array(
    fc
      .uniqueArray(fc.constantFrom('a', 'b', 'c', 'd', 'e', 'f', 'g'), { maxLength: 7 })
      .chain((items) =>
        fc
          .array(fc.integer({ min: -20, max: 20 }), { minLength: items.length, maxLength: items.length })
          .map((scores) => ({ items, scores: scores.sort((a, b) => b - a).map((score) => score / 8) })),
      ),
    { minLength: 1, maxLength: 6 },
  )
  .map((all) => all.map((list, voter) => ({ ...list, voter: `v${voter}` })));

/** Voters v0 to v5 have the same record: 2 of 3 relevant items at ranks 1 and 3 of one query. */
export const TAUGHT: Training = (() => {
  const lessons = new Lessons();
  for (let voter = 0; voter < 6; voter++) lessons.add('taught', `v${voter}`, [true, false, true], 3);
  return lessons.without('asked');
})();
