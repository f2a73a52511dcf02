import fc from 'fast-check';
import { expect, it, describe as suite } from 'vitest';
import { describe } from '../../src/measures/describe.ts';
import { parseMeasure } from '../../src/measures/name.ts';
import { anyMeasure, DEFAULTS } from './names.ts';

suite('the description of a measure', () => {
  it('is one line that ends in a full stop and lacks no value, for the whole family', () => {
    fc.assert(
      fc.property(anyMeasure, (measure) => {
        expect(describe(measure)).toMatch(/^[A-Z1][^\n]*[a-z0-9)]\.$/);
        expect(describe(measure)).not.toMatch(/undefined|over ( |;|$)| {2}|: ,|over \./);
      }),
      { numRuns: 2000 },
    );
  });

  it.each([
    [
      'ndcg@10',
      'Normalised discounted cumulative gain up to rank 10: gain the grade, discount log2(rank + 1), ideal the best order of the shown list; lists without positives count 0; mean over lists.',
    ],
    [
      'precision(empty=skip,rel=4)@5',
      'Precision: positives up to rank 5 over 5 less the offset of the page; a positive has a grade of at least 4; lists without positives are skipped; mean over lists.',
    ],
    [
      'rate(action=purchase,slot=1)',
      'Rate of an action: slots of rank 1 with the action purchase over slots of rank 1; sums over sums of all lists.',
    ],
  ])('of %s', (name, text) => {
    expect(describe(parseMeasure(name, DEFAULTS))).toBe(text);
  });
});
