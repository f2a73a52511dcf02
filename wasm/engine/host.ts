/** Functions of the host. Each returns before the engine goes on. None calls the engine, except for blocks that belong to no unit. */

/** Throws: there is no free block of `bytes` bytes, although only `taken` bytes are taken. */
export declare function outOfMemory(bytes: f64, taken: f64): void;

/** Reports an accepted impression at this address. Returns its tag. */
export declare function accepted(impression: usize): u32;

/** Reports that the impression with this tag has closed for good. */
export declare function unref(tag: u32): void;

/** Reports that a list closes at one of its horizons; it stands at CLOSES. */
export declare function closed(): void;

/** `count` lists have closed or released their tags. They stand, in order, at address `queue` (closing.ts). */
export declare function closings(queue: usize, count: u32): void;

/**
 * These report to the observer of the unit, if it has one, what becomes of the feedback at this address. `list` is 0 if the list is not
 * open.
 */
export declare function dropped(reason: u32, list: usize, feedback: usize): void;
export declare function strayed(list: usize, feedback: usize): void;
export declare function found(feedback: usize): void;

/** The time of the scanner's current record, if it is no plain number of milliseconds; NaN: it is invalid. */
export declare function time(): f64;
/** The value of feedback, if it is no plain whole number. */
export declare function value(): f64;
/** Number of the context of the current record, called if it is not known yet or has keys to be counted; below 0: it may be invalid. */
export declare function context(): i32;
/** Writes the scores of the current record to where the scanner expects them. */
export declare function scores(): void;

/** Reports that the topic being fed has reached its `stopAt`. */
export declare function stopped(): void;
/**
 * The record before the position of the topic being fed would raise its watermark to `raised`. Called if that is a leap, or if leaps wait
 * to be confirmed.
 */
export declare function leapt(raised: f64): void;
/**
 * Decides whether to drop the record at `offset`, whose time is later than the clock allows, or which was judged before the checkpoint
 * and may have been.
 */
export declare function ahead(offset: f64): bool;
/** The record at `offset` is needed until the combined watermark reaches `until`. `watermark` is that of its topic before the record. */
export declare function note(offset: f64, watermark: f64, until: f64): void;
