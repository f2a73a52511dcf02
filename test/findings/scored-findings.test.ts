import { describe, expect, it } from 'vitest';
import { comparedFindings } from '../../src/findings/compared-findings.ts';
import {
  type ScoredFacts,
  scoredFindings,
  type TopFacts,
  unjudgedFindings,
} from '../../src/findings/scored-findings.ts';

const fine: ScoredFacts = {
  run: 'bm25',
  queries: 50,
  unjudged: [],
  lacking: [],
  relevant: 400,
  matched: 160,
  shown: ['d1', 'd2'],
  judged: ['d1', 'd3'],
  close: undefined,
};
const told = (changes: Partial<ScoredFacts>) => scoredFindings({ ...fine, ...changes });
const ids = (prefix: string, many: number): string[] => Array.from({ length: many }, (_, n) => `${prefix}${301 + n}`);

describe('a run beside its judgements', () => {
  it('is fine when its queries are judged and an item is, too, relevant or not', () => {
    expect(told({})).toEqual([]);
  });

  it('is fine when it has more queries than are judged, or fewer', () => {
    expect(told({ queries: 10, unjudged: ids('q', 90) })).toEqual([]);
    expect(told({ queries: 10, lacking: ids('q', 90) })).toEqual([]);
  });

  it('has no query in common with them', () => {
    const [found] = told({ queries: 0, unjudged: ids('MB', 40), lacking: ids('', 50), matched: 0 });
    expect(found).toEqual({
      code: 'nothing_joined',
      cause: 'bm25: No query of 40 in the run is among the 50 judged: the run writes "MB" before the query id.',
      example: '"MB301" in the run, "301" in the judgements',
      remedy: expect.stringContaining('character by character'),
    });
  });

  it('has few queries in common with them', () => {
    const [found] = told({ queries: 10, unjudged: ids('x', 40), lacking: ids('y', 50).map((id) => `${id}z`) });
    expect(found.code).toBe('few_joined');
    expect(found.cause).toBe('bm25: Only 10 queries of 50 in the run are among the 60 judged.');
    expect(found.example).toBe('"x301" in the run, "y301z" in the judgements');
  });

  it('has no relevant item, where no grade is high enough', () => {
    const [found, ...others] = told({ relevant: 0, matched: 0 });
    expect(others).toEqual([]);
    expect(found).toMatchObject({
      code: 'nothing_relevant',
      cause: 'bm25: no judged item of the 50 queries is relevant, so all measures of relevant items are 0.',
      remedy: expect.stringContaining('--relevant-from'),
    });
    expect(told({ queries: 0, relevant: 0 }).map(({ code }) => code)).not.toContain('nothing_relevant');
  });

  it('retrieves items whose ids are written otherwise', () => {
    const [found, ...others] = told({ matched: 0, shown: ['7.0', '8.0', '9.0'], judged: ['7', '8', '10'] });
    expect(others).toEqual([]);
    expect(found.code).toBe('items_never_match');
    expect(found.cause).toBe(
      'bm25: no list holds one of the 400 relevant items; 100 % of the items of the first lists are not judged: the item id is the same number in another form.',
    );
    expect(found.example).toBe('"7.0" in the run, "7" in the judgements');
  });
});

describe('scores of a run', () => {
  it('are ordered otherwise by tools that keep 32 bits', () => {
    expect(told({ close: { lists: 1, query: 'q', items: ['a', 'b'] } })).toEqual([
      {
        code: 'close_scores',
        cause:
          'bm25: 1 list has scores that differ as doubles but not as 32-bit floats: pytrec_eval, ir_measures and older versions of trec_eval take them for equal and order them by id, so they rank it otherwise.',
        example: '"a" before "b" for the query "q"',
        remedy: expect.stringContaining('first seven digits'),
      },
    ]);
    const [found] = told({ close: { lists: 1200, query: 'q', items: ['a', 'b'] } });
    expect(found.cause).toContain('1,200 lists have scores');
  });
});

