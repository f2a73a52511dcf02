import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ClockDrops } from '../../../src/consumers/join/clock-drops.ts';
import { CLOCK_BLOCK } from '../../../src/vocabulary/checkpoint.ts';

/** So many records that count, then so many that are dropped, again and again. */
const stretch = fc.record({
  kept: fc.oneof(fc.constant(1), fc.integer({ min: 1, max: 5 }), fc.integer({ min: 1, max: 3 * CLOCK_BLOCK })),
  dropped: fc.oneof(fc.constant(1), fc.integer({ min: 1, max: 5 }), fc.integer({ min: 1, max: 2 * CLOCK_BLOCK })),
  times: fc.oneof(fc.constant(1), fc.integer({ min: 1, max: 1500 })),
});
const step = fc.oneof(
  { weight: 6, arbitrary: stretch },
  { weight: 1, arbitrary: fc.record({ cut: fc.double({ min: 0, max: 1, noNaN: true }) }) },
  { weight: 1, arbitrary: fc.constant('another owner' as const) },
);

const MOST_OFFSETS = 30_000;

describe('the records that the clock dropped', () => {
  it('are the same set, however many, cut and handed on, and a block never changes', () => {
    const seen = { blocks: 0, owners: 0, cuts: 0, ends: new Set<number>() };
    fc.assert(
      fc.property(fc.nat(CLOCK_BLOCK), fc.array(step, { minLength: 1, maxLength: 12 }), (begin, steps) => {
        let drops = new ClockDrops();
        const plain = new Set<number>();
        const texts = new Map<number, string>();
        let [position, bound] = [begin, 0];
        const judge = (): void => {
          const blocks = drops.blocks(bound);
          expect(drops.ranges(bound).length).toBeLessThanOrEqual(CLOCK_BLOCK / 2);
          for (const [block, bits] of blocks) {
            expect((block + 1) * CLOCK_BLOCK).toBeGreaterThan(bound);
            expect(texts.get(block) ?? bits).toBe(bits);
            texts.set(block, bits);
          }
          if (blocks.length > 0) seen.blocks++;
          for (let offset = bound; offset <= position; offset++) {
            if (drops.has(offset) !== plain.has(offset)) expect.fail(`offset ${offset} of [${bound}, ${position}]`);
          }
        };
        for (const one of steps) {
          if (one === 'another owner') {
            drops = new ClockDrops(drops.ranges(bound), drops.blocks(bound));
            seen.owners++;
          } else if ('cut' in one) {
            bound += Math.floor(one.cut * (position - bound));
            drops.cutBelow(bound);
            seen.cuts++;
          } else {
            for (let n = 0; n < one.times && position < MOST_OFFSETS; n++) {
              position += one.kept;
              for (const end = position + one.dropped; position < end; position++) {
                drops.add(position);
                plain.add(position);
              }
              seen.ends.add(position % CLOCK_BLOCK);
            }
          }
          judge();
        }
      }),
      { numRuns: 80 },
    );
    expect(Math.min(seen.blocks, seen.owners, seen.cuts)).toBeGreaterThan(15);
    // Inside of blocks, at their ends and at their begins.
    for (const end of [0, 1, CLOCK_BLOCK - 1]) expect(seen.ends.has(end)).toBe(true);
  });

  it('are bits of a block by the layout, of the lowest offset first', () => {
    const drops = new ClockDrops();
    for (let n = 0; n < CLOCK_BLOCK / 2; n++) drops.add(CLOCK_BLOCK + 2 * n + 1);
    expect(drops.blocks(0)).toEqual([]);
    drops.add(2 * CLOCK_BLOCK + 5);
    expect(drops.blocks(0)).toEqual([[1, 'a'.repeat(CLOCK_BLOCK / 4)]]);
    expect(drops.ranges(0)).toEqual([[2 * CLOCK_BLOCK + 5, 2 * CLOCK_BLOCK + 6]]);
  });

  it('as a build stored them that had only ranges become bits at once', () => {
    const stored = Array.from({ length: 100_000 }, (_, n): [number, number] => [2 * n + 1, 2 * n + 2]);
    const drops = new ClockDrops(stored);
    expect(drops.ranges(0).length).toBeLessThanOrEqual(CLOCK_BLOCK / 2);
    expect(stored.every(([from, to]) => drops.has(from) && !drops.has(to))).toBe(true);
    drops.add(200_001);
    const again = new ClockDrops(drops.ranges(0), drops.blocks(0));
    expect([again.has(199_999), again.has(200_000), again.has(200_001)]).toEqual([true, false, true]);
  });

  it('take a bit each in memory where they alternate, and are gone when they are behind', () => {
    const drops = new ClockDrops();
    for (let n = 0; n < 100_000; n++) drops.add(2 * n);
    const { bytes } = drops;
    expect(bytes).toBeLessThan(120_000);
    expect(drops.blocks(0).reduce((sum, [, bits]) => sum + bits.length, 0)).toBeLessThan(51_000);
    drops.cutBelow(200_000);
    expect(drops.bytes).toBe(0);
  });
});
