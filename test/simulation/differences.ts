import { isDeepStrictEqual } from 'node:util';
import type { UnitSettings } from '../../src/unit/unit-contract.ts';
import type { StoreSnapshot } from '../restorable-store.ts';
import type { Expected } from './expected.ts';
import { isOut } from './experiment.ts';
import { impressionsOf, type Lineage } from './lineage.ts';

/** How what is stored differs from what must be. Impressions count once per pane, horizon and cohort. */
export interface Tally {
  /** Impressions that stored rows lack, and that they have too many. */
  readonly lost: number;
  readonly double: number;
  /** Rows and totals that are not the same to the last digit. */
  readonly different: number;
  /** The first of them, in words. */
  readonly examples: readonly string[];
}

const EXAMPLES = 4;

/**
 * Looks depend on when somebody looked: looks.ts judges them. Blocks of verdicts are part of the checkpoint, for a replay. So are places, which
 * the auditor compares.
 */
function isNoRow(key: string, { runs }: Lineage): boolean {
  // Of runs that have ended, the looks and rows are judged if they go on again.
  if (runs.some(({ run, ended }) => ended !== undefined && key.endsWith(`:${run}`))) return true;
  return key.includes(':looks:') || key.includes(':places:') || key.endsWith(':clock');
}

export function differences(unit: UnitSettings, expected: Expected, lineage: Lineage, stored: StoreSnapshot): Tally {
  const prefix = `receval:{${unit.namespace}:${unit.partition}}:`;
  const tally = { lost: 0, double: 0, different: 0, examples: [] as string[] };
  const differs = (what: string, wanted: unknown, found: unknown): void => {
    tally.different++;
    if (tally.examples.length < EXAMPLES) tally.examples.push(`${what}: expected ${wanted}, stored ${found}`);
  };
  const keys = new Set(expected.rows.keys());
  for (const key of stored.keys())
    if (key.startsWith(prefix) && key !== `${prefix}unit` && !isNoRow(key, lineage)) keys.add(key);
  for (const key of keys) {
    const wanted = expected.rows.get(key);
    const found = stored.get(key);
    for (const field of new Set([...(wanted?.keys() ?? []), ...(found?.keys() ?? [])])) {
      const a = wanted?.get(field);
      const b = found?.get(field);
      if (a === b || (key.includes(':users:') && isOut(field, Number(wanted?.get('level'))))) continue;
      differs(`${key.slice(prefix.length)} ${field}`, a, b);
      if (key.includes(':users:')) continue;
      const excess = impressionsOf(b) - impressionsOf(a);
      if (excess > 0) tally.double += excess;
      else tally.lost -= excess;
    }
  }
  for (const [topic, counts] of expected.join.counts.entries()) {
    if (isDeepStrictEqual(counts, lineage.counts[topic])) continue;
    differs(`totals of topic ${topic}`, JSON.stringify(counts), JSON.stringify(lineage.counts[topic]));
  }
  return tally;
}
