import { otherValues, rowField, setText } from '../accumulators/store/layout.ts';
import type { Settings } from '../config/settings.ts';
import type { DurationMs, EpochMs } from '../vocabulary/events.ts';
import type { UnitStatus } from '../worker/status.ts';
import type { WorkerLog } from '../worker/worker-contract.ts';

/** The end is logged after nothing was added to the rest of a set for this long; then it may be logged again. */
const QUIET_MS: DurationMs = 3_600_000;

interface Told {
  impressions: number;
  /** When the rest grew last; undefined: it is not being reported. */
  grew: EpochMs | undefined;
}

/** Logs when cohorts of a grouping set begin to be counted under __other__ because all places are taken, and when that has ended. */
export class FoldedCohorts {
  readonly #places: number;
  readonly #sets: readonly { readonly by: string; readonly field: string; readonly told: Told }[];

  constructor({ attribution, cohorts, limits }: Pick<Settings, 'attribution' | 'cohorts' | 'limits'>) {
    const [{ text }] = attribution.horizons;
    this.#places = limits.cohortsPerSet;
    this.#sets = cohorts
      .filter((by) => by.length > 0)
      .map((by) => ({
        by: setText(by),
        field: rowField(text, setText(by), otherValues(by)),
        told: { impressions: 0, grew: undefined },
      }));
  }

  /** `units`: as they were committed last. */
  tell(units: readonly Pick<UnitStatus, 'scored'>[], log: Pick<WorkerLog, 'info' | 'warn'>, now: EpochMs): void {
    for (const { by, field, told } of this.#sets) {
      const impressions = units.reduce((sum, { scored }) => sum + (scored.get(field)?.impressions ?? 0), 0);
      const grows = impressions > told.impressions;
      if (grows && told.grew === undefined) {
        log.warn(
          { by, places: this.#places },
          `cohorts of [${by}] are counted under __other__ from now on: all places of limits.cohortsPerSet are taken`,
        );
      }
      if (!grows && told.grew !== undefined && now - told.grew >= QUIET_MS) {
        log.info({ by }, `for an hour no cohort of [${by}] has been counted under __other__`);
        told.grew = undefined;
      }
      if (grows) told.grew = now;
      told.impressions = impressions;
    }
  }
}
