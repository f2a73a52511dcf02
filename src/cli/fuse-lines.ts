import type { FusedItem } from '../fusion/ranking.ts';
import type { RunFormat } from './fuse-settings.ts';

/**
 * A merged list as lines of a run. In TREC's form each score is below the one before: readers sort by score, and equal ones by
 * id, which would be another order. The second of two equal scores is the next smaller double.
 * @throws Error for an id that the form cannot hold
 */
export function runLines(
  query: string,
  fused: readonly FusedItem[],
  { as, tag }: { readonly as: RunFormat; readonly tag: string },
): string {
  const separator = as === 'trec' ? /\s/ : /[,\n]/;
  const mustFit = (what: string, id: string): void => {
    if (!separator.test(id)) return;
    const [has, other] = as === 'trec' ? ['a blank', '--as flagr'] : ['a comma', '--as trec'];
    throw new Error(`the ${what} "${id}" has ${has}, which ends a column of the run; write ${other}`);
  };
  mustFit('query', query);
  const name = as === 'trec' ? tag.replace(/\s+/g, '_') : tag.replace(/,/g, ';');
  let last = Number.POSITIVE_INFINITY;
  let text = '';
  for (const [place, { item, score }] of fused.entries()) {
    mustFit('item', item);
    if (as === 'flagr') {
      text += `${query},${name},${item},${place + 1},${score},${name}\n`;
      continue;
    }
    last = score < last ? score : nextBelow(last);
    text += `${query} Q0 ${item} ${place + 1} ${last} ${name}\n`;
  }
  return text;
}

const cell = new DataView(new ArrayBuffer(8));

/** The largest double below a finite one. */
export function nextBelow(value: number): number {
  if (value === 0) return -Number.MIN_VALUE;
  cell.setFloat64(0, value);
  cell.setBigInt64(0, cell.getBigInt64(0) + (value > 0 ? -1n : 1n));
  return cell.getFloat64(0);
}
