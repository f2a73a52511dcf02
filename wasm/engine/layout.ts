/**
 * Fixed addresses of the engine, below the blocks of memory.ts and above what the compiler may need for constants. The host
 * (src/consumers/engine/engine.ts) reads and writes them through views.
 */

import { SCAN_END } from '../scan/layout';

/** The first free block of each order (memory.ts). */
export const FREE: usize = 4096;

/** The impression and the feedback being judged: `ImpressionEvent` and `FeedbackEvent` of events.ts. */
export const IMPRESSION_EVENT: usize = FREE + 256;
export const FEEDBACK_EVENT: usize = IMPRESSION_EVENT + 128;
/** Waiting feedback that was read back. */
export const WAITING_EVENT: usize = FEEDBACK_EVENT + 128;
/** The list that closes: `Closes` of closing.ts. */
export const CLOSES: usize = WAITING_EVENT + 128;
/** The settings of the unit to open: `Settings` of unit.ts. */
export const SETTINGS: usize = CLOSES + 256;

/** The records to feed: `Feed` of feed.ts. */
export const FEED: usize = SETTINGS + 128;

/** Receives a sum of the prefetched data, so that the loads are not optimized away (touch.ts). */
export const CONSUMED: usize = FEED + 128;

/** One byte per block of the least size, which says what begins there (memory.ts). The fixed data of the scanner precedes it. */
export const MAP: usize = SCAN_END;
