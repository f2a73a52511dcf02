import type { Measure } from '../definition.ts';

/** Who scores: the service, its data path over files, or files of lists and judgements. */
export type Command = 'run' | 'replay' | 'score';

/** Why a command cannot score the measure, in words; undefined: it can. */
export function offered({ params }: Measure, command: Command): string | undefined {
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
