import { Buffer } from 'node:buffer';
import { BUCKET_SALT } from '../../vocabulary/user-words.ts';
import { openModule } from '../engine/module.ts';
import { SCAN_CODE } from './scan-code.ts';

/** The fields that dimensions come from. */
export const CONTEXT_FIELDS = ['surface', 'variant', 'experiments', 'cohorts', 'model'] as const;

/** Fields of records and of items, by the numbers that wasm/scan has for them. */
export const RECORD_FIELDS = [
  'requestId',
  'ts',
  'userId',
  'sessionId',
  'eventId',
  'itemId',
  'action',
  'value',
  'offset',
  'items',
  ...CONTEXT_FIELDS,
] as const;
const ITEM_FIELDS = ['id', 'score', 'position', 'propensity', 'team', 'category'] as const;

/** What a record is. */
export const IMPRESSION = 1;
export const FEEDBACK = 2;

/** Forms of a time or value, of which only whole numbers are read by the scanner. */
export const WHOLE = 0;
export const TEXT = 1;

/** Bits of the flags of an impression. */
export const USERLESS = 1;
export const RANKED = 2;
export const CATEGORISED = 4;

/** What `holds` of `scan` may say: the sides of the topic, and whether categories of items are needed. */
export const HOLDS = { impressions: 1, feedback: 2, categories: 4 } as const;

/** Places in the results: of the doubles, and of the 32 bit integers. */
export const DOUBLE = { time: 0, value: 1 } as const;
export const WORD = {
  timeForm: 4,
  valueForm: 5,
  offset: 6,
  length: 7,
  flags: 8,
  userWord: 9,
  context: 10,
  item: 11,
  action: 12,
  eventId: 13,
  scored: 14,
} as const;
const RESULT_BYTES = 64;

/** As wasm/scan/layout.ts has it. */
const ITEM_KEYS_AT = 1024;
const KEY_BYTES = 32;
const PAGE = 65_536;
/** What is needed beside the record, and bytes for each of its own: the record, its texts, and slots of 28 bytes for four of it. */
const FIXED_BYTES = 2 ** 21 + PAGE;
const BYTES_PER_BYTE = 10;
/** So that scanners of usual records share one. */
const LEAST_CAPACITY = 2 ** 18;

/**
 * The memory in which records are scanned (wasm/scan), and the one door to it. It is made as large as the largest record may
 * ask for, of which only what was touched is real, and never grows: views of it stay good. What is found is good until the next
 * record is scanned.
 */
export class ScanMemory {
  /** Bytes of the largest record. */
  readonly capacity: number;
  /** All of it. */
  readonly bytes: Buffer<ArrayBuffer>;
  /** Where a record is put before it is scanned. */
  readonly recordAt: number;
  /** By field of a record: begin and end of its value in `bytes`; both 0: it has none. */
  readonly spans: Int32Array;
  readonly doubles: Float64Array;
  readonly words: Int32Array;
  /** Packed texts (packed/text.ts), from which places are counted. */
  readonly texts: Buffer<ArrayBuffer>;
  /** By slot of the list. */
  readonly places: Int32Array<ArrayBuffer>;
  readonly ranks: Int32Array<ArrayBuffer>;
  /** By slot: begin and end of its score in `bytes`; both 0: it has none. */
  readonly scoreSpans: Int32Array;
  readonly categories: Int32Array<ArrayBuffer>;
  /** IMPRESSION, FEEDBACK, or 0: unknown. */
  readonly scan: (size: number, scanner: number, holds: number, itemsPerList: number, positionBase: number) => number;
  /** Keeps the context of the record in hand. Returns its number; 0: all numbers before are void; -1: it is too long to be kept. */
  readonly keep: (scanner: number) => number;
  /** The place behind the blanks, the string, the value at a place in `bytes`; of the last two 0: it is none that is plain. */
  readonly blankEnd: (at: number) => number;
  readonly keyEnd: (at: number) => number;
  readonly valueEnd: (at: number) => number;

  constructor(capacity: number) {
    const pages = Math.ceil((FIXED_BYTES + BYTES_PER_BYTE * capacity) / PAGE);
    const memory = new WebAssembly.Memory({ initial: pages, maximum: pages });
    const door = openModule('the scanner', SCAN_CODE, memory);
    const { buffer } = memory;
    if (!(buffer instanceof ArrayBuffer)) throw new Error('the memory of the scanner is shared');
    this.capacity = capacity;
    this.bytes = Buffer.from(buffer);
    for (const [f, name] of RECORD_FIELDS.entries()) this.#writeKey(KEY_BYTES * f, name);
    for (const [f, name] of ITEM_FIELDS.entries()) this.#writeKey(ITEM_KEYS_AT + KEY_BYTES * f, name);
    door('open')(capacity, BUCKET_SALT);
    this.recordAt = door('recordAt')();
    const texts = door('textsAt')();
    const items = door('itemsAt')();
    const slots = door('slotsAt')();
    this.spans = new Int32Array(buffer, door('spansAt')(), 2 * RECORD_FIELDS.length);
    this.doubles = new Float64Array(buffer, door('resultsAt')(), RESULT_BYTES / 8);
    this.words = new Int32Array(buffer, door('resultsAt')(), RESULT_BYTES / 4);
    this.texts = Buffer.from(buffer, texts, items - texts);
    this.places = new Int32Array(buffer, items, slots);
    this.ranks = new Int32Array(buffer, items + 4 * slots, slots);
    this.scoreSpans = new Int32Array(buffer, items + 8 * slots, 2 * slots);
    this.categories = new Int32Array(buffer, items + 24 * slots, slots);
    this.scan = door('scan');
    this.keep = door('keep');
    this.blankEnd = door('blankEnd');
    this.keyEnd = door('keyEnd');
    this.valueEnd = door('anyEnd');
  }

  #writeKey(at: number, name: string): void {
    const length = this.bytes.write(`"${name}":`, at, 'latin1');
    this.bytes.writeUInt32LE(2 ** length - 1, at + 16);
    this.bytes.writeUInt32LE(length, at + 20);
  }
}

let largest: ScanMemory | undefined;

/**
 * A memory for records of at most `bytes`: all scanners share one. undefined: WebAssembly gets none, which a limit on address
 * space (`ulimit -v`) may be the reason of.
 */
export function scanMemory(bytes: number): ScanMemory | undefined {
  if (largest !== undefined && largest.capacity >= bytes) return largest;
  try {
    largest = new ScanMemory(Math.max(bytes, LEAST_CAPACITY));
    return largest;
  } catch (error) {
    if (error instanceof RangeError || error instanceof WebAssembly.CompileError) return undefined;
    throw error;
  }
}
