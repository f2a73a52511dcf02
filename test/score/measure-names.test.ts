import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseMeasures, splitMeasures } from '../../src/measures/grammar/measure-name.ts';
import { COUNT_NAMES } from '../../src/measures/grammar/other-tools.ts';
import { measureNames, PRESET_NAMES, presetMeasures } from '../../src/score/preset.ts';
import { scoredMeasure } from '../measures/grammar/names.ts';

const DEFAULTS = { relevantFrom: 1, highestGrade: 5 };

/** As `score` reads TREC files. */
function read(text: string, preset: string | undefined = 'trec'): string {
  const { measures, problems } = presetMeasures([text], preset, DEFAULTS);
  return problems.length > 0 ? problems.join() : measures.map(({ canonical }) => canonical).join();
}

describe('names of other tools', () => {
  it('that are printed are read as the measures that they stand for, whatever the preset', () => {
    fc.assert(
      fc.property(
        fc.uniqueArray(scoredMeasure, { minLength: 1, maxLength: 4, selector: ({ canonical }) => canonical }),
        fc.constantFrom('trec', 'flagr'),
        fc.constantFrom(undefined, ...PRESET_NAMES),
        (measures, names, preset) => {
          const printed = measureNames(measures, names, { preset, defaults: DEFAULTS });
          const back = presetMeasures(splitMeasures(printed.join(',')), preset, DEFAULTS);
          expect(back.problems).toEqual([]);
          expect(back.measures).toEqual(measures);
        },
      ),
      { numRuns: 500 },
    );
  });

  // bench/peers/values.py compares these pairs with what the tools compute.
  it.each([
    ['trec_eval', 'map', 'ap(ideal=all)'],
    ['trec_eval', 'map_cut_10', 'ap(ideal=all)@10'],
    ['trec_eval', 'P_10', 'precision@10'],
    ['trec_eval', 'P.10', 'precision@10'],
    ['trec_eval', 'recall_100', 'recall(ideal=all)@100'],
    ['trec_eval', 'ndcg', 'ndcg(ideal=all)'],
    ['trec_eval', 'ndcg_cut_10', 'ndcg(ideal=all)@10'],
    ['trec_eval', 'recip_rank', 'mrr'],
    ['trec_eval', 'success_5', 'hit@5'],
    ['trec_eval', 'Rprec', 'rprec(ideal=all)'],
    ['trec_eval', 'set_P', 'precision'],
    ['trec_eval', 'set_recall', 'recall(ideal=all)'],
    ['trec_eval', 'set_F', 'f1(ideal=all)'],
    ['ir_measures', 'nDCG@10', 'ndcg(ideal=all)@10'],
    ['ir_measures', "nDCG(dcg='exp-log2')@10", 'ndcg(gain=exp,ideal=all)@10'],
    ['ir_measures', 'RR', 'mrr'],
    ['ir_measures', 'RR@10', 'mrr@10'],
    ['ir_measures', 'AP', 'ap(ideal=all)'],
    ['ir_measures', 'AP(rel=2)', 'ap(ideal=all,rel=2)'],
    ['ir_measures', 'P@5', 'precision@5'],
    ['ir_measures', 'P(rel=2)@5', 'precision(rel=2)@5'],
    ['ir_measures', 'R@100', 'recall(ideal=all)@100'],
    ['ir_measures', 'Success@5', 'hit@5'],
    ['ir_measures', 'Rprec', 'rprec(ideal=all)'],
    ['ir_measures', 'SetP', 'precision'],
    ['ir_measures', 'SetR', 'recall(ideal=all)'],
    ['ir_measures', 'SetF(beta=4.0)', 'f1(beta=2,ideal=all)'],
    ['ir_measures', 'Judged@10', 'judged@10'],
    ['ranx', 'mrr@10', 'mrr@10'],
    ['ranx', 'map@100', 'ap(ideal=all)@100'],
    ['ranx', 'map@100-l2', 'ap(ideal=all,rel=2)@100'],
    ['ranx', 'ndcg@10', 'ndcg(ideal=all)@10'],
    ['ranx', 'ndcg_burges@10', 'ndcg(gain=exp,ideal=all)@10'],
    ['ranx', 'dcg_burges@10', 'dcg(gain=exp)@10'],
    ['ranx', 'precision@5', 'precision@5'],
    ['ranx', 'recall@100', 'recall(ideal=all)@100'],
    ['ranx', 'f1@10', 'f1(ideal=all)@10'],
    ['ranx', 'hit_rate@5', 'hit@5'],
    ['ranx', 'r-precision', 'rprec(ideal=all)'],
    ['PyFLAGR', 'Mean Average Precision (MAP)', 'ap(ideal=all)'],
  ])("of %s: %s is %s beside its owner's files", (_tool, name, canonical) => {
    expect(read(name)).toBe(canonical);
  });

  it("keep their owner's convention under the preset of another tool and over graded lists", () => {
    expect(read('ndcg_cut_10', 'lenskit')).toBe('ndcg(ideal=all)@10');
    expect(read('ndcg_cut_10', undefined)).toBe('ndcg(ideal=all)@10');
    expect(read('ndcg_cut_10', 'flagr')).toBe('ndcg(gain=exp)@10');
  });

  it.each([
    ['bpref', '"bpref": trec_eval has this measure, receval does not; --unjudged skip of score leaves out'],
    ['iprec_at_recall_0.10', '"iprec_at_recall_0.10": trec_eval has this measure, receval does not'],
    ['11pt_avg', '"11pt_avg": trec_eval has this measure, receval does not'],
    ['relative_P_5', '"relative_P_5": trec_eval has this measure, receval does not'],
    ['alpha_nDCG(alpha=0.5)@20', '"alpha_nDCG(alpha=0.5)@20": ir_measures has this measure, receval does not'],
    ['hits@5', '"hits@5": ranx counts the relevant items; the same over the cut-off is precision@5'],
    ['rbp.95', '"rbp.95": ranx adds up grades there; rbp(p=0.95) counts relevant items'],
    ['ndcg_cut', '"ndcg_cut": name the cut-off, such as ndcg_cut_10'],
    ['nDCG(dcg=ln)@5', '"nDCG(dcg=ln)@5": dcg is log2 or exp-log2 there, got "ln"'],
    ['nd_cut_10', 'unknown measure "nd_cut_10"'],
    ['P_0', 'unknown measure "P_0"'],
    ['ndcg_cut_10001', 'k must be a whole number from 1 to 10000'],
  ])('that stand for nothing here are refused with a reason: %s', (name, reason) => {
    expect(read(name)).toContain(reason);
  });

  it('that need judgements are refused where there are none', () => {
    const { problems } = parseMeasures(['P_10', 'ndcg_cut_10'], DEFAULTS, { command: 'replay' });
    expect(problems).toEqual([{ index: 1, message: expect.stringContaining('"ndcg_cut_10": ideal=all needs') }]);
  });

  it('of counts are none of a measure', () => {
    for (const name of COUNT_NAMES) expect(read(name)).toContain('unknown measure');
  });
});
