import type { Measure } from '../measures/definition.ts';
import { countsEmptyLists } from '../measures/needs.ts';
import { grouped } from '../vocabulary/grouped.ts';
import { percent } from '../vocabulary/numbers.ts';
import type { Finding } from './finding.ts';

/** Number of lists, and of those that are empty. */
export interface EmptyCounts {
  readonly lists: number;
  readonly empty: number;
}

/** A smaller share hardly moves a mean. */
const LEAST_SHARE = 0.02;
/** Fewer empty lists may be an accident. */
const LEAST = 30;
/** Most measures that a sentence names. */
const NAMED = 3;

/** Texts such as `25 %` and `150 of 600; new 50 %, old 0 %`; undefined: too few to matter. @param parts the counts of each variant */
export function manyEmpty(
  { lists, empty }: EmptyCounts,
  parts: ReadonlyMap<string, EmptyCounts>,
): { readonly share: string; readonly counts: string } | undefined {
  if (empty < LEAST || empty <= LEAST_SHARE * lists) return undefined;
  const shares = [...parts].map(([name, part]) => `${name} ${percent(part.empty / Math.max(1, part.lists))}`);
  const where = shares.length < 2 ? '' : `; ${shares.join(', ')}`;
  return { share: percent(empty / lists), counts: `${grouped(empty)} of ${grouped(lists)}${where}` };
}

/**
 * Finding on many empty lists: how many, where, and how they count (specification: measures 5.11).
 *
 * @param what the name of the lists, such as `impressions`
 *
 * @param parts the counts of each variant, if known
 */
export function emptyLists(
  { lists, empty }: EmptyCounts,
  measures: readonly Measure[],
  what: string,
  parts: ReadonlyMap<string, EmptyCounts> = new Map(),
): readonly Finding[] {
  const many = manyEmpty({ lists, empty }, parts);
  if (many === undefined) return [];
  const counting = measures.filter(countsEmptyLists).map(({ canonical }) => canonical);
  const more = counting.length - NAMED;
  const names = [...counting.slice(0, NAMED), ...(more > 0 ? [`${grouped(more)} more`] : [])];
  const named = names.length < 2 ? names.join() : `${names.slice(0, -1).join(', ')} and ${names.at(-1)}`;
  return [
    {
      code: 'empty_lists',
      cause: `${many.share} of the ${what} are empty lists (${many.counts}), ${
        counting.length > 0
          ? `which count 0 in ${named}, as lists without a positive do`
          : 'and no measure counts them 0: whoever finds less may look better'
      }.`,
      example: null,
      remedy: `Check that their items are logged, and which requests find nothing; ${
        counting.length > 0
          ? 'min_list_length=1 leaves empty lists out of a measure, as in mrr(min_list_length=1).'
          : 'a measure such as mrr or hit counts them 0.'
      }`,
    },
  ];
}
