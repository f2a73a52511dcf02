/** The difference of the primary measure over the looks, with the band that holds at all of them together. */
import { scaleLinear } from 'd3-scale';
import { area, line } from 'd3-shape';
import type { ComparedVariant, Comparison } from '../experiment/comparison.ts';
import type { LookPoint } from '../experiment/experiment-looks.ts';
import { timeAxis } from '../output/time-axis.ts';
import { instant, levelOf, several, signed } from '../vocabulary/numbers.ts';
import { BOX, coordinate, Frame, inside } from './chart-frame.tsx';
import { Fragment, jsx } from './jsx.ts';
import { Name } from './name.ts';

interface EffectChartProps {
  readonly comparison: Comparison;
  readonly variant: ComparedVariant;
  /** In the order of time. */
  readonly points: readonly LookPoint[];
}

const HEIGHT = 240;
/** Looks with a band more than this many times as wide as the last do not stretch the axis. */
const WIDEST = 4;

export function EffectChart({ comparison, variant, points }: EffectChartProps) {
  const { primary, tolerance, alpha, control } = comparison;
  const last = points.at(-1);
  if (last === undefined) return <p class="note">No look had an error yet, so there is nothing to draw.</p>;
  const { control: mean = null, better } = variant.measures.find(({ role }) => role === 'primary') ?? {};
  const limit = mean === null ? 0 : (better === 'lower' ? 1 : -1) * tolerance * Math.abs(mean);
  const y = scaleLinear(domainOf(points, last, limit), [1, 0]).nice();
  const time = timeAxis(points[0].at, last.at, 0, 1);
  const ticks = y.ticks(5);
  const tickText = y.tickFormat(5);
  const { decidedAsOf } = variant;
  const look = decidedAsOf === null ? undefined : Date.parse(decidedAsOf);
  const decided = look !== undefined && look >= points[0].at && look <= last.at ? time.x(look) : undefined;
  // A guardrail that is worse says nothing about this measure.
  const tone = variant.reason === 'primary_worse' ? 'bad' : variant.reason === 'primary_better' ? 'good' : 'plain';
  const isOne = points.length === 1;
  return (
    <figure>
      <Frame
        label={`Difference of ${primary} over ${several(points.length, 'look')}: ${lastWords(last)}`}
        height={HEIGHT}
        xTicks={time.ticks.map(({ at, text }) => ({ at: time.x(at), words: text }))}
        yTicks={ticks.map((tick) => ({ at: y(tick), words: tickText(tick) }))}
        xLabel={`event time of the look, ${time.zone}`}
        overlay={
          <>
            <line class="zero" x1="0" x2="100%" y1={coordinate(y(0))} y2={coordinate(y(0))} />
            {tolerance > 0 && limit !== 0 ? (
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
            ) : null}
            {decided === undefined || variant.decision === 'insufficient' ? null : (
              <>
                <line class="decided" x1={coordinate(decided)} x2={coordinate(decided)} y1="0" y2="100%" />
                <text
                  class="decided-words"
                  x={coordinate(decided)}
                  dx={decided > 0.6 ? -6 : 6}
                  y="14"
                  text-anchor={decided > 0.6 ? 'end' : 'start'}
                >
                  {variant.decision}
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
        }
      >
        {isOne ? null : <Band points={points} x={time.x} y={(value) => y(value)} tone={tone} />}
      </Frame>
      <figcaption>
        Difference of <Name>{primary}</Name>, <Name>{variant.variant}</Name> minus <Name>{control}</Name>, with the{' '}
        {levelOf(alpha)} band that holds however often you look.{' '}
        <strong>{whatToSee(last, tone !== 'plain', variant.decision !== 'invalid')}</strong>
      </figcaption>
    </figure>
  );
}

type Scale = (value: number) => number;

/** Shares of the width where words on the limit may stand, and how far they reach to each side. */
const PLACES = [0.15, 0.25, 0.35, 0.5, 0.65, 0.75, 0.85];
const REACH = 0.12;

/** The place where words on the limit are furthest from the effect, and not on the moment of decision. */
function roomiest(points: readonly LookPoint[], limit: number, x: Scale, decided: number | undefined): number {
  const room = (place: number): number => {
    if (decided !== undefined && Math.abs(decided - place) < REACH) return -1;
    const near = points.filter(({ at }) => Math.abs(x(at) - place) < REACH);
    return near.length === 0 ? 0 : Math.min(...near.map(({ effect }) => Math.abs(effect - limit)));
  };
  return [...PLACES].sort((a, b) => room(b) - room(a))[0];
}

function Band({
  points,
  x,
  y,
  tone,
}: {
  readonly points: readonly LookPoint[];
  readonly x: Scale;
  readonly y: Scale;
  readonly tone: string;
}) {
  const across = ({ at }: LookPoint): number => BOX * x(at);
  const band = area<LookPoint>(
    across,
    ({ lower }) => BOX * y(lower),
    ({ upper }) => BOX * y(upper),
  ).digits(0);
  const effect = line<LookPoint>(across, ({ effect }) => BOX * y(effect)).digits(0);
  return (
    <>
      <path class={`band ${tone}`} d={band(points) ?? ''} />
      <path class={`effect ${tone}`} d={effect(points) ?? ''} />
    </>
  );
}

function domainOf(points: readonly LookPoint[], last: LookPoint, limit: number): [number, number] {
  const widest = WIDEST * (last.upper - last.lower);
  const drawn = points.filter((point) => point.upper - point.lower <= widest);
  const least = Math.min(0, limit, ...drawn.map((point) => point.lower));
  const most = Math.max(0, limit, ...drawn.map((point) => point.upper));
  const room = 0.06 * (most - least);
  return [least - room, most + room];
}

function lastWords({ effect, lower, upper }: LookPoint): string {
  return `${signed(effect)}, from ${signed(lower)} to ${signed(upper)}`;
}

/** @param isFound a difference was found, at this look or before; @param isOpen more looks may still tell */
function whatToSee(last: LookPoint, isFound: boolean, isOpen: boolean): string {
  const { lower, upper } = last;
  const end = `At the last look, ${instant(new Date(last.at).toISOString())}, it is ${lastWords(last)}`;
  if (lower > 0 || upper < 0) return `${end}: the whole band lies ${upper < 0 ? 'below' : 'above'} 0.`;
  if (isFound) return `${end}. The band holds 0 again; what was found at an earlier look stays.`;
  return `${end}. The band holds 0${isOpen ? ': no difference can be told yet' : ''}.`;
}
