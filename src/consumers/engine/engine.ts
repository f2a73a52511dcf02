import { Buffer } from 'node:buffer';
import { BUCKET_SALT } from '../../vocabulary/user-words.ts';
import { ENGINE_CODE } from './engine-code.ts';
import { type ModuleFunction, openModule } from './module.ts';

/**
 * What the engine calls for the unit at work (wasm/engine/host.ts). Impressions, lists and feedback are passed as addresses in the
 * memory; a list is 0 if it is not open.
 */
export interface EngineCalls {
  /** Reports an accepted impression at this address; returns its tag. */
  accepted(impression: number): number;
  unref(tag: number): void;
  /** Reports that the list at CLOSES.AT closes. */
  closed(): void;
  /** `count` lists have closed or released their tags; they are queued, in order, at address `queue`. */
  closings(queue: number, count: number): void;
  dropped(reason: number, list: number, feedback: number): void;
  strayed(list: number, feedback: number): void;
  found(feedback: number): void;
  /** Reports that the topic being fed has reached the offset at which it must stop. */
  stopped(): void;
  /**
   * The record before the position of the topic being fed would raise its watermark to `raised`. Called if that is a leap, or if leaps
   * wait to be confirmed.
   */
  leapt(raised: number): void;
  /** Decides whether the clock drops the current record, which may be too far ahead. */
  ahead(offset: number): boolean;
  /** Reports that the record of the topic being fed is needed until the combined watermark reaches `until`. */
  note(offset: number, watermark: number, until: number): void;
}

/** What the engine calls to learn about the current record of its scanner from whoever knows how the topic's records are read. */
export interface ScanCalls {
  /** Time of the record; NaN: it has none. */
  time(): number;
  /** Value of the feedback. */
  value(): number;
  /** Number of the record's context, if that is valid; else -1. */
  context(): number;
  /** Writes the scores of its items to where the scanner expects them. */
  scores(): void;
}

/** Less than 4 GiB, so that every address is a 32-bit number. */
const MOST_PAGES = 2 ** 16 - 1;
const LEAST_PAGES = 2 ** 10;

/**
 * The memory that all units of a process share, which holds the state of their joins, and the functions that work on it (wasm/engine).
 * Only those parts of the reserved memory that were touched are real. The memory never grows, so views of it stay valid.
 */
export class Engine {
  /** For modules that work on data in this memory. */
  readonly memory: WebAssembly.Memory;
  readonly buffer: ArrayBuffer;
  readonly bytes: Buffer<ArrayBuffer>;
  readonly words: Uint32Array<ArrayBuffer>;
  readonly doubles: Float64Array<ArrayBuffer>;
  /** Takes a block of at least `bytes` bytes; its address is a multiple of 64. */
  readonly take: (bytes: number) => number;
  readonly give: (at: number) => void;
  /** Like `take`, for data that belongs to no unit (engine-blocks.ts). May be called while a unit is at work. */
  readonly takeShared: (bytes: number) => number;
  readonly giveShared: (at: number) => void;
  /** Shrinks such a block to what `bytes` bytes need; returns its new size in bytes. */
  readonly shrinkShared: (at: number, bytes: number) => number;
  /** Bytes of all blocks that are taken. */
  readonly takenBytes: () => number;
  /** Opens a unit with the settings at SETTINGS.AT and returns its address. */
  readonly begin: () => number;
  readonly end: (unit: number) => void;
  /** Judges the impression at IMPRESSION_EVENT.AT. Returns IS_LATE, IS_DUPLICATE or IS_ACCEPTED. */
  readonly impression: (unit: number, topic: number, offset: number, watermark: number, isReplayed: boolean) => number;
  /** Judges the feedback at FEEDBACK_EVENT.AT. Returns 0 if its record is no longer needed. */
  readonly feedback: (unit: number, topic: number, watermark: number, isReplayed: boolean) => number;
  readonly advance: (unit: number, from: number, to: number) => void;
  /** Scans and judges the records at FEED.AT. Returns the index of one that it cannot read; -1: all were judged. */
  readonly feed: () => number;
  /** A function of the engine by its name in wasm/engine/engine.ts. */
  readonly functionOf: (name: string) => ModuleFunction;
  /** Calls for the unit at work; must be set before each call of the engine. */
  calls: EngineCalls | undefined;
  /** Calls for the topic being fed; must be set before each call of `feed`. */
  scanCalls: ScanCalls | undefined;

