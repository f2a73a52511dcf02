import type { ExperimentSettings } from '../config/settings.ts';
import type { Measure } from '../measures/definition.ts';
import { fmix32, fnv1a32 } from '../vocabulary/user-words.ts';

/**
 * Names a run of an experiment: 16 hexadecimal digits of everything whose change makes old and new sums incomparable. A total,
 * a user sample and the looks belong to one run; any change starts a new one at zero, even a ramp of the weights, because
 * traffic of two splits must not be pooled (specification: statistics 1.4). The order of variants counts, since the user sample
 * numbers them; that of guardrails and measures does not.
 */
export function runOf(settings: ExperimentSettings, measures: readonly Pick<Measure, 'canonical'>[]): string {
  const { variants, control, primary, guardrails, horizon, alpha, nStar, start, lowerIsBetter, interleaved } = settings;
  const text = JSON.stringify([
    [...variants],
    control,
    primary,
    [...guardrails].sort(),
    horizon.ms,
    alpha,
    nStar,
    start ?? null,
    interleaved,
    measures.map(({ canonical }) => canonical).sort(),
    ...(lowerIsBetter.size === 0 ? [] : [[...lowerIsBetter].sort()]),
  ]);
  return hex(fnv1a32(`receval/run/1:${text}`)) + hex(fnv1a32(`receval/run/2:${text}`));
}

function hex(word: number): string {
  return fmix32(word).toString(16).padStart(8, '0');
}
