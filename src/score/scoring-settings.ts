import type { Measure } from '../measures/definition.ts';
import { type GradeLimit, gradeLimit } from '../measures/gain.ts';
import { MeasureError } from '../measures/grammar/scan.ts';
import { type ItemCatalogue, NO_CATALOGUE } from '../measures/item-catalogue.ts';
import { JUDGED_ACTION } from '../measures/judged.ts';
import { compile } from '../measures/scorer.ts';
import type { Grading, Scorer } from '../measures/scorer-contract.ts';
import { SCORE_WIDTH } from '../measures/sums.ts';
import { LARGEST_VALUE } from '../vocabulary/events.ts';
import type { CorrelationTest, correlationTest } from './correlation-p.ts';
import type { OrderRule, Ties } from './order.ts';
import { orderRule } from './preset.ts';
import type { Repeats } from './repeats.ts';
import type { RunColumns } from './run-format.ts';
import { hasTiesMean } from './ties-mean.ts';

export const UNJUDGED = ['count', 'skip'] as const;
export type Unjudged = (typeof UNJUDGED)[number];

interface ScoringChoices {
  readonly measures: readonly Measure[];
  /** Lowest grade that is relevant: the default of `rel`, and used for the counts. */
  readonly relevantFrom: number;
  readonly preset: string | undefined;
  /** undefined: as the preset says. */
  readonly ties: Ties | undefined;
  /** Only this many items of a list count; Infinity: all. */
  readonly depth: number;
  /** `zero`: a judged query without a list counts as 0; `skip`: it does not count. */
  readonly missing: 'skip' | 'zero';
  /** `skip`: items that nobody judged are removed from the lists; `count`: they stay, and are not relevant. */
  readonly unjudged: Unjudged;
  readonly repeats: Repeats;
  readonly keepsQueries: boolean;
  /** Whether runs are compared by query. */
  readonly compares: boolean;
  /** The catalogue for measures of items; `NO_CATALOGUE`: none. */
  readonly catalogue: ItemCatalogue;
  /** Makes the test of correlations; undefined: no p is requested. */
  readonly correlationTest: typeof correlationTest | undefined;
}

/** How lists are scored. The scorer and its buffer are reused for one list after the other. */
export interface ScoringSettings extends Omit<ScoringChoices, 'correlationTest'> {
  readonly scorer: Scorer;
  readonly testCorrelations: CorrelationTest | undefined;
  readonly out: Float64Array;
  readonly gradeLimit: GradeLimit;
  /** Number of places of a list that are checked for items that nobody judged. */
  readonly top: number;
  orderOf(columns: RunColumns): OrderRule;
}

/** The top of a list is what people see: the largest cut-off up to LARGEST_TOP, or else USUAL_TOP. */
const LARGEST_TOP = 20;
const USUAL_TOP = 10;

function topOf(measures: readonly Measure[]): number {
  const cuts = measures.flatMap(({ k = Number.POSITIVE_INFINITY }) => (k <= LARGEST_TOP ? [k] : []));
  return cuts.length === 0 ? USUAL_TOP : Math.max(...cuts);
}

/** @throws MeasureError for a measure that files of judgements do not determine, or that depends on the order of ties */
export function scoringSettings(choices: ScoringChoices): ScoringSettings {
  const { measures, relevantFrom, preset, ties } = choices;
  for (const measure of measures) {
    if (measure.params.get('examined') === 'viewport') {
      throw new MeasureError(
        `"${measure.canonical}": examined=viewport needs view events, which judgements do not have`,
      );
    }
    if (ties === 'mean' && measure.definition.dependsOnOrder(measure) && !hasTiesMean(measure)) {
      const what = 'with --ties mean only dcg, ndcg and measures without an order have a value';
      throw new MeasureError(`"${measure.canonical}": ${what}; score it with --ties docno, first or last`);
    }
  }
  const scorer = compile(measures, gradingOf(measures, relevantFrom), choices.catalogue);
  const ofCategories = measures.find((measure) => measure.definition.asksCatalogue?.(measure) === 'category');
  if (ofCategories !== undefined && choices.catalogue === NO_CATALOGUE) {
    const { name, canonical } = ofCategories;
    const what = `${name} needs a catalogue: files of lists do not say the category of an item`;
    throw new MeasureError(`"${canonical}": ${what}`);
  }
  const correlates = measures.some(({ definition }) => definition.correlation !== undefined);
  return {
    ...choices,
    scorer,
    testCorrelations: correlates ? choices.correlationTest?.(measures, scorer.actions) : undefined,
    out: new Float64Array(SCORE_WIDTH * measures.length),
    gradeLimit: gradeLimit(measures),
    top: Math.min(topOf(measures), choices.depth),
    orderOf: (columns) => orderRule(preset, columns, ties),
  };
}

/**
 * The grading of judgements: a judged item has the action `rating` with the grade as its value, and a relevant one also each action that
 * a measure names.
 */
function gradingOf(measures: readonly Measure[], relevantFrom: number): Grading {
  const named = measures.flatMap(({ params }) => params.get('action') ?? []).map(String);
  const rule = { from: 'value', grade: 0, rule: 'max', max: LARGEST_VALUE, veto: false } as const;
  return { actions: [...new Set([JUDGED_ACTION, ...named])].map((name) => ({ name, rule })), relevantFrom };
}
