import type { Settings } from './config/settings.ts';
import type { DecoderOptions } from './consumers/decode/settings.ts';
import type { Scorer } from './measures/contract.ts';
import type { UnitSettings } from './unit-contract.ts';

const HOUR_MS = 3_600_000;
/** Minute panes serve the longest window, and the baselines of a day and three hours (statistics.md section 11). */
const LEAST_MINUTES_KEPT_MS = 27 * HOUR_MS;
/** The longest window, and the hour in which it begins. */
const VECTORS_KEPT_MS = 25 * HOUR_MS;
/** Three weeks and a day, for baselines by hour of the week. */
const HOURS_KEPT_MS = 22 * 24 * HOUR_MS;

/** The slices of the configuration that shape a unit; which unit it is comes from elsewhere. */
export function unitShape(settings: Settings, scorer: Scorer): Pick<UnitSettings, 'join' | 'panes'> {
  const { attribution, kafka, limits, windows, paneSize, cohorts, dimensions, statistics } = settings;
  const longestHorizon = attribution.horizons[attribution.horizons.length - 1].ms;
  const longestWindow = Math.max(0, ...windows.map((window) => window.ms));
  return {
    join: {
      topics: kafka.topics.map((topic) => topic.role),
      horizons: attribution.horizons.map((horizon) => horizon.ms),
      outOfOrderness: attribution.outOfOrderness,
      backward: attribution.backward,
      futureSkew: attribution.futureSkew,
      feedbackPerImpression: limits.feedbackPerImpression,
      actions: scorer.actions,
    },
    panes: {
      paneSize: paneSize.ms,
      hour: HOUR_MS,
      horizons: attribution.horizons,
      dimensions,
      sets: cohorts,
      clustered: statistics.clustered,
      shape: scorer,
      cohortsPerSet: limits.cohortsPerSet,
      keepMinutes:
        Math.max(longestWindow, LEAST_MINUTES_KEPT_MS) + longestHorizon + attribution.unitTimeout + paneSize.ms,
      keepHours: HOURS_KEPT_MS + longestHorizon,
      keepVectors: VECTORS_KEPT_MS + longestHorizon,
      totals: [],
    },
  };
}

/** What a decoder needs of the configuration beside the topic. */
export function decoderLimits(
  settings: Settings,
): Pick<DecoderOptions, 'dimensions' | 'itemsPerList' | 'impressionBytes' | 'feedbackBytes'> {
  const { itemsPerList, impressionBytes, feedbackBytes } = settings.limits;
  return { dimensions: settings.dimensions, itemsPerList, impressionBytes, feedbackBytes };
}
