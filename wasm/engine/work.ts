/** Counts the work that depends on ids. Tests require it to be linear, whatever ids are chosen. */

/** Items and records compared, plus links of chains followed, since the engine was opened. */
export let steps: u64 = 0;

export function walk(count: u32): void {
  steps += <u64>count;
}
