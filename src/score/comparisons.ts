import type { SumsKind } from '../measures/contract.ts';
import { type Absence, isAbsent } from '../statistics/absent.ts';
import { fixedHorizon, pairedEffect } from '../statistics/effect.ts';
import type { QueryScore, RunScore, ScoreResult } from './result.ts';

/**
 * One run against another by one measure, paired by query: every query is known, so queries are the clusters
 * (statistics.md section 3). What does not exist is null, with the reason.
 */
export interface Comparison {
  readonly run: string;
  readonly baseline: string;
  readonly measure: string;
  /** That have a value in both runs. */
  readonly queries: number;
  readonly effect: number | null;
  readonly stderr: number | null;
  readonly ci: readonly [lower: number, upper: number] | null;
  readonly p: number | null;
  readonly reason?: Absence;
}

/** Each interval and each p stands for itself: they are not adjusted for the number of comparisons. */
export const ALPHA = 0.05;

/** Every run against the first. @param names of the measures; @param kinds of their sums */
export function compareRuns(
  { runs }: ScoreResult,
  names: readonly string[],
  kinds: readonly SumsKind[],
): readonly Comparison[] {
  const [baseline, ...others] = runs;
  return others.flatMap((run) => names.map((name, m) => compared(baseline, run, m, kinds[m], name)));
}

function compared(baseline: RunScore, run: RunScore, m: number, kind: SumsKind, measure: string): Comparison {
  const { control, treatment, queries } = pairs(baseline.perQuery, run.perQuery, m);
  const common = { run: run.name, baseline: baseline.name, measure, queries };
  const none = { effect: null, stderr: null, ci: null, p: null };
  if (kind === 'means' || kind === 'classes' || kind === 'apart') return { ...common, ...none, reason: 'no_vector' };
  const effect = pairedEffect(control, treatment);
  if (isAbsent(effect)) return { ...common, ...none, reason: effect.absent };
  const tested = fixedHorizon(effect, ALPHA);
  if (isAbsent(tested) || isAbsent(effect.error)) {
    const reason = isAbsent(tested) ? tested.absent : 'no_data';
    return { ...common, ...none, effect: effect.difference, reason };
  }
  const { lower, upper, p } = tested;
  return { ...common, effect: effect.difference, stderr: effect.error.stderr, ci: [lower, upper], p };
}

interface Sums {
  readonly m: number[];
  readonly d: number[];
}

/** Numerators and denominators of the queries that have a value in both runs. */
function pairs(
  control: readonly QueryScore[],
  treatment: readonly QueryScore[],
  m: number,
): { readonly control: Sums; readonly treatment: Sums; readonly queries: number } {
  const before = new Map(control.map((score) => [score.query, score]));
  const both: { readonly control: Sums; readonly treatment: Sums } = {
    control: { m: [], d: [] },
    treatment: { m: [], d: [] },
  };
  let queries = 0;
  for (const score of treatment) {
    const other = before.get(score.query);
    if (other === undefined || Number.isNaN(score.values[m]) || Number.isNaN(other.values[m])) continue;
    queries++;
    add(both.control, other, m);
    add(both.treatment, score, m);
  }
  return { ...both, queries };
}

function add(sums: Sums, { fractions = [] }: QueryScore, m: number): void {
  sums.m.push(fractions[2 * m]);
  sums.d.push(fractions[2 * m + 1]);
}
