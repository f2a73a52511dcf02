import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { RankedList } from '../../src/fusion/ballots.ts';
import { fusion } from '../../src/fusion/fusion.ts';
import { ALL, FAIR, lists, TAUGHT } from './lists.ts';

const runs = { numRuns: 25 };

function shuffled<T>(values: readonly T[], keys: readonly number[]): T[] {
  return values
    .map((value, i) => ({ value, key: keys[i % keys.length] ?? 0, i }))
    .sort((a, b) => a.key - b.key || a.i - b.i)
    .map(({ value }) => value);
}

const keys = fc.array(fc.integer(), { minLength: 1, maxLength: 8 });

describe.each(ALL)('$name', (method) => {
  const fuse = (votes: readonly RankedList[]) => method.fuse(votes, TAUGHT);

  it('holds each listed item once, best first, equal scores by voters and then by id', () => {
    fc.assert(
      fc.property(lists, (votes) => {
        const listed = new Set(votes.flatMap(({ items }) => items));
        const merged = fuse(votes);
        const ids = merged.map(({ item }) => item);
        expect(new Set(ids).size).toBe(ids.length);
        for (const id of ids) expect(listed.has(id)).toBe(true);
        if (!method.name.includes('prune')) expect(ids.length).toBe(listed.size);
        const support = (id: string) => votes.filter(({ items }) => items.includes(id)).length;
        for (let place = 1; place < merged.length; place++) {
          const [before, after] = [merged[place - 1], merged[place]];
          expect(Number.isFinite(after.score)).toBe(true);
          expect(before.score).toBeGreaterThanOrEqual(after.score);
          if (before.score > after.score) continue;
          expect(support(before.item)).toBeGreaterThanOrEqual(support(after.item));
          if (support(before.item) === support(after.item)) expect(before.item < after.item).toBe(true);
        }
      }),
      runs,
    );
  });

  it('does not see empty lists, nor the second place of an item', () => {
    fc.assert(
      fc.property(lists, (votes) => {
        const more = votes.map((list): RankedList => {
          const scores = Array.from(list.scores ?? []);
          return {
            ...list,
            items: [...list.items, ...list.items.slice(0, 2)],
            scores: [...scores, ...scores.slice(0, 2)],
          };
        });
        expect(fuse([{ items: [] }, ...more, { items: [], scores: [] }])).toEqual(fuse(votes));
      }),
      runs,
    );
  });
});

describe.each(FAIR)('$name', (method) => {
  const fuse = (votes: readonly RankedList[]) => method.fuse(votes, TAUGHT);

  it('is anonymous: neither order nor names of the voters matter', () => {
    fc.assert(
      fc.property(lists, keys, (votes, order) => {
        const renamed = shuffled(votes, order).map((list, i) => ({ ...list, voter: `v${i}` }));
        expect(fuse(renamed)).toEqual(fuse(votes));
      }),
      runs,
    );
  });
});

/** Whose ties are broken only at the end, so that other ids change nothing but the order of what is equal. */
const NEUTRAL = FAIR.filter(({ name }) => !/^(?:kemeny|agglomerative|dibra)/.test(name));

describe.each(NEUTRAL)('$name', (method) => {
  it('is neutral: other ids have the same scores', () => {
    fc.assert(
      fc.property(lists, keys, (votes, order) => {
        const ids = ['a', 'b', 'c', 'd', 'e', 'f', 'g'];
        const others = new Map(shuffled(ids, order).map((id, i) => [ids[i], id]));
        const other = (id: string) => others.get(id) ?? id;
        const renamed = votes.map((list) => ({ ...list, items: list.items.map(other) }));
        const scores = new Map(method.fuse(renamed, TAUGHT).map(({ item, score }) => [item, score]));
        for (const { item, score } of method.fuse(votes, TAUGHT)) expect(scores.get(other(item))).toBeCloseTo(score, 9);
      }),
      runs,
    );
  });
});