describe('the arms of an experiment', () => {
  const arms = {
    experiment: 'ranker',
    dimension: 'experiment_ranker',
    impressions: { A: 0, B: 0 },
    others: {},
    userless: {},
    plainVariants: new Map<string, number>(),
  };

  it('are fine when each has impressions with users', () => {
    expect(comparedFindings({ ...arms, impressions: { A: 10, B: 12 } })).toEqual([]);
  });

  it('are not judged where nothing counted', () => {
    expect(comparedFindings(arms)).toEqual([]);
  });

  it('are not named where the experiment reads them: only variant is there', () => {
    const [found, ...others] = comparedFindings({
      ...arms,
      others: { __none__: 70 },
      plainVariants: new Map([
        ['A', 30],
        ['B', 40],
      ]),
    });
    expect(others).toEqual([]);
    expect(found).toEqual({
      code: 'variant_not_named',
      cause:
        'None of 70 impressions has the field experiments.ranker, where the variants of experiment "ranker" are read; they only have variant.',
      example: 'variant: "B", "A"',
      remedy:
        'Name the experiment "default" in the configuration: only that one reads variant. Else log {"experiments":{"ranker":"A"}} in the impressions.',
    });
  });

  it('are not named at all', () => {
    const [found] = comparedFindings({
      ...arms,
      experiment: 'default',
      dimension: 'variant',
      others: { __none__: 70 },
    });
    expect(found).toMatchObject({ code: 'variant_not_named', remedy: 'Log variant in the impressions.' });
  });

  it('are spelled otherwise than in the configuration', () => {
    const [found] = comparedFindings({ ...arms, impressions: { A: 50, B: 0 }, others: { b: 48 } });
    expect(found).toMatchObject({
      code: 'one_variant',
      cause: 'Experiment "ranker" has no impression of "B".',
      example: 'seen: "A" 50, "b" 48',
      remedy: 'Write the variants in experiments.ranker.variants as the impressions write them.',
    });
  });

  it('are spelled otherwise where only the count of all other values is known', () => {
    const [found] = comparedFindings({ ...arms, impressions: { A: 50, B: 0 }, others: { __other__: 48 } });
    expect(found).toMatchObject({
      code: 'one_variant',
      example: 'seen: "A" 50, variants that are not configured 48',
      remedy: 'Write the variants in experiments.ranker.variants as the impressions write them.',
    });
    const [none] = comparedFindings({ ...arms, others: { __other__: 48 } });
    expect(none).toMatchObject({ code: 'one_variant', example: 'seen: variants that are not configured 48' });
  });

  it('are missing where nothing else is in the log', () => {
    const [found] = comparedFindings({ ...arms, impressions: { A: 50, B: 0 }, others: { __none__: 7 } });
    expect(found).toMatchObject({ example: 'seen: "A" 50', remedy: 'Check that the log holds all of the traffic.' });
  });

  it.each([
    [0.05, 0],
    [0.051, 1],
  ])('of one of which %d of the impressions name no user', (share, many) => {
    for (const userless of [
      { A: share, B: 0 },
      { A: 0, B: share },
    ]) {
      const found = comparedFindings({ ...arms, impressions: { A: 50, B: 50 }, userless });
      expect(found).toHaveLength(many);
      for (const { code, cause, remedy } of found) {
        expect(code).toBe('no_user_ids');
        expect(cause).toMatch(
          /^(?:5\.1 % of the lists of A and 0\.0 % of B|0\.0 % of the lists of A and 5\.1 % of B) name no user: /,
        );
        expect(cause).toMatch(/Above 25 % of a variant nothing is decided\.$/);
        expect(remedy).toBe('Log userId in the impressions of all variants; more traffic does not fix it.');
      }
    }
  });
});

describe('items that nobody judged', () => {
  const top = (run: string, unjudged: number, items = 1000): TopFacts => {
    return { run, places: 5, items, unjudged, first: unjudged === 0 ? undefined : { query: 'q', item: 'x' } };
  };
  const codes = (...tops: TopFacts[]) => unjudgedFindings(tops).map(({ code }) => code);

  it('are reported where they are more than a tenth of the top, or a twentieth more than of another run', () => {
    expect(codes()).toEqual([]);
    expect(codes(top('a', 0, 0))).toEqual([]);
    expect(codes(top('a', 99))).toEqual([]);
    expect(codes(top('a', 100))).toEqual([]);
    expect(codes(top('a', 101))).toEqual(['unjudged_items']);
    expect(codes(top('a', 0), top('b', 49))).toEqual([]);
    expect(codes(top('a', 0), top('b', 50))).toEqual([]);
    expect(codes(top('a', 0), top('b', 51))).toEqual(['unjudged_items']);
    expect(codes(top('a', 40), top('b', 90), top('c', 60))).toEqual([]);
  });

  it('are reported once, of the run that has most of them, with the others beside it', () => {
    expect(unjudgedFindings([top('old', 0), top('new', 333), top('mid', 200)])).toEqual([
      {
        code: 'unjudged_items',
        cause:
          'new: 33.3 % of the items in the first 5 places are not judged (mid: 20 %, old: 0 %). ' +
          'They count as not relevant, so it may look worse beside the others than it is.',
        example: '"x" for the query "q"',
        remedy: expect.stringContaining('--unjudged skip'),
      },
    ]);
    const [alone] = unjudgedFindings([top('new', 333)]);
    expect(alone.cause).toContain('not judged. They count as not relevant, so the values may be too low.');
    const many = unjudgedFindings(Array.from({ length: 9 }, (_, i) => top(`r${i}`, 900)));
    expect(many[0].cause).toContain('(r1: 90 %, r2: 90 %, r3: 90 %, r4: 90 %, r5: 90 %, ...)');
  });
});
