import { EngineBlocks } from '../consumers/engine/engine-blocks.ts';
import { ACTION_CODES, KEPT_PLACE, KEPT_SUMS, KEPT_TABLE, PLACE_BITS } from '../consumers/engine/engine-layout.ts';
import { LENGTHS, MOST_EVENTS, NO_PATTERN, type Patterns } from '../measures/patterns.ts';
import type { Places } from '../measures/places.ts';
import type { Scorer } from '../measures/scorer-contract.ts';
import { SCORE_WIDTH } from '../measures/sums.ts';
import { isEmptyList, type Joined } from '../vocabulary/events.ts';
import { CellColumns, ListSums } from './list-sums.ts';

/**
 * Caches what lists of a pattern add, so that each pattern is scored once (measures/patterns.ts). Each pattern maps to one place
 * in a table of fixed size, and replaces another there when it comes twice in a row, so lists that are rarely alike cost little
 * more than without the table. The engine reads the table and adds most of these lists itself.
 */
export class KeptLists {
  readonly table: KeptTable;
  readonly #patterns: Patterns;
  readonly #scorer: Scorer;
  readonly #out: Float64Array;
  /** For each place the pattern of the last list that was not kept there. */
  readonly #met = new Float64Array(KeptTable.places).fill(NO_PATTERN);
  /** A copy of the entry that was read last. */
  readonly #kept;

  /** Returns undefined if the measures read more than a pattern has. */
  static by(scorer: Scorer): KeptLists | undefined {
    return scorer.patterns === undefined ? undefined : new KeptLists(scorer, scorer.patterns);
  }

