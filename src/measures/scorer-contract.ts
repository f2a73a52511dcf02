import type { Joined } from '../vocabulary/events.ts';
import type { ItemCatalogue } from './item-catalogue.ts';
import type { Patterns } from './patterns.ts';
import type { Places } from './places.ts';
import type { SumsKind } from './sums.ts';

/** How one action of the configuration becomes a grade (specification: measures 5.1). */
export interface GradeRule {
  /** A fixed grade, or the event's value. */
  readonly from: 'grade' | 'value';
  /** The fixed grade, 0 to LARGEST_VALUE; ignored when the grade comes from the value. */
  readonly grade: number;
  /** How several events of the action on one item combine. */
  readonly rule: 'max' | 'last' | 'sum';
  /** Highest grade that this action can give, at most LARGEST_VALUE: higher ones are cut to it. */
  readonly max: number;
  /** Whether it sets the slot's grade to 0, whatever else was done. */
  readonly veto: boolean;
}

/** How feedback becomes grades: the part of the configuration that measures use. */
export interface Grading {
  /** Actions in the order of the indices in `Joined.action`. */
  readonly actions: readonly { readonly name: string; readonly rule: GradeRule }[];
  /** Lowest grade that is a positive: the default of `rel`. */
  readonly relevantFrom: number;
}

/** What measures need from a list beyond slots and feedback. The maker of `Joined` may leave out the rest. */
export interface ScorerNeeds {
  /** `Joined.scores`. */
  readonly scores: boolean;
  /** `Joined.items`. */
  readonly items: boolean;
  /** `Joined.categories`. */
  readonly categories: boolean;
}

/** Measures compiled for one configuration; scores lists without allocation. */
export interface Scorer {
  /** Canonical names, in the order of the configuration. */
  readonly names: readonly string[];
  readonly kinds: readonly SumsKind[];
  /** Actions that must have an index in `Joined.action`. */
  readonly actions: readonly string[];
  readonly needs: ScorerNeeds;
  /** The items that measures of the list alone know. */
  readonly catalogue: ItemCatalogue;
  /** The positives by `relevantFrom` of the last list that was scored. */
  readonly positives: Places;
  /**
   * Scores one list. Measure m writes from out[SCORE_WIDTH m] on: its state (LEFT_OUT, WITHOUT_POSITIVE, WITH_POSITIVE),
   * then the values and the tail of its kind; apart: its value. The numbers after them have no meaning. Returns whether
   * the list has a positive by `relevantFrom`.
   */
  score(list: Joined, out: Float64Array): boolean;
  /**
   * Patterns of lists. For lists of one pattern, `score` writes the same and `positives` are the same. undefined: some measure reads more
   * of a list than a pattern encodes.
   */
  readonly patterns: Patterns | undefined;
}
