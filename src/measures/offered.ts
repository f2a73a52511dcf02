import type { Measure, MeasureName } from './family.ts';

/** Who scores: the service, its data path over files, or files of lists and judgements. */
export type Command = 'run' | 'replay' | 'score';

/** The measures that are scored today. The grammar knows more, so that a name never changes its meaning later. */
export const OFFERED: readonly MeasureName[] = [
  'mrr',
  'hit',
  'precision',
  'recall',
  'f1',
  'ap',
  'rprec',
  'dcg',
  'ndcg',
  'rbp',
  'err',
  'auc',
  'ctr',
  'rate',
  'mae',
  'rmse',
  'bias',
  'spearman',
  'kendall',
  'distinct',
  'coverage',
  'gini',
  'entropy',
  'popularity',
  'novelty',
  'diversity',
  'length',
  'short',
  'duplicated',
];

/** Why a command cannot score the measure, in words; undefined: it can. */
export function offered({ name, params }: Measure, command: Command): string | undefined {
  if (!OFFERED.includes(name)) return `${name} is not offered yet; offered: ${OFFERED.join(', ')}`;
  const ideal = params.get('ideal');
  if ((ideal === 'all' || ideal === 'perfect') && command !== 'score') {
    return `ideal=${ideal} needs judgements of items that were not shown: it is for score only; expected ideal=shown`;
  }
  const per = params.get('per');
  if ((per === 'user' || per === 'session') && command === 'run') {
    return `per=${per} keeps the sums of every ${per}, without bound: it is for replay and score only; expected per=impression`;
  }
  return undefined;
}
