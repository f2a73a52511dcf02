import { grouped } from './grouped.ts';

/**
 * Lists that do not count at any horizon at least as long as this one, because they were younger when the feedback ended (specification:
 * join 4.1).
 */
export interface YoungLists {
  readonly lists: number;
  /** ISO times up to which feedback must reach for the first of them to count, and for all. */
  readonly knownFrom: string;
  readonly allKnownFrom: string;
}

/** How to count them nevertheless. */
export const CLOSE_ALL_COUNTS = '--close-all counts them with the feedback so far';

/**
 * Reports the young lists.
 *
 * Example: None of 60 lists of B is 24h old at the end of the feedback, 2026-11-20T18:00:00.000Z. The first will be at
 * 2026-11-21T08:00:10.000Z, all at 2026-11-21T18:00:10.000Z; --close-all counts them with the feedback so far.
 * @param feedbackEnd ISO time; null: there is no feedback
 * @param of for example ' of B'; '': of everything
 */
export function youngText(young: YoungLists, horizon: string, feedbackEnd: string | null, of = ''): string {
  const { lists, knownFrom, allKnownFrom } = young;
  const named = lists === 1 ? `The only list${of}` : `None of ${grouped(lists)} lists${of}`;
  if (feedbackEnd === null) {
    const is = lists === 1 ? 'is not known' : 'is known';
    return `${named} ${is} at ${horizon}, as there is no feedback; --close-all counts them as lists without a positive.`;
  }
  const first = lists === 1 ? 'It' : 'The first';
  const all = knownFrom === allKnownFrom ? '' : `, all at ${allKnownFrom}`;
  return `${named} is ${lists === 1 ? 'not ' : ''}${horizon} old at the end of the feedback, ${feedbackEnd}. ${first} will be at ${knownFrom}${all}; ${CLOSE_ALL_COUNTS}.`;
}

/** The sum of the parts; undefined: there are none. */
export function allYoung(parts: readonly YoungLists[]): YoungLists | undefined {
  if (parts.length === 0) return undefined;
  return {
    lists: parts.reduce((sum, { lists }) => sum + lists, 0),
    // ISO times sort as texts.
    knownFrom: parts.map(({ knownFrom }) => knownFrom).sort()[0],
    allKnownFrom: parts.map(({ allKnownFrom }) => allKnownFrom).sort()[parts.length - 1],
  };
}
