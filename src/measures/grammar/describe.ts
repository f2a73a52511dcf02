import type { Measure } from '../definition.ts';
import { asksPositives } from './measure-name.ts';
import { worded } from './phrases.ts';

/** The convention of a measure in one sentence, for HELP texts and tables. */
export function describe(measure: Measure): string {
  return `${measure.definition.describe(measure)}${clauses(measure)
    .map((clause) => `; ${clause}`)
    .join('')}.`;
}

/** The parameters that all measures share, in words. */
function clauses(m: Measure): string[] {
  const found: string[] = [];
  const add = (clause: string) => {
    if (clause !== '') found.push(clause);
  };
  const rel = m.params.get('rel');
  if (asksPositives(m)) add(`a positive has a grade of at least ${rel}`);
  const action = m.params.get('action');
  if (action !== undefined && m.definition.kind !== 'actions') add(`only feedback with the action ${action} counts`);
  add(worded(m, 'dup', { each: 'a repeated item counts at each of its slots' }));
  add(
    worded(m, 'examined', {
      viewport: 'examined slots have a view or a positive',
      last_positive: 'examined slots reach down to the last positive',
    }),
  );
  const least = m.params.get('min_list_length');
  const { min_list_length: shape } = m.definition.params;
  if (typeof least === 'number' && shape?.kind === 'number' && least !== shape.initial) {
    add(`${least === 1 ? 'empty lists' : `lists of fewer than ${least} slots`} are left out`);
  }
  const positives = m.params.get('ideal') === 'all' ? 'known positives' : 'positives';
  add(
    worded(m, 'empty', {
      skip: `lists without ${positives} are skipped`,
      one: `lists without ${positives} count 1${least === 0 ? ', empty ones 0' : ''}`,
      zero:
        m.params.get('avg') === 'macro' && m.params.get('per') !== 'class' ? `lists without ${positives} count 0` : '',
    }),
  );
  add(averaging(m));
  return found;
}

function averaging(m: Measure): string {
  const avg = m.params.get('avg');
  if (avg === undefined) return '';
  if (m.params.get('per') === 'class') {
    const pooled = 'slots of all lists in two classes, in the top and positive or not';
    return `${pooled}, ${worded(m, 'avg', { macro: 'mean of the classes', weighted: 'classes weigh by their slots', micro: 'share in the right class' })}`;
  }
  const over = worded(m, 'per', {
    user: ' of each user, then over users',
    session: ' of each session, then over sessions',
  });
  if (avg === 'micro') return `sums over sums of all lists${over}`;
  return avg === 'weighted' ? `lists weigh by their positives${over}` : `mean over lists${over}`;
}
