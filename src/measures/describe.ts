import { asksPositives, type Measure, type MeasureName } from './family.ts';

type Words = (measure: Measure) => string;

/** The convention of a measure in one sentence, for HELP texts and tables. */
export function describe(measure: Measure): string {
  return `${CORE[measure.name](measure)}${clauses(measure)
    .map((clause) => `; ${clause}`)
    .join('')}.`;
}

const upTo: Words = ({ k }) => (k === undefined ? 'in the list' : `up to rank ${k}`);

/** The words that belong to the value of a parameter. */
function by(measure: Measure, key: string, words: Readonly<Record<string, string>>): string {
  const value = String(measure.params.get(key));
  return Object.hasOwn(words, value) ? words[value] : '';
}

const relevant: Words = (m) => by(m, 'ideal', { shown: 'the positives of the shown list', all: 'all known positives' });

const precisionBase: Words = (m) => {
  if (m.params.get('examined') !== 'all') return `the examined slots ${upTo(m)}`;
  const cut = m.k === undefined ? 'the last rank' : `${m.k}`;
  return by(m, 'denom', {
    k: `${cut} less the offset of the page`,
    list: `the slots ${upTo(m)}`,
    capped: `the lesser of ${cut} and ${relevant(m)}`,
  });
};

const gain: Words = (m) => by(m, 'gain', { linear: 'the grade', exp: '2^grade - 1', binary: '1 for a positive' });

const discount: Words = (m) =>
  by(m, 'discount', { log2: 'log2(rank + 1)', clipped: 'log2(max(rank, 2))', ln: 'ln(rank + 1)', none: '1' });

const exposure: Words = (m) => by(m, 'exposure', { log2: '; a slot counts 1 / log2(rank + 1)' });

const CORE: Readonly<Record<MeasureName, Words>> = {
  mrr: (m) => `Reciprocal rank of the first positive ${upTo(m)}, 0 if there is none`,
  hit: (m) => `1 if there is a positive ${upTo(m)}, else 0`,
  precision: (m) => `Precision: positives ${upTo(m)} over ${precisionBase(m)}`,
  recall: (m) =>
    `Recall: positives ${upTo(m)} over ${by(m, 'denom', { capped: 'the lesser of the cut-off and ' })}${relevant(m)}`,
  f1: (m) =>
    `F-measure with beta ${m.params.get('beta')} of precision (over ${precisionBase(m)}) and recall (over ${relevant(m)}) ${upTo(m)}${by(m, 'of', { means: ', from their means' })}`,
  ap: (m) =>
    `Average precision ${upTo(m)} over ${by(m, 'denom', {
      relevant: relevant(m),
      capped: `the lesser of the cut-off and ${relevant(m)}`,
      list_capped: `the least of the cut-off, the slots ${upTo(m)} and ${relevant(m)}`,
      hits: `the positives ${upTo(m)}`,
      k: 'the cut-off',
    })}`,
  rprec: (m) => `R-precision: positives of rank up to R over R, with R ${relevant(m)}`,
  dcg: (m) => `Discounted cumulative gain ${upTo(m)}: gain ${gain(m)}, discount ${discount(m)}`,
  ndcg: (m) =>
    `Normalised discounted cumulative gain ${upTo(m)}: gain ${gain(m)}, discount ${discount(m)}, ideal ${by(
      m,
      'ideal',
      {
        shown: 'the best order of the shown list',
        all: 'the best order of all known items',
        perfect: 'a gain of 1 at every rank',
      },
    )}${by(m, 'norm', { minmax: ', scaled from the worst order to the best' })}`,
  rbp: (m) =>
    `Rank-biased precision ${upTo(m)} with persistence ${m.params.get('p')}: gain ${by(m, 'gain', {
      binary: '1 for a positive',
      scaled: `the grade over ${m.params.get('gmax')}`,
    })}${by(m, 'norm', { max: ', over that of the best order of the shown list' })}`,
  err: (m) => `Expected reciprocal rank ${upTo(m)}: a slot satisfies with (2^grade - 1) / 2^${m.params.get('gmax')}`,
  auc: (m) =>
    `Area under the ROC curve: share of pairs of a positive and another slot in the right order by ${by(m, 'by', { rank: 'rank', score: 'predicted score' })}`,
  ctr: (m) => `Click-through rate: ${shareOf(m, 'a click')}`,
  rate: (m) => `Rate of an action: ${shareOf(m, `the action ${m.params.get('action')}`)}`,
  mae: () => 'Mean absolute difference between rating and predicted score',
  rmse: () => 'Root of the mean squared difference between rating and predicted score',
  bias: () => 'Mean of rating less predicted score; above 0 the scores are too low',
  spearman: (m) =>
    `Spearman correlation of the ${by(m, 'by', { score: 'predicted score', rank: 'rank' })} with the rating`,
  kendall: (m) =>
    `Kendall tau-${m.params.get('tau')} of the ${by(m, 'by', { score: 'predicted score', rank: 'rank' })} with the rating`,
  distinct: (m) => `Number of different items shown ${upTo(m)}, over all lists together, by HyperLogLog`,
  coverage: (m) =>
    `Different items of the catalogue shown ${upTo(m)}, over all lists together, by HyperLogLog, over the size of the catalogue`,
  gini: (m) =>
    `Gini coefficient of the exposure of ${by(m, 'over', { shown: 'the items that were shown', catalogue: 'all items of the catalogue' })} ${upTo(m)}, over all lists together${by(m, 'corrected', { yes: ', corrected by m / (m - 1) for m items' })}${exposure(m)}`,
  entropy: (m) =>
    `Entropy of the exposure of items ${upTo(m)}, over all lists together, ${by(m, 'norm', { none: 'in bits', max: 'over its largest value for as many items' })}${exposure(m)}`,
  popularity: (m) => `Mean popularity of the items ${upTo(m)}, as the catalogue says`,
  novelty: (m) =>
    `Mean of -log2(popularity / ${m.params.get('users')}) of the items ${upTo(m)}, popularity as the catalogue says`,
  diversity: (m) => `Share of pairs of slots ${upTo(m)} whose items have different categories`,
  length: () => 'Number of slots in the list',
  short: (m) => `1 if the list has fewer than ${m.params.get('below')} slots, else 0`,
  duplicated: () => '1 if an item repeats in the list, else 0',
};

