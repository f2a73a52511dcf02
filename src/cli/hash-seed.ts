import { randomInt } from 'node:crypto';

/** Of one process. As wide as `randomInt` draws. */
export function newHashSeed(): number {
  return randomInt(2 ** 48 - 1);
}
