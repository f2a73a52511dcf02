import type { ComparedMeasure, ComparedVariant, Comparison } from '../experiment/comparison.ts';
import { significanceOf } from '../experiment/significance.ts';
import type { Trail } from '../experiment/take-looks.ts';
import { effectPlot } from '../output/effect-plot.ts';
import { TONES, type Tone } from '../output/plot-frame.ts';
import { type PlotRow, rowPlot } from '../output/row-plot.ts';
import { change, changeTick, levelOf } from '../vocabulary/numbers.ts';

/** With this few looks there is no curve to draw: all measures at the last look say more. */
const FEW_LOOKS = 2;

/**
 * As SVG: the primary measure's effect over the looks, one panel for each variant; after one or two looks the effects on all
 * measures.
 */
export function comparisonPlot(comparison: Comparison, trail: Trail): string {
  const looks = Math.max(0, ...comparison.variants.map(({ variant }) => trail.get(variant)?.length ?? 0));
  return looks > 0 && looks <= FEW_LOOKS ? forest(comparison) : curves(comparison, trail);
}

function curves(comparison: Comparison, trail: Trail): string {
  const { experiment, control, horizon, variants, primary: measure, tolerance } = comparison;
  return effectPlot({
    title: `Experiment ${experiment}: ${measure} at ${horizon}, with ${levelOf(comparison.alpha)} confidence sequence`,
    description: variants.map(({ explanation }) => explanation).join(' '),
    effectLabel: `difference of ${measure} (variant − control)`,
    panels: variants.map(({ variant, decision, reason, measures }) => {
      const { control: mean = null, better } = measures.find(({ role }) => role === 'primary') ?? {};
      return {
        title: `${variant} against ${control}: ${decision}`,
        tone: toneOf(reason),
        points: trail.get(variant) ?? [],
        limit: mean === null ? undefined : (better === 'lower' ? 1 : -1) * tolerance * Math.abs(mean),
      };
    }),
  });
}

const FOREST = { width: 880, height: 240 } as const;

function forest(comparison: Comparison): string {
  const { experiment, control, horizon, variants, alpha } = comparison;
  return rowPlot({
    ...FOREST,
    title: `Experiment ${experiment}: all measures at ${horizon}`,
    description: variants.map(({ explanation }) => explanation).join(' '),
    panels: [
      {
        valueLabel: `difference relative to ${control}, with ${levelOf(comparison.alpha)} confidence sequence`,
        sections: variants.map((compared) => ({
          heading: `${compared.variant} against ${control}: ${compared.decision}`,
          rows: compared.measures.map((measure) => rowOf(compared, measure, alpha)),
        })),
      },
    ],
    reference: { value: 0, name: 'no difference' },
    tick: changeTick,
    grid: true,
  });
}

function rowOf(variant: ComparedVariant, compared: ComparedMeasure, alpha: number): PlotRow {
  const { measure, role, lift, liftCi, effect, reason } = compared;
  const name = role === 'other' ? measure : `${measure} (${role})`;
  if (lift === null) {
    const says = effect === null ? `no error yet (${reason ?? 'no_data'})` : 'the mean of the control is 0';
    return { name, value: undefined, colour: TONES.other, says };
  }
  if (liftCi === null) return { name, value: lift, colour: TONES.other, says: change(lift) };
  const [lower, upper] = liftCi;
  const claim = significanceOf(variant, compared, alpha);
  const tone: Tone = claim === 'worse' || claim === 'better' ? claim : 'other';
  const says = `${change(lift)} (${change(lower)} to ${change(upper)})`;
  return { name, value: lift, interval: liftCi, colour: TONES[tone], says };
}

/** Of the primary measure: a guardrail that is worse says nothing about it. */
function toneOf(reason: ComparedVariant['reason']): Tone {
  if (reason === 'primary_worse') return 'worse';
  return reason === 'primary_better' ? 'better' : 'other';
}
