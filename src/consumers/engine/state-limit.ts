/**
 * Bytes of state that a process can hold: what is left of the engine's 4 GiB lets a state grow a quarter beyond its limit. Not beside
 * the engine, whose code the schema of the configuration would load with it.
 */
export const MOST_STATE_BYTES = 3 * 2 ** 30;
