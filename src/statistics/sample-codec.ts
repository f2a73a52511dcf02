import type { SampledUser } from './user-sample.ts';

/**
 * Users of a sample as whole numbers, four each: key, variants seen, first exposure in ms, first variant.
 *
 * Example: user key 5 seen in variants 0 and 1, first at 10 in variant 1, is 5 3 10 1.
 */
const WIDTH = 4;

export function numbersOfUsers(users: Iterable<SampledUser>): number[] {
  const numbers: number[] = [];
  for (const { key, seen, ts, variant } of users) numbers.push(key, seen, ts, variant);
  return numbers;
}

/** Reads what JSON gave for such a list. Throws an Error that says which number is wrong. */
export function usersOfNumbers(json: unknown): SampledUser[] {
  if (!Array.isArray(json) || json.length % WIDTH !== 0) {
    throw new Error(`user sample: expected a list of whole numbers, ${WIDTH} for each user`);
  }
  const numbers = json.map((value: unknown, i) => {
    if (typeof value === 'number' && Number.isSafeInteger(value)) return value;
    throw new Error(`user sample: expected a whole number at place ${i}, found ${JSON.stringify(value)}`);
  });
  const users: SampledUser[] = [];
  for (let i = 0; i < numbers.length; i += WIDTH) {
    users.push({ key: numbers[i], seen: numbers[i + 1], ts: numbers[i + 2], variant: numbers[i + 3] });
  }
  return users;
}
