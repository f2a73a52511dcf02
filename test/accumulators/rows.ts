import fc from 'fast-check';
import { addExact } from '../../src/accumulators/exact.ts';
import { emptyRow, type Row, type RowShape } from '../../src/accumulators/row.ts';
import type { Exact } from '../../src/measures/contract.ts';

/** Two means and a fraction. */
export const SHAPE: RowShape = { names: ['mrr', 'ctr', 'ndcg@10'], kinds: ['mean', 'fraction', 'mean'] };

const exact: fc.Arbitrary<Exact> = fc
  .oneof(fc.nat(), fc.maxSafeInteger(), fc.bigInt({ min: -(2n ** 70n), max: 2n ** 70n }))
  .map((value) => addExact(value, 0));

/** Any row of SHAPE, with or without a vector. */
export const anyRow: fc.Arbitrary<Row> = fc
  .record({
    impressions: fc.nat(),
    positives: fc.nat(),
    userless: fc.nat(),
    sums: fc.array(exact, { minLength: 10, maxLength: 10 }),
    columns: fc.option(
      fc.uniqueArray(
        fc.tuple(fc.constantFrom('n', 'mrr S', '__proto__'), fc.array(exact, { minLength: 4, maxLength: 4 })),
        {
          selector: ([name]) => name,
        },
      ),
    ),
  })
  .map(({ columns, ...head }) => ({
    ...emptyRow(SHAPE),
    ...head,
    vector: columns === null ? undefined : { buckets: 4, columns: new Map(columns) },
  }));
