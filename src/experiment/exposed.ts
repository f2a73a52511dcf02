import type { Exposure } from '../statistics/exposure.ts';
import type { ExperimentState } from './state.ts';

/** Distinct users that saw a variant at all, approximate where the sample had to become coarser. */
export function usersSeen({ settings }: ExperimentState, variant: string, { seen, level }: Exposure): number {
  return seen[[...settings.variants.keys()].indexOf(variant)] * 2 ** level;
}
