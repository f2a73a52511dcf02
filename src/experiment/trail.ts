import type { Comparison } from './comparison.ts';
import { evaluate } from './evaluate.ts';
import { type ExperimentLooks, NO_EXPERIMENT_LOOKS } from './looks.ts';
import { inOrder, type LookPoint } from './points.ts';
import type { ExperimentState } from './state.ts';
import { takeLooks } from './take-looks.ts';

/**
 * By variant, in the order of time: the looks that are remembered, of long runs some of them (`points.ts`). Looks without an
 * error are left out.
 */
export type Trail = ReadonlyMap<string, readonly LookPoint[]>;

export function trailOf({ points }: ExperimentLooks): Trail {
  return new Map([...points].map(([variant, ofVariant]) => [variant, inOrder(ofVariant)] as const));
}

/** Looks at one experiment again and again in one process, as logs go by, and remembers the looks. */
export class Watcher {
  #looks: ExperimentLooks = NO_EXPERIMENT_LOOKS;

  /** One more look. Answers the comparison as of now. */
  look(totals: Omit<ExperimentState, 'looks'>): Comparison {
    this.#looks = takeLooks({ ...totals, looks: this.#looks });
    return evaluate({ ...totals, looks: this.#looks });
  }

  get trail(): Trail {
    return trailOf(this.#looks);
  }
}
