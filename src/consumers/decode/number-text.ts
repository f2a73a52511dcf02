const NUMBER = /^\s*-?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?\s*$/;
const LONGEST = 40;

/** The number that a text holds, else the value as it is. */
export function numberIn(value: unknown): unknown {
  return typeof value === 'string' && value.length <= LONGEST && NUMBER.test(value) ? Number(value) : value;
}
