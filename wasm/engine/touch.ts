/** Memory is loaded before it is needed: in a large one, loads that do not wait for each other take as long as a single one. */
import { CONSUMED } from './layout';

/** What is about as long as a line of the cache ends in another one than it begins. */
export const NEXT_LINE: usize = 64;
/** Where an entry (entries.ts) is mostly in its second line, if it has one. */
export const NEAR_END: usize = 48;

/** Something of all that was loaded is kept, so that no compiler leaves the loads out. */
export function consume(sum: usize): void {
  store<u32>(CONSUMED, <u32>sum);
}
