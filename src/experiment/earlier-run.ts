/** Describes the run that other settings have ended, beside the one that continues. */
import { minute } from '../statistics/explain-numbers.ts';
import { grouped } from '../vocabulary/grouped.ts';
import type { Comparison, EarlierRun } from './comparison.ts';

/** Adds the earlier run. While nothing has closed since, the change of settings is the reason that there is nothing to compare. */
export function withEarlier(comparison: Comparison, earlier: EarlierRun): Comparison {
  const isEmpty = Object.values(comparison.impressions).every((lists) => lists === 0);
  const began = `The experiment began at zero when settings were changed, at ${minute(Date.parse(earlier.ended))}, and no list has closed in it since.`;
  const variants = comparison.variants.map((variant) =>
    isEmpty && variant.reason === 'no_data' ? { ...variant, explanation: began } : variant,
  );
  return { ...comparison, variants, earlier };
}

/** What that run had found, in words. */
export function earlierWords({ ended, impressions, variants }: EarlierRun): string {
  const found = variants.map(({ variant, explanation }) =>
    variants.length === 1 ? explanation : `${variant}: ${explanation}`,
  );
  return `Other settings ended the run before this one at ${minute(Date.parse(ended))}, with ${grouped(impressions)} lists. It had found: ${found.join(' ')}`;
}
