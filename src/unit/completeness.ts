import type { EpochMs } from '../vocabulary/events.ts';

/** From where on the panes of a unit are whole: after whatever is missing, from the next impression on. */
export class UnitCompleteness {
  #incompleteBefore: EpochMs;
  /** The next impression is the first after something that is missing. */
  #hasGap: boolean;
  /** The same of what was missing before the checkpoint: all that is read again came before that. */
  #hadGap: boolean;

  constructor({ incompleteBefore, hasGap }: { readonly incompleteBefore: EpochMs; readonly hasGap: boolean }) {
    this.#incompleteBefore = incompleteBefore;
    // What was before the first impression ever is missing, too.
    this.#hasGap = incompleteBefore === Number.NEGATIVE_INFINITY;
    this.#hadGap = hasGap;
  }

  /** Something was lost before it was read, or cannot be read again. */
  missed(): void {
    this.#hasGap = true;
  }

  /** `again`: the impression was judged before the checkpoint. */
  accepted(ts: EpochMs, again: boolean): void {
    if (!this.#hasGap && (again || !this.#hadGap)) return;
    this.#incompleteBefore = Math.max(this.#incompleteBefore, ts);
    this.#hasGap = false;
    this.#hadGap &&= again;
  }

  /** For the checkpoint: panes that start earlier are not whole, and whether that is still to rise. */
  state(): { readonly incompleteBefore: EpochMs; readonly hasGap: boolean } {
    return { incompleteBefore: this.#incompleteBefore, hasGap: this.#hasGap || this.#hadGap };
  }
}
