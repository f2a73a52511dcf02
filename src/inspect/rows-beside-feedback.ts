/**
 * LogFinding on one log of both sides whose lists are rows of items: an adapter reads all rows of a file as items, so the log must
 * be split into two files.
 */

import { grouped } from '../vocabulary/grouped.ts';
import type { KindsRead, Known } from './inspected.ts';
import { splitCommand } from './log-commands.ts';
import { cut, type LogFinding, wrong } from './log-finding.ts';
import { rowsByKind } from './row-kinds.ts';

export function rowsBesideFeedback(kinds: KindsRead, { files }: Known): LogFinding {
  const mixed = files.filter(({ guess }) => guess?.role === 'both');
  const names = [...new Set(mixed.map(({ name }) => name))];
  const byKind = rowsByKind(
    mixed.flatMap(({ rows }) => rows),
    kinds.path,
  );
  const counted = (all: readonly string[]): string =>
    all
      .slice(0, 5)
      .map((kind) => `${cut(kind)} (${grouped(byKind.get(kind)?.length ?? 0)})`)
      .join(', ') + (all.length > 5 ? ', ...' : '');
  const others = kinds.read.length > 0 ? kinds.read : kinds.others;
  const command = splitCommand(kinds.path, { shown: kinds.lists, done: others }, names, files);
  return wrong(
    'rows_beside_feedback',
    `${names.join(', ')} has a row for each shown item (${kinds.path}: ${counted(kinds.lists)}), and feedback beside them (${counted(others)}): rows become a list only where a file has nothing else.`,
    `Write them to two files, and inspect these${command === undefined ? '.' : ':'}`,
    command,
  );
}
