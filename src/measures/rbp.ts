import { type Joined, LARGEST_VALUE } from '../vocabulary/events.ts';
import { creditOf, gradedSlotsOf, numberOf, overLists, textOf } from './bound.ts';
import { BINARY, GRADED, type MeasureDefinition } from './definition.ts';
import type { Graded } from './grade.ts';
import { above0, belowOne, judged, word } from './grammar/parameters.ts';
import { upTo, worded } from './grammar/phrases.ts';
import { type Places, rankOf } from './places.ts';

/**
 * Rank-biased precision (Moffat and Zobel 2008): (1 - p) x the sum over ranks r <= k of q p^(r-1), for a user who continues
 * from each slot to the next with probability p. q is 1 for a positive (`gain=binary`), or grade / gmax, at most 1
 * (`gain=scaled`). `p=0.9` on binary grades is trec_eval rbp (m_rbp.c). `norm=max` divides by the value of the best order
 * of the shown list on its own ranks, cut at k. 0 for a list without positives, with `gain=scaled` without a grade above 0.
 *
 * Example: grades 1 0 1 1 0 1 0 0 give 0.495936, with `p=0.9` 0.312949, with `norm=max` 0.84; grades 3 2 3 0 1 2 with
 * `gain=scaled,gmax=3` give 0.505664.
 */
interface Rbp {
  /** The value of the list as it was shown. */
  shown(): number;
  /** The value of its best order. */
  best(list: Joined): number;
}

function binaryRbp(positives: Places, k: number, p: number): Rbp {
  return {
    shown: () => {
      const { count, ranks } = positives;
      let sum = 0;
      for (let i = 0; i < count && ranks[i] <= k; i++) sum += p ** (ranks[i] - 1);
      return (1 - p) * sum;
    },
    best: (list) => {
      let sum = 0;
      for (let s = 0; s < positives.count && rankOf(list, s) <= k; s++) sum += p ** (rankOf(list, s) - 1);
      return (1 - p) * sum;
    },
  };
}

function scaledRbp(graded: Graded, k: number, p: number, gmax: number): Rbp {
  const q = (grade: number): number => Math.min(1, grade / gmax);
  return {
    shown: () => {
      const { count, ranks, grades } = graded;
      let sum = 0;
      for (let i = 0; i < count && ranks[i] <= k; i++) sum += q(grades[i]) * p ** (ranks[i] - 1);
      return (1 - p) * sum;
    },
    best: (list) => {
      const grades = graded.descending();
      let sum = 0;
      for (let s = 0; s < graded.count && rankOf(list, s) <= k; s++) sum += q(grades[s]) * p ** (rankOf(list, s) - 1);
      return (1 - p) * sum;
    },
  };
}

/** `norm=max`: rounding must not lift it above 1. */
function normalisedRbp(value: number, best: number): number {
  return best > 0 ? Math.min(1, value / best) : 0;
}

export const RBP: MeasureDefinition = {
  name: 'rbp',
  trecEval: ['rbp', 'rbp'],
  kind: 'grades',
  takesCut: true,
  params: {
    ...judged,
    p: belowOne(0.8),
    gain: word('binary', 'scaled'),
    gmax: above0(undefined, LARGEST_VALUE),
    norm: word('none', 'max'),
  },
  forbidden: (params) => {
    const isScaled = params.get('gain') === 'scaled';
    if (isScaled === params.has('gmax')) return undefined;
    return isScaled ? 'gain=scaled needs gmax, the highest grade' : 'gmax needs gain=scaled';
  },
  better: 'higher',
  range: [0, 1],
  dependsOnOrder: () => true,
  takesEveryGrade: (params) => params.get('gain') === 'scaled',
  bind: (measure, { views }) => {
    const { graded, k, relevant, gained } = gradedSlotsOf(measure, views);
    const { params } = measure;
    const p = numberOf(measure, 'p');
    const isScaled = params.get('gain') === 'scaled';
    const { shown, best } = isScaled
      ? scaledRbp(graded, k, p, numberOf(measure, 'gmax'))
      : binaryRbp(views.positives(textOf(measure, 'action'), creditOf(measure), numberOf(measure, 'rel')), k, p);
    const gaining = isScaled ? gained : relevant;
    if (params.get('norm') !== 'max') return overLists(measure, shown, relevant, gaining);
    return overLists(measure, (list) => normalisedRbp(shown(), best(list)), relevant, gaining);
  },
  describe: (measure) => {
    const gain = worded(measure, 'gain', {
      binary: '1 for a positive',
      scaled: `the grade over ${measure.params.get('gmax')}`,
    });
    const norm = worded(measure, 'norm', { max: ', over that of the best order of the shown list' });
    return `Rank-biased precision ${upTo(measure)} with persistence ${measure.params.get('p')}: gain ${gain}${norm}`;
  },
  docs: {
    value: 'rank-biased precision: (1 - p) x sum of q p^(rank - 1) up to k; q is 1 for a positive',
    parameters:
      '`p`: 0.8; `gain`: `binary`, `scaled` (q = grade / `gmax`, which must be given); `norm`: `none`, `max` (over that of the best order of the shown list)',
  },
  examples: [
    { of: 'rbp(p=0.9)', list: BINARY, value: 0.312949, agrees: 'trec_eval rbp' },
    { of: 'rbp', list: BINARY, value: 0.495936 },
    { of: 'rbp(norm=max)', list: BINARY, value: 0.84 },
    { of: 'rbp(gain=scaled,gmax=3)', list: GRADED, value: 0.505664 },
  ],
};
