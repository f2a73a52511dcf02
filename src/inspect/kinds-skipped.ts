/** Kinds of records in a log of both sides that no map reads, such as page views: a replay passes over them without counting them. */
import { mapsAdapter } from '../consumers/decode/map.ts';
import type { Fields } from '../consumers/decode/raw.ts';
import { grouped } from '../vocabulary/grouped.ts';
import { usualGrade } from './field-names.ts';
import type { Known } from './inspected.ts';
import { cut, type Finding, note } from './log-finding.ts';
import { rowsByKind } from './row-kinds.ts';

const MOST_NAMED = 5;

export function kindsSkipped({ files, oneLog, joined, kinds }: Known): readonly Finding[] {
  const rows = files.filter(({ guess }) => guess?.role === 'both').flatMap((file) => file.rows);
  const maps = typeof joined === 'object' && 'maps' in joined ? joined.maps : [];
  const path = kinds?.path ?? Object.keys(maps[0]?.when ?? {})[0];
  if (!oneLog || path === undefined) return [];
  const read = mapsAdapter(maps);
  const known = kinds === undefined ? undefined : new Set([...kinds.lists, ...kinds.read]);
  const isSkipped = ([kind, own]: readonly [string, readonly Fields[]]): boolean => {
    if (known !== undefined) return !known.has(kind);
    return own.every((row) => isNone(read(JSON.stringify(row), '', 0)));
  };
  const byKind = [...rowsByKind(rows, path)];
  const skipped = byKind.filter(isSkipped).map(([kind, own]) => ({ kind, n: own.length }));
  const without = byKind.reduce((left, [, own]) => left - own.length, rows.length);
  if (skipped.length === 0 && without === 0) return [];
  const words = skipped
    .sort((a, b) => worth(b.kind) - worth(a.kind) || b.n - a.n)
    .slice(0, MOST_NAMED)
    .map(({ kind, n }) => `${cut(kind)} (${grouped(n)})`);
  const more = skipped.length > MOST_NAMED ? [`${skipped.length - MOST_NAMED} more kinds`] : [];
  const none = without > 0 ? [`records without ${path} (${grouped(without)})`] : [];
  return [
    note(
      'kinds_skipped',
      `No list, and no feedback on one, was found in these kinds of records, which are skipped: ${[...words, ...more, ...none].join(', ')}.`,
      'If some of them say what people did with a list, log its id, the item and the time with each.',
    ),
  ];
}

function isNone(adapted: unknown): boolean {
  return Array.isArray(adapted) && adapted.length === 0;
}

/** What matters most comes first: purchases before page views. */
function worth(kind: string): number {
  const grade = usualGrade(kind);
  return typeof grade === 'number' ? grade : 0;
}
