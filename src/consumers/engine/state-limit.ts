/**
 * The most bytes of state that a process can hold. The rest of the engine's 4 GiB lets a state grow a quarter beyond its limit. This is
 * not in engine.ts, because the schema of the configuration would load the engine's code with it.
 */
export const MOST_STATE_BYTES = 3 * 2 ** 30;
