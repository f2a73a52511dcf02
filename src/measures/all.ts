/** All measures. To add one, define it in a file of its own and list it here. */
import { AP } from './ap.ts';
import { AUC } from './auc.ts';
import { BIAS } from './bias.ts';
import { COVERAGE } from './coverage.ts';
import { CTR } from './ctr.ts';
import { DCG } from './dcg.ts';
import type { MeasureDefinition } from './definition.ts';
import { DISTINCT } from './distinct.ts';
import { DIVERSITY } from './diversity.ts';
import { DUPLICATED } from './duplicated.ts';
import { ENTROPY } from './entropy.ts';
import { ERR } from './err.ts';
import { F1 } from './f1.ts';
import { GINI } from './gini.ts';
import { HIT } from './hit.ts';
import { JUDGED } from './judged.ts';
import { KENDALL } from './kendall.ts';
import { LENGTH } from './length.ts';
import { MAE } from './mae.ts';
import { MRR } from './mrr.ts';
import { NDCG } from './ndcg.ts';
import { NOVELTY } from './novelty.ts';
import { POPULARITY } from './popularity.ts';
import { PRECISION } from './precision.ts';
import { RATE } from './rate.ts';
import { RBP } from './rbp.ts';
import { RECALL } from './recall.ts';
import { RMSE } from './rmse.ts';
import { RPREC } from './rprec.ts';
import { SHORT } from './short.ts';
import { SPEARMAN } from './spearman.ts';

/** All measures, in the order in which messages and docs/measures.md list them. */
export const MEASURES: readonly MeasureDefinition[] = [
  MRR,
  HIT,
  PRECISION,
  RECALL,
  F1,
  AP,
  RPREC,
  DCG,
  NDCG,
  RBP,
  ERR,
  AUC,
  CTR,
  RATE,
  JUDGED,
  MAE,
  RMSE,
  BIAS,
  SPEARMAN,
  KENDALL,
  DISTINCT,
  COVERAGE,
  GINI,
  ENTROPY,
  POPULARITY,
  NOVELTY,
  DIVERSITY,
  LENGTH,
  SHORT,
  DUPLICATED,
];

const BY_NAME: ReadonlyMap<string, MeasureDefinition> = new Map(MEASURES.map((one) => [one.name, one]));

/** undefined: no measure has this printed name. */
export function definitionOf(name: string): MeasureDefinition | undefined {
  return BY_NAME.get(name);
}

/** Names as part of a sentence: `distinct, coverage, gini and entropy`. */
function inWords(some: readonly MeasureDefinition[]): string {
  return some.map(({ name }, i) => (i === 0 ? name : i < some.length - 1 ? `, ${name}` : ` and ${name}`)).join('');
}

/** The measures of the items of all lists together. */
export const OF_ITEMS = inWords(MEASURES.filter(({ kind }) => kind === 'items'));

/** The measures of items that are absent if more items were shown than are counted. */
export const OF_EXPOSURES = inWords(MEASURES.filter((one) => one.kind === 'items' && one.ofItems.from === 'exposures'));
