/** Words that descriptions of several measures have in common. */
import type { Measure } from '../definition.ts';

/** The words for the value of a parameter; '' if there are none. */
export function worded(measure: Measure, key: string, words: Readonly<Record<string, string>>): string {
  const value = String(measure.params.get(key));
  return Object.hasOwn(words, value) ? words[value] : '';
}

export function upTo({ k }: Measure): string {
  return k === undefined ? 'in the list' : `up to rank ${k}`;
}

/** R, in words. */
export function relevantWords(measure: Measure): string {
  return worded(measure, 'ideal', { shown: 'the positives of the shown list', all: 'all known positives' });
}

/** What is correlated with the rating, or decides which of two slots comes first, in words. */
export function byWords(measure: Measure): string {
  return worded(measure, 'by', { score: 'predicted score', rank: 'rank' });
}
