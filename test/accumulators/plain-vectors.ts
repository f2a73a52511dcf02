import { fixed } from '../../src/accumulators/exact.ts';
import type { RowShape } from '../../src/accumulators/row.ts';
import { LEFT_OUT, type SumsKind, WITH_POSITIVE } from '../../src/measures/sums.ts';

/** Whole numbers by bucket, then name: `n`, `positives`, `empty`, and `<measure> n`, `n+`, `S`, `above` or `below`. */
export type PlainVector = Map<number, Map<string, bigint>>;

/** Kinds that count lists, and what each kind sums by bucket. */
const COUNTED: readonly SumsKind[] = ['mean', 'means', 'pairMeans'];
const NAMES: Readonly<Record<SumsKind, readonly string[]>> = {
  mean: ['S'],
  fraction: ['above', 'below'],
  means: ['S', 'S2'],
  classes: ['TP', 'FP', 'FN', 'TN'],
  pairs: ['above', 'below'],
  pairMeans: ['S'],
  apart: [],
};

/** Adds one list to the bucket of its user. */
export function addToVector(
  vector: PlainVector,
  shape: RowShape,
  bucket: number,
  positive: boolean,
  out: Float64Array,
  isEmpty: boolean,
): void {
  const sums = vector.get(bucket) ?? new Map<string, bigint>();
  vector.set(bucket, sums);
  const add = (name: string, value: number | bigint): void => {
    sums.set(name, (sums.get(name) ?? 0n) + BigInt(value));
  };
  add('n', 1);
  add('positives', positive ? 1 : 0);
  add('empty', isEmpty ? 1 : 0);
  shape.names.forEach((name, m) => {
    const [state, ...values] = out.subarray(5 * m, 5 * m + 5);
    if (state === LEFT_OUT) return;
    if (COUNTED.includes(shape.kinds[m])) {
      add(`${name} n`, 1);
      add(`${name} n+`, state === WITH_POSITIVE ? 1 : 0);
    }
    NAMES[shape.kinds[m]].forEach((sum, i) => {
      add(`${name} ${sum}`, fixed(values[i]));
    });
  });
}

/** The text of a vector, written out. */
export function vectorText(vector: PlainVector, shape: RowShape, buckets: number): string {
  const filled = [...vector.keys()].sort((a, b) => a - b);
  const column = (name: string): unknown[] => filled.map((bucket) => jsonOf(vector.get(bucket)?.get(name) ?? 0n));
  const same = (a: string, b: string): boolean => JSON.stringify(column(a)) === JSON.stringify(column(b));
  const measures = shape.names.map((name, m) => [
    name,
    {
      ...(!COUNTED.includes(shape.kinds[m]) || same(`${name} n`, 'n') ? {} : { n: column(`${name} n`) }),
      ...(!COUNTED.includes(shape.kinds[m]) || same(`${name} n+`, 'positives') ? {} : { 'n+': column(`${name} n+`) }),
      ...Object.fromEntries(NAMES[shape.kinds[m]].map((sum) => [sum, column(`${name} ${sum}`)])),
    },
  ]);
  return JSON.stringify({
    buckets,
    filled,
    n: column('n'),
    positives: column('positives'),
    ...(column('empty').every((n) => n === 0) ? {} : { empty: column('empty') }),
    measures: Object.fromEntries(measures),
  });
}

/** Digits beyond the safe integers are texts. */
function jsonOf(value: bigint): unknown {
  const number = Number(value);
  return Number.isSafeInteger(number) ? number : String(value);
}
