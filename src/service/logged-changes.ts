/** What the service writes to its log when it changes: decisions, rows that are lost, and whether cohorts are counted under __other__. */
import { otherValues, rowField, setText } from '../accumulators/store/layout.ts';
import type { Settings } from '../config/settings.ts';
import type { Comparison } from '../experiment/comparison.ts';
import type { QualityDecision } from '../exporter/cohort-watch.ts';
import type { QualitySnapshot } from '../exporter/exporter-contract.ts';
import type { LostKeys } from '../exporter/lost-rows.ts';
import { explainWatched } from '../statistics/watched.ts';
import { HOUR } from '../vocabulary/durations.ts';
import type { DurationMs, EpochMs } from '../vocabulary/events.ts';
import { LOST_ROWS, LOST_ROWS_ADVICE, type UnitStatus } from '../worker/status.ts';
import type { WorkerLog } from '../worker/worker-contract.ts';

/** Logs each decision on a watched cohort when its label or reason changes. The page shows only the label. */
export class DecisionChanges {
  #logged: readonly QualityDecision[] = [];
  #known: ReadonlyMap<string, string> = new Map();

  report(decisions: readonly QualityDecision[], log: Pick<WorkerLog, 'info' | 'warn'>): void {
    if (decisions === this.#logged) return;
    const known = new Map<string, string>();
    for (const { by, values, horizon, measure, decision, accepted } of decisions) {
      const cohort = by.map((name, i) => `${name}=${values[i]}`).join(', ') || 'all traffic';
      const { label, reason, since } = decision;
      const key = JSON.stringify([by, values, horizon, measure]);
      known.set(key, `${label} ${reason} ${accepted?.at ?? ''}`);
      if (this.#known.get(key) === known.get(key)) continue;
      const level = accepted && { acceptedFrom: new Date(accepted.from).toISOString(), note: accepted.note };
      const fields = {
        cohort,
        measure,
        horizon,
        decision: label,
        reason,
        since: new Date(since).toISOString(),
        ...level,
      };
      const message = explainWatched(decision, { cohort, measure });
      if (label === 'regressed') log.warn(fields, message);
      else log.info(fields, message);
    }
    this.#logged = decisions;
    this.#known = known;
  }
}

/** Logs each decision on a variant, with its explanation, when its label or reason changes. The page shows only the label. */
export class ExperimentChanges {
  #logged: readonly Comparison[] = [];
  #known: ReadonlyMap<string, string> = new Map();

  report(comparisons: readonly Comparison[], log: Pick<WorkerLog, 'info' | 'warn'>): void {
    if (comparisons === this.#logged) return;
    const known = new Map<string, string>();
    for (const { experiment, variants } of comparisons) {
      for (const { variant, decision, reason, decidedAt, explanation } of variants) {
        const key = JSON.stringify([experiment, variant]);
        known.set(key, `${decision} ${reason}`);
        if (this.#known.get(key) === known.get(key)) continue;
        const fields = { experiment, variant, decision, reason, decidedAt };
        if (decision === 'regressed' || decision === 'invalid') log.warn(fields, explanation);
        else log.info(fields, explanation);
      }
    }
    this.#logged = comparisons;
    this.#known = known;
  }
}

/** Time without additions to the rest of a set after which its end is logged; then it may be logged again. */
const QUIET_MS: DurationMs = HOUR;

interface Logged {
  impressions: number;
  /** When the rest grew last; undefined: nothing is logged for it now. */
  grew: EpochMs | undefined;
}

/** Logs when cohorts of a grouping set begin to be counted under __other__ because all places are taken, and when that has ended. */
export class FoldedCohorts {
  readonly #places: number;
  readonly #sets: readonly { readonly by: string; readonly field: string; readonly logged: Logged }[];

  constructor({ attribution, cohorts, limits }: Pick<Settings, 'attribution' | 'cohorts' | 'limits'>) {
    const [{ text }] = attribution.horizons;
    this.#places = limits.cohortsPerSet;
    this.#sets = cohorts
      .filter((by) => by.length > 0)
      .map((by) => ({
        by: setText(by),
        field: rowField(text, setText(by), otherValues(by)),
        logged: { impressions: 0, grew: undefined },
      }));
  }

  /** `units`: as of their last commits. */
  report(units: readonly Pick<UnitStatus, 'scored'>[], log: Pick<WorkerLog, 'info' | 'warn'>, now: EpochMs): void {
    for (const { by, field, logged } of this.#sets) {
      const impressions = units.reduce((sum, { scored }) => sum + (scored.impressionsOf(field) ?? 0), 0);
      const grows = impressions > logged.impressions;
      if (grows && logged.grew === undefined) {
        log.warn(
          { by, places: this.#places },
          `cohorts of [${by}] are counted under __other__ from now on: all places of limits.cohortsPerSet are taken`,
        );
      }
      if (!grows && logged.grew !== undefined && now - logged.grew >= QUIET_MS) {
        log.info({ by }, `for an hour no cohort of [${by}] has been counted under __other__`);
        logged.grew = undefined;
      }
      if (grows) logged.grew = now;
      logged.impressions = impressions;
    }
  }
}

const NOTHING_LOST: LostKeys = { keys: new Map(), found: 0 };

/** Logs each lost key once, until it is no longer lost. */
export class LostChanges {
  #logged: ReadonlySet<string> = new Set();

  report({ keys }: LostKeys = NOTHING_LOST, log: Pick<WorkerLog, 'warn'>): void {
    const found = [...keys].filter(([key]) => !this.#logged.has(key));
    this.#logged = new Set(keys.keys());
    if (found.length > 0) log.warn({ keys: Object.fromEntries(found), advice: LOST_ROWS_ADVICE }, LOST_ROWS);
  }
}

/** Logs everything that can change when the exporter has a new snapshot. */
export class SnapshotChanges {
  readonly #decisions = new DecisionChanges();
  readonly #experiments = new ExperimentChanges();
  readonly #lost = new LostChanges();

  report({ decisions, experiments, lost }: QualitySnapshot, log: Pick<WorkerLog, 'info' | 'warn'>): void {
    this.#decisions.report(decisions, log);
    this.#experiments.report(experiments, log);
    this.#lost.report(lost, log);
  }
}
