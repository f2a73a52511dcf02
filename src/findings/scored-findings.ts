import { grouped } from '../vocabulary/grouped.ts';
import { percent } from '../vocabulary/numbers.ts';
import { type Finding, inOrder, quoted } from './finding.ts';
import { idDifference } from './id-difference.ts';
import { differs } from './sample-findings.ts';

/** A run and the judgements. */
export interface ScoredFacts {
  readonly run: string;
  /** Number of queries that count. */
  readonly queries: number;
  /** Queries of the run that nobody judged, and judged queries that the run lacks. */
  readonly unjudged: readonly string[];
  readonly lacking: readonly string[];
  readonly relevant: number;
  /** Ids of items in the first lists, and of judged items of their queries. */
  readonly shown: readonly string[];
  readonly judged: readonly string[];
  /** Number of judged items in its lists, at any rank and with any grade. */
  readonly matched: number;
  /** Number of lists that a reader with 32-bit scores orders otherwise, and two items of the first; undefined: none. */
  readonly close:
    | { readonly lists: number; readonly query: string; readonly items: readonly [string, string] }
    | undefined;
}

const MOST = 0.5;

/** The top of the lists of a run. */
export interface TopFacts {
  readonly run: string;
  readonly places: number;
  readonly items: number;
  readonly unjudged: number;
  /** An unjudged item and its query; undefined: there is none. */
  readonly first: { readonly query: string; readonly item: string } | undefined;
}

/** Largest share of the top that may be unjudged, and largest difference of it between runs. */
const MOST_UNJUDGED = 0.1;
const MOST_APART = 0.05;

/** Finding on runs with items that nobody judged, which count as not relevant. */
export function unjudgedFindings(tops: readonly TopFacts[]): readonly Finding[] {
  const share = ({ items, unjudged }: TopFacts): number => (items === 0 ? 0 : unjudged / items);
  const [worst, ...others] = tops.toSorted((a, b) => share(b) - share(a));
  if (worst === undefined) return [];
  const apart = share(worst) - share(others.at(-1) ?? worst);
  if (share(worst) <= MOST_UNJUDGED && apart <= MOST_APART) return [];
  const { run, places, first } = worst;
  const named = others.slice(0, MOST_NAMED).map((other) => `${other.run}: ${percent(share(other))}`);
  const more = others.length > MOST_NAMED ? ', ...' : '';
  const beside = named.length === 0 ? '' : ` (${named.join(', ')}${more})`;
  const than =
    apart > MOST_APART ? `, so it may look worse beside the others than it is` : ', so the values may be too low';
  return [
    {
      code: 'unjudged_items',
      cause: `${run}: ${percent(share(worst))} of the items in the first ${places} places are not judged${beside}. They count as not relevant${than}.`,
      example: first === undefined ? null : `${quoted(first.item)} for the query ${quoted(first.query)}`,
      remedy:
        'Judge them, or see how much rests on them: --unjudged skip scores the judged items alone, and the measure judged@k says how many there are.',
    },
  ];
}

/** Most runs that a finding names besides the first. */
const MOST_NAMED = 5;

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
  // One side often covers more queries than the other: then only differing ids are a mistake.
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
  // If a judged item matched, ids are written the same way: the run found nothing relevant.
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
