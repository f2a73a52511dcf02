import type { Measure } from '../definition.ts';

/** What a rule looks at: the full parameters, the keys that differ from their default, and the cut-off. */
export interface Combination extends Pick<Measure, 'definition' | 'params' | 'k'> {
  readonly changed: ReadonlySet<string>;
}

/**
 * Whether the value depends on what is a positive. Graded gains do not ask: dcg and ndcg but for `gain=binary`, rbp with
 * `gain=scaled`, err. A weighted mean asks for its weights.
 */
export function asksPositives({ definition, params }: Pick<Measure, 'definition' | 'params'>): boolean {
  if (params.get('rel') === undefined) return false;
  return params.get('avg') === 'weighted' || definition.takesEveryGrade?.(params) !== true;
}

/** Why these parameters cannot stand together, in words; undefined: they can (specification: measures 2.4). */
export function forbidden({ definition, params, changed, k }: Combination): string | undefined {
  const is = (key: string, value: string) => params.get(key) === value;
  const differs = (key: string, value: string) => params.has(key) && !is(key, value);
  const slot = params.get('slot');
  const needsK = (what: string) => `${what} needs a cut-off, such as @10`;

  if (is('dup', 'each') && differs('ideal', 'shown')) return 'dup=each needs ideal=shown';
  if (is('ideal', 'perfect')) {
    if (!is('gain', 'binary')) return 'ideal=perfect needs gain=binary';
    if (k === undefined) return needsK('ideal=perfect');
    if (is('norm', 'minmax')) return 'norm=minmax needs ideal=shown or ideal=all';
  }
  if (is('per', 'class')) {
    if (k === undefined) return needsK('per=class');
    for (const [key, only] of [
      ['ideal', 'shown'],
      ['empty', 'zero'],
      ['of', 'lists'],
      ['examined', 'all'],
    ] as const) {
      if (differs(key, only)) return `per=class pools the shown slots of all lists: it needs ${key}=${only}`;
    }
    if (changed.has('denom')) return 'per=class takes no denom';
  } else if (differs('per', 'impression') && differs('avg', 'macro')) {
    return `per=${params.get('per')} needs avg=macro`;
  }
  if (differs('empty', 'zero') && differs('avg', 'macro')) {
    return `avg=${params.get('avg')} takes no empty: a list without positives adds nothing to its sums`;
  }
  if (is('of', 'means') && differs('avg', 'macro')) return 'of=means needs avg=macro';
  if (is('of', 'means') && differs('per', 'impression')) return 'of=means needs per=impression';
  if (differs('examined', 'all') && differs('denom', 'k')) {
    return `examined=${params.get('examined')} is a denominator of its own: it takes no denom`;
  }
  if (changed.has('rel') && !asksPositives({ definition, params })) {
    return `rel has an effect only with ${params.has('gain') ? 'gain=binary or ' : ''}avg=weighted`;
  }
  const own = definition.forbidden?.(params);
  if (own !== undefined) return own;
  if (typeof slot === 'number' && k !== undefined && slot > k) return `slot=${slot} is below the cut-off @${k}`;
  return undefined;
}
