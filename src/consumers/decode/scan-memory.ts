import { Buffer } from 'node:buffer';
import { type Engine, engineIfAny } from '../engine/engine.ts';
import {
  BEFORE_CATEGORY_PLACES,
  BEFORE_RANKS,
  BEFORE_SCORE_SPANS,
  BEFORE_SCORES,
  MOST_SPANS,
  RESULTS,
  SPANS,
} from '../engine/engine-layout.ts';
import type { ScanPlan } from './scan-plan.ts';
import { scanProgram } from './scan-program.ts';

/** Programs of one plan: each remembers the order of the keys in the last record of its scanner. */
const MOST_PROGRAMS = 64;
/** So that the room is seldom made larger. */
const LEAST_CAPACITY = 2 ** 18;

/** Where the scanner (wasm/scan) finds a record in the engine's memory, and leaves what it found: good until the next record. */
export class ScanMemory {
  /** All of the engine's memory. */
  readonly bytes: Buffer<ArrayBuffer>;
  /** Begin and end in `bytes` of the value of each field of a record; both 0: it has none. */
  readonly spans: Uint32Array;
  /** What it has found: RESULTS. */
  readonly doubles: Float64Array;
  readonly words: Int32Array;
  /** Bytes of the largest record. When it grows, what stands from here on moves. */
  capacity = 0;
  /** Where a record is put before it is scanned. */
  recordAt = 0;
  /** Packed texts (packed/text.ts), from which places are counted. */
  texts: Buffer<ArrayBuffer>;
  /** One entry for each slot of the list. */
  places: Int32Array<ArrayBuffer>;
  ranks: Int32Array<ArrayBuffer>;
  /** Begin and end in `bytes` of the score of each slot; both 0: it has none. */
  scoreSpans: Uint32Array<ArrayBuffer>;
  categories: Int32Array<ArrayBuffer>;
  /** Scores, for the engine. */
  scores: Float64Array<ArrayBuffer>;
  /** IMPRESSION, FEEDBACK, or 0: unknown. */
  readonly scan: (
    size: number,
    program: number,
    scanner: number,
    holds: number,
    itemsPerList: number,
    positionBase: number,
  ) => number;
  /** Keeps the context of the record in hand. Returns its number; 0: all numbers before are void; -1: it is not kept. */
  readonly keep: (scanner: number, ignoredKeys: number) => number;
  /** The place behind the blanks, the string, the value at a place in `bytes`; of the last two 0: it is none that is plain. */
  readonly blankEnd: (at: number) => number;
  readonly keyEnd: (at: number) => number;
  readonly valueEnd: (at: number) => number;
  readonly #engine: Engine;
  readonly #programs = new Map<string, number>();

  constructor(engine: Engine) {
    const { buffer, functionOf } = engine;
    this.#engine = engine;
    this.bytes = engine.bytes;
    this.spans = new Uint32Array(buffer, SPANS, 2 * MOST_SPANS);
    this.doubles = new Float64Array(buffer, RESULTS.AT, Math.floor(RESULTS.BYTES / 8));
    this.words = new Int32Array(buffer, RESULTS.AT, RESULTS.BYTES / 4);
    this.texts = Buffer.from(buffer, 0, 0);
    this.places = new Int32Array(buffer, 0, 0);
    this.ranks = this.places;
    this.scoreSpans = new Uint32Array(buffer, 0, 0);
    this.categories = this.places;
    this.scores = new Float64Array(buffer, 0, 0);
    this.scan = functionOf('scan');
    this.keep = functionOf('keep');
    const [blankEnd, keyEnd, valueEnd] = [functionOf('blankEnd'), functionOf('keyEnd'), functionOf('valueEnd')];
    this.blankEnd = (at) => blankEnd(at) >>> 0;
    this.keyEnd = (at) => keyEnd(at) >>> 0;
    this.valueEnd = (at) => valueEnd(at) >>> 0;
  }

  /** Makes room for records of this many bytes. */
  reserve(bytes: number): void {
    if (bytes <= this.capacity) return;
    const { buffer, functionOf } = this.#engine;
    this.capacity = Math.max(bytes, LEAST_CAPACITY);
    functionOf('reserveScan')(this.capacity);
    this.recordAt = functionOf('recordAt')() >>> 0;
    const texts = functionOf('textsAt')() >>> 0;
    const items = functionOf('itemsAt')() >>> 0;
    const slots = functionOf('slotsAt')();
    this.texts = Buffer.from(buffer, texts, items - texts);
    this.places = new Int32Array(buffer, items, slots);
    this.ranks = new Int32Array(buffer, items + BEFORE_RANKS * slots, slots);
    this.scoreSpans = new Uint32Array(buffer, items + BEFORE_SCORE_SPANS * slots, 2 * slots);
    this.categories = new Int32Array(buffer, items + BEFORE_CATEGORY_PLACES * slots, slots);
    this.scores = new Float64Array(buffer, 8 * Math.ceil((items + BEFORE_SCORES * slots) / 8), slots);
  }

  /** Address of the program of a plan. Scanners with the same plan share few of them, whatever their number. */
  programOf(plan: ScanPlan, scanner: number): number {
    const key = `${scanner % MOST_PROGRAMS} ${JSON.stringify(plan)}`;
    const known = this.#programs.get(key);
    if (known !== undefined) return known;
    const address = this.#engine.takeShared(scanProgram(plan, 0).bytes.length);
    const { bytes, at } = scanProgram(plan, address);
    this.bytes.set(bytes, address);
    this.#programs.set(key, at);
    return at;
  }
}

let shared: ScanMemory | undefined;

/**
 * The memory for records of at most `bytes`: all scanners share one. undefined: WebAssembly gets none, which a limit on address
 * space (`ulimit -v`) may be the reason of.
 */
export function scanMemory(bytes: number): ScanMemory | undefined {
  if (shared === undefined) {
    const engine = engineIfAny();
    if (engine === undefined) return undefined;
    shared = new ScanMemory(engine);
  }
  shared.reserve(bytes);
  return shared;
}
