/**
 * The difference of a measure between variants and the control, look by look, with the confidence sequence as a shaded
 * band: one panel for each variant, stacked, as SVG for any background. The vertical axis is scaled to the later looks; the
 * band of the first looks is many times wider, and is clipped.
 */
import { scaleLinear } from 'd3-scale';
import { area, line } from 'd3-shape';
import type { EpochMs } from '../vocabulary/events.ts';
import { signed } from '../vocabulary/numbers.ts';
import { type Attributes, element, escaped } from './markup.ts';
import { TONES, type Tone } from './plot-frame.ts';
import { type TimeAxis, timeAxis } from './time-axis.ts';

interface EffectPoint {
  /** Event time of the look. */
  readonly at: EpochMs;
  readonly effect: number;
  readonly lower: number;
  readonly upper: number;
}

interface EffectPanel {
  /** Above the panel: `treatment against control: regressed`. */
  readonly title: string;
  /** Tone of the decision on the variant. */
  readonly tone: Tone;
  /** In the order of time; empty: no look had an error. */
  readonly points: readonly EffectPoint[];
  /** Effect of the largest tolerated loss: below 0, or above 0 where lower is better. undefined: not drawn. */
  readonly limit: number | undefined;
}

interface EffectPlot {
  readonly title: string;
  /** Alternative text. */
  readonly description: string;
  /** Label of the vertical axis, with its unit. */
  readonly effectLabel: string;
  readonly panels: readonly EffectPanel[];
}

const WIDTH = 880;
const PANEL = { top: 44, height: 250, bottom: 62, left: 84, right: 198 } as const;
const TITLE_HEIGHT = 40;
const INK = '#1f2430';
const MUTED = '#555b69';
const GRID = '#e3e6ec';
const LIMIT = '#8a6d00';
/** Looks with a band more than this many times as wide as the last do not stretch the axis. */
const WIDEST = 4;

/** The picture as a standalone SVG text, ending with a newline. */
export function effectPlot({ title, description, effectLabel, panels }: EffectPlot): string {
  const heights = panels.map(({ points }) => (points.length === 0 ? 90 : PANEL.top + PANEL.height + PANEL.bottom));
  const from = (i: number): number => heights.slice(0, i).reduce((sum, height) => sum + height, TITLE_HEIGHT);
  const height = from(panels.length);
  const inside = [
    element('title', { id: 'title' }, escaped(title)),
    element('desc', { id: 'desc' }, escaped(description)),
    element('rect', { width: WIDTH, height, fill: '#fff' }),
    text(title, { x: 20, y: 28, 'font-size': 18, 'font-weight': 600 }),
    ...panels.map((panel, i) => element('g', { transform: `translate(0 ${from(i)})` }, panelOf(panel, effectLabel, i))),
  ];
  const attributes: Attributes = {
    xmlns: 'http://www.w3.org/2000/svg',
    viewBox: `0 0 ${WIDTH} ${height}`,
    width: WIDTH,
    height,
    role: 'img',
    'aria-labelledby': 'title desc',
    'font-family': "system-ui, 'DejaVu Sans', Arial, sans-serif",
    'font-size': 13,
    fill: INK,
  };
  return `${element('svg', attributes, inside.join('\n'))}\n`;
}

function panelOf({ title, tone, points, limit }: EffectPanel, effectLabel: string, i: number): string {
  const [left, right, top, bottom] = [PANEL.left, WIDTH - PANEL.right, PANEL.top, PANEL.top + PANEL.height];
  const heading = text(title, { x: left, y: top - 14, 'font-size': 15, 'font-weight': 600 });
  const colour = TONES[tone];
  const last = points.at(-1);
  if (last === undefined) {
    const none = 'No look had an error: there is nothing to draw yet.';
    return heading + text(none, { x: left, y: top + 14, fill: MUTED, 'font-size': 14 });
  }
  const y = scaleLinear(domainOf(points, last, limit), [bottom, top]).nice();
  // A limit that would coincide with the line of 0 is not drawn.
  const loss = limit === undefined || Math.abs(y(limit) - y(0)) < 3 ? undefined : y(limit);
  const words = loss === undefined ? y(0) : loss > y(0) ? Math.max(loss, y(0) + 18) : Math.min(loss, y(0) - 18);
  const time = timeAxis(points[0].at, last.at, left, right);
  const tickText = y.tickFormat(6);
  const ticks = y.ticks(6);
  const [least, most] = y.domain();
  const isCut = points.some((point) => point.lower < least || point.upper > most);
  const note = isCut ? ' (the band of early looks goes on outside)' : '';
  return [
    heading,
    ...ticks.map((tick) => lineAt(y(tick), left, right, { stroke: GRID })),
    ...ticks.map((tick) => text(tickText(tick), { x: left - 8, y: y(tick) + 4.5, 'text-anchor': 'end', fill: MUTED })),
    element(
      'clipPath',
      { id: `panel-${i}` },
      element('rect', { x: left, y: top, width: right - left, height: PANEL.height }),
    ),
    element('g', { 'clip-path': `url(#panel-${i})` }, bandOf(points, time.x, y, colour)),
    lineAt(y(0), left, right, { stroke: INK, 'stroke-width': 1.5 }),
    text('no difference', { x: right + 8, y: y(0) + 4.5, fill: INK }),
    ...(loss === undefined ? [] : limitLine(loss, words, left, right)),
    ...markOf(last, time.x(last.at), y, words, colour),
    ...timeTicks(time, bottom),
    text(`event time of the look (${time.zone})${note}`, {
      x: (left + right) / 2,
      y: bottom + 44,
      'text-anchor': 'middle',
    }),
    text(effectLabel, { transform: `translate(22 ${(top + bottom) / 2}) rotate(-90)`, 'text-anchor': 'middle' }),
  ].join('\n');
}

