import { grouped } from '../vocabulary/grouped.ts';
import { type Finding, inOrder, percent, quoted } from './finding.ts';
import { idDifference } from './id-difference.ts';
import { differs } from './sample-findings.ts';

/** A run and the judgements. */
export interface ScoredFacts {
  readonly run: string;
  /** Queries that count. */
  readonly queries: number;
  /** Queries of the run that nobody judged, and judged ones that the run lacks. */
  readonly unjudged: readonly string[];
  readonly lacking: readonly string[];
  readonly relevant: number;
  /** Ids of items in the first lists, and of judged items of their queries. */
  readonly shown: readonly string[];
  readonly judged: readonly string[];
  /** Judged items in its lists, at any place and of any grade. */
  readonly matched: number;
  /** Lists that a reader who keeps scores in 32 bits orders otherwise, and two items of the first; undefined: none. */
  readonly close:
    | { readonly lists: number; readonly query: string; readonly items: readonly [string, string] }
    | undefined;
}

const MOST = 0.5;

/** Findings on a run and its judgements. */
export function scoredFindings(facts: ScoredFacts): readonly Finding[] {
  return inOrder([...queryFindings(facts), ...nothingRelevant(facts), ...itemFindings(facts), ...scoreFindings(facts)]);
}

function queryFindings({ run, queries, unjudged, lacking }: ScoredFacts): readonly Finding[] {
  const judged = lacking.length + queries;
  const ofRun = unjudged.length + queries;
  if (lacking.length <= MOST * judged && unjudged.length <= MOST * ofRun && queries > 0) return [];
  if (judged === 0 || ofRun === 0) return [];
  const difference = idDifference(unjudged, lacking);
  const code = queries === 0 ? 'nothing_joined' : 'few_joined';
  const share = queries === 0 ? 'No query' : `Only ${grouped(queries)} queries`;
  // One side often covers more queries than the other; then only differing ids are a mistake.
  if (difference === undefined && queries > 0 && Math.min(lacking.length, unjudged.length) === 0) return [];
  return [
    {
      code,
      cause: `${run}: ${share} of ${grouped(ofRun)} in the run ${queries <= 1 ? 'is' : 'are'} among the ${grouped(judged)} judged${difference === undefined ? '' : `: ${differs(difference, 'the query id', 'the run', 'the judgements')}`}.`,
      example:
        difference !== undefined
          ? `${quoted(difference.wanted)} in the run, ${quoted(difference.known)} in the judgements`
          : unjudged.length === 0 || lacking.length === 0
            ? null
            : `${quoted(unjudged[0])} in the run, ${quoted(lacking[0])} in the judgements`,
      remedy:
        'Check that run and judgements are from the same collection, and write query ids the same way: they are compared character by character.',
    },
  ];
}

function nothingRelevant({ run, queries, relevant }: ScoredFacts): readonly Finding[] {
  if (queries === 0 || relevant > 0) return [];
  return [
    {
      code: 'nothing_relevant',
      cause: `${run}: no judged item of ${queries === 1 ? 'the one query' : `the ${grouped(queries)} queries`} is relevant, so all measures of relevant items are 0.`,
      example: null,
      remedy:
        'Check that the grades are in the fourth column; if they are below 1, set the lowest relevant grade: --relevant-from.',
    },
  ];
}

function itemFindings({ run, queries, relevant, matched, shown, judged }: ScoredFacts): readonly Finding[] {
  // Where a judged item matched, ids are written the same way: the run found nothing relevant.
  if (queries === 0 || relevant === 0 || matched > 0) return [];
  const known = new Set(judged);
  const strange = shown.filter((id) => !known.has(id));
  const difference = idDifference(strange, known);
  const share =
    shown.length === 0
      ? ''
      : `; ${percent(strange.length / shown.length)} of the items of the first lists are not judged`;
  return [
    {
      code: 'items_never_match',
      cause: `${run}: no list holds one of the ${grouped(relevant)} relevant items${share}${difference === undefined ? '' : `: ${differs(difference, 'the item id', 'the run', 'the judgements')}`}.`,
      example:
        difference !== undefined
          ? `${quoted(difference.wanted)} in the run, ${quoted(difference.known)} in the judgements`
          : strange.length === 0 || judged.length === 0
            ? null
            : `${quoted(strange[0])} in the run, ${quoted(judged[0])} in the judgements`,
      remedy: 'Write item ids the same way on both sides: they are compared character by character.',
    },
  ];
}

function scoreFindings({ run, close }: ScoredFacts): readonly Finding[] {
  if (close === undefined) return [];
  const { lists, query, items } = close;
  return [
    {
      code: 'close_scores',
      cause: `${run}: ${grouped(lists)} ${lists === 1 ? 'list has' : 'lists have'} scores that differ as doubles but not as 32-bit floats: pytrec_eval, ir_measures and older versions of trec_eval take them for equal and order them by id, so they rank ${lists === 1 ? 'it' : 'them'} otherwise.`,
      example: `${quoted(items[0])} before ${quoted(items[1])} for the query ${quoted(query)}`,
      remedy:
        'For the same order everywhere, write scores that differ in the first seven digits, such as 1000 minus the rank.',
    },
  ];
}
