/** Two files of a log, lists and clicks, that a test writes and inspects. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { sampleFiles } from '../../src/cli/inspect.ts';
import type { Inspection } from '../../src/inspect/inspected.ts';
import { inspect } from '../../src/inspect/inspection.ts';
import { MADE_AT } from './made-log.ts';

/** Returns the paths of both. */
export function writeLogs(
  folder: string,
  name: string,
  lists: readonly string[],
  clicks: readonly string[],
): readonly string[] {
  const paths = [join(folder, `${name}-shown.jsonl`), join(folder, `${name}-clicks.jsonl`)];
  for (const [i, rows] of [lists, clicks].entries()) writeFileSync(paths[i], rows.join(''));
  return paths;
}

export async function inspected(paths: readonly string[]): Promise<Inspection> {
  const given = paths.map((path) => ({ path, role: undefined }));
  return inspect(await sampleFiles(given, 1000), { now: MADE_AT + 9e8, grades: new Set(), weights: undefined });
}

export const wrongIn = ({ findings }: Inspection): Inspection['findings'] =>
  findings.filter(({ level }) => level === 'wrong');
