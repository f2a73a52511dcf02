import type { EpochMs } from '../vocabulary/events.ts';

/**
 * What the user sample says about an experiment.
 *
 *     users in all = sampled · 2^j, standard error under .3 % for K = 2^18
 *
 * Counts of first exposures feed the tests of `sample-ratio.ts`; they are those of the sampled users
 * (specification: statistics 5.3). With two of four users seen in both variants, crossovers are 2.
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

/** How many sampled users saw what (`sample-union.ts`). */
export interface Exposed {
  readonly level: number;
  readonly sampled: number;
  /** Time of the first exposure of all sampled users; undefined: there are none. */
  readonly began?: EpochMs | undefined;
  readonly groups: readonly ExposedGroup[];
  /** Arrivals of users in consecutive spans, counted over all sampled users on access. Default: not known. */
  readonly arrivals?: readonly Arrivals[];
}

/** Sampled users whose first exposure was in a span of time. */
export interface Arrivals {
  readonly from: EpochMs;
  readonly to: EpochMs;
  /** Users by the variant that they saw first. */
  readonly users: readonly number[];
}

interface ExposedGroup {
  /** Bit v is set if they saw variant v. */
  readonly seen: number;
  /** The variant that they saw first. */
  readonly variant: number;
  /** Number of these users. */
  readonly users: number;
}

/** @param variants number of configured variants */
export function exposureOf({ level, sampled, groups }: Exposed, variants: number): Exposure {
  const first = new Array<number>(variants).fill(0);
  const seen = new Array<number>(variants).fill(0);
  let crossovers = 0;
  for (const group of groups) {
    if (group.variant < variants) first[group.variant] += group.users;
    for (let v = 0; v < variants; v++) if (saw(group, v)) seen[v] += group.users;
    if ((group.seen & (group.seen - 1)) !== 0) crossovers += group.users;
  }
  return { level, sampled, users: sampled * 2 ** level, first, seen, crossovers };
}

/**
 * N of `sequence.ts` for a control with C and a treatment with T users: that of an equal split with an equally narrow interval.
 *
 *     N = 4 C T / (C + T)
 *
 * The error of a difference comes from the smaller one. With the sum instead, a split of .95/.05 would count five times too much, and
 * early looks would be treated as late ones.
 *
 * Example: 500 and 500 are 1,000; 950 and 50 are 190.
 */
export function balancedUsers(control: number, treatment: number): number {
  return control > 0 && treatment > 0 ? (4 * control * treatment) / (control + treatment) : 0;
}

function saw({ seen }: ExposedGroup, variant: number): boolean {
  return ((seen >>> variant) & 1) === 1;
}

/** Crossover makes an experiment invalid if at least this many sampled users, and this share of the sample, crossed over. */
const CROSSOVER_USERS = 10;
export const CROSSOVER_SHARE = 0.01;

export function isCrossed({ crossovers, sampled }: Pick<Exposure, 'crossovers' | 'sampled'>): boolean {
  return crossovers >= CROSSOVER_USERS && crossovers >= CROSSOVER_SHARE * sampled;
}
