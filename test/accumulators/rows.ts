import fc from 'fast-check';
import { addExact } from '../../src/accumulators/exact.ts';
import { addRow, copyRow, emptyRow, type Row, type RowShape } from '../../src/accumulators/row.ts';
import { Vector, vectorStarts } from '../../src/accumulators/vector.ts';
import type { Exact } from '../../src/measures/sums.ts';

/** Two means and a fraction. */
export const SHAPE: RowShape = { names: ['mrr', 'ctr', 'ndcg@10'], kinds: ['mean', 'fraction', 'mean'] };

const exact: fc.Arbitrary<Exact> = fc
  .oneof(fc.nat(), fc.maxSafeInteger(), fc.bigInt({ min: -(2n ** 70n), max: 2n ** 70n }))
  .map((value) => addExact(value, 0));

/** One measure of each kind of sums. */
export const EVERY_KIND: RowShape = {
  names: ['mrr', 'mrr(per=user)', 'ctr', 'f1(of=means)@5', 'f1(per=class)@5', 'mae', 'spearman'],
  kinds: ['mean', 'apart', 'fraction', 'means', 'classes', 'pairs', 'pairMeans'],
};

/** Any vector of a shape with four buckets, some of them empty. */
function vectorsOf(shape: RowShape): fc.Arbitrary<Vector> {
  const width = vectorStarts(shape.kinds).at(-1) ?? 0;
  return fc
    .array(
      fc.option(
        fc.tuple(fc.integer({ min: 1, max: 1e6 }), fc.array(exact, { minLength: width - 1, maxLength: width - 1 })),
      ),
      { minLength: 4, maxLength: 4 },
    )
    .map((buckets) => {
      const vector = new Vector(4, width);
      buckets.forEach((sums, bucket) => {
        if (sums !== null)
          for (const [column, sum] of [sums[0], ...sums[1]].entries()) vector.addTo(bucket, column, sum);
      });
      return vector;
    });
}

/** Any row of a shape, with or without a vector. */
export function rowsOf(shape: RowShape): fc.Arbitrary<Row> {
  const { length } = emptyRow(shape).sums;
  return fc
    .record({
      impressions: fc.nat(),
      positives: fc.nat(),
      userless: fc.nat(),
      empty: fc.oneof(fc.constant(0), fc.nat()),
      sums: fc.array(exact, { minLength: length, maxLength: length }),
      vector: fc.option(vectorsOf(shape), { nil: undefined }),
    })
    .map((row) => ({ ...emptyRow(shape), ...row }));
}

/** Any row of SHAPE. */
export const anyRow = rowsOf(SHAPE);

/** The sum of two rows of one shape: commutative, associative, `emptyRow` is neutral. */
export function mergeRows(a: Row, b: Row): Row {
  const sum = copyRow(a);
  addRow(sum, b);
  return sum;
}
