import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { learn } from '../../src/fusion/fusion.ts';
import { Lessons } from '../../src/fusion/training.ts';

const answer = fc.record({
  query: fc.constantFrom('a', 'b', 'c'),
  voter: fc.constantFrom('x', 'y'),
  relevant: fc.array(fc.boolean(), { maxLength: 12 }),
});

describe('lessons', () => {
  it('without a query are those of somebody who never saw it, and its last answer counts', () => {
    fc.assert(
      fc.property(fc.array(answer, { maxLength: 8 }), (answers) => {
        const all = new Lessons();
        for (const { query, voter, relevant } of answers) all.add(query, voter, relevant, 12);
        for (const left of ['a', 'b', 'c']) {
          const others = new Lessons();
          const last = new Map(answers.map((one) => [`${one.query} ${one.voter}`, one]));
          for (const { query, voter, relevant } of last.values())
            if (query !== left) others.add(query, voter, relevant, 12);
          for (const voter of ['x', 'y', 'nobody']) {
            const [found, expected] = [all.without(left)(voter), others.without('none')(voter)];
            expect(found?.queries).toBe(expected?.queries);
            expect(found?.hits).toEqual(expected?.hits);
            if (expected !== undefined) expect(found?.precisionSum).toBeCloseTo(expected.precisionSum, 12);
          }
        }
      }),
    );
  });

  it('count hits in buckets that end at 5, 10, 15 ..., one item once', () => {
    const items = Array.from({ length: 11 }, (_, i) => `i${i + 1}`);
    const judged = {
      query: 'q',
      relevant: ['i5', 'i6', 'i11', 'elsewhere'],
      lists: [{ voter: 'x', items: [...items, 'i5'] }],
    };
    const lesson = learn([judged]).without('asked')('x');
    expect(Array.from(lesson?.hits ?? [])).toEqual([1, 1, 1, 0, 0, 0, 0, 0, 0]);
    expect(lesson?.precisionSum).toBeCloseTo((1 / 5 + 2 / 6 + 3 / 11) / 4, 12);
  });

  it('there are none where only the asked query was judged', () => {
    const lessons = new Lessons();
    lessons.add('q', 'x', [true], 1);
    expect(lessons.without('q')('x')).toBeUndefined();
    expect(lessons.without('other')('x')).toMatchObject({ queries: 1, precisionSum: 1 });
  });

  it('a judged query that a voter did not answer counts 0', () => {
    const lessons = new Lessons();
    lessons.add('q', 'x', [true], 1);
    lessons.addQuery('unanswered');
    expect(lessons.without('other')('x')).toMatchObject({ queries: 2, precisionSum: 1 });
    expect(lessons.without('other')('y')).toMatchObject({ queries: 2, precisionSum: 0 });
  });
});
