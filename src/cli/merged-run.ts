import type { FusedItem } from '../fusion/ranking.ts';
import type { RunFormat } from './fuse-settings.ts';

/** What ends columns for trec_eval, and so where runs are read (`isBlank`): other blanks of Unicode are part of ids. */
const BLANKS = /[ \t\n\v\f\r]+/g;

/**
 * A merged list as lines of a run.
 * @throws Error for an id that the format cannot represent
 */
export function runLines(
  query: string,
  fused: readonly FusedItem[],
  { as, tag }: { readonly as: RunFormat; readonly tag: string },
): string {
  const separator = as === 'trec' ? BLANKS : /[,\n]/;
  const mustFit = (what: string, id: string): void => {
    if (id.search(separator) < 0) return;
    const [has, other] = as === 'trec' ? ['a blank', '--as flagr'] : ['a comma', '--as trec'];
    throw new Error(`the ${what} "${id}" has ${has}, which ends a column of the run; write ${other}`);
  };
  mustFit('query', query);
  const name = as === 'trec' ? tag.replaceAll(BLANKS, '_') : tag.replace(/,/g, ';');
  const falling = as === 'trec' ? fallingScores(fused) : [];
  let text = '';
  for (const [place, { item, score }] of fused.entries()) {
    mustFit('item', item);
    text +=
      as === 'trec'
        ? `${query} Q0 ${item} ${place + 1} ${falling[place]} ${name}\n`
        : `${query},${name},${item},${place + 1},${score},${name}\n`;
  }
  return text;
}

/**
 * In TREC's format each score must be below the previous one: readers sort by score, and break ties by id, which would change the
 * order. Many of them (pytrec_eval, trec_eval 9) keep a score in 32 bits, so it must be below in 32 bits, too: one that is not
 * becomes the next smaller number of 32 bits. Where there is none, all scores of the list become the number of items from
 * their place on.
 */
function fallingScores(fused: readonly FusedItem[]): readonly number[] {
  const falling: number[] = [];
  let last: number | undefined;
  for (const { score } of fused) {
    if (last === Number.NEGATIVE_INFINITY) return fused.map((_, place) => fused.length - place);
    const own = Math.fround(score);
    const next = last === undefined || own < last ? own : nextBelow(last);
    falling.push(next === own ? score : next);
    last = next;
  }
  return falling;
}

const cell = new DataView(new ArrayBuffer(4));

/** The largest number of 32 bits below another one. */
function nextBelow(value: number): number {
  cell.setFloat32(0, value === 0 ? -0 : value);
  cell.setInt32(0, cell.getInt32(0) + (value > 0 ? -1 : 1));
  return cell.getFloat32(0);
}
