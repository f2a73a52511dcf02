import type { Comparison } from '../experiment/comparison.ts';
import type { Trail } from '../experiment/take-looks.ts';
import { effectPlot } from '../output/effect-plot.ts';

/** The primary measure's effect over the looks, one panel for each variant, as SVG. */
export function comparisonPlot(comparison: Comparison, trail: Trail): string {
  const { experiment, control, horizon, variants, alpha, primary: measure, tolerance } = comparison;
  const level = `${Number((100 * (1 - alpha)).toFixed(3))} %`;
  return effectPlot({
    title: `Experiment ${experiment}: ${measure} at ${horizon}, with ${level} confidence sequence`,
    description: variants.map(({ explanation }) => explanation).join(' '),
    effectLabel: `difference of ${measure} (variant − control)`,
    panels: variants.map(({ variant, decision, measures }) => {
      const { control: mean = null, better } = measures.find(({ role }) => role === 'primary') ?? {};
      return {
        title: `${variant} against ${control}: ${decision}`,
        points: trail.get(variant) ?? [],
        limit: mean === null ? undefined : (better === 'lower' ? 1 : -1) * tolerance * Math.abs(mean),
      };
    }),
  });
}
