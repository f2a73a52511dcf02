/**
 * The definition of a measure. Each measure's file exports one `MeasureDefinition`, and all.ts lists them: it contains whatever
 * is true of one measure and not of all. The grammar, the scorer, the metrics, the columns of `score` and the tables of
 * docs/measures.md are made from it.
 */
import type { ParamShapes } from './grammar/parameters.ts';
import type { ItemCatalogue } from './item-catalogue.ts';
import type { Registers } from './registers.ts';
import type { Step } from './step.ts';
import type { Views } from './views.ts';

/** A measure with parameters: its name says which measure, its parameters say by which convention. */
export interface Measure {
  readonly definition: MeasureDefinition;
  readonly name: string;
  /** Every parameter that has a value, defaults included, by key in alphabetical order. */
  readonly params: ReadonlyMap<string, string | number>;
  /** The cut-off: only ranks up to k count. undefined: all. */
  readonly k: number | undefined;
  /** The printed name and the measure's identity: equal measures have equal names, and it parses back to this measure. */
  readonly canonical: string;
}

export type MeasureDefinition = MeasureOfLists | MeasureOfItems;

/** A measure that has a value for each list. */
interface MeasureOfLists extends Facts {
  /**
   * Its input. grades: how high they are and at which ranks. actions: slots with an action, whatever its grade. ratings: pairs of a
   * predicted score and a rating. list: only the list, without feedback.
   */
  readonly kind: 'grades' | 'actions' | 'ratings' | 'list';
  /** Connects the measure to what it reads, once per configuration. The step may assume a list with a slot of rank <= k, or an empty one. */
  readonly bind: (measure: Measure, from: Binding) => Step;
}

/** A measure of the items of all lists together, without feedback. No list has a value of its own. */
interface MeasureOfItems extends Facts {
  readonly kind: 'items';
  readonly ofItems: ValueOfDistinct | ValueOfExposures;
}

/** @returns NaN: none */
interface ValueOfDistinct {
  readonly from: 'registers';
  readonly value: (registers: Registers, measure: Measure, catalogueSize: number) => number;
}

/** @returns NaN: none */
interface ValueOfExposures {
  readonly from: 'exposures';
  /** `ascending`: exposures of the items that were shown, at least one. */
  readonly value: (ascending: readonly number[], measure: Measure, catalogueSize: number) => number;
}

/** What a measure may be bound to. */
export interface Binding {
  readonly views: Views;
  readonly catalogue: ItemCatalogue;
}

/** What a list must carry beyond slots and feedback. */
export type ListPart = 'scores' | 'items' | 'categories';

/** Facts of every measure. */
interface Facts {
  readonly name: string;
  /** Names that are accepted but never printed, in lower case. */
  readonly aliases?: readonly string[];
  /** trec_eval's names without a cut-off, and with one before `_k`. undefined: it has no such measure. */
  readonly trecEval?: readonly [whole: string, cut: string];
  /** The title in PyFLAGR's tables without a cut-off, where it is not trec_eval's name. */
  readonly flagr?: string;
  /** Whether it takes a cut-off `@k`. */
  readonly takesCut: boolean;
  readonly params: ParamShapes;
  /** Why these parameters cannot be combined, besides the rules of all measures (`forbidden` in grammar/measure-name.ts). undefined: they can. */
  readonly forbidden?: (params: Measure['params']) => string | undefined;
  /** The value of a parameter that makes it another measure, with the name of that measure: `rate(action=click)` is `ctr`. */
  readonly isOther?: { readonly param: string; readonly value: string; readonly name: string };

  /** Which direction is better. near0: neither a fall nor a rise is good. veto: lower if its action vetoes an item, else higher. */
  readonly better: 'higher' | 'lower' | 'near0' | 'veto';
  /** The least and the largest value that a list can have, compared with the shown items. */
  readonly range: readonly [least: number, most: number];
  /** Whether the order of the list affects the value. */
  readonly dependsOnOrder: (measure: Measure) => boolean;
  /** The distribution that gives the p of one list (score/correlation-p.ts); undefined: none is known. */
  readonly correlation?: 'spearman' | 'kendall';

  /** Parts that the list must carry. */
  readonly needs?: (measure: Measure) => readonly ListPart[];
  /** What it needs from the catalogue; items without it are left out. Categories may also come with the list. */
  readonly asksCatalogue?: (measure: Measure) => 'item' | 'popularity' | 'category' | undefined;
  /** Why it cannot be scored with a catalogue that has what it needs, in words. undefined: it can. */
  readonly catalogueProblem?: (measure: Measure, catalogue: ItemCatalogue) => string | undefined;
  /** The action that it counts although no parameter names it. */
  readonly action?: string;

