/**
 * Where the fixed things of the engine lie: below the blocks of memory.ts, and behind what the compiler may need for constants.
 * The host (src/consumers/engine/engine.ts) reads and writes these places through views.
 */

import { SCAN_END } from '../scan/layout';

/** By order: the first free block (memory.ts). */
export const FREE: usize = 4096;

/** The impression and the feedback that are judged: `ImpressionEvent` and `FeedbackEvent` of events.ts. */
export const IMPRESSION_EVENT: usize = FREE + 256;
export const FEEDBACK_EVENT: usize = IMPRESSION_EVENT + 128;
/** Waiting feedback, read back. */
export const WAITING_EVENT: usize = FEEDBACK_EVENT + 128;
/** The list that closes: `Closes` of closing.ts. */
export const CLOSES: usize = WAITING_EVENT + 128;
/** The settings of a unit that is opened: `Settings` of unit.ts. */
export const SETTINGS: usize = CLOSES + 256;

/** The records that are fed: `Feed` of feed.ts. */
export const FEED: usize = SETTINGS + 128;

/** Something of what was loaded before it was needed (touch.ts). */
export const CONSUMED: usize = FEED + 128;

/** One byte for each block of the least size: what begins there (memory.ts). Before it is what the scanner has at fixed places. */
export const MAP: usize = SCAN_END;
