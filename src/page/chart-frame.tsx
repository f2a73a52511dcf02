/**
 * Charts that fill the available width while text keeps its size: horizontal positions are percentages, and lines are drawn in a
 * box of 10,000 by 10,000 that is stretched.
 */
import { type Children, jsx } from './jsx.ts';

/** Side of the box that lines are drawn in. Their coordinates are whole numbers, which are written quickly. */
export const BOX = 10_000;

interface FrameTick {
  /** Position along the axis, 0 to 1, from the left or from the top. */
  readonly at: number;
  readonly words: string;
}

interface FrameProps {
  /** Alternative text. */
  readonly label: string;
  /** In pixels. */
  readonly height: number;
  readonly xTicks: readonly FrameTick[];
  readonly yTicks: readonly FrameTick[];
  /** Below the horizontal axis. */
  readonly xLabel: string;
  /** Drawn in the stretched box. */
  readonly children?: Children;
  /** Drawn above it, positioned in percent. */
  readonly overlay?: Children;
}

export function Frame({ label, height, xTicks, yTicks, xLabel, children, overlay }: FrameProps) {
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
          viewBox={`0 0 ${BOX} ${BOX}`}
          preserveAspectRatio="none"
          width="100%"
          height={height}
          aria-hidden="true"
          class="box"
        >
          {children}
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

/** A position, 0 to 1, as an attribute of SVG. */
export function coordinate(at: number): string {
  return `${Math.round(10_000 * at) / 100}%`;
}

/** The same clamped to the picture. */
export function inside(at: number): number {
  return Math.min(1, Math.max(0, at));
}
