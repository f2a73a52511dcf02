import { absent, isAbsent, type Result } from '../statistics/absent.ts';
import { type Directions, holm, holmByDirection } from '../statistics/corrections.ts';
import { runningP, runningTwoSidedP } from '../statistics/running-evidence.ts';
import { looksOf } from './experiment-looks.ts';
import { type ExperimentState, roleOf, treatmentsOf } from './state.ts';

/**
 * p_run of every variant and measure, and adjusted by Holm within its family (specification: statistics 6):
 *
 *     the primary measure over the variants             decides, by direction
 *     guardrails x variants                             decide, one-sided: only "worse" counts
 *     all other measures x variants                     shown only
 */
export interface AdjustedP {
  /** Two-sided; of a guardrail one-sided. */
  readonly p: Result<number>;
  readonly adjusted: Result<number>;
}

export interface Families {
  /** By variant, then by measure. */
  readonly ps: ReadonlyMap<string, ReadonlyMap<string, AdjustedP>>;
  /** Of the primary measure, by variant, each direction adjusted. */
  readonly directions: ReadonlyMap<string, Result<Directions>>;
}

export function familiesOf(state: ExperimentState): Families {
  const { settings, measures, looks } = state;
  const variants = treatmentsOf(settings);
  const ps = new Map(variants.map((variant) => [variant, new Map<string, AdjustedP>()] as const));
  const primary = variants.map((variant): Result<Directions> => {
    const { worse, better } = looksOf(looks, variant, settings.primary);
    if (worse === undefined && better === undefined) return absent('no_data');
    return { worse: runningP(worse), better: runningP(better) };
  });
  for (const role of ['primary', 'guardrail', 'other'] as const) {
    const members = variants.flatMap((variant) =>
      measures
        .filter((measure) => roleOf(settings, measure) === role)
        .map((measure) => {
          const seen = looksOf(looks, variant, measure);
          const two = runningTwoSidedP(seen);
          return { variant, measure, p: role === 'guardrail' && !isAbsent(two) ? runningP(seen.guard) : two };
        }),
    );
    const adjusted = holm(members.map(({ p }) => p));
    for (const [i, { variant, measure, p }] of members.entries()) {
      ps.get(variant)?.set(measure, { p, adjusted: adjusted[i] });
    }
  }
  const byDirection = holmByDirection(primary);
  return { ps, directions: new Map(variants.map((variant, i) => [variant, byDirection[i]] as const)) };
}
