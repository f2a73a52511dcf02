import fc from 'fast-check';
import { addExact } from '../../src/accumulators/exact.ts';
import { addRow, copyRow, emptyRow, type Row, type RowShape, sumsStarts } from '../../src/accumulators/row.ts';
import { Vector, vectorStarts } from '../../src/accumulators/vector.ts';
import { type Exact, SUMS } from '../../src/measures/sums.ts';

/** Two means and a fraction. */
export const SHAPE: RowShape = { names: ['mrr', 'ctr', 'ndcg@10'], kinds: ['mean', 'fraction', 'mean'] };

const exact: fc.Arbitrary<Exact> = fc
  .oneof(fc.nat(), fc.maxSafeInteger(), fc.bigInt({ min: -(2n ** 70n), max: 2n ** 70n }))
  .map((value) => addExact(value, 0));

const MOST_LISTS = 1e6;

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
        fc.tuple(
          fc.integer({ min: 1, max: MOST_LISTS }),
          fc.array(exact, { minLength: width - 1, maxLength: width - 1 }),
        ),
      ),
      { minLength: 4, maxLength: 4 },
    )
    .map((buckets) => {
      const vector = new Vector(4, width);
      buckets.forEach((sums, bucket) => {
        if (sums === null) return;
        const [lists, [positives, empty, ...rest]] = sums;
        const head = [lists, within(positives, lists), within(empty, lists)];
        for (const [column, sum] of [...head, ...rest].entries()) vector.addTo(bucket, column, sum);
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
    .map((row) => {
      // A row has at least as many lists as a bucket of its vector may have.
      const impressions = row.impressions + MOST_LISTS;
      const { positives, userless, empty } = row;
      const head = {
        positives: within(positives, impressions),
        userless: within(userless, impressions),
        empty: within(empty, impressions),
      };
      return { ...emptyRow(shape), ...row, ...head, impressions, sums: consistent(shape, row.sums, impressions) };
    });
}

/** With counts of lists that lists can have. */
function consistent(shape: RowShape, sums: readonly Exact[], impressions: number): Exact[] {
  const found = [...sums];
  for (const [m, at] of sumsStarts(shape).slice(0, -1).entries()) {
    if (!SUMS[shape.kinds[m]].counted) continue;
    found[at] = within(found[at], impressions);
    found[at + 1] = within(found[at + 1], found[at]);
  }
  return found;
}

/** A whole number from 0 to `most`. */
function within(value: Exact, most: Exact): number {
  return Number((value < 0 ? -BigInt(value) : BigInt(value)) % (BigInt(most) + 1n));
}

/** Any row of SHAPE. */
export const anyRow = rowsOf(SHAPE);

/** The sum of two rows of one shape: commutative, associative, `emptyRow` is neutral. */
export function mergeRows(a: Row, b: Row): Row {
  const sum = copyRow(a);
  addRow(sum, b);
  return sum;
}
