import { creditsEach, cutOf, examinedOf, textOf } from './bound.ts';
import type { Measure } from './family.ts';
import { rate } from './rate.ts';
import { fractionStep, meanStep, type Step } from './step.ts';
import type { Views } from './views.ts';

/** ctr and rate: slots with an action, whatever it is worth. */
export function bindRate(measure: Measure, views: Views): Step {
  const acted = views.acted(textOf(measure, 'action') ?? 'click', creditsEach(measure));
  const slot = measure.params.get('slot');
  const [from, to] = typeof slot === 'number' ? [slot, slot] : [1, cutOf(measure)];
  const { above, below } = rate(acted, examinedOf(measure, views, acted), from, to);
  if (measure.params.get('avg') === 'micro') return fractionStep(above, below, acted);
  return meanStep((list) => above() / below(list), acted);
}
