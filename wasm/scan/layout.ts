/**
 * Fixed addresses of the scanner, between those of the engine (engine/layout.ts) and the engine's blocks. The current record, its texts
 * and its slots have a block (scan.ts), as large as the largest record needs.
 */

/** The scanner uses addresses from here on. */
export const SCAN: usize = 8192;

/**
 * Names of fields: of records, then of items. Each takes 32 bytes: `"name":`, from byte 16 a mask of its bytes, from byte 20 its length.
 */
export const RECORD_KEYS: usize = SCAN;
export const ITEM_KEYS: usize = SCAN + 1024;
export const KEY_BYTES: usize = 32;

/** 64 bytes per scanner: which field stood at which position of its last record, and of its last item. */
export const HINTS: usize = SCAN + 2048;
export const SCANNERS: u32 = 64;
export const PLACES: usize = 32;

/** Values of the current record, by field: u32 beginning and end. */
export const SPANS: usize = SCAN + 6144;

/** Results for the host (results.ts). */
export const RESULTS: usize = SCAN + 6400;

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
