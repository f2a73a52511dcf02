import { evaluate } from '../../src/experiment/evaluate.ts';
import { NO_EXPERIMENT_LOOKS } from '../../src/experiment/experiment-looks.ts';
import { takeLooks } from '../../src/experiment/take-looks.ts';
import { type CrowdSettings, drawCrowd, type Lists } from './crowd.ts';
import { CrowdTotals } from './crowd-totals.ts';

/** What watching one experiment found. */
export interface CrowdWatched {
  /** Any look called any variant regressed or improved, or both in turn. */
  readonly decided: boolean;
  /** First look at which a variant was regressed. */
  readonly regressed: number | undefined;
  /** Users were found split otherwise than configured at any look. */
  readonly srm: boolean;
  /** Welch's test once, at the end, at level alpha: the first variant differs, and it is worse. */
  readonly fixed: boolean;
  readonly fixedWorse: boolean;
  /** Of the first variant, at the end. */
  readonly reason: string;
}

export function watchCrowd(seed: number, settings: CrowdSettings): CrowdWatched {
  return watchLists(drawCrowd(seed, settings));
}

/** What the service does with them: a look after each part of the lists, and the comparison at the end. */
export function watchLists(lists: Lists): CrowdWatched {
  const totals = new CrowdTotals(lists);
  let looks = NO_EXPERIMENT_LOOKS;
  let state = totals.next();
  let decided = false;
  let srm = false;
  let regressed: number | undefined;
  for (let look = 1; look <= lists.ends.length; look++) {
    if (look > 1) state = totals.next();
    looks = takeLooks({ ...state, looks });
    for (const { label, reason } of looks.decisions.values()) {
      decided ||= label === 'regressed' || label === 'improved' || reason === 'effect_changed';
      srm ||= reason === 'srm';
      if (label === 'regressed') regressed ??= look;
    }
  }
  const { variants, alpha } = evaluate({ ...state, looks });
  const [{ measures, reason }] = variants;
  const [{ effect, fixedHorizon }] = measures;
  const fixed = fixedHorizon !== null && fixedHorizon.p < alpha;
  return { decided, regressed, srm, fixed, fixedWorse: fixed && effect !== null && effect < 0, reason };
}
