import { parseMeasure } from '../measures/grammar/measure-name.ts';
import { countsEmptyLists, isListOnly } from '../measures/needs.ts';
import { MISMATCH_P } from '../statistics/sample-ratio.ts';
import { percent, probability } from '../vocabulary/numbers.ts';
import type { ComparedEmpty, Comparison } from './comparison.ts';

/** Variants whose share of empty lists differs from the control's, with the same certainty that a mismatch of the split requires. */
export function differingEmpty(empty: Readonly<Record<string, ComparedEmpty>>): readonly string[] {
  return Object.keys(empty).filter((name) => (empty[name].p ?? 1) < MISMATCH_P);
}

/** A sentence for each variant whose share of empty lists differs from the control's, and whether the primary measure shows it. */
export function emptyWords({
  emptyLists = {},
  control,
  primary,
}: Pick<Comparison, 'emptyLists' | 'control' | 'primary'>): readonly string[] {
  const measure = parseMeasure(primary, { relevantFrom: 1 });
  const what = isListOnly(measure)
    ? ''
    : countsEmptyLists(measure)
      ? `: they count 0 in ${primary}, so that is part of the difference`
      : `: ${primary} does not count them 0, so it compares the requests that found something, which are other ones in each variant`;
  return differingEmpty(emptyLists).map((name) => {
    const { share, p } = emptyLists[name];
    return `${percent(share)} of the lists of ${name} are empty, ${percent(emptyLists[control].share)} of those of ${control} (p ${probability(p ?? 1)})${what}.`;
  });
}
