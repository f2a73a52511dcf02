import { NO_PATTERN } from '../measures/patterns.ts';
import type { Places } from '../measures/places.ts';
import type { Scorer } from '../measures/scorer-contract.ts';
import { SCORE_WIDTH } from '../measures/sums.ts';
import type { Joined } from '../vocabulary/events.ts';
import { CellColumns, ListSums } from './list-sums.ts';

/** What all lists of one pattern add to rows. */
export interface KeptList {
  readonly sums: ListSums;
  /** As in `Scorer.positives`. */
  readonly positives: Places;
}

/** Lists of one length with two actions have some dozens of patterns. */
const PLACE_BITS = 12;

/**
 * What lists of a pattern add, scored once and kept (measures/patterns.ts). A pattern has one place in a table of fixed size,
 * and takes it from another when it is met twice in a row there, so lists that are rarely alike cost little more than without the table.
 */
export class KeptLists {
  readonly #scorer: Scorer;
  readonly #out: Float64Array;
  readonly #loaded: ListSums;
  /** By place: the pattern that was met last, and what it adds, if that is kept. */
  readonly #patterns = new Float64Array(2 ** PLACE_BITS).fill(NO_PATTERN);
  readonly #lists: (KeptList | undefined)[] = new Array(2 ** PLACE_BITS).fill(undefined);

  constructor(scorer: Scorer) {
    this.#scorer = scorer;
    this.#out = new Float64Array(SCORE_WIDTH * scorer.names.length);
    this.#loaded = new ListSums(new CellColumns(scorer));
  }

  /** undefined: nothing is kept of such lists. */
  of(list: Joined): KeptList | undefined {
    const pattern = this.#scorer.patternOf(list);
    if (pattern === NO_PATTERN) return undefined;
    const place = placeOf(pattern);
    if (this.#patterns[place] === pattern) return this.#lists[place] ?? this.#keep(place, list);
    this.#patterns[place] = pattern;
    this.#lists[place] = undefined;
    return undefined;
  }

  #keep(place: number, list: Joined): KeptList {
    const isPositive = this.#scorer.score(list, this.#out);
    const { count, ranks } = this.#scorer.positives;
    this.#loaded.load(isPositive, this.#out);
    const kept = { sums: this.#loaded.copy(), positives: { count, ranks: ranks.slice(0, count) } };
    this.#lists[place] = kept;
    return kept;
  }
}

/** Multiplies both halves and takes the upper bits. */
function placeOf(pattern: number): number {
  const high = (pattern / 2 ** 31) | 0;
  return (Math.imul(pattern | 0, 0x9e3779b1) + Math.imul(high, 0x85ebca6b)) >>> (32 - PLACE_BITS);
}