/** Everybody lists everything. */
const ballots = fc
  .integer({ min: 1, max: 6 })
  .chain((n) => {
    const items = ['a', 'b', 'c', 'd', 'e', 'f'].slice(0, n);
    return fc.array(fc.shuffledSubarray(items, { minLength: n, maxLength: n }), { minLength: 1, maxLength: 5 });
  })
  .map((all) => all.map((items, i) => ({ items, scores: items.map((_, place) => -place), voter: `v${i}` })));

/** Methods that never put an item before one that all voters prefer, where all list all. */
const PARETO = FAIR.filter(({ name }) =>
  /^(?:combsum|combmnz|gmnz|anz|borda|simpleborda|rrf|isr|logn_isr|mapfuse|condorcet|copeland|kemeny|prefrel)(?:\(|$)/.test(
    name,
  ),
);

describe.each(PARETO)('$name', (method) => {
  it('is unanimous: what every voter puts first stands first', () => {
    fc.assert(
      fc.property(ballots, (votes) => {
        const merged = method.fuse(votes, TAUGHT);
        const scoreOf = new Map(merged.map(({ item, score }) => [item, score]));
        for (const [a, scoreA] of scoreOf) {
          for (const [b, scoreB] of scoreOf) {
            const all = a !== b && votes.every(({ items }) => items.indexOf(a) < items.indexOf(b));
            if (all) expect(scoreA).toBeGreaterThan(scoreB);
          }
        }
      }),
      runs,
    );
  });
});

/** One voter decides. Chains and outranking part what is before and behind, but not by how far. */
const DICTATED = FAIR.filter(
  ({ name }) =>
    !/^(?:outranking|mc1|mc2|bayesfuse|rra|dibra|max|min)/.test(name) &&
    !name.includes('prune') &&
    !name.includes('norm=none'),
);

describe.each(DICTATED)('$name', (method) => {
  it('of one voter is the voter’s list', () => {
    fc.assert(
      fc.property(ballots, ([vote]) => {
        expect(method.fuse([vote], TAUGHT).map(({ item }) => item)).toEqual(vote.items);
      }),
      runs,
    );
  });
});

describe('majorities', () => {
  it('an item that beats every other one is first by condorcet, copeland and kemeny', () => {
    fc.assert(
      fc.property(ballots, (votes) => {
        const items = votes[0].items;
        const beats = (a: string, b: string) =>
          2 * votes.filter(({ items: own }) => own.indexOf(a) < own.indexOf(b)).length > votes.length;
        const winner = items.find((a) => items.every((b) => a === b || beats(a, b)));
        if (winner === undefined) return;
        for (const name of ['condorcet', 'copeland', 'kemeny', 'kemeny_local']) {
          expect(fusion(name).fuse(votes)[0].item).toBe(winner);
        }
      }),
    );
  });

  it('kemeny agrees with the voters as much as the best of all orders, kemeny_local no more', () => {
    fc.assert(
      fc.property(ballots, (votes) => {
        const best = Math.max(...permutations(votes[0].items).map((order) => agreement(order, votes)));
        const of = (name: string) =>
          agreement(
            fusion(name)
              .fuse(votes)
              .map(({ item }) => item),
            votes,
          );
        expect(of('kemeny')).toBe(best);
        expect(of('kemeny_local')).toBeLessThanOrEqual(best);
      }),
      runs,
    );
  });
});

function permutations(items: readonly string[]): string[][] {
  if (items.length <= 1) return [[...items]];
  return items.flatMap((first, i) => permutations(items.toSpliced(i, 1)).map((rest) => [first, ...rest]));
}

function agreement(order: readonly string[], votes: readonly RankedList[]): number {
  let sum = 0;
  for (const { items } of votes) {
    for (let i = 0; i < order.length; i++) {
      for (let j = i + 1; j < order.length; j++) if (items.indexOf(order[i]) < items.indexOf(order[j])) sum++;
    }
  }
  return sum;
}
