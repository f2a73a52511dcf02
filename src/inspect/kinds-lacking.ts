/** Names the actions of records without an item. This may be right: the opening of an e-mail has no item. */
import { parsePointer, resolvePointer } from '../consumers/decode/pointer.ts';
import { grouped } from '../vocabulary/grouped.ts';
import type { InspectedFile, InspectedSide } from './inspected.ts';
import { cut } from './log-finding.ts';

const MOST_NAMED = 4;

/** Returns text such as `They are: open (26), bounce (3).`; undefined: no field holds the action. @param files may hold lists as well */
export function kindsLacking(
  feedback: InspectedSide,
  impressions: InspectedSide | undefined,
  files: readonly InspectedFile[],
): string | undefined {
  const pointers = (as: string, side: InspectedSide | undefined): readonly (readonly string[])[] =>
    (side?.fits ?? []).filter((fit) => fit.as === as && fit.path !== '').map(({ path }) => parsePointer(path) ?? []);
  const [action] = pointers('action', feedback);
  const held = [...pointers('itemId', feedback), ...pointers('items', impressions)];
  if (action === undefined) return undefined;
  const counts = new Map<string, number>();
  for (const row of files.flatMap(({ rows }) => rows)) {
    const isWhole = held.some((pointer) => (resolvePointer(row, pointer) ?? undefined) !== undefined);
    const kind = resolvePointer(row, action) ?? undefined;
    if (!isWhole && kind !== undefined) counts.set(String(kind), (counts.get(String(kind)) ?? 0) + 1);
  }
  if (counts.size === 0) return undefined;
  const named = [...counts].sort(([, a], [, b]) => b - a).map(([kind, n]) => `${cut(kind)} (${grouped(n)})`);
  return `They are: ${named.slice(0, MOST_NAMED).join(', ')}${named.length > MOST_NAMED ? ', ...' : ''}.`;
}
