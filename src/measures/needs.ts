/** What measures need from a list, its actions and the catalogue. */

import type { Measure } from './definition.ts';
import { type ItemCatalogue, NO_CATALOGUE } from './item-catalogue.ts';
import type { Grading, ScorerNeeds } from './scorer-contract.ts';

/** Whether it needs no feedback (specification: measures 2.3). */
export function isListOnly({ definition }: Pick<Measure, 'definition'>): boolean {
  return definition.kind === 'list' || definition.kind === 'items';
}

/** Whether one of the measures needs feedback. */
export function needsFeedback(measures: readonly Measure[]): boolean {
  return !measures.every(isListOnly);
}

/** Whether feedback of the measure's `action` counts by its grade. It does not in rates, nor where its value is the rating. */
export function needsGrade({ definition }: Measure): boolean {
  return definition.kind !== 'actions' && definition.kind !== 'ratings';
}

/** What these measures need from a list beyond slots and feedback. */
export function needsOf(measures: readonly Measure[]): ScorerNeeds {
  const parts = new Set(measures.flatMap((measure) => measure.definition.needs?.(measure) ?? []));
  return { scores: parts.has('scores'), items: parts.has('items'), categories: parts.has('categories') };
}

/** Actions that the measure names or needs. */
export function actionsOf({ definition, params }: Measure): readonly string[] {
  const named = definition.action ?? params.get('action');
  const own = named === undefined ? [] : [String(named)];
  return params.get('examined') === 'viewport' ? [...own, 'view'] : own;
}

/** Whether the measure needs the configured item file: a list has no popularity, but may have categories. */
export function needsCatalogue(measure: Measure): boolean {
  const asked = measure.definition.asksCatalogue?.(measure);
  return asked !== undefined && asked !== 'category';
}

/** Whether the measure leaves out items that are not in the catalogue. */
export function asksCatalogue(measure: Measure): boolean {
  return measure.definition.asksCatalogue?.(measure) !== undefined;
}

/** Why the measure cannot be scored with this catalogue, in words; undefined: it can. */
export function catalogueProblem(measure: Measure, catalogue: ItemCatalogue): string | undefined {
  const { definition, name, params } = measure;
  if (needsCatalogue(measure) && catalogue === NO_CATALOGUE) {
    const over = params.has('over') ? ` with over=${params.get('over')}` : '';
    return `${name}${over} needs a catalogue: the path of an item file`;
  }
  if (definition.asksCatalogue?.(measure) === 'popularity' && catalogue.mostPopular === undefined) {
    return 'no item of the catalogue has a popularity';
  }
  return definition.catalogueProblem?.(measure, catalogue);
}

/** Whether an empty list counts 0 in its mean (specification: measures 5.11). */
export function countsEmptyLists({ params }: Measure): boolean {
  const is = (key: string, ...values: readonly string[]): boolean => values.includes(String(params.get(key)));
  if (params.get('min_list_length') !== 0 || is('norm', 'minmax')) return false;
  if (is('per', 'class') || !is('avg', 'macro')) return false;
  return is('empty', 'zero', 'one') || is('ideal', 'all', 'perfect');
}

/** Actions whose grade is the value of the event. */
export function valuedActions({ actions }: Pick<Grading, 'actions'>): readonly string[] {
  return actions.filter(({ rule }) => rule.from === 'value').map(({ name }) => name);
}
