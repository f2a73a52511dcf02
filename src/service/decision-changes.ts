import type { Comparison } from '../experiment/comparison.ts';
import type { QualityDecision } from '../exporter/cohort-watch.ts';
import { explainWatched } from '../statistics/explain.ts';
import type { WorkerLog } from '../worker/worker-contract.ts';

/** Logs each decision on a watched cohort when its label or reason changes. The page shows only the label. */
export class DecisionChanges {
  #told: readonly QualityDecision[] = [];
  #known: ReadonlyMap<string, string> = new Map();

  tell(decisions: readonly QualityDecision[], log: Pick<WorkerLog, 'info' | 'warn'>): void {
    if (decisions === this.#told) return;
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
    this.#told = decisions;
    this.#known = known;
  }
}

/** Logs each decision on a variant, with its explanation, when its label or reason changes. The page shows only the label. */
export class ExperimentChanges {
  #told: readonly Comparison[] = [];
  #known: ReadonlyMap<string, string> = new Map();

  tell(comparisons: readonly Comparison[], log: Pick<WorkerLog, 'info' | 'warn'>): void {
    if (comparisons === this.#told) return;
    const known = new Map<string, string>();
    for (const { experiment, variants } of comparisons) {
      for (const { variant, decision, reason, since, explanation } of variants) {
        const key = JSON.stringify([experiment, variant]);
        known.set(key, `${decision} ${reason}`);
        if (this.#known.get(key) === known.get(key)) continue;
        const fields = { experiment, variant, decision, reason, since };
        if (decision === 'regressed' || decision === 'invalid') log.warn(fields, explanation);
        else log.info(fields, explanation);
      }
    }
    this.#told = comparisons;
    this.#known = known;
  }
}
