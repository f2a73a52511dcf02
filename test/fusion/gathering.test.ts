import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Gathering, type Vote } from '../../src/fusion/ballots.ts';

describe('gathering', () => {
  it('hands over each query once, with its last list, in the order of the voters', () => {
    const votes = fc
      .uniqueArray(fc.tuple(fc.nat(4), fc.constantFrom('p', 'q', 'r')), {
        selector: ([voter, query]) => `${voter} ${query}`,
      })
      .map((all) => all.map(([voter, query]): Vote => ({ voter, query, list: { items: [`${voter}`] } })));
    fc.assert(
      fc.property(votes, (all) => {
        const expected = new Map<string, number>();
        for (const { query } of all) expected.set(query, (expected.get(query) ?? 0) + 1);
        const gathering = new Gathering(expected);
        const seen = new Map<string, number>();
        const done: string[] = [];
        for (const vote of all) {
          seen.set(vote.query, (seen.get(vote.query) ?? 0) + 1);
          const whole = gathering.add(vote);
          expect(whole !== undefined).toBe(seen.get(vote.query) === expected.get(vote.query));
          if (whole === undefined) continue;
          done.push(whole.query);
          const own = all.filter(({ query }) => query === whole.query).map(({ voter }) => `${voter}`);
          expect(whole.lists.map(({ items }) => items[0])).toEqual(own.sort());
        }
        expect(done.sort()).toEqual([...expected.keys()].sort());
      }),
    );
  });
});