  /** Whether it needs to know which items somebody judged, which neither feedback nor lists with grades say. */
  readonly asksJudgements?: boolean;
  /** Whether a list without slots always has a value, even an empty page behind the first. */
  readonly takesEmptyLists?: boolean;
  /** Whether it leaves lists out with every choice of parameters. */
  readonly leavesListsOut?: boolean;
  /** Whether every grade above 0 counts, so that `rel` has no effect except on the weights of `avg=weighted`. */
  readonly takesEveryGrade?: (params: Measure['params']) => boolean;
  /** Whether the denominator of `avg=micro` is slots of the list, rather than a cut-off or positives. */
  readonly countsSlots?: (measure: Measure) => boolean;
  /** Whether the value is the root of the mean over all pairs. */
  readonly isRoot?: boolean;
  /** For `per=class`: the value of one class. */
  readonly ofClass?: (measure: Measure) => ClassValue;
  /** For `of=means`: the value of two means over lists. */
  readonly ofMeans?: (measure: Measure, first: number, second: number) => number;

  /** The formula with its parameters in words, for HELP texts and tables; what parameters of all measures mean is added to it. */
  readonly describe: (measure: Measure) => string;
  /** Cells of the table in docs/measures.md: the value of one list, and the measure's own parameters, default first. */
  readonly docs: { readonly value: string; readonly parameters?: string };
  /** Worked examples: rows of docs/measures.md, which tests compute. */
  readonly examples: readonly Example[];
}

export interface Example {
  /** The measure: its parameters and cut-off. */
  readonly of: string;
  readonly list: ExampleList;
  /** Rounded to six digits. */
  readonly value: number;
  /** Libraries that compute the same value. */
  readonly agrees?: string;
}

/**
 * The grades of a list, rank 1 first, and those of all known items; predicted scores and ratings; 1 for each slot whose item was
 * judged, else 0; or the lists `abc`, `abd` and `ace` that docs/measures.md scores by a catalogue of ten items.
 */
type ExampleList =
  | { readonly grades: readonly number[]; readonly known?: readonly number[] }
  | { readonly scores: readonly number[]; readonly ratings: readonly number[] }
  | { readonly judged: readonly number[] }
  | 'shown';

/**
 * `per=class`: precision, recall and f1 of two classes of slots, in the top k or not against positive or not, pooled over
 * all lists. `avg=macro`: the mean over the two classes; `weighted`: by how many slots truly belong to each; `micro`: the
 * share of slots in the right class, which is the accuracy for all three. Like scikit-learn precision_recall_fscore_support
 * with average=macro, weighted and micro; a class that occurs on neither side is left out of the mean, as there.
 *
 * Example: grades 1 0 1 1 0 1 0 0 at k = 5 have TP 3, FP 2, FN 1, TN 2: f1 is 2/3 and 4/7, 0.619048 in both means, and
 * 5/8 = 0.625 with `avg=micro`.
 */
interface Cells {
  readonly tp: number;
  readonly fp: number;
  readonly fn: number;
  readonly tn: number;
}

/** Value of one class from its correct slots, those assigned to it and those that belong to it. */
type ClassValue = (right: number, taken: number, belong: number) => number;

export const classPrecision: ClassValue = (right, taken) => (taken === 0 ? 0 : right / taken);

export const classRecall: ClassValue = (right, _taken, belong) => (belong === 0 ? 0 : right / belong);

export function classF(beta: number): ClassValue {
  const b2 = beta * beta;
  return (right, taken, belong) => (right === 0 ? 0 : ((1 + b2) * right) / (b2 * belong + taken));
}

/** undefined: there are no slots. */
export function ofClasses({ tp, fp, fn, tn }: Cells, value: ClassValue, avg: string): number | undefined {
  const slots = tp + fp + fn + tn;
  if (slots === 0) return undefined;
  if (avg === 'micro') return (tp + tn) / slots;
  const upper = value(tp, tp + fp, tp + fn);
  const lower = value(tn, tn + fn, tn + fp);
  if (avg === 'weighted') return (upper * (tp + fn) + lower * (tn + fp)) / slots;
  if (tp + fp + fn === 0) return lower;
  return tn + fp + fn === 0 ? upper : (upper + lower) / 2;
}

/** A list of worked examples: positives at ranks 1, 3, 4 and 6 of 8. */
export const BINARY = { grades: [1, 0, 1, 1, 0, 1, 0, 0] } satisfies ExampleList;

export const GRADED = { grades: [3, 2, 3, 0, 1, 2] } satisfies ExampleList;

/** The same, with two more items of grades 3 and 2 that were not shown. */
export const GRADED_KNOWN = { ...GRADED, known: [...GRADED.grades, 3, 2] } satisfies ExampleList;

export const RATED = { scores: [1, 2, 3, 4, 5], ratings: [2, 1, 2, 4, 5] } satisfies ExampleList;
