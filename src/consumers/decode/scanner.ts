import { sampleKeyOf } from '../../vocabulary/user-words.ts';
import {
  CARRIES_CATEGORIES,
  FEEDBACK,
  HAS_CATEGORIES,
  HAS_FEEDBACK,
  HAS_IMPRESSIONS,
  HAS_RANKS,
  IMPRESSION,
  RESULTS,
  TEXT,
  USERLESS,
  WHOLE,
} from '../engine/engine-layout.ts';
import type { RecordReader } from '../join/api.ts';
import { PackedFeedback, PackedImpression } from '../packed/packed-events.ts';
import { type Context, Contexts } from './contexts.ts';
import type { DecoderOptions, TimeZone } from './decoder-settings.ts';
import type { Dimensions } from './dimensions.ts';
import { type ScanMemory, scanMemory } from './scan-memory.ts';
import { RECORD_FIELDS, type ScanPlan } from './scan-plan.ts';
import { timeOf, zoneOf } from './times.ts';

type ScannerOptions = Pick<
  DecoderOptions,
  | 'role'
  | 'impressionBytes'
  | 'feedbackBytes'
  | 'itemsPerList'
  | 'positionBase'
  | 'tsUnit'
  | 'timeZone'
  | 'clock'
  | 'sampleUsers'
  | 'carries'
>;

const TS = RECORD_FIELDS.indexOf('ts');
const USER_ID = RECORD_FIELDS.indexOf('userId');
const VALUE = RECORD_FIELDS.indexOf('value');

/** Number of scanners so far; each gets one of these numbers. */
let scanners = 0;

/**
 * The fast way from bytes to an event, without JSON.parse: one pass in WebAssembly that checks the grammar and packs the ids.
 * It knows an event only if the record is certainly valid and plain (ASCII without escapes, no field twice, ids that are
 * texts); else the slow way decides. A differential test compares the two. Measured: decision 0014. The engine reads and judges
 * records by the hundred, and asks here for what is not in them as it is needed.
 */
export class Scanner implements RecordReader {
  readonly number = scanners++;
  readonly holds: number;
  readonly limit: number;
  readonly itemsPerList: number;
  readonly positionBase: number;
  readonly hasMilliseconds: boolean;
  readonly carriesScores: boolean;
  readonly #options: ScannerOptions;
  readonly #dimensions: Dimensions;
  readonly #plan: ScanPlan;
  readonly #zone: TimeZone | undefined;
  /** Created for the first record. */
  #scanning: Scanning | undefined;
  #isPossible = true;

  constructor(options: ScannerOptions, dimensions: Dimensions, plan: ScanPlan) {
    this.#plan = plan;
    const { role, impressionBytes, feedbackBytes, carries } = options;
    this.#options = options;
    this.#dimensions = dimensions;
    this.limit = Math.max(role.impressions ? impressionBytes : 0, role.feedback ? feedbackBytes : 0);
    this.itemsPerList = options.itemsPerList;
    this.positionBase = options.positionBase;
    this.hasMilliseconds = options.tsUnit === 'auto' || options.tsUnit === 'ms';
    this.carriesScores = carries?.scores === true;
    this.#zone = zoneOf(options);
    this.holds =
      (role.impressions ? HAS_IMPRESSIONS : 0) |
      (role.feedback ? HAS_FEEDBACK : 0) |
      (carries?.categories === true ? CARRIES_CATEGORIES : 0);
  }

  /** Whether there is memory to scan records in. */
  get isPossible(): boolean {
    return this.#use() !== undefined;
  }

  get program(): number {
    return this.#inUse().program;
  }

  begin(): void {
    this.#inUse().contexts.begin();
  }

  time(): number {
    return this.#time(this.#inUse().memory);
  }

