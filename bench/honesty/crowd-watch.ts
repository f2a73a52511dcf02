import { Watcher } from '../../src/experiment/trail.ts';
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

/** One crowd through the product's evaluation, with a look each hour; after each `every` hours, where told. */
export function watchCrowd(seed: number, settings: CrowdSettings, every = 1): CrowdWatched {
  const totals = new CrowdTotals(drawCrowd(seed, settings));
  const watcher = new Watcher();
  let decided = false;
  let regressed: number | undefined;
  let fixedWorse = false;
  let reason = '';
  for (let hour = 1; hour <= settings.hours; hour++) {
    const state = totals.next();
    if (hour % every !== 0) continue;
    const { variants, alpha } = watcher.look(state);
    for (const { decision, reason: why } of variants) {
      decided ||= decision === 'regressed' || decision === 'improved' || why === 'effect_changed';
      if (decision === 'regressed') regressed ??= hour;
    }
    const [{ effect, fixedHorizon }] = variants[0].measures;
    fixedWorse = effect !== null && effect < 0 && fixedHorizon !== null && fixedHorizon.p < alpha;
    reason = variants[0].reason;
  }
  return { decided, regressed, fixedWorse, reason };
}
