/** LogFinding on many lists without an item: a variant with many looks better if they are left out, and worse if they count. */
import { type EmptyCounts, manyEmpty } from '../findings/empty-lists.ts';
import type { Known } from './inspected.ts';
import { type LogFinding, note } from './log-finding.ts';
import type { SampledList } from './reading.ts';

export function listsEmpty({ impressions }: Pick<Known, 'impressions'>): readonly LogFinding[] {
  if (impressions === undefined) return [];
  const { lists } = impressions.sample;
  const variants = [...new Set(lists.flatMap(({ variant }) => variant ?? []))].sort();
  const parts = variants
    .slice(0, MOST_VARIANTS)
    .map((name) => [name, countsOf(lists.filter(({ variant }) => variant === name))] as const);
  const many = manyEmpty(countsOf(lists), new Map(parts));
  if (many === undefined) return [];
  return [
    note(
      'empty_lists',
      `${many.share} of the lists of ${impressions.files.join(', ')} are empty (${many.counts}): they count as lists without a positive.`,
      'Check that their items are logged, and which requests find nothing.',
    ),
  ];
}

const MOST_VARIANTS = 4;

function countsOf(lists: readonly SampledList[]): EmptyCounts {
  return { lists: lists.length, empty: lists.filter(({ items }) => items.length === 0).length };
}
