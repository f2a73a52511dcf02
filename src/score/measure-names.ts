import type { Measure } from '../measures/definition.ts';

export const NAMES = ['receval', 'trec', 'flagr'] as const;
export type Names = (typeof NAMES)[number];

/**
 * Names of the columns: canonical ones, trec_eval's (`P_5`, `map_cut_10`), or those of PyFLAGR's tables. trec_eval's do not
 * say the convention; where two measures would have one name, and where trec_eval has none, the canonical names stand. A cut-off
 * that trec_eval does not offer is written as it writes others: `F_5`.
 */
export function measureNames(measures: readonly Measure[], names: Names): readonly string[] {
  const wanted = measures.map((measure) => {
    const { canonical, definition, k } = measure;
    if (names === 'receval' || definition.trecEval === undefined) return canonical;
    const [whole, cut] = definition.trecEval;
    if (k !== undefined) return `${cut}_${k}`;
    return names === 'flagr' ? (definition.flagr ?? whole) : whole;
  });
  return wanted.map((name, i) => (wanted.indexOf(name) === wanted.lastIndexOf(name) ? name : measures[i].canonical));
}

/** Columns of counts that stand beside the measures with names of other tools. */
export const COUNT_NAMES = ['num_ret', 'num_rel', 'num_rel_ret'] as const;