  constructor(pages: number) {
    const memory = new WebAssembly.Memory({ initial: pages, maximum: pages });
    const { buffer } = memory;
    if (!(buffer instanceof ArrayBuffer)) throw new Error('the memory of the engine is shared');
    const at = (): EngineCalls => {
      if (this.calls === undefined) throw new Error('the engine works for no unit');
      return this.calls;
    };
    const scanned = (): ScanCalls => {
      if (this.scanCalls === undefined) throw new Error('the engine scans for no topic');
      return this.scanCalls;
    };
    const host = {
      outOfMemory: (bytes: number, taken: number): never => {
        throw new Error(
          `the state of open lists has no room for ${bytes} bytes more: ${taken} of ${buffer.byteLength} bytes are in use. ` +
            'Run more workers, or lower limits.stateBytes so that reading waits earlier',
        );
      },
      accepted: (impression: number) => at().accepted(impression >>> 0),
      unref: (tag: number) => at().unref(tag >>> 0),
      closed: () => at().closed(),
      closings: (queue: number, count: number) => at().closings(queue >>> 0, count),
      dropped: (reason: number, list: number, feedback: number) => at().dropped(reason, list >>> 0, feedback >>> 0),
      strayed: (list: number, feedback: number) => at().strayed(list >>> 0, feedback >>> 0),
      found: (feedback: number) => at().found(feedback >>> 0),
      stopped: () => at().stopped(),
      leapt: (raised: number) => at().leapt(raised),
      ahead: (offset: number) => at().ahead(offset),
      note: (offset: number, watermark: number, until: number) => at().note(offset, watermark, until),
      time: () => scanned().time(),
      value: () => scanned().value(),
      context: () => scanned().context(),
      scores: () => scanned().scores(),
    };
    const functionOf = openModule('the engine', ENGINE_CODE, memory, host);
    this.memory = memory;
    this.buffer = buffer;
    this.bytes = Buffer.from(buffer);
    this.words = new Uint32Array(buffer);
    this.doubles = new Float64Array(buffer);
    const takeBlock = functionOf('takeBlock');
    const takeSharedBlock = functionOf('takeSharedBlock');
    const begin = functionOf('begin');
    this.take = (bytes) => takeBlock(bytes) >>> 0;
    this.give = functionOf('giveBlock');
    this.takeShared = (bytes) => takeSharedBlock(bytes) >>> 0;
    this.giveShared = functionOf('giveSharedBlock');
    this.shrinkShared = functionOf('shrinkSharedBlock');
    this.takenBytes = functionOf('takenBytes');
    this.begin = () => begin() >>> 0;
    this.end = functionOf('end');
    this.impression = functionOf('impression');
    this.feedback = functionOf('feedback');
    this.advance = functionOf('advance');
    this.feed = functionOf('feed');
    this.functionOf = functionOf;
    functionOf('open')(buffer.byteLength, BUCKET_SALT);
  }
}

/** null if there was no memory for it. */
let shared: Engine | undefined | null;

/**
 * The engine of this process.
 * @throws if WebAssembly gets no memory at all
 */
export function engine(): Engine {
  const own = engineIfAny();
  if (own !== undefined) return own;
  throw new Error(
    'WebAssembly gets no memory, in which the state of open lists lies. It needs about 12 GB of address space, most of which ' +
      'stays empty: raise the limit (ulimit -v), or start node with --disable-wasm-trap-handler',
  );
}

/** The engine of this process; undefined: WebAssembly gets no memory, perhaps because of a limit on address space (`ulimit -v`). */
export function engineIfAny(): Engine | undefined {
  if (shared === undefined) shared = largestEngine() ?? null;
  return shared ?? undefined;
}

/** An engine with as much memory as can be reserved. */
function largestEngine(): Engine | undefined {
  for (let pages = MOST_PAGES; pages >= LEAST_PAGES; pages >>>= 1) {
    try {
      return new Engine(pages);
    } catch (error) {
      if (!(error instanceof RangeError)) throw error;
    }
  }
  return undefined;
}
