/**
 * Short names for the conventions of other libraries (specification: measures 6). A preset sets only parameters that a measure takes, is
 * overridden by parameters written beside it, and is never printed. No preset sets `rel`.
 */
interface PresetRule {
  /** Measures that the rule applies to; undefined: all. */
  readonly measures?: readonly string[];
  readonly except?: readonly string[];
  readonly set: Readonly<Record<string, string>>;
}

export const PRESETS: ReadonlyMap<string, readonly PresetRule[]> = new Map<string, readonly PresetRule[]>([
  [
    'trec',
    [
      { measures: ['recall', 'f1', 'ap', 'ndcg', 'rprec'], set: { ideal: 'all' } },
      { measures: ['rbp'], set: { p: '0.9' } },
    ],
  ],
  [
    'ml_metrics',
    [
      { measures: ['ap'], set: { denom: 'capped', ideal: 'all' } },
      { measures: ['auc'], set: { by: 'score' } },
    ],
  ],
  [
    'flagr',
    [
      { measures: ['recall', 'f1', 'ap'], set: { ideal: 'all' } },
      { measures: ['dcg', 'ndcg'], set: { gain: 'exp' } },
    ],
  ],
  [
    'evidently',
    [
      { set: { empty: 'skip' } },
      { measures: ['precision'], set: { denom: 'list' } },
      { measures: ['f1'], set: { denom: 'list', of: 'means' } },
    ],
  ],
  [
    'lenskit',
    [
      { except: ['precision'], set: { ideal: 'all', empty: 'skip' } },
      { measures: ['precision'], set: { denom: 'list' } },
      { measures: ['recall'], set: { denom: 'capped' } },
      { measures: ['ap'], set: { denom: 'list_capped' } },
      { measures: ['ndcg', 'dcg'], set: { gain: 'binary', discount: 'clipped' } },
      { measures: ['rbp'], set: { p: '0.85' } },
    ],
  ],
  [
    'rectools',
    [{ set: { ideal: 'all', empty: 'skip' } }, { measures: ['ndcg'], set: { gain: 'binary', ideal: 'perfect' } }],
  ],
  [
    'sklearn',
    [
      { measures: ['auc'], set: { by: 'score' } },
      { measures: ['ndcg', 'dcg'], set: { min_list_length: '2' } },
      { measures: ['precision', 'recall', 'f1'], set: { avg: 'micro' } },
    ],
  ],
]);

/** What the preset sets for one measure; later rules override earlier ones. undefined: there is no such preset. */
export function presetFor(preset: string, name: string): ReadonlyMap<string, string> | undefined {
  const rules = PRESETS.get(preset);
  if (rules === undefined) return undefined;
  const set = new Map<string, string>();
  for (const rule of rules) {
    if (rule.measures !== undefined && !rule.measures.includes(name)) continue;
    if (rule.except?.includes(name)) continue;
    for (const [key, value] of Object.entries(rule.set)) set.set(key, value);
  }
  return set;
}
