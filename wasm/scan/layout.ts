/**
 * Where things lie in the memory of the scanner. The host (src/consumers/decode/scan-memory.ts) makes the memory as large as
 * the largest record asks for and never grows it.
 */

/** Names of fields: of records, then of items. 32 bytes each: `"name":`, from byte 16 a mask of its bytes, from byte 20 its length. */
export const RECORD_KEYS: usize = 0;
export const ITEM_KEYS: usize = 1024;
export const KEY_BYTES: usize = 32;

/** By scanner 64 bytes: which field stood at which place of its last record, and of its last item. */
export const HINTS: usize = 2048;
export const SCANNERS: u32 = 64;
export const PLACES: usize = 32;

/** Values of the record in hand, by field: u32 begin and end. */
export const SPANS: usize = 6144;

/** What the host reads: see results.ts. */
export const RESULTS: usize = 6400;

/** Contexts that are known: CELLS of 16 bytes (hash, number + 1, place of the key), then the bytes of their keys. */
export const CONTEXTS: usize = 8192;
export const CELLS: u32 = 16384;
export const CONTEXT_KEYS: usize = CONTEXTS + 16 * <usize>CELLS;
export const CONTEXT_KEYS_END: usize = 2 << 20;

/** The record begins here; zeros end it. */
export const RECORD: usize = CONTEXT_KEYS_END;
/** No step reads further than so many bytes behind the record. */
export const ZEROS: usize = 64;
