import type { Settings } from '../config/settings.ts';
import { isUndirected } from '../measures/direction.ts';
import type { VariantSettings } from '../simulate/settings.ts';

/** Equally good, so that only the regression sets them apart. The first is the control. */
export const SHOP_VARIANTS: readonly VariantSettings[] = [
  { name: 'control', weight: 0.5, quality: 0.65 },
  { name: 'treatment', weight: 0.5, quality: 0.65 },
];

/**
 * The one experiment of the demo is that of the simulated shop, with the measures and statistics of the configured
 * experiment `default`, if there is one. It begins with the demo, and decides at the shortest horizon: what moves first.
 */
export function withShopExperiment(settings: Settings): Settings {
  const { attribution, detect, dimensions, experiments, measures } = settings;
  const configured = experiments.find(({ name }) => name === 'default');
  const experiment = {
    primary: (
      measures.find(({ canonical }) => canonical === 'ndcg@10') ??
      measures.find(({ canonical }) => !isUndirected(canonical)) ??
      measures[0]
    ).canonical,
    guardrails: [],
    alpha: 0.05,
    nStar: 5000,
    tolerance: 0.01,
    lowerIsBetter: detect.lowerIsBetter,
    interleaved: false,
    ...configured,
    name: 'default',
    dimension: 'variant',
    control: SHOP_VARIANTS[0].name,
    variants: new Map(SHOP_VARIANTS.map(({ name, weight }) => [name, weight] as const)),
    start: undefined,
    horizon: attribution.horizons[0],
  };
  return {
    ...settings,
    experiments: [experiment],
    dimensions: [...new Set([...dimensions, experiment.dimension])].sort(),
  };
}