type Scale = (value: number) => number;

function domainOf(points: readonly EffectPoint[], last: EffectPoint, limit = 0): [number, number] {
  const widest = WIDEST * (last.upper - last.lower);
  const shown = points.filter((point) => point.upper - point.lower <= widest);
  const least = Math.min(0, limit, ...shown.map((point) => point.lower));
  const most = Math.max(0, limit, ...shown.map((point) => point.upper));
  const room = 0.06 * (most - least);
  return [least - room, most + room];
}

/** The band and the line in it; a bar if there is a single look. */
function bandOf(points: readonly EffectPoint[], x: Scale, y: Scale, colour: string): string {
  if (points.length === 1) {
    const [{ at, lower, upper }] = points;
    return element('line', { x1: x(at), x2: x(at), y1: y(lower), y2: y(upper), stroke: colour, 'stroke-width': 3 });
  }
  const band = area<EffectPoint>(
    (point) => x(point.at),
    (point) => y(point.lower),
    (point) => y(point.upper),
  ).digits(2);
  const effect = line<EffectPoint>(
    (point) => x(point.at),
    (point) => y(point.effect),
  ).digits(2);
  return [
    element('path', {
      d: band(points) ?? '',
      fill: colour,
      'fill-opacity': 0.18,
      stroke: colour,
      'stroke-opacity': 0.45,
    }),
    element('path', { d: effect(points) ?? '', fill: 'none', stroke: colour, 'stroke-width': 2.5 }),
  ].join('\n');
}

/** The last look: a dot, with its numbers at the right, clear of the labels at 0 and at the tolerance. */
function markOf(
  { effect, lower, upper }: EffectPoint,
  x: number,
  y: Scale,
  words: number,
  colour: string,
): readonly string[] {
  const at = { x: WIDTH - PANEL.right + 8, fill: colour };
  const [highest, lowest] = [Math.min(words, y(0)), Math.max(words, y(0))];
  const beside = effect < 0 ? Math.max(y(effect), lowest + 26) : Math.min(y(effect), highest - 34);
  return [
    element('circle', { cx: x, cy: y(effect), r: 5, fill: colour, stroke: '#fff', 'stroke-width': 1.5 }),
    text(signed(effect), { ...at, y: beside - 3, 'font-weight': 600, 'font-size': 15 }),
    text(`${signed(lower)} to ${signed(upper)}`, { ...at, y: beside + 15 }),
  ];
}

/** The line beyond which a loss is not tolerated. @param words y of its label, clear of that of 0 */
function limitLine(y: number, words: number, left: number, right: number): string[] {
  return [
    lineAt(y, left, right, { stroke: LIMIT, 'stroke-dasharray': '6 4', 'stroke-width': 1.5 }),
    text('tolerated loss', { x: right + 8, y: words + 4.5, fill: LIMIT }),
  ];
}

function timeTicks({ x, ticks }: TimeAxis, bottom: number): string[] {
  return ticks.flatMap(({ at, text: words }) => [
    element('line', { x1: x(at), x2: x(at), y1: bottom, y2: bottom + 5, stroke: MUTED }),
    text(words, { x: x(at), y: bottom + 20, 'text-anchor': 'middle', fill: MUTED }),
  ]);
}

function lineAt(y: number, left: number, right: number, attributes: Attributes): string {
  return element('line', { x1: left, x2: right, y1: y, y2: y, ...attributes });
}

function text(words: string, attributes: Attributes): string {
  return element('text', attributes, escaped(words));
}
