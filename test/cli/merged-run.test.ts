/** Merged lists as lines of a run, as other tools read them. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { runLines } from '../../src/cli/fuse-files.ts';
import type { FusedItem } from '../../src/fusion/ballots.ts';
import { bytesOf, Fields, splitterOf } from '../../src/score/line-fields.ts';
import { ALL, lists, TAUGHT } from '../fusion/lists.ts';

const TREC = { as: 'trec', tag: 't' } as const;

function scoresOf(lines: string): number[] {
  return lines
    .trimEnd()
    .split('\n')
    .map((line) => Number(line.split(' ')[4]));
}

/** The items as a reader orders them who keeps scores in 32 bits and breaks ties by id, last first: trec_eval. */
function readIn32Bits(lines: string): string[] {
  const rows = lines.split('\n').filter((line) => line !== '');
  return rows
    .map((line) => line.split(' '))
    .map(([, , item, , score]) => ({ item, score: Math.fround(Number(score)) }))
    .sort((a, b) => b.score - a.score || (a.item < b.item ? 1 : -1))
    .map(({ item }) => item);
}

function written(...scores: number[]): string {
  return runLines(
    'q',
    scores.map((score, place): FusedItem => ({ item: `i${100 + place}`, score })),
    TREC,
  );
}

describe.each(ALL)('$name', (method) => {
  it('is read in its order by who keeps scores in 32 bits', () => {
    fc.assert(
      fc.property(lists, (votes) => {
        const merged = method.fuse(votes, TAUGHT);
        expect(readIn32Bits(runLines('q', merged, TREC))).toEqual(merged.map(({ item }) => item));
      }),
      { numRuns: 25 },
    );
  });
});

describe('scores of a merged list', () => {
  it('stay as they are where they differ in 32 bits', () => {
    expect(scoresOf(written(16777216, 16777215, 0.3, 0.29999995, 0, -2))).toEqual([
      16777216, 16777215, 0.3, 0.29999995, 0, -2,
    ]);
  });

  it('fall by the least step of 32 bits where they do not', () => {
    expect(scoresOf(written(1, 1, 1 - 1e-9, 0.5))).toEqual([1, 1 - 2 ** -24, 1 - 2 ** -23, 0.5]);
    expect(scoresOf(written(0, 0, -0, -1, -1))).toEqual([0, -(2 ** -149), -(2 ** -148), -1, -1 - 2 ** -23]);
    expect(scoresOf(written(16777217, 16777216))).toEqual([16777217, 16777215]);
  });

  it('are numbers of items where 32 bits have no number below', () => {
    expect(scoresOf(written(1e39, 1e38, 0))).toEqual([1e39, 1e38, 0]);
    expect(scoresOf(written(1e39, 1e39, 0))).toEqual([1e39, 2 ** 128 - 2 ** 104, 0]);
    expect(scoresOf(written(5, -1e39))).toEqual([5, -1e39]);
    expect(scoresOf(written(5, -1e39, -1e40))).toEqual([3, 2, 1]);
    expect(scoresOf(written(5, -(2 ** 128 - 2 ** 104), -(2 ** 128 - 2 ** 104), -1e40))).toEqual([4, 3, 2, 1]);
  });

  it('are in any case read in their order', () => {
    const score = fc.oneof(
      fc.double({ noNaN: true, noDefaultInfinity: true }),
      fc.constantFrom(0, -0, 1, 1 + 2 ** -40),
    );
    fc.assert(
      fc.property(fc.array(score, { minLength: 1, maxLength: 30 }), (scores) => {
        const falling = scores.sort((a, b) => b - a);
        expect(readIn32Bits(written(...falling))).toEqual(falling.map((_, place) => `i${100 + place}`));
      }),
    );
  });
});

describe("ids of a merged run in TREC's format", () => {
  /** What the reader of such files makes of a line. */
  function fieldsOf(line: string): string[] {
    const fields = new Fields();
    splitterOf(' ')(fields, bytesOf(line), 0);
    return Array.from({ length: fields.count }, (_, f) => fields.text(f));
  }
  const blank = fc.constantFrom(...' \t\n\v\f\r\u0085\u00a0\u1680\u2003\u2028\u3000\ufeff\u0001');
  const id = fc.oneof(
    fc.string({ unit: fc.oneof(fc.constantFrom('a', '1', '#'), blank), minLength: 1, maxLength: 4 }),
    fc.string({ unit: 'binary', minLength: 1, maxLength: 4 }).filter((text) => !/\p{Cs}/u.test(text)),
  );

  it('are read back, or refused because they would not be', () => {
    fc.assert(
      fc.property(id, id, id, (query, item, tag) => {
        const write = () => runLines(query, [{ item, score: 1 }], { as: 'trec', tag });
        const cut = /[ \t\n\v\f\r]/;
        if (cut.test(query + item)) expect(write).toThrow(/has a blank, which ends a column of the run/);
        else {
          const [first, , third, ...others] = fieldsOf(write());
          expect([first, third, others.length]).toEqual([query, item, 3]);
        }
      }),
      { examples: [['q\u00a01', 'a\u3000b', 'my\u00a0run']] },
    );
  });

  it.each([
    ['my run', 'my_run'],
    ['my\u00a0run', 'my\u00a0run'],
  ])('stand before the tag "%s"', (tag, name) => {
    expect(runLines('q', [{ item: 'a', score: 1 }], { as: 'trec', tag })).toBe(`q Q0 a 1 1 ${name}\n`);
  });
});
