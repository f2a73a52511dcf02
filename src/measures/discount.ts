const TABLE_SIZE = 4096;

/** Weight of a rank in dcg and ndcg: 1 / disc(rank). Falls, or stays, as the rank rises. */
export type Discount = (rank: number) => number;

function tabled(disc: (rank: number) => number): Discount {
  const table = new Float64Array(TABLE_SIZE);
  for (let rank = 1; rank < TABLE_SIZE; rank++) table[rank] = 1 / disc(rank);
  return (rank) => (rank < TABLE_SIZE ? table[rank] : 1 / disc(rank));
}

/** log2(rank + 1): trec_eval ndcg_cut, scikit-learn, Burges et al. 2005. */
export const log2 = tabled((rank) => Math.log2(rank + 1));

/** log2(max(rank, 2)): Jarvelin and Kekalainen 2002 with base 2; LensKit. Ranks 1 and 2 weigh the same. */
export const clipped = tabled((rank) => Math.log2(Math.max(rank, 2)));

/** ln(rank + 1). */
export const ln = tabled((rank) => Math.log(rank + 1));

/** 1: cumulative gain. */
export const none: Discount = () => 1;
