import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Counted, matchIds, normalizers, sharedAsIs } from '../../src/findings/id-match.ts';

const counted = (ids: readonly string[]): Counted => new Map(ids.map((id) => [id, 1]));
/** Ids that differ early, as those of requests do. */
const ids = fc.uniqueArray(fc.string({ unit: fc.constantFrom(...'abcdef0123456789'), minLength: 6, maxLength: 12 }), {
  minLength: 12,
  maxLength: 60,
  selector: (id) => id.slice(0, 4),
});
const prefix = fc.string({ unit: fc.constantFrom(...'xyzXYZ:-_/'), minLength: 1, maxLength: 9 });

describe('ids of two logs', () => {
  it('are equal as they stand, where they are', () => {
    fc.assert(
      fc.property(ids, (all) => {
        expect(matchIds(counted(all), counted(all.slice(0, 5)))).toEqual({ share: 1, difference: undefined });
      }),
    );
  });

  it('meet again without a prefix that one side has, and the prefix is told', () => {
    fc.assert(
      fc.property(ids, prefix, fc.boolean(), (all, start, ofFeedback) => {
        const longer = counted(all.map((id) => `${start}${id}`));
        const match = ofFeedback ? matchIds(counted(all), longer) : matchIds(longer, counted(all));
        expect(match).toEqual({
          share: 1,
          difference: { kind: 'prefix', impressions: ofFeedback ? '' : start, feedback: ofFeedback ? start : '' },
        });
      }),
    );
  });

  it('meet again without an ending', () => {
    fc.assert(
      fc.property(ids, prefix, (all, end) => {
        const match = matchIds(counted(all.map((id) => `${id}${end}`)), counted(all));
        expect(match.share).toBe(1);
        expect(match.difference).toMatchObject({ kind: 'suffix', feedback: '' });
      }),
    );
  });

  it.each([
    ['case', (id: string) => `${id}Q`.toUpperCase(), (id: string) => `${id}q`],
    [
      'number',
      (id: string) => `${id.charCodeAt(0)}${id.charCodeAt(1)}${id.charCodeAt(2)}${id.charCodeAt(3)}`,
      (id: string) => `${id.charCodeAt(0)}${id.charCodeAt(1)}${id.charCodeAt(2)}${id.charCodeAt(3)}.0`,
    ],
    ['blanks', (id: string) => `${id} `, (id: string) => id],
    ['dashes', (id: string) => `${id.slice(0, 3)}-${id.slice(3)}`, (id: string) => id],
  ] as const)('that differ by %s meet again', (kind, ofLists, ofFeedback) => {
    fc.assert(
      fc.property(ids, (all) => {
        const match = matchIds(counted(all.map(ofLists)), counted(all.map(ofFeedback)));
        expect(match).toEqual({ share: 1, difference: { kind } });
      }),
    );
  });

  it.each([
    ['case', (id: string, _: number) => `R-${id.toUpperCase()}z`, (id: string) => `${id}z`],
    [
      'number',
      (id: string, i: number) =>
        `r-${'0'.repeat(1 + (i % 3))}${id.charCodeAt(0)}${id.charCodeAt(1)}${id.charCodeAt(2)}${id.charCodeAt(3)}`,
      (id: string) => `${id.charCodeAt(0)}${id.charCodeAt(1)}${id.charCodeAt(2)}${id.charCodeAt(3)}`,
    ],
  ] as const)('that differ by a prefix and by %s meet again, and both are told', (rest, ofLists, ofFeedback) => {
    fc.assert(
      fc.property(ids, (all) => {
        const match = matchIds(counted(all.map(ofLists)), counted(all.map(ofFeedback)));
        expect(match.share).toBe(1);
        expect(match.difference).toMatchObject({ kind: 'prefix', feedback: '', rest });
      }),
    );
  });

  it('that have nothing in common are not made to meet', () => {
    fc.assert(
      fc.property(ids, (all) => {
        const others = counted(all.map((id) => `${id.length}.${[...id].reverse().join('')}!${id}`));
        const { share, difference } = matchIds(counted(all), others);
        expect([share, difference]).toEqual([0, undefined]);
      }),
    );
  });

  it('are equal after what was found is taken away', () => {
    fc.assert(
      fc.property(ids, prefix, prefix, (all, a, b) => {
        fc.pre(a !== b);
        const lists = counted(all.map((id) => `${a}${id}`));
        const feedback = counted(all.map((id) => `${b}${id}`));
        const { difference } = matchIds(lists, feedback);
        if (difference === undefined) throw new Error('nothing was found');
        const [ofLists, ofFeedback] = normalizers(difference);
        const known = new Set([...lists.keys()].map(ofLists));
        expect(sharedAsIs(known, counted([...feedback.keys()].map(ofFeedback)))).toBe(1);
      }),
    );
  });
});
