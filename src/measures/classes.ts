/**
 * `per=class`: precision, recall and f1 of two classes of slots, in the top k or not against positive or not, pooled over
 * all lists. `avg=macro`: the mean over the two classes; `weighted`: by how many slots truly belong to each; `micro`: the
 * share of slots in the right class, which is the accuracy for all three. Like scikit-learn precision_recall_fscore_support
 * with average=macro, weighted and micro; a class that occurs on neither side is left out of the mean, as there.
 *
 * Example: grades 1 0 1 1 0 1 0 0 at k = 5 have TP 3, FP 2, FN 1, TN 2: f1 is 2/3 and 4/7, 0.619048 in both means, and
 * 5/8 = 0.625 with `avg=micro`.
 */
export interface Cells {
  readonly tp: number;
  readonly fp: number;
  readonly fn: number;
  readonly tn: number;
}

/** Value of one class from its correct slots, those assigned to it and those that belong to it. */
export type ClassValue = (right: number, taken: number, belong: number) => number;

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