function shareOf(m: Measure, what: string): string {
  const slot = m.params.get('slot');
  const where = slot === undefined ? upTo(m) : `of rank ${slot}`;
  const examined = m.params.get('examined') === 'all' ? 'slots' : 'examined slots';
  return `slots ${where} with ${what} over ${examined} ${where}`;
}

function clauses(m: Measure): string[] {
  const found: string[] = [];
  const add = (clause: string) => {
    if (clause !== '') found.push(clause);
  };
  const rel = m.params.get('rel');
  if (asksPositives(m)) add(`a positive has a grade of at least ${rel}`);
  const action = m.params.get('action');
  if (action !== undefined && m.name !== 'rate') add(`only feedback with the action ${action} counts`);
  add(by(m, 'dup', { each: 'a repeated item counts at each of its slots' }));
  add(
    by(m, 'examined', {
      viewport: 'examined slots have a view or a positive',
      last_positive: 'examined slots reach down to the last positive',
    }),
  );
  const least = m.params.get('min_list_length');
  if (typeof least === 'number' && least > 1) add(`lists of fewer than ${least} slots are left out`);
  const positives = m.params.get('ideal') === 'all' ? 'known positives' : 'positives';
  add(
    by(m, 'empty', {
      skip: `lists without ${positives} are skipped`,
      one: `lists without ${positives} count 1`,
      zero:
        m.params.get('avg') === 'macro' && m.params.get('per') !== 'class' ? `lists without ${positives} count 0` : '',
    }),
  );
  add(averaging(m));
  return found;
}

function averaging(m: Measure): string {
  const avg = m.params.get('avg');
  if (avg === undefined) return '';
  if (m.params.get('per') === 'class') {
    const pooled = 'slots of all lists in two classes, in the top and positive or not';
    return `${pooled}, ${by(m, 'avg', { macro: 'mean of the classes', weighted: 'classes weigh by their slots', micro: 'share in the right class' })}`;
  }
  const over = by(m, 'per', {
    user: ' of each user, then over users',
    session: ' of each session, then over sessions',
  });
  if (avg === 'micro') return `sums over sums of all lists${over}`;
  return avg === 'weighted' ? `lists weigh by their positives${over}` : `mean over lists${over}`;
}
