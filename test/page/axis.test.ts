import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { minorTicks } from '../../src/page/axis.tsx';

const ticksOf = (places: Readonly<Record<string, number>>) =>
  Object.entries(places).map(([words, at]) => ({ words, at }));

describe('the labels of an axis in a narrow column', () => {
  it.each([
    [{ '0.090': 0.3, '0.095': 0.58 }, ['0.090']],
    [{ '0.26': 0.2, '0.27': 0.48, '0.28': 0.76 }, ['0.26', '0.28']],
    [{ '0.2': 0.1, '0.4': 0.6 }, ['0.2', '0.4']],
    [{ '-4 %': 0.05, '-2 %': 0.28, '0': 0.5, '+2 %': 0.72, '+4 %': 0.95 }, ['-4 %', '0', '+4 %']],
  ])('of %j are %j', (places: Readonly<Record<string, number>>, shown) => {
    // Whole numbers come first among the keys of an object.
    const ticks = ticksOf(places).sort((a, b) => a.at - b.at);
    const isMinor = minorTicks(ticks);
    expect(ticks.filter((_, i) => !isMinor[i]).map(({ words }) => words)).toEqual(shown);
  });

  it('always show one, and end', () => {
    const tick = fc.record({ at: fc.double({ min: 0, max: 1, noNaN: true }), words: fc.string({ maxLength: 12 }) });
    fc.assert(
      fc.property(fc.array(tick, { maxLength: 9 }), (ticks) => {
        const isMinor = minorTicks(ticks.sort((a, b) => a.at - b.at));
        expect(isMinor.filter((is) => !is).length).toBeGreaterThanOrEqual(Math.min(1, ticks.length));
      }),
    );
  });
});
