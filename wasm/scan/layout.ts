/**
 * Fixed addresses of the scanner, between those of the engine (engine/layout.ts) and the engine's blocks. The current record, its texts
 * and its slots have a block (scan.ts), as large as the largest record needs.
 */

/** The scanner uses addresses from here on. */
export const SCAN: usize = 8192;

/** Values of the current record, by field: u32 beginning and end. */
export const SPANS: usize = SCAN;

/** Results for the host (results.ts). */
export const RESULTS: usize = SCAN + 1024;

/** Known contexts: at most CELLS addresses of keys, 0 where there is none, then the keys (contexts.ts). */
export const CONTEXTS: usize = SCAN + 8192;
/** LEAST_CELLS times a power of four (contexts.ts). */
export const CELLS: u32 = 65536;
export const CONTEXT_KEYS: usize = CONTEXTS + 4 * <usize>CELLS;
export const CONTEXT_KEYS_END: usize = SCAN + (6 << 20);

/** The scanner uses addresses below this one. */
export const SCAN_END: usize = CONTEXT_KEYS_END;

/** Number of zeros that must follow a record to be scanned. No step reads further beyond it. */
export const ZEROS: usize = 64;
