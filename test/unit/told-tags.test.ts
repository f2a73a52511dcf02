import fc from 'fast-check';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { Cohorts } from '../../src/accumulators/cohorts.ts';
import { createDecoder } from '../../src/consumers/decode/decoder.ts';
import { compile } from '../../src/measures/scorer.ts';
import { Unit } from '../../src/unit/unit.ts';
import type { UnitParts } from './claimed-unit.ts';
import { MANY_CONTEXTS, stored, tagHistories } from './told-tags.ts';

const PARTS: UnitParts = { Unit, createDecoder, compile };
const SOON = { kind: 'pass', ms: 1 } as const;
const LATER = { kind: 'pass', ms: 100_000 } as const;

function fifty(variant: number) {
  return { kind: 'lists', of: Array.from({ length: 50 }, () => ({ variant, surface: 999 })) } as const;
}

afterEach(() => vi.restoreAllMocks());

describe('a unit whose engine knows the tags of contexts', () => {
  it('stores what it stores when it is asked for each', async () => {
    await fc.assert(
      fc.asyncProperty(tagHistories, async (history) => {
        expect(await stored(PARTS, history, false)).toEqual(await stored(PARTS, history, true));
      }),
      { numRuns: 100 },
    );
  });

  it('does so when there are so many contexts that the scanner forgets them', async () => {
    expect(await stored(PARTS, MANY_CONTEXTS, false)).toEqual(await stored(PARTS, MANY_CONTEXTS, true));
  });

  it('is asked once for a context whose lists remain open, and again when its tag was freed', async () => {
    const asked = vi.spyOn(Cohorts.prototype, 'tag');
    await stored(PARTS, [fifty(1), SOON, fifty(1)], false);
    expect(asked.mock.calls.length).toBe(1);
    asked.mockClear();
    // The next pane frees what lists and sums of the one before hold.
    await stored(PARTS, [fifty(1), LATER, fifty(0), LATER, fifty(1)], false);
    expect(asked.mock.calls.length).toBe(3);
  });

  it('is asked for each list of a variant, and for each if somebody wants to know of it', async () => {
    const asked = vi.spyOn(Cohorts.prototype, 'tag');
    await stored(PARTS, [fifty(2), SOON, fifty(2)], false);
    expect(asked.mock.calls.length).toBe(100);
    asked.mockClear();
    await stored(PARTS, [fifty(1), SOON, fifty(1)], true);
    expect(asked.mock.calls.length).toBe(100);
  });
});
