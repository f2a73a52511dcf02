/** An axis that stands above a column, and values with their errors in the rows below it. */
import { inside, percent } from './chart-frame.tsx';
import { elements } from './elements.ts';
import { jsx, type Markup, NOTHING } from './jsx.ts';

export interface AxisTick {
  /** Place along the axis, 0 to 1. */
  readonly at: number;
  readonly words: string;
}

/** Head of the column. `label`: what it shows, for those who cannot see it. */
export function AxisHead({ label, ticks }: { readonly label: string; readonly ticks: readonly AxisTick[] }) {
  return (
    <th scope="col" class="interval">
      <span class="unseen">{label}</span>
      <svg width="100%" height="18" aria-hidden="true">
        {ticks.map(({ at, words }, i) => (
          <text class={isMinor(ticks, i) ? 'minor' : undefined} x={percent(at)} y="13" text-anchor="middle">
            {words}
          </text>
        ))}
      </svg>
    </th>
  );
}

/** A narrow column has room for so many. */
const MOST_NARROW = 3;

/** Every second one, counted from 0 or else from the first, where not all have room. */
function isMinor(ticks: readonly AxisTick[], i: number): boolean {
  const middle = Math.max(
    0,
    ticks.findIndex(({ words }) => words === '0'),
  );
  return ticks.length > MOST_NARROW && (i - middle) % 2 !== 0;
}

const ROW_HEIGHT = 26;

interface EstimateProps {
  readonly label: string;
  readonly value: number;
  /** To each side. */
  readonly reach: number;
  /** What it is compared with, a line. */
  readonly base: number | null;
  readonly place: (value: number) => number;
  /** How it lies to the base. */
  readonly tone: 'good' | 'bad' | 'plain';
}

/** There is one in each row of a chart. */
export function estimate({ label, value, reach, base, place, tone }: EstimateProps): Markup {
  const middle = ROW_HEIGHT / 2;
  const at = (one: number): string => percent(inside(place(one)));
  const line = base === null ? NOTHING : zero(at(base));
  return elements`<svg width="100%" height="${ROW_HEIGHT}" role="img" aria-label="${label}">${line}<g class="mark ${tone}"><line class="bar" x1="${at(value - reach)}" x2="${at(value + reach)}" y1="${middle}" y2="${middle}"></line><circle cx="${at(value)}" cy="${middle}" r="4.5"></circle></g></svg>`;
}

function zero(x: string): Markup {
  return elements`<line class="zero" x1="${x}" x2="${x}" y1="0" y2="100%"></line>`;
}
