/** What the host does for the engine. Each returns before the engine goes on; none calls the engine. */

/** Does not return: there is no block of so many bytes, though only so many are taken. */
export declare function outOfMemory(bytes: f64, taken: f64): void;

/** An impression is accepted: SHOWN. Returns its tag. */
export declare function accepted(): u32;

/** The impression with this tag has closed for good. */
export declare function released(tag: u32): void;

/** A list closes at one of its horizons: CLOSES. */
export declare function closed(): void;

/** Observed by a witness, if the unit has one: of the feedback at `told`. Lists: 0: none that is open. */
export declare function dropped(reason: u32, list: usize, told: usize): void;
export declare function strayed(list: usize, told: usize): void;
export declare function found(told: usize): void;
