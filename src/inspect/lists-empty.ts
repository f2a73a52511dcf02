/** Many lists without an item: who finds nothing looks better where these are left out, and worse where they count. */
import { EMPTY_LEAST, EMPTY_SHARE_LEAST } from '../findings/empty-lists.ts';
import { percent } from '../findings/finding.ts';
import { grouped } from '../vocabulary/grouped.ts';
import type { Known } from './inspected.ts';
import { type Finding, note } from './log-finding.ts';
import type { SampledList } from './reading.ts';

export function listsEmpty({ impressions }: Pick<Known, 'impressions'>): readonly Finding[] {
  const lists = impressions?.sample.lists ?? [];
  const empty = lists.filter(isEmpty).length;
  if (impressions === undefined || empty < EMPTY_LEAST || empty <= EMPTY_SHARE_LEAST * lists.length) return [];
  const variants = [...new Set(lists.flatMap(({ variant }) => variant ?? []))].sort();
  const shares = variants.map((name) => {
    const own = lists.filter(({ variant }) => variant === name);
    return `${name} ${percent(own.filter(isEmpty).length / own.length)}`;
  });
  const where = shares.length < 2 ? '' : `; ${shares.slice(0, MOST_VARIANTS).join(', ')}`;
  return [
    note(
      'empty_lists',
      `${percent(empty / lists.length)} of the lists of ${impressions.files.join(', ')} are empty (${grouped(empty)} of ${grouped(lists.length)}${where}): they count as lists without a positive.`,
      'Check that their items are logged, and which requests find nothing.',
    ),
  ];
}

const MOST_VARIANTS = 4;

function isEmpty({ items }: SampledList): boolean {
  return items.length === 0;
}
