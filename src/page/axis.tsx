/** An axis that stands above a column, and values with their errors in the rows below it. */

import { coordinate, type FrameTick, inside } from '../charts/frame.tsx';
import { elements, jsx, type Markup, NOTHING } from '../charts/jsx.ts';

/** The head of the column. `label` says what it shows to those who cannot see it. */
export function AxisHead({
  label,
  ticks,
  narrow,
}: {
  readonly label: string;
  readonly ticks: readonly FrameTick[];
  /** The width of the column on a phone, in pixels, if it is not the usual one. */
  readonly narrow?: number;
}) {
  const isMinor = minorTicks(ticks, narrow);
  return (
    <th scope="col" class="interval">
      <span class="unseen">{label}</span>
      <svg width="100%" height="18" aria-hidden="true">
        {ticks.map(({ at, words }, i) => (
          <text class={isMinor[i] ? 'minor' : undefined} x={coordinate(at)} y="13" text-anchor="middle">
            {words}
          </text>
        ))}
      </svg>
    </th>
  );
}

/** The widths of the column on a phone of 390 px, of a character of a label, and of the space between two labels. */
const NARROW = 90;
const CHARACTER = 6.5;
const SPACE = 4;
/** The most labels in a narrow column, even of short ones. */
const MOST_NARROW = 3;

/** Which labels a narrow column leaves out: all but every n-th, counted from 0 or else from the first, so that none overlap. */
export function minorTicks(ticks: readonly FrameTick[], width: number = NARROW): readonly boolean[] {
  const middle = Math.max(
    0,
    ticks.findIndex(({ words }) => words === '0'),
  );
  for (let every = 1; ; every++) {
    const isShown = ticks.map((_, i) => (i - middle) % every === 0);
    const shown = ticks.filter((_, i) => isShown[i]);
    const fit = shown.every((tick, i) => i === 0 || haveRoom(shown[i - 1], tick, width));
    if (shown.length <= 1 || (fit && shown.length <= MOST_NARROW)) return isShown.map((is) => !is);
  }
}

function haveRoom(left: FrameTick, right: FrameTick, width: number): boolean {
  const words = (CHARACTER * (left.words.length + right.words.length)) / 2;
  return (right.at - left.at) * width >= words + SPACE;
}

const ROW_HEIGHT = 26;

interface EstimateProps {
  readonly label: string;
  readonly value: number;
  /** The length of the error to each side. */
  readonly reach: number;
  /** The value that it is compared with, which is drawn as a line. */
  readonly base: number | null;
  readonly place: (value: number) => number;
  /** Whether it is better than the base, worse, or neither. */
  readonly tone: 'good' | 'bad' | 'plain';
}

/** A value with its error, in one row of a chart. */
export function estimate({ label, value, reach, base, place, tone }: EstimateProps): Markup {
  const middle = ROW_HEIGHT / 2;
  const at = (one: number): string => coordinate(inside(place(one)));
  const line = base === null ? NOTHING : zero(at(base));
  return elements`<svg width="100%" height="${ROW_HEIGHT}" role="img" aria-label="${label}">${line}<g class="mark ${tone}"><line class="bar" x1="${at(value - reach)}" x2="${at(value + reach)}" y1="${middle}" y2="${middle}"></line><circle cx="${at(value)}" cy="${middle}" r="4.5"></circle></g></svg>`;
}

function zero(x: string): Markup {
  return elements`<line class="zero" x1="${x}" x2="${x}" y1="0" y2="100%"></line>`;
}
