import type { StandingDecision } from '../statistics/decision.ts';
import { type Largest, type Looks, NO_LOOKS } from '../statistics/looks.ts';
import type { LookPoint } from './points.ts';

/**
 * What a run of an experiment remembers from look to look, beside its totals and its user sample: the largest evidence so
 * far, the decisions that stand, and for pictures what some of the looks saw.
 */
export interface ExperimentLooks {
  /** Of the split of the users, over all variants. */
  readonly srm: Largest | undefined;
  /** By variant, then by measure's canonical name. */
  readonly measures: ReadonlyMap<string, ReadonlyMap<string, Looks>>;
  /** By variant. */
  readonly decisions: ReadonlyMap<string, StandingDecision>;
  /** By variant, then by place (`points.ts`). */
  readonly points: ReadonlyMap<string, readonly LookPoint[]>;
}

export const NO_EXPERIMENT_LOOKS: ExperimentLooks = {
  srm: undefined,
  measures: new Map(),
  decisions: new Map(),
  points: new Map(),
};

export function looksOf({ measures }: ExperimentLooks, variant: string, measure: string): Looks {
  return measures.get(variant)?.get(measure) ?? NO_LOOKS;
}
