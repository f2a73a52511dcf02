import type { EpochMs } from '../events.ts';
import { isAbsent } from '../statistics/absent.ts';
import type { Comparison } from './comparison.ts';
import { evaluate } from './evaluate.ts';
import { type ExperimentLooks, NO_EXPERIMENT_LOOKS } from './looks.ts';
import { pairOf, usersOfVariants } from './pair.ts';
import { type ExperimentState, treatmentsOf } from './state.ts';
import { takeLooks } from './take-looks.ts';

/** What one look saw of the primary measure. */
export interface LookPoint {
  /** Event time of the look. */
  readonly at: EpochMs;
  readonly effect: number;
  /** The confidence sequence at this look. */
  readonly lower: number;
  readonly upper: number;
}

/** By variant, in the order of the looks; looks without an error are left out. */
export type Trail = ReadonlyMap<string, readonly LookPoint[]>;

/** Looks at one experiment again and again in one process, as logs go by, and remembers the looks. */
export class Watcher {
  #looks: ExperimentLooks = NO_EXPERIMENT_LOOKS;
  readonly #trail = new Map<string, LookPoint[]>();

  /** One more look. Answers the comparison as of now. */
  look(totals: Omit<ExperimentState, 'looks'>): Comparison {
    this.#looks = takeLooks({ ...totals, looks: this.#looks });
    const state: ExperimentState = { ...totals, looks: this.#looks };
    for (const variant of treatmentsOf(state.settings)) {
      const point = pointOf(state, variant);
      const points = this.#trail.get(variant) ?? [];
      if (point !== undefined && points.at(-1)?.at !== point.at) points.push(point);
      this.#trail.set(variant, points);
    }
    return evaluate(state);
  }

  get trail(): Trail {
    return this.#trail;
  }
}

/** undefined: nothing final, or no error. */
export function pointOf(state: ExperimentState, variant: string): LookPoint | undefined {
  const { effect, sequence } = pairOf(state, variant, state.settings.primary, usersOfVariants(state, variant));
  if (state.asOf === undefined || isAbsent(effect) || isAbsent(sequence)) return undefined;
  return { at: state.asOf, effect: effect.difference, lower: sequence.lower, upper: sequence.upper };
}
