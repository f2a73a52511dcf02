/** Feedback inside the records of lists: a list of what was clicked. */
import type { Side } from './field-fit.ts';
import { nameFit } from './field-names.ts';
import { mainType, requestField } from './fields.ts';
import { type ItemTrial, idsAt, type JoinTrial } from './join-trial.ts';
import type { ListCandidate } from './list-candidates.ts';

interface OwnFeedback {
  readonly side: Side;
  readonly lists: readonly ListCandidate[];
  readonly joins: readonly JoinTrial[];
  readonly items: readonly ItemTrial[];
}

export function ownFeedback(impressions: Side, list: ListCandidate | undefined): OwnFeedback | undefined {
  const { rows, profile } = impressions;
  if (list === undefined) return undefined;
  const request = requestField(profile);
  if (request === undefined) return undefined;
  const join: JoinTrial = {
    impressions: request,
    feedback: request,
    match: { share: 1, difference: undefined },
    unique: 1,
    rating: 1,
  };
  const trial = (feedback: string): ItemTrial => ({
    list,
    feedback,
    share: 1,
    difference: undefined,
    withinList: true,
    rating: 1,
  });
  if (list.form.kind !== 'list') return undefined;
  const { path, id } = list.form;
  const shown = idsAt(`${path}[]${id}`);
  for (const field of profile.fields.values()) {
    const { path: other } = field;
    if (mainType(field) !== 'list' || other === path || nameFit(other, 'clicked') + nameFit(other, 'action') === 0)
      continue;
    const clicked = idsAt(`${other}[]`);
    const isWithin = rows.every((row) => {
      const items = new Set(shown(row));
      return clicked(row).every((item) => items.has(item));
    });
    if (field.elements > 0 && isWithin)
      return { side: impressions, lists: [list], joins: [join], items: [trial(`${other}[]`)] };
  }
  return undefined;
}
