import { evaluate } from '../../src/experiment/evaluate.ts';
import { NO_EXPERIMENT_LOOKS } from '../../src/experiment/experiment-looks.ts';
import { takeLooks } from '../../src/experiment/take-looks.ts';
import { type CrowdSettings, drawCrowd } from './crowd.ts';
import { CrowdTotals } from './crowd-totals.ts';

/** What watching one crowd found. */
export interface CrowdWatched {
  /** Any look called any variant regressed or improved, or both in turn. */
  readonly decided: boolean;
  /** First look at which a variant was regressed. */
  readonly regressed: number | undefined;
  /** Welch's test once, at the end, at level alpha: the first variant is worse. */
  readonly fixedWorse: boolean;
  /** Of the first variant, at the end. */
  readonly reason: string;
}

/** One crowd through what the service does with it: a look each hour, and the comparison at the end. */
export function watchCrowd(seed: number, settings: CrowdSettings): CrowdWatched {
  const totals = new CrowdTotals(drawCrowd(seed, settings));
  let looks = NO_EXPERIMENT_LOOKS;
  let state = totals.next();
  let decided = false;
  let regressed: number | undefined;
  for (let hour = 1; hour <= settings.hours; hour++) {
    if (hour > 1) state = totals.next();
    looks = takeLooks({ ...state, looks });
    for (const { label, reason } of looks.decisions.values()) {
      decided ||= label === 'regressed' || label === 'improved' || reason === 'effect_changed';
      if (label === 'regressed') regressed ??= hour;
    }
  }
  const { variants, alpha } = evaluate({ ...state, looks });
  const [{ measures, reason }] = variants;
  const [{ effect, fixedHorizon }] = measures;
  const fixedWorse = effect !== null && effect < 0 && fixedHorizon !== null && fixedHorizon.p < alpha;
  return { decided, regressed, fixedWorse, reason };
}
