/**
 * A chart with two axes, drawn once for pages and for files. On a page it fills the available width while text keeps its size:
 * positions are percentages, and lines are drawn in a box of 10,000 by 10,000 that is stretched. In a file the same marks stand
 * in a box of its own size, since not every program that draws SVG can keep the width of lines in one that is stretched.
 */

import { scaleUtc } from 'd3-scale';
import { DAY } from '../vocabulary/durations.ts';
import type { EpochMs } from '../vocabulary/events.ts';
import { type Children, Fragment, jsx } from './jsx.ts';

/** The box that lines are drawn in, and how many digits their coordinates have after the point. */
export interface LineBox {
  readonly width: number;
  readonly height: number;
  readonly digits: number;
}

/** Whole numbers are written quickly. */
const STRETCHED: LineBox = { width: 10_000, height: 10_000, digits: 0 };

export interface FrameTick {
  /** Position along the axis, 0 to 1, from the left or from the top. */
  readonly at: number;
  readonly words: string;
}

export interface Chart {
  /** Alternative text. */
  readonly label: string;
  readonly xTicks: readonly FrameTick[];
  readonly yTicks: readonly FrameTick[];
  /** Below the horizontal axis. */
  readonly xLabel: string;
  /** Lines and areas. What leaves the box is cut off. */
  readonly lines?: (box: LineBox) => Children;
  /** Drawn above them, positioned in percent. */
  readonly overlay?: Children;
}

/** The chart on a page. @param height in pixels */
export function Frame({ label, height, xTicks, yTicks, xLabel, lines, overlay }: Chart & { readonly height: number }) {
  return (
    <div class="frame">
      <svg class="frame-y" height={height} aria-hidden="true">
        {yTicks.map(({ at, words }) => (
          <text x="100%" dx="-8" y={coordinate(at)} dy="4" text-anchor="end">
            {words}
          </text>
        ))}
      </svg>
      <svg class="frame-plot" width="100%" height={height} role="img" aria-label={label}>
        {yTicks.map(({ at }) => (
          <line class="grid" x1="0" x2="100%" y1={coordinate(at)} y2={coordinate(at)} />
        ))}
        <svg
          viewBox={`0 0 ${STRETCHED.width} ${STRETCHED.height}`}
          preserveAspectRatio="none"
          width="100%"
          height={height}
          aria-hidden="true"
          class="box"
        >
          {lines?.(STRETCHED)}
        </svg>
        {overlay}
      </svg>
      <svg class="frame-x" width="100%" height="20" aria-hidden="true">
        {xTicks.map(({ at, words }, i) => (
          <text class={i % 2 === 1 ? 'minor' : undefined} x={coordinate(at)} y="15" text-anchor="middle">
            {words}
          </text>
        ))}
      </svg>
      <p class="frame-label">{xLabel}</p>
    </div>
  );
}

/** The chart in a picture, at a place and of a size in pixels: ticks stand left of and below it. */
export function Panel({
  chart: { xTicks, yTicks, xLabel, lines, overlay },
  left,
  top,
  width,
  height,
}: {
  readonly chart: Chart;
  readonly left: number;
  readonly top: number;
  readonly width: number;
  readonly height: number;
}) {
  return (
    <g transform={`translate(${left} ${top})`}>
      {yTicks.map(({ at, words }) => (
        <>
          <line class="grid" x1={0} x2={width} y1={height * at} y2={height * at} />
          <text class="muted" x={-9} y={height * at + 4.5} text-anchor="end">
            {words}
          </text>
        </>
      ))}
      <svg width={width} height={height} viewBox={`0 0 ${width} ${height}`} aria-hidden="true">
        {lines?.({ width, height, digits: 2 })}
      </svg>
      <svg width={width} height={height} overflow="visible" aria-hidden="true">
        {overlay}
      </svg>
      {xTicks.map(({ at, words }) => (
        <>
          <line class="zero" x1={width * at} x2={width * at} y1={height} y2={height + 5} />
          <text class="muted" x={width * at} y={height + 20} text-anchor="middle">
            {words}
          </text>
        </>
      ))}
      <text x={width / 2} y={height + 44} text-anchor="middle">
        {xLabel}
      </text>
    </g>
  );
}

/** A position, 0 to 1, as an attribute of SVG. */
export function coordinate(at: number): string {
  return `${Math.round(10_000 * at) / 100}%`;
}

/** The same clamped to the picture. */
export function inside(at: number): number {
  return Math.min(1, Math.max(0, at));
}

interface TimeTick {
  readonly at: EpochMs;
  readonly text: string;
}

/** Event time along an axis, in UTC: from 0, where it begins, to 1. */
interface TimeAxis {
  readonly x: (at: EpochMs) => number;
  readonly ticks: readonly TimeTick[];
  /** What the ticks leave out: `UTC, 2025-11-03`. */
  readonly zone: string;
}

const TICKS = 7;

/** @param from, @param to in event time; if equal, the time is centred */
export function timeAxis(from: EpochMs, to: EpochMs): TimeAxis {
  if (from === to) {
    const zone = `UTC, ${day(from)}`;
    return { x: () => 0.5, ticks: [{ at: from, text: clock(from) }], zone };
  }
  const scale = scaleUtc([from, to], [0, 1]);
  const isOneDay = day(from) === day(to);
  const ticks = scale.ticks(TICKS).map((tick) => {
    const at = tick.getTime();
    return { at, text: isOneDay || at % DAY !== 0 ? clock(at) : day(at).slice(5) };
  });
  return { x: (at) => scale(at), ticks, zone: isOneDay ? `UTC, ${day(from)}` : `UTC, from ${day(from)}` };
}

function day(at: EpochMs): string {
  return new Date(at).toISOString().slice(0, 10);
}

function clock(at: EpochMs): string {
  return new Date(at).toISOString().slice(11, 16);
}
