import type { ComparedMeasure, ComparedVariant } from './comparison.ts';

/** What a picture may claim about a measure; `alone`: its interval excludes 0, but it does not hold beside the other comparisons. */
export type Significance = 'worse' | 'better' | 'alone' | 'before' | 'open' | 'untested' | 'none';

/** Where one of these holds, the errors or the sides themselves cannot be trusted, whatever the intervals say. */
export function isTrusted({ decision, reason }: Pick<ComparedVariant, 'decision' | 'reason'>): boolean {
  return decision !== 'invalid' && !['no_user_ids', 'few_users', 'few_buckets'].includes(reason);
}

/**
 * What may be claimed of a measure, by the rules of the decision, so that a picture and the verdict beside it never disagree:
 *
 *     none      the experiment is invalid, has too few users or buckets, or does not know its users; or there is no interval
 *     untested  no look had enough for a p, whatever the interval says
 *     worse     a guardrail's adjusted one-sided p is at most alpha; or the interval excludes 0 on that side, and so does the
 *               adjusted p
 *     better    the same on the other side; of a guardrail its two-sided p, because the adjusted one knows only worse
 *     alone     the interval excludes 0, the adjusted p is above alpha
 *     before    this look's interval does not show what the adjusted p, which remembers all looks, has found
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
  // A guardrail that looks worse is decided by its adjusted p alone.
  if (!isSure || (isGuardrail && !isBetter)) return 'alone';
  return isBetter ? 'better' : 'worse';
}

function isFound(p: number | null, alpha: number): boolean {
  return p !== null && p <= alpha;
}
