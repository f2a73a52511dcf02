import { PLACE_BITS } from '../consumers/engine/engine-layout.ts';
import { MOST_EVENTS, NO_PATTERN, type Patterns } from '../measures/patterns.ts';
import type { Scorer } from '../measures/scorer-contract.ts';
import { SCORE_WIDTH } from '../measures/sums.ts';
import { isEmptyList, type Joined } from '../vocabulary/events.ts';
import { type KeptList, KeptTable } from './kept-table.ts';
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
