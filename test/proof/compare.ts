import type { TopicCounts } from '../../src/vocabulary/checkpoint.ts';
import type { PlainRows } from './expected-rows.ts';

/** What one unit should hold, or holds. */
export interface UnitResult {
  readonly rows: PlainRows;
  readonly counts: readonly TopicCounts[];
}

/** How stored results differ from expected ones. Impressions count once per pane, horizon and cohort. */
export interface Verdict {
  /** Impressions that stored rows lack, and that they have too many. */
  lost: number;
  double: number;
  /** Whole numbers of rows and totals that are not the same. */
  different: number;
  /** Rows and whole numbers that were compared. */
  rows: number;
  numbers: number;
  /** The first of the differences, in words. */
  readonly examples: string[];
}

const EXAMPLES = 20;

export function noVerdict(): Verdict {
  return { lost: 0, double: 0, different: 0, rows: 0, numbers: 0, examples: [] };
}

/** Compares every row, every whole number in it, and every total of one unit; adds to `verdict`. */
export function compareUnit(verdict: Verdict, unit: number, expected: UnitResult, stored: UnitResult): void {
  for (const key of new Set([...expected.rows.keys(), ...stored.rows.keys()])) {
    const wanted = expected.rows.get(key);
    const found = stored.rows.get(key);
    for (const field of new Set([...(wanted?.keys() ?? []), ...(found?.keys() ?? [])])) {
      verdict.rows++;
      compareNumbers(verdict, `${key} ${field}`, wanted?.get(field), found?.get(field));
    }
  }
  compareNumbers(verdict, `unit ${unit}: totals`, flat(expected.counts), flat(stored.counts));
}

function compareNumbers(
  verdict: Verdict,
  where: string,
  wanted: ReadonlyMap<string, bigint> | undefined,
  found: ReadonlyMap<string, bigint> | undefined,
): void {
  for (const name of new Set([...(wanted?.keys() ?? []), ...(found?.keys() ?? [])])) {
    verdict.numbers++;
    const a = wanted?.get(name);
    const b = found?.get(name);
    if (a === b) continue;
    verdict.different++;
    if (name === 'impressions') {
      const excess = (b ?? 0n) - (a ?? 0n);
      if (excess > 0n) verdict.double += Number(excess);
      else verdict.lost += Number(-excess);
    }
    if (verdict.examples.length < EXAMPLES) {
      verdict.examples.push(`${where} ${name}: expected ${a ?? 'nothing'}, stored ${b ?? 'nothing'}`);
    }
  }
}

/** Totals by name, such as `1.feedback.drops.late`. */
export function flat(counts: readonly TopicCounts[]): Map<string, bigint> {
  const numbers = new Map<string, bigint>();
  const walk = (value: unknown, path: string): void => {
    if (typeof value === 'number') numbers.set(path, BigInt(value));
    else if (typeof value === 'object' && value !== null) {
      for (const [name, child] of Object.entries(value)) walk(child, path === '' ? name : `${path}.${name}`);
    }
  };
  walk(counts, '');
  return numbers;
}
