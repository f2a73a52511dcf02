/** Memory is loaded before it is needed: in a large one, loads that do not wait for each other take as long as a single one. */
import { CONSUMED } from './layout';

/** From the beginning of something about as long as a cache line: mostly in the next line. */
export const NEXT_LINE: usize = 64;
/** The same for an entry (entries.ts), which is shorter. */
export const NEAR_END: usize = 48;

/** Something of all that was loaded is kept, so that the compiler does not leave the loads out. */
export function consume(sum: usize): void {
  store<u32>(CONSUMED, <u32>sum);
}
