import { claimTone, type EffectChart, effectChart } from '../charts/effect.tsx';
import { Panel } from '../charts/frame.tsx';
import { Fragment, jsx } from '../charts/jsx.ts';
import { CHART_STYLE, inLight, toned } from '../charts/palette.ts';
import { picture, TITLE_HEIGHT } from '../charts/plot-frame.ts';
import { type PlotRow, rowPlot } from '../charts/row-plot.ts';
import type { ComparedMeasure, ComparedVariant, Comparison } from '../experiment/comparison.ts';
import type { Trail } from '../experiment/take-looks.ts';
import { change, changeTick, levelOf, range, signed } from '../vocabulary/numbers.ts';

/** With this few looks there is no curve to draw: all measures at the last look say more. */
const FEW_LOOKS = 2;

/**
 * An SVG of the primary measure's effect over the looks, one panel for each variant; after one or two looks the effects on all
 * measures.
 */
export function comparisonPlot(comparison: Comparison, trail: Trail): string {
  const looks = Math.max(0, ...comparison.variants.map(({ variant }) => trail.get(variant)?.length ?? 0));
  return looks > 0 && looks <= FEW_LOOKS ? forest(comparison) : curves(comparison, trail);
}

const WIDTH = 880;
/** In pixels. A panel without a look is lower. */
const PANEL = { left: 84, right: 198, top: 44, height: 250, bottom: 62, empty: 90 } as const;

function curves(comparison: Comparison, trail: Trail): string {
  const { experiment, control, horizon, variants, primary, alpha } = comparison;
  let height = TITLE_HEIGHT;
  const panels = variants.map((variant) => {
    const top = height + PANEL.top;
    const chart = effectChart(comparison, variant, trail.get(variant.variant) ?? []);
    height += chart === undefined ? PANEL.empty : PANEL.top + PANEL.height + PANEL.bottom;
    return (
      <>
        <text class="heading" x={PANEL.left} y={top - 14}>
          {`${variant.variant} against ${control}: ${variant.decision}`}
        </text>
        {chart === undefined ? (
          <text class="muted" x={PANEL.left} y={top + 14}>
            No look had an error: there is nothing to draw yet.
          </text>
        ) : (
          <Effect chart={chart} label={`difference of ${primary} (variant − control)`} top={top} />
        )}
      </>
    );
  });
  return picture(
    `Experiment ${experiment}: ${primary} at ${horizon}, with ${levelOf(alpha)} confidence sequence`,
    variants.map(({ explanation }) => explanation).join(' '),
    { width: WIDTH, height },
    panels.map(({ text }) => text),
    inLight(`.muted{fill:var(--muted)}.heading,.now{font-size:15px;font-weight:600}${CHART_STYLE}`),
  );
}

/** At the right the last look in numbers, clear of the label of 0. */
function Effect({ chart, label, top }: { readonly chart: EffectChart; readonly label: string; readonly top: number }) {
  const { last, zeroAt, lastAt, isCut, tone } = chart;
  const [zero, dot] = [PANEL.height * zeroAt, PANEL.height * lastAt];
  const beside = top + (last.effect < 0 ? Math.max(dot, zero + 26) : Math.min(dot, zero - 34));
  const right = WIDTH - PANEL.right + 8;
  const xLabel = `${chart.xLabel}${isCut ? ' (the band of early looks goes on outside)' : ''}`;
  return (
    <>
      <text transform={`translate(22 ${top + PANEL.height / 2}) rotate(-90)`} text-anchor="middle">
        {label}
      </text>
      <Panel
        chart={{ ...chart, xLabel }}
        left={PANEL.left}
        top={top}
        width={WIDTH - PANEL.left - PANEL.right}
        height={PANEL.height}
      />
      <text x={right} y={top + zero + 4.5}>
        no difference
      </text>
      <g class={`mark ${tone}`}>
        <text class="now" x={right} y={beside - 3}>
          {signed(last.effect)}
        </text>
        <text x={right} y={beside + 15}>
          {range([last.lower, last.upper], signed)}
        </text>
      </g>
    </>
  );
}

function forest(comparison: Comparison): string {
  const { experiment, control, horizon, variants, alpha } = comparison;
  return rowPlot({
    width: WIDTH,
    height: 240,
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
    return { name, value: undefined, colour: toned('plain'), says };
  }
  if (liftCi === null) return { name, value: lift, colour: toned('plain'), says: change(lift) };
  const [lower, upper] = liftCi;
  const says = `${change(lift)} (${change(lower)} to ${change(upper)})`;
  return { name, value: lift, interval: liftCi, colour: toned(claimTone(variant, compared, alpha)), says };
}
