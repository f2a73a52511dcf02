/** The worked example of each method's docstring, and what is defined for lists that are not as usual. */
import { describe, expect, it } from 'vitest';
import { FusionError, type RankedList } from '../../src/fusion/ballots.ts';
import { fusion } from '../../src/fusion/fusion.ts';
import { METHODS } from '../../src/fusion/methods.ts';
import { Lessons } from '../../src/fusion/training.ts';

function listsOf(text: string): RankedList[] {
  return text.split('; ').map((list, voter) => ({ items: list.split(' '), voter: `v${voter}` }));
}

/** Items with their scores, best first, six digits. */
function merged(method: string, text: string): string {
  return fusion(method)
    .fuse(listsOf(text))
    .map(({ item, score }) => `${item} ${Number(score.toFixed(6))}`)
    .join(', ');
}

const PARTIAL = 'a b c; b d';

describe('worked examples', () => {
  it.each([
    ['combsum(norm=rank)', PARTIAL, 'b 1.666667, a 1, d 0.5, c 0.333333'],
    ['combmnz(norm=rank)', PARTIAL, 'b 3.333333, a 1, d 0.5, c 0.333333'],
    ['gmnz(gamma=2,norm=rank)', PARTIAL, 'b 6.666667, a 1, d 0.5, c 0.333333'],
    ['anz(norm=rank)', PARTIAL, 'a 1, b 0.833333, d 0.5, c 0.333333'],
    ['med(norm=rank)', PARTIAL, 'a 1, b 0.833333, d 0.5, c 0.333333'],
    ['max(norm=rank)', PARTIAL, 'b 1, a 1, d 0.5, c 0.333333'],
    ['min(norm=rank)', PARTIAL, 'a 1, b 0.666667, d 0.5, c 0.333333'],
    ['borda', PARTIAL, 'b 1.75, a 1.375, d 1, c 0.875'],
    ['simpleborda', PARTIAL, 'b 1.75, a 1, d 0.75, c 0.5'],
    ['rrf', PARTIAL, `b ${six(1 / 62 + 1 / 61)}, a ${six(1 / 61)}, d ${six(1 / 62)}, c ${six(1 / 63)}`],
    ['isr', PARTIAL, 'b 2.5, a 1, d 0.25, c 0.111111'],
    ['logn_isr', PARTIAL, 'b 0.872668, a 0.00995, d 0.002488, c 0.001106'],
    ['condorcet', 'a b c; b a c; c b a', 'b 2, a 1, c 0'],
    ['copeland', 'a b; b a c', 'a 1.5, b 1.5, c 0'],
    ['kemeny', 'a b c; a b c; b c a', 'a 3, b 2, c 1'],
    ['kemeny_local', 'a b c; a b c; b c a', 'a 3, b 2, c 1'],
    ['mc4', 'a b; a b', 'a 0.869565, b 0.130435'],
    ['rra', 'a b; a c', `a ${six(-Math.log10(2 / 9))}, b 0, c 0`],
    ['prefrel', `${'a b; '.repeat(10)}b a`, 'a 10, b 0'],
    ['agglomerative', 'a b c; b a c', 'a 1.5, b 1.5, c -3'],
    ['dibra', 'a b c; a b c; c b a', 'a 2, b 1.333333, c 0.666667'],
  ])('%s of %s', (method, lists, expected) => {
    expect(merged(method, lists)).toBe(expected);
  });

  it('rra: the exact p is that of two uniform numbers of which the smaller or the larger is small enough', () => {
    const [{ item, score }] = fusion('rra(exact=yes)').fuse(listsOf('a b; a c'));
    // The smaller <= s with 1 - (1 - s)² = 1/9, or the larger <= 1/3.
    const s = 1 - Math.sqrt(8 / 9);
    expect(item).toBe('a');
    expect(10 ** -score).toBeCloseTo(1 - (1 - s) ** 2 + (1 / 3 - s) ** 2, 10);
  });

  it('rra: a p-value far below what a difference from 1 could show', () => {
    const rest = (voter: number) => Array.from({ length: 30 }, (_, i) => `v${voter}-${i}`).join(' ');
    const lists = Array.from({ length: 20 }, (_, voter) => `a ${rest(voter)}`).join('; ');
    const scoreBy = (method: string) => fusion(method).fuse(listsOf(lists))[0].score;
    expect(scoreBy('rra')).toBeGreaterThan(50);
    expect(scoreBy('rra(exact=yes)')).toBeGreaterThanOrEqual(scoreBy('rra'));
    expect(scoreBy('rra(exact=yes)')).toBeLessThan(scoreBy('rra') + Math.log10(20));
  });

  it('outranking: classes of the paper, sums of agreement of FLAGR', () => {
    expect(merged('outranking', 'a b c; a c b; b a c')).toBe('a 2, b 1, c 0');
    // a before b in 2 lists, before c in 3, b before c in 2; to all else a list objects by 2 places.
    expect(merged('outranking(as=flagr)', 'a b c; a c b; b a c')).toBe('a 5, b 2, c 0');
  });

  it('chains by the paper, two items: how often the chain leaves b for a', () => {
    // From a with a + (1 - a) / 2 * ... : p(a) = t / 2 + (1 - t) (p(a) + away p(b)).
    const share = (away: number) => (0.075 + 0.85 * away) / (0.15 + 0.85 * away);
    const of = (method: string) => fusion(method).fuse(listsOf('a b; a b'))[0].score;
    for (const method of ['mc1', 'mc2', 'mc3', 'mc4', 'mct']) expect(of(method), method).toBeCloseTo(share(0.5), 6);
    // One list has no a: mc1 draws of a b b, mc2 and mc3 take the other list half of the time.
    const partial = (method: string) => {
      const found = fusion(method).fuse(listsOf('a b; b'));
      return found.find(({ item }) => item === 'a')?.score;
    };
    expect(partial('mc1')).toBeCloseTo(share(1 / 3), 6);
    expect(partial('mc2')).toBeCloseTo(share(1 / 4), 6);
    expect(partial('mc3')).toBeCloseTo(share(1 / 4), 6);
    expect(partial('mc4')).toBeCloseTo(share(1 / 2), 6);
    expect(partial('mct')).toBeCloseTo(share(1 / 2), 6);
  });

  it('bayesfuse and mapfuse: what was learnt of two queries', () => {
    const lessons = new Lessons();
    lessons.add('one', 'v0', [true, true, true, true, false], 5);
    lessons.add('two', 'v0', [true, false, true, true, false], 4);
    const [first, other] = fusion('bayesfuse').fuse(listsOf('a'), lessons.without('asked'));
    expect(first).toEqual({ item: 'a', score: Number(Math.log(0.7 / 0.3).toPrecision(12)) });
    expect(other).toBeUndefined();
    const map = (4 / 5 + (1 + 2 / 3 + 3 / 4) / 4) / 2;
    expect(fusion('mapfuse').fuse(listsOf('b a'), lessons.without('asked'))[1].score).toBeCloseTo(map / 2, 10);
  });
});

