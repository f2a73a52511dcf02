/** PyFLAGR itself is the reference: on invented lists that stand here, and on its own test data where ../shared/fixtures is at hand. */
import { existsSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import type { RankedList } from '../../src/fusion/ballots.ts';
import { fusion } from '../../src/fusion/fusion.ts';
import { NOTEBOOK } from './notebook.ts';
import { type Merged, scoreMerged } from './scored.ts';

interface Facts {
  /** By query and voter: items, then scores. */
  readonly lists: Readonly<Record<string, Readonly<Record<string, readonly [readonly string[], readonly number[]]>>>>;
  /** By method and query. */
  readonly merged: Readonly<
    Record<string, Readonly<Record<string, readonly (readonly [item: string, score: number])[]>>>
  >;
}

const facts: Facts = JSON.parse(readFileSync(new URL('facts/pyflagr.json', import.meta.url), 'utf8'));

function listsOf(query: string): RankedList[] {
  return Object.values(facts.lists[query]).map(([items, scores]) => ({ items, scores }));
}

describe('on invented lists, partial and whole, PyFLAGR 1.0.20', () => {
  const merged = Object.entries(facts.merged).flatMap(([method, queries]) =>
    Object.entries(queries).map(([query, items]) => ({ method, query, items })),
  );

  it.each(merged)('$method has the same order and scores ($query)', ({ method, query, items }) => {
    const own = fusion(method).fuse(listsOf(query));
    expect(own.map(({ item }) => item)).toEqual(items.map(([item]) => item));
    if (method.startsWith('kemeny')) return; // it scores n + 1 to 2, not n to 1
    const scores = new Map(own.map(({ item, score }) => [item, score]));
    for (const [item, expected] of items) {
      const score = scores.get(item) ?? Number.NaN;
      expect(Math.abs((method.startsWith('rra') ? 10 ** -score : score) - expected), item).toBeLessThan(2e-6);
    }
  });
});

const FOLDER = new URL('../../../shared/fixtures/flagr/', import.meta.url);
const absent = ['testdata.csv', 'testdata_qrels.csv'].filter((name) => !existsSync(new URL(name, FOLDER)));
const skip = absent.length === 0 ? '' : ` (skipped: ../shared/fixtures/flagr lacks ${absent.join(', ')})`;

function rows(name: string): string[][] {
  const text = readFileSync(new URL(name, FOLDER), 'utf8');
  return text.split('\n').flatMap((line) => (line === '' ? [] : [line.split(',')]));
}

/** By query, then by voter in the order of the file. */
function testdata(): ReadonlyMap<string, RankedList[]> {
  const queries = new Map<string, Map<string, { items: string[]; scores: number[] }>>();
  for (const [query, voter, item, score] of rows('testdata.csv')) {
    const voters = queries.get(query) ?? new Map<string, { items: string[]; scores: number[] }>();
    const list = voters.get(voter) ?? { items: [], scores: [] };
    list.items.push(item);
    list.scores.push(Number(score));
    queries.set(query, voters.set(voter, list));
  }
  return new Map([...queries].map(([query, voters]) => [query, [...voters.values()]]));
}

describe.skipIf(absent.length > 0)(`PyFLAGR's notebook${skip}`, () => {
  const lists = absent.length === 0 ? testdata() : new Map<string, RankedList[]>();
  const relevant = new Map<string, Set<string>>();
  for (const [query, , item, grade] of absent.length === 0 ? rows('testdata_qrels.csv') : []) {
    const items = relevant.get(query) ?? new Set();
    if (Number(grade) > 0) items.add(item);
    relevant.set(query, items);
  }

  it.each(NOTEBOOK)('its row $row is that of $method', ({ method, printed }) => {
    const merge = fusion(method);
    const merged = [...lists].map(([query, votes]): Merged => {
      return { items: merge.fuse(votes).map(({ item }) => item), relevant: relevant.get(query) ?? new Set() };
    });
    expect(scoreMerged(merged).map((value) => value.toFixed(4))).toEqual(printed);
  });

  it('its row RRA-Exact is not: the p-value grows with rho, so the order is that of RRA wherever RRA says one', () => {
    for (const votes of [...lists.values()].slice(0, 2)) {
      const exact = fusion('rra(exact=yes)').fuse(votes);
      const bound = fusion('rra(above=0)').fuse(votes);
      expect(bound.length).toBeGreaterThan(5);
      expect(exact.slice(0, bound.length)).toEqual(
        bound.map(({ item }) => ({ item, score: exact.find((one) => one.item === item)?.score })),
      );
    }
  });
});
