import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Cohorts } from '../../src/accumulators/cohorts.ts';
import { EngineBlocks, EngineWords } from '../../src/consumers/engine/engine-blocks.ts';

function cohortsOf(dimensions: readonly string[], sets: readonly (readonly string[])[]): Cohorts {
  const blocks = new EngineBlocks();
  const words = () => new EngineWords(blocks, () => undefined);
  return new Cohorts(dimensions, sets, { holders: words(), versions: words(), contexts: words() });
}

const SETS = [[], ['country'], ['variant', 'country']];

describe('tags of cohorts', () => {
  it('are one per tuple that is held, small, and lead to the values of every set', () => {
    fc.assert(
      fc.property(
        fc.array(fc.tuple(fc.boolean(), fc.constantFrom('A', 'B'), fc.constantFrom('DE', 'FR', '__none__'))),
        (steps) => {
          const cohorts = cohortsOf(['variant', 'country'], SETS);
          const held: { tag: number; variant: string; country: string }[] = [];
          for (const [take, variant, country] of steps) {
            if (take) held.push({ tag: cohorts.tag([variant, country]), variant, country });
            else if (held.length > 0) cohorts.unref(held.splice(held.length >> 1, 1)[0].tag);
            const tuples = new Map(held.map((one) => [`${one.variant},${one.country}`, one.tag]));
            expect(new Set(tuples.values()).size).toBe(tuples.size);
            for (const one of held) {
              expect(one.tag).toBe(tuples.get(`${one.variant},${one.country}`));
              expect(one.tag).toBeLessThan(6);
              expect(cohorts.keys(one.tag)).toEqual(['', one.country, `${one.variant},${one.country}`]);
            }
            if (held.length === 0) expect(cohorts.bytes).toBe(0);
          }
        },
      ),
    );
  });

  it('stay while they are held', () => {
    const cohorts = cohortsOf(['variant'], [['variant']]);
    const tag = cohorts.tag(['A']);
    cohorts.ref(tag);
    cohorts.unref(tag);
    expect(cohorts.keys(tag)).toEqual(['A']);
    expect(cohorts.tag(['B'])).not.toBe(tag);
    cohorts.unref(tag);
    expect(cohorts.tag(['C'])).toBe(tag);
  });

  it('are others for what takes no part in some runs, and for each such choice', () => {
    const cohorts = cohortsOf(['variant', 'country'], SETS);
    const tags = [0, 1, 3, 2 ** 30].map((leftOut) => cohorts.tag(['A', 'DE'], undefined, leftOut));
    expect(new Set(tags).size).toBe(4);
    expect(tags.map((tag) => cohorts.leftOut(tag))).toEqual([0, 1, 3, 2 ** 30]);
    for (const tag of tags) expect(cohorts.keys(tag)).toEqual(['', 'DE', 'A,DE']);
    expect(cohorts.tag(['A', 'DE'], 'A,DE', 3)).toBe(tags[2]);
    cohorts.unref(tags[0]);
    // The number is used again, and says nothing of what it stood for.
    expect(cohorts.tag(['B', 'DE'], undefined, 1)).toBe(tags[0]);
    expect(cohorts.leftOut(tags[0])).toBe(1);
    cohorts.unref(tags[2]);
    for (const tag of tags) cohorts.unref(tag);
    expect(cohorts.bytes).toBe(0);
  });

  it('exist without dimensions too', () => {
    const cohorts = cohortsOf([], [[]]);
    expect(cohorts.keys(cohorts.tag([]))).toEqual(['']);
  });

  it('are refused for a set of unknown dimensions', () => {
    expect(() => cohortsOf(['variant'], [['country']])).toThrow('"country" is none of the dimensions variant');
  });
});
