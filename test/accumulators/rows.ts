import fc from 'fast-check';
import { addExact } from '../../src/accumulators/exact.ts';
import { emptyRow, type Row, type RowShape } from '../../src/accumulators/row.ts';
import { Vector, vectorOffsets } from '../../src/accumulators/vector.ts';
import type { Exact } from '../../src/measures/contract.ts';

/** Two means and a fraction. */
export const SHAPE: RowShape = { names: ['mrr', 'ctr', 'ndcg@10'], kinds: ['mean', 'fraction', 'mean'] };

const exact: fc.Arbitrary<Exact> = fc
  .oneof(fc.nat(), fc.maxSafeInteger(), fc.bigInt({ min: -(2n ** 70n), max: 2n ** 70n }))
  .map((value) => addExact(value, 0));

const WIDTH = vectorOffsets(SHAPE.kinds).at(-1) ?? 0;

/** Any vector of SHAPE with four buckets, some of them empty. */
export const anyVector: fc.Arbitrary<Vector> = fc
  .array(
    fc.option(
      fc.tuple(fc.integer({ min: 1, max: 1e6 }), fc.array(exact, { minLength: WIDTH - 1, maxLength: WIDTH - 1 })),
    ),
    { minLength: 4, maxLength: 4 },
  )
  .map((buckets) => {
    const vector = new Vector(4, WIDTH);
    buckets.forEach((sums, bucket) => {
      if (sums !== null) for (const [column, sum] of [sums[0], ...sums[1]].entries()) vector.addTo(bucket, column, sum);
    });
    return vector;
  });

/** Any row of SHAPE, with or without a vector. */
export const anyRow: fc.Arbitrary<Row> = fc
  .record({
    impressions: fc.nat(),
    positives: fc.nat(),
    userless: fc.nat(),
    sums: fc.array(exact, { minLength: 10, maxLength: 10 }),
    vector: fc.option(anyVector, { nil: undefined }),
  })
  .map((row) => ({ ...emptyRow(SHAPE), ...row }));
