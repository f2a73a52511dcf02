import type { SampledUser } from '../../src/statistics/sampled.ts';
import { UserSample } from '../../src/statistics/user-sample.ts';

/**
 * The definition of a merge: the larger level, then user by user. The plain version of `SampleUnion`.
 * @param capacity K; Infinity where samples of all units are read together
 */
export function mergeSamples(samples: readonly UserSample[], capacity: number): UserSample {
  const users = samples.flatMap(usersOf);
  return new UserSample(capacity, Math.max(0, ...samples.map(({ level }) => level)), users);
}

/** In ascending order of keys. */
export function usersOf(sample: UserSample): readonly SampledUser[] {
  const users: SampledUser[] = [];
  sample.each((key, seen, ts, variant) => users.push({ key, seen, ts, variant }));
  return users.sort((a, b) => a.key - b.key);
}
