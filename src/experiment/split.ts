import { type Absence, absent, isAbsent, type Result } from '../statistics/absent.ts';
import { type Exposure, exposureOf } from '../statistics/exposure.ts';
import { type Largest, runningP } from '../statistics/running-evidence.ts';
import {
  type ChiSquare,
  chiSquareTest,
  isMismatch,
  isSuspect,
  largestDeviation,
  logBayesFactor,
} from '../statistics/sample-ratio.ts';
import type { ExperimentState } from './state.ts';

/** Whether the users are split between the variants as configured, and whether each user saw only one variant. */
export interface Split {
  readonly exposure: Exposure;
  /** Log Bayes factor against the weights, of this look. */
  readonly logE: Result<number>;
  /** Running p of the sequential test, over all looks so far. */
  readonly p: Result<number>;
  /** Largest |O-E|/E now. */
  readonly deviation: Result<number>;
  readonly mismatch: boolean;
  /** p is below the same bound, but the deviation is too small to matter. */
  readonly warning: boolean;
  /** Right for one look at a time that was fixed in advance. */
  readonly fixed: Result<ChiSquare>;
}

/** From the users' first exposures. Without any user id: absent `no_user_ids`. */
export function splitOf({ settings, exposed, variants, looks }: ExperimentState): Split {
  const weights = [...settings.variants.values()];
  const exposure = exposureOf(exposed, weights.length);
  const impressions = [...variants.values()].reduce((sum, variant) => sum + variant.impressions, 0);
  const why = (reason: Absence): Absence =>
    reason === 'no_data' && exposure.sampled === 0 && impressions > 0 ? 'no_user_ids' : reason;
  const result = <Value>(value: Result<Value>): Result<Value> => (isAbsent(value) ? absent(why(value.absent)) : value);
  const logE = result(logBayesFactor(exposure.first, weights));
  const deviation = result(largestDeviation(exposure.first, weights));
  const p = isAbsent(logE) ? logE : seenP(looks.srm);
  return {
    exposure,
    logE,
    p,
    deviation,
    mismatch: !isAbsent(p) && !isAbsent(deviation) && isMismatch(p, deviation),
    warning: !isAbsent(p) && !isAbsent(deviation) && isSuspect(p, deviation),
    fixed: result(chiSquareTest(exposure.first, weights)),
  };
}

function seenP(looks: Largest | undefined): Result<number> {
  return looks === undefined ? absent('no_data') : runningP(looks);
}
