import type { SampledUser, UserSample } from './user-sample.ts';

/**
 * What the user sample says about an experiment.
 *
 *     users in all = sampled · 2^j, standard error under .8 % for K = 32,768
 *
 * Counts of first exposures feed the tests of `sample-ratio.ts`; they are those of the sampled users (statistics.md
 * section 5). With two of four users seen in both variants, crossovers are 2.
 */
export interface Exposure {
  readonly level: number;
  readonly sampled: number;
  /** sampled · 2^level. */
  readonly users: number;
  /** Sampled users by the variant they saw first. */
  readonly first: readonly number[];
  /** Sampled users that saw each variant at all. */
  readonly seen: readonly number[];
  /** Sampled users seen in more than one variant. */
  readonly crossovers: number;
}

/** @param variants number of configured variants */
export function exposureOf(sample: UserSample, variants: number): Exposure {
  const first = new Array<number>(variants).fill(0);
  const seen = new Array<number>(variants).fill(0);
  let crossovers = 0;
  for (const user of sample.values()) {
    if (user.variant < variants) first[user.variant]++;
    for (let v = 0; v < variants; v++) if (saw(user, v)) seen[v]++;
    if ((user.seen & (user.seen - 1)) !== 0) crossovers++;
  }
  return { level: sample.level, sampled: sample.size, users: sample.size * 2 ** sample.level, first, seen, crossovers };
}

/** Users of two variants in all, each once: N of `sequence.ts` is this and the impressions without a user. */
export function usersOfPair(sample: UserSample, control: number, treatment: number): number {
  let sampled = 0;
  for (const user of sample.values()) if (saw(user, control) || saw(user, treatment)) sampled++;
  return sampled * 2 ** sample.level;
}

function saw(user: SampledUser, variant: number): boolean {
  return ((user.seen >>> variant) & 1) === 1;
}

/** Crossover makes an experiment invalid from so many sampled users and this share of the sample on. */
export const CROSSOVER_USERS = 10;
export const CROSSOVER_SHARE = 0.01;

export function isCrossed({ crossovers, sampled }: Pick<Exposure, 'crossovers' | 'sampled'>): boolean {
  return crossovers >= CROSSOVER_USERS && crossovers >= CROSSOVER_SHARE * sampled;
}
