/**
 * Exponentially weighted mean of residuals in scales (Roberts 1959), the second choice beside CUSUM
 * (specification: statistics 10.3): y = lambda u + (1 - lambda) y, low below -L sqrt(lambda/(2 - lambda) (1 - (1 - lambda)^(2n))), high above.
 */
export interface EwmaSettings {
  /** Weight of the newest value, above 0 and at most 1. */
  readonly lambda: number;
  /** Limit in standard deviations of y. */
  readonly limit: number;
}

export const EWMA_DEFAULTS: EwmaSettings = { lambda: 0.1, limit: 6 };

export interface Ewma {
  /** Values so far. */
  readonly n: number;
  readonly y: number;
  readonly low: boolean;
  readonly high: boolean;
}

/** The state before the first value. */
export const EWMA_START: Ewma = { n: 0, y: 0, low: false, high: false };

/** The state after one more u. */
export function ewmaStep(state: Ewma, u: number, { lambda, limit }: EwmaSettings): Ewma {
  const n = state.n + 1;
  const y = lambda * u + (1 - lambda) * state.y;
  const bound = limit * Math.sqrt((lambda / (2 - lambda)) * (1 - (1 - lambda) ** (2 * n)));
  return { n, y, low: y < -bound, high: y > bound };
}
