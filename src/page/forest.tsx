/** A plot with a row per measure and its interval, all on one axis: left of 0 the measure fell, right of 0 it rose. */

import { scaleLinear } from 'd3-scale';
import { claimTone } from '../charts/effect.tsx';
import { coordinate, inside } from '../charts/frame.tsx';
import { jsx } from '../charts/jsx.ts';
import type { Tone } from '../charts/palette.ts';
import type { ComparedMeasure, ComparedVariant } from '../experiment/comparison.ts';
import { isTrusted, type Significance, significanceOf } from '../experiment/significance.ts';
import {
  bound,
  change,
  changeTick,
  levelOf,
  listed,
  plain,
  probability,
  range,
  several,
  shown,
} from '../vocabulary/numbers.ts';
import { AxisHead } from './axis.tsx';
import { Scroll } from './data-table.tsx';
import { Name } from './name.ts';

interface ForestProps {
  readonly variant: ComparedVariant;
  readonly control: string;
  readonly alpha: number;
  /** The tolerated loss of the primary measure, as a fraction. */
  readonly tolerance: number;
}

const ROW_HEIGHT = 34;
/** The width of the column of intervals on a phone, in pixels. */
const NARROW = 120;
/** The end of the axis as a multiple of the farthest bound of the deciding measure; intervals beyond it are clipped. */
const FARTHEST = 2;
const LEAST_DOMAIN = 0.005;

export function Forest({ variant, control, alpha, tolerance }: ForestProps) {
  const { measures } = variant;
  const domain = domainOf(measures, tolerance);
  const scale = scaleLinear([-domain, domain], [0, 1]);
  const ticks = scale.ticks(4).filter((tick) => Math.abs(tick) <= domain * 0.92);
  return (
    <figure>
      <Scroll>
        <table class="forest">
          <thead>
            <tr>
              <th scope="col">measure</th>
              <th scope="col" class="number roomy">
                <Name>{control}</Name>
              </th>
              <th scope="col" class="number roomy">
                <Name>{variant.variant}</Name>
              </th>
              <th scope="col" class="number">
                change
              </th>
              <AxisHead
                narrow={NARROW}
                label={`${levelOf(alpha)} interval of the change`}
                ticks={ticks.map((tick) => ({
                  at: scale(tick),
                  words: changeTick(tick),
                }))}
              />
              <th scope="col" class="number roomy">
                p adjusted
              </th>
            </tr>
          </thead>
          <tbody>
            {measures.map((measure) => {
              const tone = claimTone(variant, measure, alpha);
              return (
                <tr>
                  <th scope="row">
                    <Name>{measure.measure}</Name>
                    {measure.role === 'other' ? null : <span class={`role ${measure.role}`}>{measure.role}</span>}
                  </th>
                  <td class="number roomy">{shown(measure.control, plain)}</td>
                  <td class="number roomy">{shown(measure.value, plain)}</td>
                  <td class={`number strong ${tone}`}>{shown(measure.lift, change)}</td>
                  <td class="interval">
                    <Interval measure={measure} tone={tone} place={(at) => scale(at)} tolerance={tolerance} />
                  </td>
                  <td class="number roomy">{shown(measure.pAdjusted, probability)}</td>
                </tr>
              );
            })}
          </tbody>
        </table>
      </Scroll>
      <figcaption>
        Change against <Name>{control}</Name>, with its {levelOf(alpha)} interval; 0 is no difference
        {tolerance > 0
          ? `, and the shaded part at the primary measure is a loss of up to ${bound(tolerance)}, which is tolerated`
          : ''}
        . <strong>{whatToSee(variant, alpha)}</strong>
      </figcaption>
    </figure>
  );
}