  value(): number {
    return Number(textOf(this.#inUse().memory, VALUE));
  }

  context(): number {
    return this.#inUse().contexts.number();
  }

  scores(): void {
    const { memory } = this.#inUse();
    writeScores(memory, memory.words[RESULTS.length], memory.scores);
  }

  contextOf(number: number): Context {
    return this.#inUse().contexts.at(number);
  }

  sampleKeyOf(from: number, end: number): number {
    return this.#options.sampleUsers === true ? sampleKeyOf(this.#inUse().memory.bytes, from, end) : -1;
  }

  ignored(keys: number): void {
    this.#dimensions.ignoredKeys += keys;
  }

  /** The event of a record, in memory that the next call of any scanner reuses; undefined: the slow way must decide. */
  scan(value: Uint8Array): PackedImpression | PackedFeedback | undefined {
    const size = value.length;
    if (size > this.limit) return undefined;
    const scanning = this.#use();
    if (scanning === undefined) return undefined;
    const { memory, program } = scanning;
    memory.bytes.set(value, memory.recordAt);
    const kind = memory.scan(size, program, this.number, this.holds, this.itemsPerList, this.positionBase);
    if (kind === IMPRESSION) return this.#readImpression(scanning);
    return kind === FEEDBACK ? this.#readFeedback(scanning) : undefined;
  }

  #inUse(): Scanning {
    const scanning = this.#use();
    if (scanning === undefined) throw new Error('there is no memory to scan in');
    return scanning;
  }

  #use(): Scanning | undefined {
    if (this.#scanning === undefined) {
      if (!this.#isPossible) return undefined;
      const memory = scanMemory(this.limit);
      this.#isPossible = memory !== undefined;
      if (memory !== undefined) this.#scanning = scanningIn(memory, this.number, this.#dimensions, this.#plan);
    }
    return this.#scanning;
  }

  #readImpression({ memory, impression, contexts }: Scanning): PackedImpression | undefined {
    const { words } = memory;
    const ts = this.#time(memory);
    if (!(ts >= 0)) return undefined;
    // Last, since it counts ignored keys, which the long way would count again.
    const context = contexts.read();
    if (context === undefined) return undefined;
    const flags = words[RESULTS.flags];
    const isUserless = (flags & USERLESS) !== 0;
    impression.ts = ts;
    impression.pageOffset = words[RESULTS.offset];
    impression.length = words[RESULTS.length];
    impression.isUserless = isUserless;
    impression.userWord = words[RESULTS.userWord] >>> 0;
    impression.sampleKey = isUserless || this.#options.sampleUsers !== true ? -1 : sampleKeyIn(memory);
    impression.hasRanks = (flags & HAS_RANKS) !== 0;
    impression.hasCategories = (flags & HAS_CATEGORIES) !== 0;
    impression.hasScores = this.carriesScores && words[RESULTS.scored] > 0;
    if (impression.hasScores) {
      impression.reserveScores(impression.length);
      writeScores(memory, impression.length, impression.scores);
    }
    impression.u8 = memory.texts;
    impression.items = memory.places;
    impression.ranks = memory.ranks;
    impression.categories = memory.categories;
    impression.dimensions = context.dimensions;
    impression.tuple = context.tuple;
    return impression;
  }

  #readFeedback({ memory, feedback }: Scanning): PackedFeedback | undefined {
    const { words, doubles } = memory;
    const ts = this.#time(memory);
    if (!(ts >= 0)) return undefined;
    feedback.ts = ts;
    feedback.value = words[RESULTS.valueForm] === WHOLE ? doubles[RESULTS.value] : Number(textOf(memory, VALUE));
    feedback.item = words[RESULTS.item];
    feedback.action = words[RESULTS.action];
    feedback.eventId = words[RESULTS.eventId];
    feedback.u8 = memory.texts;
    return feedback;
  }

  #time(memory: ScanMemory): number {
    const { tsUnit } = this.#options;
    const form = memory.words[RESULTS.timeForm];
    if (form === WHOLE) return timeOf(memory.doubles[RESULTS.time], tsUnit);
    const text = textOf(memory, TS);
    return form === TEXT ? timeOf(text.slice(1, -1), tsUnit, this.#zone) : timeOf(Number(text), tsUnit);
  }
}

/** The events that a scanner writes, as views of the memory. */
interface Scanning {
  readonly memory: ScanMemory;
  readonly impression: PackedImpression;
  readonly feedback: PackedFeedback;
  readonly contexts: Contexts;
  readonly program: number;
}

function scanningIn(memory: ScanMemory, scanner: number, dimensions: Dimensions, plan: ScanPlan): Scanning {
  return {
    memory,
    impression: new PackedImpression(),
    feedback: new PackedFeedback(),
    contexts: new Contexts(memory, scanner, dimensions, plan.context),
    program: memory.programOf(plan, scanner),
  };
}

function textOf({ bytes, spans }: ScanMemory, field: number): string {
  return bytes.toString('latin1', spans[2 * field], spans[2 * field + 1]);
}

function sampleKeyIn({ bytes, spans }: ScanMemory): number {
  return sampleKeyOf(bytes, spans[2 * USER_ID] + 1, spans[2 * USER_ID + 1] - 1);
}

function writeScores({ bytes, scoreSpans }: ScanMemory, length: number, scores: Float64Array): void {
  for (let slot = 0; slot < length; slot++) {
    const end = scoreSpans[2 * slot + 1];
    scores[slot] = end === 0 ? Number.NaN : Number(bytes.toString('latin1', scoreSpans[2 * slot], end));
  }
}
