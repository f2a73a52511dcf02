/** What the host does for the engine. Each returns before the engine goes on; none calls the engine, but for blocks that belong to no unit. */

/** Does not return: there is no block of so many bytes, though only so many are taken. */
export declare function outOfMemory(bytes: f64, taken: f64): void;

/** The impression at this place is accepted. Returns its tag. */
export declare function accepted(impression: usize): u32;

/** The impression with this tag has closed for good. */
export declare function unref(tag: u32): void;

/** A list closes at one of its horizons: CLOSES. */
export declare function closed(): void;

/** So many lists have closed, or given their tags back, which wait at `queue` (closing.ts). */
export declare function closings(queue: usize, count: u32): void;

/** For the observer of the unit, if it has one: what becomes of the feedback at this place. A list is 0 if it is not open. */
export declare function dropped(reason: u32, list: usize, feedback: usize): void;
export declare function strayed(list: usize, feedback: usize): void;
export declare function found(feedback: usize): void;

/** Of the record that the scanner has in hand: its time, if that is no plain number of milliseconds; NaN: it is no time. */
export declare function time(): f64;
/** The value of feedback that is no plain whole number. */
export declare function value(): f64;
/** Number of its context, which is not known or has keys to be counted; below 0: it may not be valid. */
export declare function context(): i32;
/** Writes its scores to where the scanner has them. */
export declare function scores(): void;

/** The topic that is fed has come to the offset at which it must stop for the host. */
export declare function stopped(): void;
/** The record before the position of the topic that is fed would raise its watermark to `raised`: it leaps, or others have leapt. */
export declare function leapt(raised: f64): void;
/** Whether the record at `offset`, whose time is beyond what the clock allows or which may have been, is dropped for that. */
export declare function ahead(offset: f64): bool;
/** The record at `offset` is needed until the combined watermark has reached `until`; `watermark`: of its topic before it. */
export declare function note(offset: f64, watermark: f64, until: f64): void;
