import { shapeOf } from '../accumulators/row.ts';
import { namedValues } from '../config/experiments.ts';
import type { Settings } from '../config/settings.ts';
import type { DecoderOptions } from '../consumers/decode/decoder-settings.ts';
import { runOf } from '../experiment/run-settings.ts';
import { needsOf } from '../measures/needs.ts';
import type { Scorer } from '../measures/scorer-contract.ts';
import { MINUTES_NEEDED } from '../statistics/watched-blocks.ts';
import { DAY, HOUR } from '../vocabulary/durations.ts';
import type { DurationMs } from '../vocabulary/events.ts';
import type { UnitSettings } from './unit-contract.ts';

/** How long panes keep vectors besides `attribution.window`: for the longest window, and the hour in which it starts. */
const VECTORS_KEPT: DurationMs = DAY + HOUR;

/** The number of ranks that are counted if the configuration sets none. */
const USUAL_RANKS = 10;

/** The number of candidates for a place. A cohort of the rest is found if it has at least a 65th of what is added to the rest in an hour. */
const CANDIDATES = 64;
/** How much larger a candidate must be to take a place: far from 1, so that cohorts of similar size do not alternate every few hours. */
const TAKEOVER_RATIO = 10;

/** The parts of the configuration that are the same for all units. @param hashSeed as in `JoinSettings` */
export function unitShape(
  settings: Settings,
  scorer: Scorer,
  hashSeed: number,
): Pick<UnitSettings, 'join' | 'panes' | 'experiments'> {
  const { attribution, kafka, limits, windows, paneSize, cohorts, dimensions, statistics, experiments, measures } =
    settings;
  const { ranks, sets: placedSets } = settings.positions;
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
      namesItems: scorer.needs.items,
      hashSeed,
    },
    panes: {
      paneSize: paneSize.ms,
      hour: HOUR,
      horizons: attribution.horizons,
      dimensions,
      sets: cohorts,
      clustered: statistics.clustered,
      shape: shapeOf(measures, limits.itemsCounted, ranks),
      items: { sets: settings.itemSets, inTotals: false },
      positions: { sets: placedSets, inTotals: false, horizon: attribution.horizons.length - 1 },
      cohortsPerSet: limits.cohortsPerSet,
      named: namedValues(experiments),
      takeover: { candidates: CANDIDATES, ratio: TAKEOVER_RATIO },
      // The longest window needs these minutes, and so does regression detection (specification: statistics 10).
      keepMinutes:
        Math.max(longestWindow, MINUTES_NEEDED) + attribution.window.ms + attribution.unitTimeout + paneSize.ms,
      keepHours: hoursKept(settings),
      keepVectors: VECTORS_KEPT + attribution.window.ms,
      totals: [],
      runs: experiments.map((experiment) => ({
        name: experiment.name,
        run: runOf(experiment),
        dimension: experiment.dimension,
        horizon: attribution.horizons.findIndex(({ ms }) => ms === experiment.horizon.ms),
        variants: [...experiment.variants.keys()],
        start: experiment.start,
      })),
    },
    experiments,
  };
}

/** How long hour panes are kept after their end. */
export function hoursKept({ detect, attribution }: Pick<Settings, 'detect' | 'attribution'>): DurationMs {
  return detect.history + attribution.window.ms;
}

/** The settings with counts by rank, even if the configuration does not ask for them. */
export function withPositions(settings: Settings): Settings {
  const { ranks, sets } = settings.positions;
  return { ...settings, positions: { ranks: ranks === 0 ? USUAL_RANKS : ranks, sets } };
}

/** What a decoder needs to know of the configuration besides the topic. */
export function decoderLimits(
  settings: Settings,
): Pick<
  DecoderOptions,
  'dimensions' | 'itemsPerList' | 'impressionBytes' | 'feedbackBytes' | 'sampleUsers' | 'carries'
> {
  const { dimensions, experiments, limits } = settings;
  const { itemsPerList, impressionBytes, feedbackBytes } = limits;
  const { scores, categories } = needsOf(settings.measures);
  return {
    dimensions,
    itemsPerList,
    impressionBytes,
    feedbackBytes,
    sampleUsers: experiments.length > 0,
    ...(scores || categories ? { carries: { scores, categories } } : {}),
  };
}
