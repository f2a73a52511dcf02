import type { ComparedMeasure, Comparison } from '../experiment/comparison.ts';
import type { Trail } from '../experiment/take-looks.ts';
import { effectPlot } from '../output/effect-plot.ts';
import { TONES, type Tone } from '../output/plot-frame.ts';
import { type PlotRow, rowPlot } from '../output/row-plot.ts';
import type { Label } from '../statistics/decision-facts.ts';

/** So few looks are no curve: all measures at the last one say more. */
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
    title: `Experiment ${experiment}: ${measure} at ${horizon}, with ${levelOf(comparison)} confidence sequence`,
    description: variants.map(({ explanation }) => explanation).join(' '),
    effectLabel: `difference of ${measure} (variant − control)`,
    panels: variants.map(({ variant, decision, measures }) => {
      const { control: mean = null, better } = measures.find(({ role }) => role === 'primary') ?? {};
      return {
        title: `${variant} against ${control}: ${decision}`,
        tone: toneOf(decision),
        points: trail.get(variant) ?? [],
        limit: mean === null ? undefined : (better === 'lower' ? 1 : -1) * tolerance * Math.abs(mean),
      };
    }),
  });
}

const FOREST = { width: 880, height: 240 } as const;

function forest(comparison: Comparison): string {
  const { experiment, control, horizon, variants } = comparison;
  return rowPlot({
    ...FOREST,
    title: `Experiment ${experiment}: all measures at ${horizon}`,
    description: variants.map(({ explanation }) => explanation).join(' '),
    valueLabel: `difference relative to ${control}, with ${levelOf(comparison)} confidence sequence`,
    sections: variants.map(({ variant, decision, measures }) => ({
      heading: `${variant} against ${control}: ${decision}`,
      rows: measures.map(rowOf),
    })),
    reference: { value: 0, name: 'no difference' },
    tick: percent,
    grid: true,
  });
}

function rowOf({ measure, role, lift, liftCi, effect, better, reason }: ComparedMeasure): PlotRow {
  const name = role === 'other' ? measure : `${measure} (${role})`;
  if (lift === null) {
    const says = effect === null ? `no error yet (${reason ?? 'no_data'})` : 'the mean of the control is 0';
    return { name, value: undefined, colour: TONES.other, says };
  }
  if (liftCi === null) return { name, value: lift, colour: TONES.other, says: percent(lift) };
  const [lower, upper] = liftCi;
  const isLess = upper < 0;
  const tone: Tone =
    (!isLess && lower <= 0) || better === 'neither' ? 'other' : isLess === (better === 'lower') ? 'better' : 'worse';
  const says = `${percent(lift)} (${percent(lower)} to ${percent(upper)})`;
  return { name, value: lift, interval: liftCi, colour: TONES[tone], says };
}

function toneOf(decision: Label): Tone {
  if (decision === 'regressed') return 'worse';
  return decision === 'improved' ? 'better' : 'other';
}

function levelOf({ alpha }: Comparison): string {
  return `${Number((100 * (1 - alpha)).toFixed(3))} %`;
}

/** With a true minus. */
function percent(fraction: number): string {
  const size = Number(Math.abs(100 * fraction).toPrecision(3));
  return `${fraction < 0 ? '−' : fraction > 0 ? '+' : ''}${size} %`;
}
