/** What the bindings of all measures read of a measure. */
import { allSlots, downTo, type Examined, viewport } from './examined.ts';
import type { Measure } from './family.ts';
import type { Places } from './places.ts';
import type { Counted } from './step.ts';
import type { Views } from './views.ts';

/** The measure's cut-off; without one every rank counts. */
export function cutOf(measure: Measure): number {
  return measure.k ?? Number.POSITIVE_INFINITY;
}

export function textOf(measure: Measure, key: string): string | undefined {
  const value = measure.params.get(key);
  return typeof value === 'string' ? value : undefined;
}

export function numberOf(measure: Measure, key: string): number {
  const value = measure.params.get(key);
  if (typeof value !== 'number') throw unbound(measure);
  return value;
}

/** The choice among `words` by the value of a parameter. */
export function chosen<T>(measure: Measure, key: string, words: Readonly<Record<string, T>>): T {
  const value = textOf(measure, key);
  if (value === undefined || !Object.hasOwn(words, value)) throw unbound(measure);
  return words[value];
}

/** Whether a repeated item is credited at each of its slots. */
export function creditsEach(measure: Measure): boolean {
  return measure.params.get('dup') === 'each';
}

/** The positives that a list is held against, R: the shown ones, or all that are known. */
export function relevantOf(measure: Measure, views: Views): Counted {
  const ideal = measure.params.get('ideal');
  const action = textOf(measure, 'action');
  const rel = numberOf(measure, 'rel');
  if (ideal === 'all' || ideal === 'perfect') return views.knownPositives(action, rel);
  return views.positives(action, creditsEach(measure), rel);
}

export function examinedOf(measure: Measure, views: Views, positives: Places): Examined {
  switch (measure.params.get('examined')) {
    case 'all':
      return allSlots;
    case 'last_positive':
      return downTo(positives);
    case 'viewport':
      return viewport(views.acted('view', creditsEach(measure)), positives);
    default:
      throw unbound(measure);
  }
}

export function unbound(measure: Measure): Error {
  return new Error(`no scoring for ${measure.canonical}`);
}
