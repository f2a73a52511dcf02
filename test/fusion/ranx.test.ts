/** What ranx 0.3.21 merges: the input of its own tests, and invented runs. */
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import type { RankedList } from '../../src/fusion/ballots.ts';
import { fusion, learn } from '../../src/fusion/fusion.ts';

type Scored = Readonly<Record<string, number>>;

interface Facts {
  /** By case: of each run, by query and item, the score. */
  readonly runs: Readonly<Record<string, readonly Readonly<Record<string, Scored>>[]>>;
  /** By query: relevant items. */
  readonly qrels: Readonly<Record<string, readonly string[]>>;
  /** By case, method and query. */
  readonly merged: Readonly<
    Record<
      string,
      Readonly<Record<string, Readonly<Record<string, readonly (readonly [item: string, score: number])[]>>>>
    >
  >;
}

const facts: Facts = JSON.parse(readFileSync(new URL('facts/ranx.json', import.meta.url), 'utf8'));

function listsOf(set: string, query: string): RankedList[] {
  return facts.runs[set].map((run, voter) => {
    const scored = Object.entries(run[query] ?? {}).sort(([, a], [, b]) => b - a);
    return { items: scored.map(([item]) => item), scores: scored.map(([, score]) => score), voter: `run ${voter}` };
  });
}

/** Its min-max makes 0 of the one score of a list; here that is 1, so that being listed counts. Third list of its q1. */
function isOneScore(set: string, method: string, query: string): boolean {
  return set === 'own' && query === 'q1' && /^(?:comb|anz|med|max|min|gmnz)/.test(method) && !method.includes('none');
}

const cases = Object.entries(facts.merged).flatMap(([set, methods]) =>
  Object.entries(methods).flatMap(([method, queries]) =>
    Object.entries(queries).flatMap(([query, items]) =>
      isOneScore(set, method, query) ? [] : [{ set, method, query, items }],
    ),
  ),
);

describe('ranx', () => {
  const taught = learn(
    ['a', 'b', 'c'].map((query) => ({ query, relevant: facts.qrels[query], lists: listsOf('big', query) })),
  );

  it.each(cases)('$method of $set, $query, has the same scores', ({ set, method, query, items }) => {
    const own = new Map(
      fusion(method)
        .fuse(listsOf(set, query), taught.without(query))
        .map(({ item, score }) => [item, score]),
    );
    expect(own.size).toBe(items.length);
    for (const [item, score] of items) {
      expect(Math.abs((own.get(item) ?? Number.NaN) - score), item).toBeLessThanOrEqual(
        1e-9 * Math.max(1, Math.abs(score)),
      );
    }
  });

  it('holds every method that ranx shares, learning ones too', () => {
    const methods = new Set(cases.map(({ method }) => method.replace(/\(.*/, '')));
    const shared = [
      'anz',
      'bayesfuse',
      'combmnz',
      'combsum',
      'gmnz',
      'isr',
      'logn_isr',
      'mapfuse',
      'max',
      'med',
      'min',
      'rrf',
    ];
    expect([...methods].sort()).toEqual(shared);
  });
});
