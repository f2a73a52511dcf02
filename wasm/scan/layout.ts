/**
 * Where the fixed things of the scanner lie: between those of the engine and its blocks (engine/layout.ts). The record in hand, its
 * texts and its slots have a block (scan.ts), as large as the largest record asks for.
 */

/** All of the scanner is at or above this place. */
export const SCAN: usize = 8192;

/** Names of fields: of records, then of items. 32 bytes each: `"name":`, from byte 16 a mask of its bytes, from byte 20 its length. */
export const RECORD_KEYS: usize = SCAN;
export const ITEM_KEYS: usize = SCAN + 1024;
export const KEY_BYTES: usize = 32;

/** By scanner 64 bytes: which field stood at which place of its last record, and of its last item. */
export const HINTS: usize = SCAN + 2048;
export const SCANNERS: u32 = 64;
export const PLACES: usize = 32;

/** Values of the record in hand, by field: u32 beginning and end. */
export const SPANS: usize = SCAN + 6144;

/** What the host reads: see results.ts. */
export const RESULTS: usize = SCAN + 6400;

/** Contexts that are known: at most CELLS with the place of a key each, 0 where there is none; then the keys (contexts.ts). */
export const CONTEXTS: usize = SCAN + 8192;
/** A power of four times the least (contexts.ts). */
export const CELLS: u32 = 65536;
export const CONTEXT_KEYS: usize = CONTEXTS + 4 * <usize>CELLS;
export const CONTEXT_KEYS_END: usize = SCAN + (6 << 20);

/** All of the scanner is below this place. */
export const SCAN_END: usize = CONTEXT_KEYS_END;

/** Zeros end a record that is scanned: no step reads further than so many bytes behind it. */
export const ZEROS: usize = 64;
