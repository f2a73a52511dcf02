/** Feedback inside the records of lists: a list of clicked items, or one clicked item. */
import { parsePointer, resolvePointer } from '../consumers/decode/pointer.ts';
import type { Fields } from '../consumers/decode/raw.ts';
import type { Side } from './field-fit.ts';
import { nameFit } from './field-names.ts';
import { type Field, isIdLike, isOfElements, mainType, type Profile, requestField, timesOf } from './fields.ts';
import { type ItemTrial, idsAt, isPlace, itemsIn, type JoinTrial } from './join-trial.ts';
import { type ListCandidate, type ListForm, listCandidates } from './list-candidates.ts';
import { idOf, jointId } from './reading.ts';

interface OwnFeedback {
  readonly side: Side;
  readonly lists: readonly ListCandidate[];
  readonly joins: readonly JoinTrial[];
  readonly items: readonly ItemTrial[];
}

/** The list of clicked items; undefined: the records of lists have none. */
export function ownFeedback(impressions: Side, list: ListCandidate | undefined): OwnFeedback | undefined {
  const path = list?.form.kind === 'list' ? clickedList(impressions, list.form) : undefined;
  if (list === undefined || path === undefined) return undefined;
  const named = requestField(impressions.profile);
  const key = named === undefined ? keyOf(impressions, []) : [named];
  return key === undefined ? undefined : own(impressions, list, path, key);
}

/** The one clicked item; undefined: the records of lists have none. */
export function ownClick(impressions: Side, list: ListCandidate): OwnFeedback | undefined {
  if (list.form.kind === 'rows') return undefined;
  const path = clickedItem(impressions, list.form);
  const lists = listCandidates(impressions.profile, impressions.rows).flatMap(({ form }) =>
    form.kind === 'rows' ? [] : [form.path],
  );
  const key = path === undefined ? undefined : keyOf(impressions, [...lists, path]);
  return path === undefined || key === undefined ? undefined : own(impressions, list, path, key);
}

function own(side: Side, list: ListCandidate, path: string, [first, second]: readonly string[]): OwnFeedback {
  const join: JoinTrial = {
    impressions: first,
    feedback: first,
    second: second === undefined ? undefined : { impressions: second, feedback: second },
    match: { share: 1, difference: undefined },
    unique: 1,
    rating: 1,
  };
  const item: ItemTrial = { list, feedback: path, share: 1, difference: undefined, withinList: true, rating: 1 };
  return { side, lists: [list], joins: [join], items: [item] };
}

/** Words of names such as `clicked_skus_hash`. */
const CLICKED = /(?:^|[^a-z])clicked(?:[^a-z]|$)/i;

/** A list with a fitting name whose ids are all in the list that was shown. */
function clickedList({ rows, profile }: Side, form: ListForm & { readonly kind: 'list' }): string | undefined {
  const shown = itemsIn(form);
  const field = [...profile.fields.values()].find((one) => {
    const isNamed = nameFit(one.path, 'clicked') + nameFit(one.path, 'action') > 0 || CLICKED.test(one.path);
    if (mainType(one) !== 'list' || one.path === form.path || !isNamed || one.elements === 0) return false;
    const clicked = idsAt(`${one.path}[]${idWithin(one, profile, form)}`);
    return rows.every((row) => {
      const items = new Set<string | undefined>(shown(row));
      return clicked(row).every((item) => items.has(item));
    });
  });
  return field === undefined ? undefined : `${field.path}[]${idWithin(field, profile, form)}`;
}

/** Where the id of an entry is: in a list of the same entries, where it is in the list that was shown. */
function idWithin({ path }: Field, { fields }: Profile, { id }: ListForm & { readonly kind: 'list' }): string {
  return fields.has(`${path}[]${id}`) ? id : '';
}

const NEARLY_ALL = 0.98;
/** With fewer records, an item may be in its list by chance. */
const FEWEST = 5;

/** A field with an id of the list in every record, which is not always the first one. */
function clickedItem({ rows, profile }: Side, form: ListForm & { readonly path: string }): string | undefined {
  const shown = itemsIn(form);
  return [...profile.fields.values()]
    .filter((field) => !isOfElements(field.path) && field.path !== form.path && isIdLike(field) && !isPlace(field))
    .filter((field) => timesOf(field) === undefined && field.records >= FEWEST && field.distinct.size > 1)
    .sort(
      (a, b) =>
        nameFit(b.path, 'clicked') - nameFit(a.path, 'clicked') ||
        nameFit(b.path, 'itemId') - nameFit(a.path, 'itemId'),
    )
    .find(({ path }) => {
      const pointer = parsePointer(path) ?? [];
      const ranks = rows.flatMap((row) => {
        const id = idOf(resolvePointer(row, pointer));
        const items = shown(row);
        return id === undefined || items.length < 2 ? [] : [items.indexOf(id)];
      });
      const within = ranks.filter((rank) => rank >= 0);
      const isWithin = within.length >= FEWEST && within.length >= NEARLY_ALL * ranks.length;
      return isWithin && within.filter((rank) => rank > 0).length > 0.05 * within.length;
    })?.path;
}

/** Most fields of which pairs are tried as ids of the records. */
const MOST_PAIRED = 8;

/**
 * The one or two fields that identify the records, and that both sides have. The best is an id by its name, then any unique id,
 * then whose record it is together with a number or a time.
 */
function keyOf({ rows, profile }: Side, others: readonly string[]): readonly string[] | undefined {
  const fields = [...profile.fields.values()].filter(
    (field) =>
      !others.includes(field.path) &&
      !isOfElements(field.path) &&
      isIdLike(field) &&
      field.records >= NEARLY_ALL * rows.length,
  );
  const tells = (paths: readonly string[]): boolean => isUnique(rows, paths);
  const ids = fields.filter((field) => timesOf(field) === undefined);
  const byName = (field: Field): number => nameFit(field.path, 'requestId');
  const single = ids.sort((a, b) => byName(b) - byName(a)).find(({ path }) => tells([path]));
  if (single !== undefined) return [single.path];
  const sessions = (field: Field): number => nameFit(field.path, 'sessionId');
  const users = (field: Field): number => nameFit(field.path, 'userId');
  const whose = [...fields].sort((a, b) => sessions(b) - sessions(a) || users(b) - users(a)).slice(0, MOST_PAIRED);
  // A number or a time within the session identifies more than the session itself.
  const which = [...fields].sort(
    (a, b) => users(a) - users(b) || Number(timesOf(a) !== undefined) - Number(timesOf(b) !== undefined),
  );
  const pairs = whose.flatMap((a) =>
    which
      .filter((b) => b !== a)
      .slice(0, MOST_PAIRED)
      .map((b) => [a.path, b.path]),
  );
  return pairs.find(tells);
}

function isUnique(rows: readonly Fields[], paths: readonly string[]): boolean {
  const id = jointId(paths);
  return new Set(rows.map(id)).size >= NEARLY_ALL * rows.length;
}