function six(value: number): number {
  return Number(value.toFixed(6));
}

describe('lists that are not as usual', () => {
  it('nothing: no query, no list, only empty lists', () => {
    for (const { name, trained } of METHODS) {
      if (trained === true) continue;
      expect(fusion(name).fuse([])).toEqual([]);
      expect(fusion(name).fuse([{ items: [] }, { items: [] }])).toEqual([]);
    }
  });

  it('one item of one voter', () => {
    for (const { name, trained } of METHODS) {
      if (trained === true) continue;
      const [only, ...others] = fusion(name).fuse([{ items: ['a'], scores: [3] }]);
      expect([only.item, Number.isFinite(only.score), others]).toEqual(['a', true, []]);
    }
  });

  it('a score that is not a number counts as the lowest of its list, an infinite one as the highest', () => {
    const of = (scores: readonly number[]) =>
      fusion('combsum(norm=none)')
        .fuse([{ items: ['a', 'b', 'c'], scores }])
        .map(({ item, score }) => `${item} ${score}`);
    expect(of([5, 2, Number.NaN])).toEqual(['a 5', 'b 2', 'c 2']);
    expect(of([Number.POSITIVE_INFINITY, 2, Number.NEGATIVE_INFINITY])).toEqual(['a 2', 'b 2', 'c 2']);
    expect(of([Number.POSITIVE_INFINITY, Number.NaN, Number.NEGATIVE_INFINITY])).toEqual(['a 1', 'b 0', 'c 0']);
  });

  it('equal scores in a list: each is the best by norm=score, none differs by z-score', () => {
    const votes = [{ items: ['a', 'b'], scores: [0.1, 0.1] }];
    expect(
      fusion('combsum')
        .fuse(votes)
        .map(({ score }) => score),
    ).toEqual([1, 1]);
    expect(
      fusion('combsum(norm=z-score)')
        .fuse(votes)
        .map(({ score }) => score),
    ).toEqual([0, 0]);
  });

  it('lists without scores are an error where scores are needed, with a way out', () => {
    const without = () => fusion('combsum').fuse([{ items: ['a', 'b'] }]);
    expect(without).toThrow(FusionError);
    expect(without).toThrow('norm=score needs scores, and a list has none; take norm=rank or norm=borda');
    expect(() => fusion('borda').fuse([{ items: ['a', 'b'] }])).not.toThrow();
  });

  it.each(['score', 'z-score', 'none'])(
    'scores that cannot be added up are an error, not items that vanish: %s',
    (norm) => {
      const merge = (far: number) =>
        fusion(`combsum(norm=${norm})`).fuse([
          { items: ['a', 'b'], scores: [far, -far] },
          { items: ['a', 'b'], scores: [far, -far] },
        ]);
      expect(() => merge(1e308)).toThrow('the score 1e+308 is beyond 1e+150');
      expect(() => merge(1.1e150)).toThrow('take norm=rank');
      expect(merge(1e150).every(({ score }) => Number.isFinite(score))).toBe(true);
    },
  );

  it('a score for each item, or none', () => {
    expect(() => fusion('rrf').fuse([{ items: ['a', 'b'], scores: [1] }])).toThrow(
      'a list has 2 items and 1 scores; expected a score for each item',
    );
  });

  it('ties that only rounding would part are ties: 0.1 + 0.2 and 0.3', () => {
    const votes = [
      { items: ['a', 'b'], scores: [0.1, 0] },
      { items: ['a', 'c'], scores: [0.2, 0] },
      { items: ['b', 'c'], scores: [0.3, 0.3] },
    ];
    expect(
      fusion('combsum(norm=none)')
        .fuse(votes)
        .map(({ item, score }) => `${item} ${score}`),
    ).toEqual(['a 0.3', 'b 0.3', 'c 0.3']);
  });

  it('above leaves out what has no more', () => {
    expect(merged('condorcet(above=0)', 'a b c')).toBe('a 2, b 1');
    expect(merged('condorcet(above=1)', 'a b c')).toBe('a 2');
    expect(merged('condorcet(above=2)', 'a b c')).toBe('');
  });

  it('methods that learn say when there is nothing to learn from', () => {
    for (const name of ['bayesfuse', 'mapfuse']) {
      expect(() => fusion(name).fuse([{ items: ['a'] }])).toThrow('nothing to learn from');
    }
  });

  it('pairs: 4,000 items are taken, 4,001 are too many', () => {
    const items = (count: number) => [{ items: Array.from({ length: count }, (_, i) => `i${i}`) }];
    for (const name of ['condorcet', 'copeland', 'kemeny', 'mc1', 'outranking', 'prefrel', 'agglomerative']) {
      expect(() => fusion(name).fuse(items(4001))).toThrow(
        /of at most 4000, and there are 4001; cut the lists with --depth/,
      );
    }
    expect(fusion('copeland').fuse(items(4000)).length).toBe(4000);
  });

  it('kemeny: 18 items in a circle of majorities are searched, 19 are too many, 40 without a circle are none', () => {
    const circle = (count: number) => {
      const items = Array.from({ length: count }, (_, i) => String.fromCharCode(97 + i));
      return [0, 1, 2].map((third) => {
        const from = Math.round((third * count) / 3);
        return { items: [...items.slice(from), ...items.slice(0, from)] };
      });
    };
    expect(fusion('kemeny').fuse(circle(18)).length).toBe(18);
    expect(() => fusion('kemeny').fuse(circle(19))).toThrow(
      'majorities turn 19 items in one circle, and kemeny searches at most 18; take kemeny_local, or cut the lists with --depth',
    );
    expect(fusion('kemeny_local').fuse(circle(19)).length).toBe(19);
    const many = { items: Array.from({ length: 40 }, (_, i) => `i${i + 10}`) };
    expect(
      fusion('kemeny')
        .fuse([many, many])
        .map(({ item }) => item),
    ).toEqual(many.items);
  });
});
