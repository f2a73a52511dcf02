/** The difference of the primary measure look by look, and what can be seen in it. */
import { type EffectChart, effectChart, effectWords } from '../charts/effect.tsx';
import { Frame } from '../charts/frame.tsx';
import { jsx } from '../charts/jsx.ts';
import type { ComparedVariant, Comparison } from '../experiment/comparison.ts';
import type { LookPoint } from '../experiment/experiment-looks.ts';
import { instant, levelOf } from '../vocabulary/numbers.ts';
import { Name } from './name.ts';

interface LooksProps {
  readonly comparison: Comparison;
  readonly variant: ComparedVariant;
  /** The looks in the order of time. */
  readonly points: readonly LookPoint[];
}

export function Looks({ comparison, variant, points }: LooksProps) {
  const chart = effectChart(comparison, variant, points);
  if (chart === undefined) return <p class="note">No look had an error yet, so there is nothing to draw.</p>;
  return (
    <figure>
      <Frame {...chart} height={240} />
      <figcaption>
        Difference of <Name>{comparison.primary}</Name>, <Name>{variant.variant}</Name> minus{' '}
        <Name>{comparison.control}</Name>, with the {levelOf(comparison.alpha)} band that holds however often you look.{' '}
        <strong>{whatToSee(chart, variant.decision !== 'invalid')}</strong>
      </figcaption>
    </figure>
  );
}

/** Describes the chart. @param isOpen whether more looks may still find a difference */
function whatToSee({ last, tone }: EffectChart, isOpen: boolean): string {
  const { lower, upper } = last;
  const end = `At the last look, ${instant(new Date(last.at).toISOString())}, it is ${effectWords(last)}`;
  if (lower > 0 || upper < 0) return `${end}: the whole band lies ${upper < 0 ? 'below' : 'above'} 0.`;
  // A difference was found, at this look or before.
  if (tone !== 'plain') return `${end}. The band holds 0 again; what was found at an earlier look stays.`;
  return `${end}. The band holds 0${isOpen ? ': no difference can be told yet' : ''}.`;
}
