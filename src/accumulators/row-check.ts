import { type Exact, SUMS } from '../measures/sums.ts';
import { type Row, type RowShape, sumsStarts } from './row.ts';
import { EMPTY, LISTS, POSITIVES, type Vector } from './vector.ts';

/** Counts that cannot exceed the number of lists. */
const HEAD = ['positives', 'userless', 'empty'] as const;

/**
 * Returns a function that finds what no lists can have produced in a row of this shape, such as more lists with a positive than
 * lists: its text was altered. undefined: the row is possible.
 */
export function contradictions(shape: RowShape): (row: Row) => string | undefined {
  const starts = sumsStarts(shape);
  const counted = shape.names.flatMap((name, m) =>
    SUMS[shape.kinds[m]].counted ? [{ name, n: starts[m], positives: starts[m] + 1 }] : [],
  );
  return (row) => {
    const { impressions, sums, vector, items, positions } = row;
    if (impressions < 0) return `impressions: ${impressions}`;
    for (const name of HEAD) if (isBeyond(row[name], impressions)) return excess(name, row[name], impressions);
    for (const { name, n, positives } of counted) {
      if (isBeyond(sums[n], impressions)) return excess(`measures.${name}`, sums[n], impressions);
      if (isBeyond(sums[positives], sums[n])) return excess(`measures.${name}`, sums[positives], sums[n]);
    }
    for (const n of items?.lists ?? []) if (isBeyond(n, impressions)) return excess('items', n, impressions);
    if (positions !== undefined) {
      for (const [r, n] of positions.positives.entries()) {
        if (isBeyond(n, positions.exposed[r])) return excess('positions.positives', n, positions.exposed[r]);
      }
    }
    return vector === undefined ? undefined : contradictionInVector(vector, impressions);
  };
}

/** @param impressions number of lists of its row */
function contradictionInVector(vector: Vector, impressions: number): string | undefined {
  for (const bucket of vector.filled()) {
    const n = vector.sum(bucket, LISTS);
    if (isBeyond(n, impressions)) return excess('vector.n', n, impressions);
    for (const column of [POSITIVES, EMPTY]) {
      const part = vector.sum(bucket, column);
      if (isBeyond(part, n)) return excess('vector', part, n);
    }
  }
  return undefined;
}

function isBeyond(part: Exact, whole: Exact): boolean {
  return part < 0 || part > whole;
}

function excess(name: string, part: Exact, whole: Exact): string {
  return `${name}: ${part} of ${whole} lists`;
}
