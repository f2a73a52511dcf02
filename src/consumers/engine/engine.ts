import { Buffer } from 'node:buffer';
import { BUCKET_SALT } from '../../vocabulary/user-words.ts';
import { ENGINE_CODE } from './engine-code.ts';
import { type ModuleFunction, openModule } from './module.ts';

/**
 * What the engine asks of the unit at work (wasm/engine/host.ts). Impressions, lists and feedback are given by their addresses in the
 * memory; a list is 0 if it is not open.
 */
export interface EngineCalls {
  /** The impression at this place is accepted: returns its tag. */
  accepted(impression: number): number;
  unref(tag: number): void;
  /** The list at CLOSES.AT closes. */
  closed(): void;
  /** So many lists have closed, or given their tags back, in their order; they wait at this place. */
  closings(queue: number, count: number): void;
  dropped(reason: number, list: number, feedback: number): void;
  strayed(list: number, feedback: number): void;
  found(feedback: number): void;
  /** The topic that is fed has come to the offset at which it must stop for us. */
  stopped(): void;
  /** The record before the position of the topic that is fed would raise its watermark to `raised`: it leaps, or others have leapt. */
  leapt(raised: number): void;
  /** Whether the clock drops the record that is fed, which it may. */
  ahead(offset: number): boolean;
  /** The record of the topic that is fed is needed until the combined watermark has reached `until`. */
  note(offset: number, watermark: number, until: number): void;
}

/** What the engine asks of whoever knows how the records of a topic are read: about the record that its scanner has in hand. */
export interface ScanCalls {
  /** NaN: its time is none. */
  time(): number;
  /** Of feedback. */
  value(): number;
  /** The number of its context, if that is valid; else -1. */
  context(): number;
  /** Writes the scores of its items to where the scanner has them. */
  scores(): void;
}

/** Less than 4 GiB, so that every place is a number of 32 bits. */
const MOST_PAGES = 2 ** 16 - 1;
const LEAST_PAGES = 2 ** 10;

/**
 * The one memory of all units of a process, in which the state of their joins lies, and the functions that work on it
 * (wasm/engine). Of all that is reserved only what was touched is real; it never grows, so views of it stay good.
 */
export class Engine {
  /** For modules that work on what lies there. */
  readonly memory: WebAssembly.Memory;
  readonly buffer: ArrayBuffer;
  readonly bytes: Buffer<ArrayBuffer>;
  readonly words: Uint32Array<ArrayBuffer>;
  readonly doubles: Float64Array<ArrayBuffer>;
  /** A block of memory of at least so many bytes, at a multiple of 64. */
  readonly take: (bytes: number) => number;
  readonly give: (at: number) => void;
  /** The same for what belongs to no unit (engine-blocks.ts); it may be called while a unit is at work. */
  readonly takeShared: (bytes: number) => number;
  readonly giveShared: (at: number) => void;
  /** Gives back what such a block needs no longer for so many bytes: returns the bytes that it has from now on. */
  readonly shrinkShared: (at: number, bytes: number) => number;
  /** Bytes of all blocks that are taken. */
  readonly takenBytes: () => number;
  /** Opens a unit with the settings at SETTINGS.AT and returns its place. */
  readonly begin: () => number;
  readonly end: (unit: number) => void;
  /** Judges the impression at IMPRESSION_EVENT.AT. Returns IS_LATE, IS_DUPLICATE or IS_ACCEPTED. */
  readonly impression: (unit: number, topic: number, offset: number, watermark: number, isReplayed: boolean) => number;
  /** Judges the feedback at FEEDBACK_EVENT.AT. Returns 0 when its record is no longer needed. */
  readonly feedback: (unit: number, topic: number, watermark: number, isReplayed: boolean) => number;
  readonly advance: (unit: number, from: number, to: number) => void;
  /** Scans and judges the records at FEED.AT: returns the index of one that it cannot read; -1: all were judged. */
  readonly feed: () => number;
  /** A function of the engine by its name in wasm/engine/engine.ts. */
  readonly functionOf: (name: string) => ModuleFunction;
  /** Of the unit at work: to be set before each call. */
  calls: EngineCalls | undefined;
  /** Of the topic that is fed: to be set before each call. */
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

/** null: there was no memory for it. */
let shared: Engine | undefined | null;

/** The engine of this process. Throws when WebAssembly gets no memory at all. */
export function engine(): Engine {
  const own = engineIfAny();
  if (own !== undefined) return own;
  throw new Error(
    'WebAssembly gets no memory, in which the state of open lists lies. It needs about 12 GB of address space, most of which ' +
      'stays empty: raise the limit (ulimit -v), or start node with --disable-wasm-trap-handler',
  );
}

/** The same; undefined: WebAssembly gets no memory, which a limit on address space (`ulimit -v`) may be the reason of. */
export function engineIfAny(): Engine | undefined {
  if (shared === undefined) shared = largestEngine() ?? null;
  return shared ?? undefined;
}

/** With as much memory as can be reserved. */
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