  private constructor(scorer: Scorer, patterns: Patterns) {
    this.#scorer = scorer;
    this.#patterns = patterns;
    this.table = new KeptTable(patterns);
    this.#out = new Float64Array(SCORE_WIDTH * scorer.names.length);
    this.#kept = {
      sums: new ListSums(new CellColumns(scorer)),
      positives: { count: 0, ranks: new Float64Array(MOST_EVENTS) },
    };
  }

  /** What this list adds; valid until the next call. undefined: its pattern is not kept. */
  of(list: Joined): KeptList | undefined {
    const pattern = this.#patterns.of(list);
    if (pattern === NO_PATTERN) return undefined;
    const place = placeOf(pattern);
    if (this.table.patternAt(place) === pattern) {
      this.table.read(place, this.#kept);
      return this.#kept;
    }
    if (this.#met[place] === pattern) return this.#keep(place, pattern, list);
    this.#met[place] = pattern;
    return undefined;
  }

  #keep(place: number, pattern: number, list: Joined): KeptList {
    const { sums, positives } = this.#kept;
    sums.load(this.#scorer.score(list, this.#out), this.#out, isEmptyList(list.length, list.pageOffset));
    const { count, ranks } = this.#scorer.positives;
    positives.count = count;
    for (let i = 0; i < count; i++) positives.ranks[i] = ranks[i];
    // The engine cannot add large sums, so these lists are scored each time.
    if (sums.large.length === 0) this.table.put(place, pattern, this.#kept);
    return this.#kept;
  }
}

/** Multiplies both halves and takes the upper bits. */
function placeOf(pattern: number): number {
  const high = (pattern / 2 ** 31) | 0;
  return (Math.imul(pattern | 0, 0x9e3779b1) + Math.imul(high, 0x85ebca6b)) >>> (32 - PLACE_BITS);
}

/** What a list of a pattern adds, and the ranks of its positives. */
export interface KeptList {
  readonly sums: ListSums;
  readonly positives: Places;
}

/** What lists of some patterns add, each at its place in a table of fixed size. The engine reads it, too (wasm/engine/adding.ts). */
export class KeptTable {
  static readonly places = 2 ** PLACE_BITS;
  /** Address in the engine's memory. */
  readonly at: number;
  readonly #blocks = new EngineBlocks();

  constructor({ codes, width }: Patterns) {
    const ofActions = KEPT_TABLE.BYTES + KEPT_PLACE.BYTES * KeptTable.places;
    this.at = this.#blocks.take(ofActions + ACTION_CODES.BYTES * codes.length + 4 * MOST_EVENTS);
    const { words, doubles } = this.#blocks.engine;
    const table = this.at >>> 2;
    words[table + KEPT_TABLE.width] = width;
    words[table + KEPT_TABLE.actions] = codes.length;
    words[table + KEPT_TABLE.lengths] = LENGTHS;
    words[table + KEPT_TABLE.mostEvents] = MOST_EVENTS;
    let at = (this.at + ofActions) >>> 2;
    for (const { readsValue, addsUp, first, behind } of codes) {
      words[at + ACTION_CODES.first] = first;
      words[at + ACTION_CODES.behind] = behind;
      words[at + ACTION_CODES.readsValue] = readsValue ? 1 : 0;
      words[at + ACTION_CODES.addsUp] = addsUp ? 1 : 0;
      at += ACTION_CODES.BYTES / 4;
    }
    for (let place = 0; place < KeptTable.places; place++) {
      doubles[(this.#placeAt(place) >>> 3) + KEPT_PLACE.pattern] = NO_PATTERN;
    }
  }

  #placeAt(place: number): number {
    return this.at + KEPT_TABLE.BYTES + KEPT_PLACE.BYTES * place;
  }

  /** The pattern that is kept at this place; NO_PATTERN: none. */
  patternAt(place: number): number {
    return this.#blocks.engine.doubles[(this.#placeAt(place) >>> 3) + KEPT_PLACE.pattern];
  }

  /** Stores a copy at this place, replacing what is there. The sums must not be large. */
  put(place: number, pattern: number, { sums, positives }: KeptList): void {
    const { words, doubles } = this.#blocks.engine;
    const at = this.#placeAt(place);
    // Written first: if the memory is full, the old entry stays.
    const written = this.#write(sums, positives);
    this.#blocks.give(words[(at >>> 2) + KEPT_PLACE.sums]);
    doubles[(at >>> 3) + KEPT_PLACE.pattern] = pattern;
    words[(at >>> 2) + KEPT_PLACE.sums] = written;
  }

  /** Returns the address of the copy. */
  #write(sums: ListSums, { count: ranks, ranks: values }: Places): number {
    const { words, doubles } = this.#blocks.engine;
    const { count, ownCount } = sums;
    const all = count + ownCount;
    const place = this.#blocks.take(KEPT_SUMS.BYTES + 12 * all + 8 * ranks);
    const at = place >>> 2;
    words[at + KEPT_SUMS.isPositive] = sums.isPositive ? 1 : 0;
    words[at + KEPT_SUMS.shared] = count;
    words[at + KEPT_SUMS.all] = all;
    words[at + KEPT_SUMS.ranks] = ranks;
    const amounts = (place + KEPT_SUMS.BYTES) >>> 3;
    const columns = 2 * (amounts + all + ranks);
    for (let i = 0; i < count; i++) {
      doubles[amounts + i] = sums.amounts[i];
      words[columns + i] = sums.columns[i];
    }
    for (let i = 0; i < ownCount; i++) {
      doubles[amounts + count + i] = sums.ownAmounts[i];
      words[columns + count + i] = sums.ownColumns[i];
    }
    for (let i = 0; i < ranks; i++) doubles[amounts + all + i] = values[i];
    return place;
  }

  /** Copies the entry at this place. */
  read(place: number, { sums, positives }: { readonly sums: ListSums; readonly positives: MutablePlaces }): void {
    const { words, doubles } = this.#blocks.engine;
    const at = words[(this.#placeAt(place) >>> 2) + KEPT_PLACE.sums];
    const count = words[(at >>> 2) + KEPT_SUMS.shared];
    const all = words[(at >>> 2) + KEPT_SUMS.all];
    const ranks = words[(at >>> 2) + KEPT_SUMS.ranks];
    const amounts = (at + KEPT_SUMS.BYTES) >>> 3;
    const columns = 2 * (amounts + all + ranks);
    if (sums.large.length > 0) sums.large = [];
    sums.isPositive = words[(at >>> 2) + KEPT_SUMS.isPositive] !== 0;
    sums.count = count;
    sums.ownCount = all - count;
    for (let i = 0; i < count; i++) {
      sums.amounts[i] = doubles[amounts + i];
      sums.columns[i] = words[columns + i];
    }
    for (let i = count; i < all; i++) {
      sums.ownAmounts[i - count] = doubles[amounts + i];
      sums.ownColumns[i - count] = words[columns + i];
    }
    positives.count = ranks;
    for (let i = 0; i < ranks; i++) positives.ranks[i] = doubles[amounts + all + i];
  }
}

/** Room for the positives of a list. */
interface MutablePlaces extends Places {
  count: number;
  readonly ranks: Float64Array;
}
