import fc from 'fast-check';
import { expect, it, describe as suite } from 'vitest';
import { describe } from '../../../src/measures/grammar/describe.ts';
import { parseMeasure } from '../../../src/measures/grammar/measure-name.ts';
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
    [
      'rbp(gain=scaled,gmax=3,norm=max)@5',
      'Rank-biased precision up to rank 5 with persistence 0.8: gain the grade over 3, over that of the best order of the shown list; lists without positives count 0; mean over lists.',
    ],
    [
      'err(gmax=3)@5',
      'Expected reciprocal rank up to rank 5: a slot satisfies with (2^grade - 1) / 2^3; lists without positives count 0; mean over lists.',
    ],
    [
      'recall(empty=skip,ideal=all,per=user)@5',
      'Recall: positives up to rank 5 over all known positives; a positive has a grade of at least 1; lists without known positives are skipped; mean over lists of each user, then over users.',
    ],
    [
      'f1(avg=micro,per=class)@5',
      'F-measure with beta 1 of precision (over 5 less the offset of the page) and recall (over the positives of the shown list) up to rank 5; a positive has a grade of at least 1; slots of all lists in two classes, in the top and positive or not, share in the right class.',
    ],
    [
      'mrr(min_list_length=1)',
      'Reciprocal rank of the first positive in the list, 0 if there is none; a positive has a grade of at least 1; empty lists are left out; lists without positives count 0; mean over lists.',
    ],
    [
      'mrr(empty=one)',
      'Reciprocal rank of the first positive in the list, 0 if there is none; a positive has a grade of at least 1; lists without positives count 1, empty ones 0; mean over lists.',
    ],
    [
      'mrr(empty=one,min_list_length=2)',
      'Reciprocal rank of the first positive in the list, 0 if there is none; a positive has a grade of at least 1; lists of fewer than 2 slots are left out; lists without positives count 1; mean over lists.',
    ],
    [
      'mae',
      'Mean absolute difference between rating and predicted score; only feedback with the action rating counts; sums over sums of all lists.',
    ],
  ])('of %s', (name, text) => {
    expect(describe(parseMeasure(name, DEFAULTS))).toBe(text);
  });
});
