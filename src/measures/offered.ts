import type { Measure, MeasureName } from './family.ts';

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
  'ctr',
  'rate',
];

/** Why the measure cannot be scored, in words; undefined: it can. */
export function offered({ name, params }: Measure): string | undefined {
  if (!OFFERED.includes(name)) return `${name} is not offered yet; offered: ${OFFERED.join(', ')}`;
  const ideal = params.get('ideal');
  if (ideal === 'all' || ideal === 'perfect') {
    return `ideal=${ideal} needs judgements of items that were not shown: it is for offline scoring and not offered yet; expected ideal=shown`;
  }
  const per = params.get('per');
  if (per !== undefined && per !== 'impression') return `per=${per} is not offered yet; expected per=impression`;
  if (params.get('of') === 'means') return 'of=means is not offered yet; expected of=lists';
  return undefined;
}
