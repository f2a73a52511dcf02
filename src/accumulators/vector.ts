import type { Exact } from '../measures/contract.ts';
import { addExact, parseExact, printExact } from './exact.ts';
import { keysOf, whole } from './store/json.ts';

/**
 * Sums by user bucket (statistics.md section 1): named columns, each with one sum per bucket. A column that one of two
 * merged vectors lacks is taken as zeros.
 */
export interface Vector {
  /** Number of buckets. */
  readonly buckets: number;
  readonly columns: ReadonlyMap<string, readonly Exact[]>;
}

/** Adds column by column. No vector is neutral. Throws when the numbers of buckets differ. */
export function mergeVectors(a: Vector | undefined, b: Vector | undefined): Vector | undefined {
  if (a === undefined) return b;
  if (b === undefined) return a;
  if (a.buckets !== b.buckets) {
    throw new Error(`vectors of ${a.buckets} and ${b.buckets} buckets cannot be merged: fold the larger one first`);
  }
  const columns = new Map(a.columns);
  for (const [name, sums] of b.columns) {
    const other = columns.get(name);
    columns.set(name, other === undefined ? sums : sums.map((sum, bucket) => addExact(sum, other[bucket])));
  }
  return { buckets: a.buckets, columns };
}

/** JSON `{"buckets":B,"columns":{name:{bucket:sum}}}`, names in alphabetical order, buckets with sum 0 left out. */
export function encodeVector(vector: Vector): string {
  const names = [...vector.columns.keys()].sort();
  const columns = names.map((name) => {
    const cells = [...(vector.columns.get(name) ?? [])].flatMap((sum, bucket) =>
      sum === 0 ? [] : [`"${bucket}":${printExact(sum)}`],
    );
    return `${JSON.stringify(name)}:{${cells.join(',')}}`;
  });
  return `{"buckets":${vector.buckets},"columns":{${columns.join(',')}}}`;
}

/** Reads what JSON gave for `encodeVector`'s text. Throws an Error that names the part that is wrong. */
export function decodeVector(json: unknown): Vector {
  const vector = keysOf(json, 'vector');
  const buckets = whole(vector['buckets'], 'vector.buckets');
  const columns = new Map<string, readonly Exact[]>();
  for (const [name, cells] of Object.entries(keysOf(vector['columns'], 'vector.columns'))) {
    const sums = new Array<Exact>(buckets).fill(0);
    for (const [bucket, cell] of Object.entries(keysOf(cells, `vector.columns.${name}`))) {
      const sum = parseExact(cell);
      if (sum === undefined || !(Number(bucket) < buckets)) {
        throw new Error(`vector.columns.${name}.${bucket}: expected a whole number in a bucket below ${buckets}`);
      }
      sums[Number(bucket)] = sum;
    }
    columns.set(name, sums);
  }
  return { buckets, columns };
}
