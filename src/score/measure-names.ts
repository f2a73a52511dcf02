import type { Measure } from '../measures/family.ts';

export const NAMES = ['receval', 'trec', 'flagr'] as const;
export type Names = (typeof NAMES)[number];

/** trec_eval's names of measures without and with a cut-off. */
const TREC: Readonly<Partial<Record<Measure['name'], readonly [whole: string, cut: string]>>> = {
  precision: ['set_P', 'P'],
  recall: ['set_recall', 'recall'],
  f1: ['set_F', 'F'],
  ap: ['map', 'map_cut'],
  ndcg: ['ndcg', 'ndcg_cut'],
  dcg: ['dcg', 'dcg_cut'],
  mrr: ['recip_rank', 'recip_rank'],
  hit: ['success', 'success'],
  rprec: ['Rprec', 'Rprec'],
  rbp: ['rbp', 'rbp'],
};
/** PyFLAGR's Comparator gives this column a title; the others have trec_eval's names. */
const FLAGR_MAP = 'Mean Average Precision (MAP)';

/**
 * Names of the columns: canonical ones, trec_eval's (`P_5`, `map_cut_10`), or those of PyFLAGR's tables. trec_eval's do not
 * say the convention; where two measures would have one name, and where trec_eval has none, the canonical names stand. A cut-off
 * that trec_eval does not offer is written as it writes others: `F_5`.
 */
export function measureNames(measures: readonly Measure[], names: Names): readonly string[] {
  const wanted = measures.map((measure) => {
    const known = names === 'receval' ? undefined : TREC[measure.name];
    if (known === undefined) return measure.canonical;
    if (names === 'flagr' && measure.name === 'ap' && measure.k === undefined) return FLAGR_MAP;
    return measure.k === undefined ? known[0] : `${known[1]}_${measure.k}`;
  });
  return wanted.map((name, i) => (wanted.indexOf(name) === wanted.lastIndexOf(name) ? name : measures[i].canonical));
}

/** Columns of counts that stand beside the measures with names of other tools. */
export const COUNT_NAMES = ['num_ret', 'num_rel', 'num_rel_ret'] as const;
