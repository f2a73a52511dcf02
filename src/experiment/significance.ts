import type { ComparedMeasure, ComparedVariant } from './comparison.ts';

/**
 * What a picture may claim about a measure. `alone`: its interval excludes 0, but that does not hold when adjusted for the other
 * comparisons.
 */
export type Significance = 'worse' | 'better' | 'alone' | 'before' | 'open' | 'untested' | 'none';

/** Whether the errors and the sides themselves can be trusted; if not, the intervals mean nothing. */
export function isTrusted({ decision, reason }: Pick<ComparedVariant, 'decision' | 'reason'>): boolean {
  return decision !== 'invalid' && !['no_user_ids', 'few_users', 'few_buckets'].includes(reason);
}

/**
 * What may be claimed about a measure, by the rules of the decision, so that a picture and the verdict beside it never disagree:
 *
 *     none      the experiment is invalid, has too few users or buckets, or does not know its users; or there is no interval
 *     untested  no look had enough for a p, whatever the interval shows
 *     worse     a guardrail's adjusted one-sided p is at most alpha; or the interval excludes 0 on that side, and so does the
 *               adjusted p
 *     better    the same on the other side; for a guardrail its two-sided p, because the adjusted one tests only worse
 *     alone     the interval excludes 0, the adjusted p is above alpha
 *     before    this look's interval does not show what the adjusted p, which covers all looks, has found
 *     open      anything else
 */
export function significanceOf(
  variant: Pick<ComparedVariant, 'decision' | 'reason'>,
  {
    ci,
    better,
    role,
    pAdjusted,
    pTwoSided,
  }: Pick<ComparedMeasure, 'ci' | 'better' | 'role' | 'pAdjusted' | 'pTwoSided'>,
  alpha: number,
): Significance {
  if (ci === null || !isTrusted(variant)) return 'none';
  if (pTwoSided === null) return 'untested';
  const isGuardrail = role === 'guardrail';
  if (isGuardrail && isFound(pAdjusted, alpha)) return 'worse';
  const isSure = isFound(isGuardrail ? pTwoSided : pAdjusted, alpha);
  const [lower, upper] = ci;
  if (lower <= 0 && upper >= 0) return isSure && !isGuardrail && better !== 'neither' ? 'before' : 'open';
  if (better === 'neither') return 'open';
  const isBetter = lower > 0 === (better === 'higher');
  if (role === 'primary' && variant.reason === (isBetter ? 'primary_worse' : 'primary_better')) return 'before';
  // Only its adjusted p decides whether a guardrail is worse.
  if (!isSure || (isGuardrail && !isBetter)) return 'alone';
  return isBetter ? 'better' : 'worse';
}

function isFound(p: number | null, alpha: number): boolean {
  return p !== null && p <= alpha;
}
