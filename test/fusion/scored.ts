import { measure } from '../../src/measures/measures.ts';

export interface Merged {
  readonly items: readonly string[];
  readonly relevant: ReadonlySet<string>;
}

const MEASURES = [
  'ap(ideal=all)',
  ...[1, 2, 3, 4, 5].map((k) => `precision@${k}`),
  ...[1, 2, 3, 4, 5].map((k) => `ndcg(gain=exp)@${k}`),
].map((name) => measure(name));

/** MAP, precision and nDCG at 1 to 5: the columns of the notebook's table. */
export function scoreMerged(merged: readonly Merged[]): number[] {
  const lists = merged.map(({ items, relevant }) => ({
    grades: items.map((item) => (relevant.has(item) ? 1 : 0)),
    known: Array.from(relevant, () => 1),
  }));
  return MEASURES.map((one) => one.mean(lists) ?? Number.NaN);
}