function Interval({
  measure: { lift, liftCi, reason, role, better },
  tone,
  place,
  tolerance,
}: {
  readonly measure: ComparedMeasure;
  readonly tone: Tone;
  readonly place: (at: number) => number;
  readonly tolerance: number;
}) {
  const middle = ROW_HEIGHT / 2;
  const zero = <line class="zero" x1={coordinate(place(0))} x2={coordinate(place(0))} y1="0" y2="100%" />;
  if (lift === null || liftCi === null) {
    return (
      <svg width="100%" height={ROW_HEIGHT} role="img" aria-label={`no interval: ${reason ?? 'no data'}`}>
        {zero}
        <text class="muted" x="8" y={middle + 4}>
          no interval{reason === undefined ? '' : `: ${reason}`}
        </text>
      </svg>
    );
  }
  const [from, to] = [place(liftCi[0]), place(liftCi[1])];
  const loss = place(better === 'lower' ? tolerance : -tolerance);
  const [left, right] = [Math.min(loss, place(0)), Math.max(loss, place(0))];
  return (
    <svg width="100%" height={ROW_HEIGHT} role="img" aria-label={`${change(lift)}, ${range(liftCi, change)}`}>
      {role === 'primary' && tolerance > 0 ? (
        <rect
          class="tolerance"
          x={coordinate(inside(left))}
          width={coordinate(inside(right) - inside(left))}
          height="100%"
        />
      ) : null}
      {zero}
      <g class={`mark ${tone}`}>
        <line class="bar" x1={coordinate(inside(from))} x2={coordinate(inside(to))} y1={middle} y2={middle} />
        {from < 0 ? null : (
          <line x1={coordinate(inside(from))} x2={coordinate(inside(from))} y1={middle - 5} y2={middle + 5} />
        )}
        {to > 1 ? null : (
          <line x1={coordinate(inside(to))} x2={coordinate(inside(to))} y1={middle - 5} y2={middle + 5} />
        )}
        {from < 0 ? (
          <text x="0" y={middle + 4}>
            ◂
          </text>
        ) : null}
        {to > 1 ? (
          <text x="100%" y={middle + 4} text-anchor="end">
            ▸
          </text>
        ) : null}
        {place(lift) >= 0 && place(lift) <= 1 ? <circle cx={coordinate(place(lift))} cy={middle} r="5" /> : null}
      </g>
    </svg>
  );
}

/** Half the length of the axis: as far as the bounds reach, unless the deciding measure would shrink to a point. */
function domainOf(measures: readonly ComparedMeasure[], tolerance: number): number {
  const reach = ({ liftCi }: ComparedMeasure): number =>
    liftCi === null ? 0 : Math.max(Math.abs(liftCi[0]), Math.abs(liftCi[1]));
  const primary = measures.find(({ role }) => role === 'primary');
  const farthest = Math.max(...measures.map(reach), 0);
  const own = primary === undefined ? 0 : reach(primary);
  const most = own === 0 ? farthest : Math.min(farthest, Math.max(FARTHEST * own, 2 * tolerance));
  return 1.12 * Math.max(most, own, 1.5 * tolerance, LEAST_DOMAIN);
}

/** Describes the plot in a sentence or two, and never says more than the decision beside it. */
function whatToSee(variant: ComparedVariant, alpha: number): string {
  const { decision, measures } = variant;
  const without = measures.filter(({ ci }) => ci === null).length;
  const none = without === 0 ? '' : `${several(without, 'measure')} ${without === 1 ? 'has' : 'have'} no interval.`;
  if (!isTrusted(variant)) {
    const why =
      decision === 'invalid'
        ? 'The experiment is invalid, so none of these differences can be trusted.'
        : 'There are too few users for errors that can be trusted, so none of these differences counts yet.';
    return without === measures.length ? none : [why, none].filter((text) => text !== '').join(' ');
  }
  const claims = measures.map((measure) => ({ measure, claim: significanceOf(variant, measure, alpha) }));
  const named = (...wanted: readonly Significance[]): readonly string[] =>
    claims.filter(({ claim }) => wanted.includes(claim)).map(({ measure }) => measure.measure);
  const [worse, better, alone, before] = [named('worse'), named('better'), named('alone'), named('before')];
  const open = named('open').length;
  const untested = named('untested');
  // Only guardrails are named: their test is one-sided, and remembers.
  const held = claims
    .filter(({ claim, measure: { ci } }) => claim === 'worse' && ci !== null && ci[1] >= 0 && ci[0] <= 0)
    .map(({ measure }) => measure.measure);
  return [
    worse.length === 0 ? 'No measure is surely worse.' : `Surely worse: ${listed(worse)}.`,
    held.length === 0
      ? ''
      : `Of ${listed(held)} the interval holds 0, but the test of a guardrail is one-sided and remembers all looks.`,
    better.length === 0 ? '' : `Surely better: ${listed(better)}.`,
    alone.length === 0
      ? ''
      : `Different alone, but not after the adjustment for the number of comparisons: ${listed(alone)}.`,
    before.length === 0
      ? ''
      : `Found at an earlier look, which stays, though this one does not show it: ${listed(before)}.`,
    open === 0
      ? ''
      : `${several(open, 'interval')} ${open === 1 ? 'holds' : 'hold'} 0, so there a difference cannot be told from none.`,
    untested.length === 0 ? '' : `Not tested yet, because too little has been counted: ${listed(untested)}.`,
    none,
  ]
    .filter((text) => text !== '')
    .join(' ');
}
