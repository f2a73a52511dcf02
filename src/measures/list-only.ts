import type { Joined } from '../vocabulary/events.ts';
import { type Catalogue, NO_CATALOGUE } from './catalogue.ts';
import { diversity } from './diversity.ts';
import { duplicated } from './duplicated.ts';
import type { Measure, MeasureName } from './family.ts';
import { itemPartOf } from './item-part.ts';
import { length } from './length.ts';
import { novelty } from './novelty.ts';
import { type Places, slotsUpTo } from './places.ts';
import { popularity } from './popularity.ts';
import { MeasureError } from './scan.ts';
import { short } from './short.ts';
import { leaveOut, meanStep, type Step } from './step.ts';

/** The measures that need no feedback (specification: measures 2.3). */
export const LIST_ONLY: ReadonlySet<MeasureName> = new Set([
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
]);

/** Whether a list without slots has a value. */
export function takesEmptyLists({ name }: Measure): boolean {
  return name === 'length' || name === 'short' || name === 'duplicated';
}

/** Whether the measure means nothing without the item file of the configuration. */
export function needsCatalogue({ name, params }: Measure): boolean {
  return name === 'coverage' || name === 'popularity' || name === 'novelty' || params.get('over') === 'catalogue';
}

/** Whether an item that the catalogue does not know is left out of the measure. */
export function asksCatalogue(measure: Measure): boolean {
  return measure.name === 'diversity' || needsCatalogue(measure);
}

/** Whether the measure reads `Joined.items`. */
export function needsItems({ name }: Measure): boolean {
  return LIST_ONLY.has(name) && name !== 'length' && name !== 'short' && name !== 'duplicated';
}

/**
 * Ties a measure of the list alone to the catalogue. One that is made of items has no value for a list: rows add the items
 * up (item-part.ts). `positives`: lists that have any count towards n+, which no value depends on.
 * @throws MeasureError where the catalogue is missing or contradicts the measure
 */
export function bindListOnly(measure: Measure, catalogue: Catalogue, positives: Places): Step {
  const problem = catalogueProblem(measure, catalogue);
  if (problem !== undefined) throw new MeasureError(`"${measure.canonical}": ${problem}`);
  if (itemPartOf(measure) !== undefined) return (_, out, at) => leaveOut(out, at);
  const k = measure.k ?? Number.POSITIVE_INFINITY;
  const { name, params } = measure;
  switch (name) {
    case 'popularity':
      return meanStep((list) => popularity(list, slotsUpTo(list, k), catalogue), positives);
    case 'novelty': {
      const users = Number(params.get('users'));
      return meanStep((list) => novelty(list, slotsUpTo(list, k), catalogue, users), positives);
    }
    case 'diversity':
      return meanStep((list) => diversity(list, slotsUpTo(list, k), catalogue), positives);
    case 'length':
      return meanStep(length, positives);
    case 'short': {
      const below = Number(params.get('below'));
      return meanStep((list: Joined) => short(list, below), positives);
    }
    case 'duplicated':
      return meanStep(duplicated, positives);
    default:
      throw new Error(`no scoring for ${measure.canonical}`);
  }
}

/** Why the measure cannot be scored with this catalogue, in words; undefined: it can. */
export function catalogueProblem(measure: Measure, catalogue: Catalogue): string | undefined {
  if (needsCatalogue(measure) && catalogue === NO_CATALOGUE) {
    return `${measure.name}${measure.name === 'gini' ? ' with over=catalogue' : ''} needs a catalogue: the path of an item file`;
  }
  const { mostPopular } = catalogue;
  const asksPopularity = measure.name === 'popularity' || measure.name === 'novelty';
  if (asksPopularity && mostPopular === undefined) return 'no item of the catalogue has a popularity';
  const users = measure.params.get('users');
  if (measure.name === 'novelty' && mostPopular !== undefined && mostPopular.popularity > Number(users)) {
    return `the item "${mostPopular.item}" of the catalogue has popularity ${mostPopular.popularity}, more than users=${users}`;
  }
  return undefined;
}
