import type { Joined } from '../vocabulary/events.ts';
import { creditOf, cutOf, type Examined, examinedOf, textOf, unbound } from './bound.ts';
import type { Measure, MeasureDefinition } from './definition.ts';
import { requiredAction, slots } from './grammar/parameters.ts';
import { upTo } from './grammar/phrases.ts';
import { type Places, placesBetween } from './places.ts';
import { countsByRank } from './precision.ts';
import { fractionStep, meanStep, type Step } from './step.ts';
import type { Views } from './views.ts';

/**
 * Rate of an action, and ctr, the rate of clicks: slots of rank <= k with the action over examined slots of rank <= k.
 * Grades do not matter. The mean weighs every slot the same (`avg=micro`, like TorchRec's ctr), or every list
 * (`avg=macro`). `slot=r` counts rank r alone.
 *
 * Example: lists 1 1 and 0 0 1 0 0 0 0 0 and ten slots without a click: 3/20 = 0.15; `avg=macro` 0.375.
 */
interface Rate {
  /** Slots with the action. */
  above(): number;
  /** Number of examined slots; NaN: there are none, so the list is left out. */
  below(list: Joined): number;
}

/** The rate over ranks from..to. */
function rate(acted: Places, examined: Examined, from: number, to: number): Rate {
  return {
    above: () => placesBetween(acted, from, to),
    below: (list) => examined(list, from, to) || Number.NaN,
  };
}

/** Slots with an action, whatever its grade. */
export function rateStep(measure: Measure, views: Views, action: string): Step {
  const acted = views.acted(action, creditOf(measure));
  const slot = measure.params.get('slot');
  const [from, to] = typeof slot === 'number' ? [slot, slot] : [1, cutOf(measure)];
  const { above, below } = rate(acted, examinedOf(measure, views, acted), from, to);
  if (measure.params.get('avg') === 'micro') return fractionStep(above, below, acted);
  return meanStep((list) => above() / below(list), acted);
}

/** The two sides of the share, in words. */
export function shareWords(measure: Measure, what: string): string {
  const slot = measure.params.get('slot');
  const where = slot === undefined ? upTo(measure) : `of rank ${slot}`;
  const examined = measure.params.get('examined') === 'all' ? 'slots' : 'examined slots';
  return `slots ${where} with ${what} over ${examined} ${where}`;
}

export const RATE: MeasureDefinition = {
  name: 'rate',
  kind: 'actions',
  takesCut: true,
  params: { ...slots, action: requiredAction },
  isOther: { param: 'action', value: 'click', name: 'ctr' },
  better: 'veto',
  range: [0, 1],
  dependsOnOrder: countsByRank,
  countsSlots: () => true,
  bind: (measure, { views }) => {
    const action = textOf(measure, 'action');
    if (action === undefined) throw unbound(measure);
    return rateStep(measure, views, action);
  },
  describe: (measure) => `Rate of an action: ${shareWords(measure, `the action ${measure.params.get('action')}`)}`,
  docs: { value: 'the same for any `action`, which must be given', parameters: 'as ctr' },
  examples: [{ of: 'rate(action=purchase)', list: { grades: [0, 0, 1, 0, 0, 0, 0, 0] }, value: 0.125 }],
};
