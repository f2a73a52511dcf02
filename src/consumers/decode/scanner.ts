import { sampleKeyOf } from '../../vocabulary/user-words.ts';
import { PackedFeedback } from '../packed/packed-feedback.ts';
import { PackedImpression } from '../packed/packed-impression.ts';
import { Contexts } from './contexts.ts';
import type { DecoderOptions } from './decoder-settings.ts';
import type { Dimensions } from './dimensions.ts';
import {
  CATEGORISED,
  DOUBLE,
  FEEDBACK,
  HOLDS,
  IMPRESSION,
  RANKED,
  RECORD_FIELDS,
  type ScanMemory,
  scanMemory,
  TEXT,
  USERLESS,
  WHOLE,
  WORD,
} from './scan-memory.ts';
import { type TimeZone, timeOf, timeZone } from './times.ts';

type ScannerOptions = Pick<
  DecoderOptions,
  | 'role'
  | 'impressionBytes'
  | 'feedbackBytes'
  | 'itemsPerList'
  | 'positionBase'
  | 'tsUnit'
  | 'timeZone'
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
 * It returns an event only if the record is certainly valid and plain (ASCII without escapes, no field twice, ids that are
 * texts); else undefined, and the slow way decides. A differential test compares the two. Measured: decision 0014.
 */
export class Scanner {
  readonly #options: ScannerOptions;
  readonly #dimensions: Dimensions;
  readonly #limit: number;
  readonly #zone: TimeZone | undefined;
  readonly #holds: number;
  readonly #number = scanners++;
  /** Created for the first record. */
  #scanning: Scanning | undefined;
  #isPossible = true;

  constructor(options: ScannerOptions, dimensions: Dimensions) {
    const { role, impressionBytes, feedbackBytes, carries } = options;
    this.#options = options;
    this.#dimensions = dimensions;
    this.#limit = Math.max(role.impressions ? impressionBytes : 0, role.feedback ? feedbackBytes : 0);
    this.#zone = options.timeZone === undefined ? undefined : timeZone(options.timeZone);
    this.#holds =
      (role.impressions ? HOLDS.impressions : 0) +
      (role.feedback ? HOLDS.feedback : 0) +
      (carries?.categories === true ? HOLDS.categories : 0);
  }

  /** The event of a record, in memory that the next call of any scanner reuses; undefined: the slow way must decide. */
  scan(value: Uint8Array): PackedImpression | PackedFeedback | undefined {
    const size = value.length;
    if (size > this.#limit || !this.#isPossible) return undefined;
    const scanning = this.#scanning ?? this.#begin();
    if (scanning === undefined) return undefined;
    const { memory } = scanning;
    const { itemsPerList, positionBase } = this.#options;
    memory.bytes.set(value, memory.recordAt);
    const kind = memory.scan(size, this.#number, this.#holds, itemsPerList, positionBase);
    if (kind === IMPRESSION) return this.#readImpression(scanning);
    return kind === FEEDBACK ? this.#readFeedback(scanning) : undefined;
  }

  #begin(): Scanning | undefined {
    const memory = scanMemory(this.#limit);
    this.#isPossible = memory !== undefined;
    if (memory !== undefined) this.#scanning = scanningIn(memory, this.#number, this.#dimensions);
    return this.#scanning;
  }

  #readImpression({ memory, impression, contexts }: Scanning): PackedImpression | undefined {
    const { words } = memory;
    const ts = this.#time(memory);
    if (!(ts >= 0)) return undefined;
    // Last, since it counts ignored keys, which the long way would count again.
    const context = contexts.read();
    if (context === undefined) return undefined;
    const flags = words[WORD.flags];
    const isUserless = (flags & USERLESS) !== 0;
    impression.ts = ts;
    impression.offset = words[WORD.offset];
    impression.length = words[WORD.length];
    impression.isUserless = isUserless;
    impression.userWord = words[WORD.userWord] >>> 0;
    impression.sampleKey = isUserless || this.#options.sampleUsers !== true ? -1 : sampleKeyIn(memory);
    impression.hasRanks = (flags & RANKED) !== 0;
    impression.hasCategories = (flags & CATEGORISED) !== 0;
    impression.hasScores = this.#options.carries?.scores === true && words[WORD.scored] > 0;
    if (impression.hasScores) readScores(memory, impression);
    impression.dimensions = context.dimensions;
    impression.tuple = context.tuple;
    return impression;
  }

  #readFeedback({ memory, feedback }: Scanning): PackedFeedback | undefined {
    const { words, doubles } = memory;
    const ts = this.#time(memory);
    if (!(ts >= 0)) return undefined;
    feedback.ts = ts;
    feedback.value = words[WORD.valueForm] === WHOLE ? doubles[DOUBLE.value] : Number(textOf(memory, VALUE));
    feedback.item = words[WORD.item];
    feedback.action = words[WORD.action];
    feedback.eventId = words[WORD.eventId];
    return feedback;
  }

  #time(memory: ScanMemory): number {
    const { tsUnit } = this.#options;
    const form = memory.words[WORD.timeForm];
    if (form === WHOLE) return timeOf(memory.doubles[DOUBLE.time], tsUnit);
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
}

function scanningIn(memory: ScanMemory, scanner: number, dimensions: Dimensions): Scanning {
  const impression = new PackedImpression();
  impression.u8 = memory.texts;
  impression.items = memory.places;
  impression.ranks = memory.ranks;
  impression.categories = memory.categories;
  const feedback = new PackedFeedback();
  feedback.u8 = memory.texts;
  return { memory, impression, feedback, contexts: new Contexts(memory, scanner, dimensions) };
}

function textOf({ bytes, spans }: ScanMemory, field: number): string {
  return bytes.toString('latin1', spans[2 * field], spans[2 * field + 1]);
}

function sampleKeyIn({ bytes, spans }: ScanMemory): number {
  return sampleKeyOf(bytes, spans[2 * USER_ID] + 1, spans[2 * USER_ID + 1] - 1);
}

function readScores({ bytes, scoreSpans }: ScanMemory, impression: PackedImpression): void {
  const { length } = impression;
  impression.reserveScores(length);
  for (let slot = 0; slot < length; slot++) {
    const end = scoreSpans[2 * slot + 1];
    impression.scores[slot] = end === 0 ? Number.NaN : Number(bytes.toString('latin1', scoreSpans[2 * slot], end));
  }
}
