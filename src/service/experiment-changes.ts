import type { Comparison } from '../experiment/comparison.ts';
import type { WorkerLog } from '../worker/contract.ts';

/** Logs each decision on a variant when its label or reason changes: the page has the label, the log the sentence too. */
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
