/** Lists of actions, such as the events of a session: each element has an action, so they are not lists that were shown. */
import { nameFit, usualGrade } from './field-names.ts';
import { type Field, isOfElements, mainType, type Profile, timesOf } from './fields.ts';
import { cut } from './log-finding.ts';

/** The field of the elements that holds the action; undefined: the list holds something else. */
export function actionOfElements(list: string, { fields }: Profile): Field | undefined {
  const below = [...fields.values()].filter(
    ({ path }) => path.startsWith(`${list}[]/`) && !isOfElements(path.slice(list.length + 2)),
  );
  const isDated = below.some((field) => timesOf(field) !== undefined);
  return isDated ? below.find(areActions) : undefined;
}

/** Products of a list have a type, too, but no type of click, cart or order. */
function areActions(field: Field): boolean {
  if (mainType(field) !== 'text' || nameFit(field.path, 'action') === 0 || field.distinct.size > 40) return false;
  let done = 0;
  for (const [action, n] of field.distinct) if ((usualGrade(action) ?? 0) !== 0) done += n;
  return done >= 0.8 * field.values;
}

/** Returns text such as: /events is what people did (/events[]/type is clicks, carts, orders). undefined: there is no such list. */
export function doneWords(profile: Profile): string | undefined {
  for (const list of profile.fields.values()) {
    const action =
      mainType(list) === 'list' && !isOfElements(list.path) ? actionOfElements(list.path, profile) : undefined;
    if (action === undefined) continue;
    const words = [...action.distinct.keys()].slice(0, 3).map(cut).join(', ');
    return `${list.path} is what people did (${action.path.replace('[]', '/*')} is ${words}), each with a time of its own`;
  }
  return undefined;
}
