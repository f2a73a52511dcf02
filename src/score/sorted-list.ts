import type { PlainList } from '../measures/plain.ts';
import type { Ties } from './order.ts';

/**
 * The list in falling order of its scores; one without scores stays as it is.
 * @throws RangeError where ids are asked for that the list does not have
 */
export function byScores(list: PlainList, ties: Ties): PlainList {
  const { scores } = list;
  if (scores === undefined || 'ratings' in list) return list;
  if (ties === 'docno' && !('items' in list)) {
    throw new RangeError('--ties docno orders by id, and this list has none; expected items, or --ties first or last');
  }
  const value = (slot: number): number => scores[slot] ?? Number.NEGATIVE_INFINITY;
  const order = scores.map((_, slot) => slot);
  const ids = 'items' in list ? list.items.map(String) : [];
  order.sort((a, b) => {
    if (value(a) !== value(b)) return value(b) - value(a);
    if (ties === 'docno') return ids[a] < ids[b] ? 1 : ids[a] > ids[b] ? -1 : a - b;
    return ties === 'last' ? b - a : a - b;
  });
  return taken(list, order);
}

/** The first slots of a list. */
export function cutList(list: PlainList, depth: number): PlainList {
  const length = 'grades' in list ? list.grades.length : 'items' in list ? list.items.length : list.ratings.length;
  if (length <= depth) return list;
  // What was known of the whole list is known still.
  const known = 'grades' in list && list.known === undefined ? { known: list.grades } : {};
  return {
    ...taken(
      list,
      Array.from({ length: depth }, (_, slot) => slot),
    ),
    ...known,
  };
}

function taken(list: PlainList, order: readonly number[]): PlainList {
  const pick = <T>(from: readonly T[]): T[] => order.map((slot) => from[slot]);
  const slots = {
    ...(list.scores === undefined ? {} : { scores: pick(list.scores) }),
    ...(list.ranks === undefined ? {} : { ranks: list.ranks.slice(0, order.length) }),
    ...(list.offset === undefined ? {} : { offset: list.offset }),
  };
  if ('grades' in list) {
    return { ...slots, grades: pick(list.grades), ...(list.known === undefined ? {} : { known: list.known }) };
  }
  if ('items' in list) return { ...slots, items: pick(list.items), positives: list.positives };
  return { ...slots, ratings: pick(list.ratings) };
}
