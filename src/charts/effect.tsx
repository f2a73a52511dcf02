/**
 * The difference of the primary measure over the looks, with the band that holds at all of them together. The vertical axis is
 * scaled to the later looks; the band of the first looks is many times wider, and is cut off.
 */
import { scaleLinear } from 'd3-scale';
import { area, line } from 'd3-shape';
import type { ComparedMeasure, ComparedVariant, Comparison } from '../experiment/comparison.ts';
import type { LookPoint } from '../experiment/experiment-looks.ts';
import { significanceOf } from '../experiment/significance.ts';
import { range, several, signed } from '../vocabulary/numbers.ts';
import { type Chart, coordinate, inside, timeAxis } from './frame.tsx';
import { Fragment, jsx } from './jsx.ts';
import type { Tone } from './palette.ts';

export interface EffectChart extends Chart {
  readonly tone: Tone;
  readonly last: LookPoint;
  /** Places of 0 and of the last effect, 0 to 1 from the top. */
  readonly zeroAt: number;
  readonly lastAt: number;
  /** Whether the band of some looks is wider than the axis. */
  readonly isCut: boolean;
}

/** Looks with a band more than this many times as wide as the last do not stretch the axis. */
const WIDEST = 4;

/** @param points in the order of time. undefined: no look had an error yet, so there is nothing to draw. */
export function effectChart(
  { primary, tolerance }: Pick<Comparison, 'primary' | 'tolerance'>,
  { measures, decidedAsOf, decision, reason }: ComparedVariant,
  points: readonly LookPoint[],
): EffectChart | undefined {
  const last = points.at(-1);
  if (last === undefined) return undefined;
  const { control: mean = null, better } = measures.find(({ role }) => role === 'primary') ?? {};
  const limit = mean === null ? 0 : (better === 'lower' ? 1 : -1) * tolerance * Math.abs(mean);
  const y = scaleLinear(domainOf(points, last, limit), [1, 0]).nice();
  const [least, most] = y.domain();
  const time = timeAxis(points[0].at, last.at);
  const tickText = y.tickFormat(5);
  const look = decidedAsOf === null ? undefined : Date.parse(decidedAsOf);
  const decided = look !== undefined && look >= points[0].at && look <= last.at ? time.x(look) : undefined;
  // A guardrail that is worse says nothing about this measure.
  const tone = reason === 'primary_worse' ? 'bad' : reason === 'primary_better' ? 'good' : 'plain';
  const isOne = points.length === 1;
  return {
    tone,
    last,
    zeroAt: y(0),
    lastAt: y(last.effect),
    isCut: points.some(({ lower, upper }) => lower < least || upper > most),
    label: `Difference of ${primary} over ${several(points.length, 'look')}: ${effectWords(last)}`,
    xTicks: time.ticks.map(({ at, text }) => ({ at: time.x(at), words: text })),
    yTicks: y.ticks(5).map((tick) => ({ at: y(tick), words: tickText(tick) })),
    xLabel: `event time of the look, ${time.zone}`,
    lines: ({ width, height, digits }) => {
      if (isOne) return null;
      const across = ({ at }: LookPoint): number => width * time.x(at);
      const down = (value: number): number => height * y(value);
      const band = area<LookPoint>(
        across,
        ({ lower }) => down(lower),
        ({ upper }) => down(upper),
      ).digits(digits);
      const effect = line<LookPoint>(across, ({ effect }) => down(effect)).digits(digits);
      return (
        <>
          <path class={`band ${tone}`} d={band(points) ?? ''} />
          <path class={`effect ${tone}`} d={effect(points) ?? ''} />
        </>
      );
    },
    overlay: (
      <>
        <line class="zero" x1="0" x2="100%" y1={coordinate(y(0))} y2={coordinate(y(0))} />
        {limit === 0 ? null : (
          <>
            <line class="limit" x1="0" x2="100%" y1={coordinate(y(limit))} y2={coordinate(y(limit))} />
            <text
              class="limit-words"
              x={coordinate(roomiest(points, limit, time.x, decided))}
              y={coordinate(y(limit))}
              dy={limit < 0 ? 14 : -6}
              text-anchor="middle"
            >
              tolerated loss
            </text>
          </>
        )}
        {decided === undefined || decision === 'insufficient' ? null : (
          <>
            <line class="decided" x1={coordinate(decided)} x2={coordinate(decided)} y1="0" y2="100%" />
            <text
              class="decided-words"
              x={coordinate(decided)}
              dx={decided > 0.6 ? -6 : 6}
              y="14"
              text-anchor={decided > 0.6 ? 'end' : 'start'}
            >
              {decision}
            </text>
          </>
        )}
        {isOne ? (
          <line
            class={`one-look ${tone}`}
            x1="50%"
            x2="50%"
            y1={coordinate(inside(y(last.lower)))}
            y2={coordinate(inside(y(last.upper)))}
          />
        ) : null}
        <circle class={`last ${tone}`} cx={coordinate(time.x(last.at))} cy={coordinate(y(last.effect))} r="5" />
      </>
    ),
  };
}

/** An effect with its interval in a sentence. */
export function effectWords({ effect, lower, upper }: LookPoint): string {
  return `${signed(effect)}, from ${range([lower, upper], signed)}`;
}

function domainOf(points: readonly LookPoint[], last: LookPoint, limit: number): [number, number] {
  const widest = WIDEST * (last.upper - last.lower);
  const drawn = points.filter((point) => point.upper - point.lower <= widest);
  const least = Math.min(0, limit, ...drawn.map((point) => point.lower));
  const most = Math.max(0, limit, ...drawn.map((point) => point.upper));
  const room = 0.06 * (most - least);
  return [least - room, most + room];
}

/** Shares of the width where words on the limit may stand, and how far they reach to each side. */
const PLACES = [0.15, 0.25, 0.35, 0.5, 0.65, 0.75, 0.85];
const REACH = 0.12;

/** The place where words on the limit are furthest from the effect, and not on the moment of decision. */
function roomiest(
  points: readonly LookPoint[],
  limit: number,
  x: (at: number) => number,
  decided: number | undefined,
): number {
  const room = (place: number): number => {
    if (decided !== undefined && Math.abs(decided - place) < REACH) return -1;
    const near = points.filter(({ at }) => Math.abs(x(at) - place) < REACH);
    return near.length === 0 ? 0 : Math.min(...near.map(({ effect }) => Math.abs(effect - limit)));
  };
  return [...PLACES].sort((a, b) => room(b) - room(a))[0];
}

/** The tone of a measure's interval: red and green say what the decision would say. */
export function claimTone(variant: ComparedVariant, measure: ComparedMeasure, alpha: number): Tone {
  const claim = significanceOf(variant, measure, alpha);
  return claim === 'worse' ? 'bad' : claim === 'better' ? 'good' : 'plain';
}
