/** Prefetching: in a large memory, loads that do not wait for each other take as long as a single one. */
import { CONSUMED } from './layout';

/** Distance from the beginning of something about as long as a cache line that mostly reaches the next line. */
export const NEXT_LINE: usize = 64;
/** The same distance for an entry (entries.ts), which is shorter. */
export const NEAR_END: usize = 48;

/** Stores a sum of the loaded data, so that the compiler does not remove the loads. */
export function consume(sum: usize): void {
  store<u32>(CONSUMED, <u32>sum);
}
