/**
 * The CUSUM of a watched cohort over its last blocks, with onset and size (statistics.md section 11.1). It begins at
 * S = 0 and is computed anew at every block, so it is a function of kept panes: nothing is stored, and all who compute
 * it agree.
 */
import type { EpochMs } from '../events.ts';
import { type Baseline, residual, STARTUP, startupBaseline } from './baseline.ts';
import type { Block } from './blocks.ts';
import { CUSUM_START, type Cusum, type CusumSettings, type CusumSide, clipped, cusumStep, scaleOf } from './cusum.ts';

/** S is computed over so many blocks: a day of 5 minutes. */
export const PATH_BLOCKS = 288;

/** A block and the baseline of its hour; `past` undefined: the past is not long enough yet. */
export interface WatchedBlock {
  readonly block: Block;
  readonly past: Baseline | undefined;
}

/** One direction after one block. */
export interface Alarm extends CusumSide {
  /** Start of the block after which S was last 0; undefined: S is 0. */
  readonly onset: EpochMs | undefined;
  /** Change since then as a fraction of the baseline, negative for a fall; undefined: S is 0, or the baseline is. */
  readonly size: number | undefined;
}

/** After one block. A block that is not whole, or has no baseline, has no z and leaves S as it is. */
export interface PathPoint {
  readonly block: Block;
  readonly baseline: Baseline | undefined;
  readonly z: number | undefined;
  readonly low: Alarm;
  readonly high: Alarm;
}

export interface WatchedPath {
  readonly scale: number;
  /** One per block of the last PATH_BLOCKS, oldest first. */
  readonly points: readonly PathPoint[];
}

/**
 * The scale comes from all z first; start-up baselines are then those of the blocks of a while ago. In the CUSUM itself
 * a start-up baseline stays as it is while S >= h/2, so that it does not follow the fall it is to show.
 */
export function watchedPath(blocks: readonly WatchedBlock[], settings: CusumSettings): WatchedPath {
  const first = Math.max(0, blocks.length - PATH_BLOCKS);
  const baselines = blocks.map(({ past }, i) => (i < first ? undefined : (past ?? startupAt(blocks, i))));
  const all = blocks.slice(first).map(({ block }, i) => residualOf(block, baselines[first + i]));
  const scale = scaleOf(all.filter((z) => z !== undefined));
  const points: PathPoint[] = [];
  let state: Cusum = CUSUM_START;
  let low = NONE;
  let high = NONE;
  let held: Baseline | undefined;
  for (let i = first; i < blocks.length; i++) {
    const { block, past } = blocks[i];
    const frozen = Math.max(state.low.s, state.high.s) >= settings.h / 2;
    if (past === undefined && !(frozen && held !== undefined)) held = baselines[i];
    const baseline = past ?? held;
    const z = residualOf(block, baseline);
    if (z !== undefined && baseline !== undefined) {
      state = cusumStep(state, clipped(z, scale), settings);
      low = changeAfter(low, state.low, block, baseline);
      high = changeAfter(high, state.high, block, baseline);
    }
    points.push({ block, baseline, z, low: { ...state.low, ...shown(low) }, high: { ...state.high, ...shown(high) } });
  }
  return { scale, points };
}

function startupAt(blocks: readonly WatchedBlock[], at: number): Baseline | undefined {
  const end = at - STARTUP.lag + 1;
  if (end < STARTUP.blocks) return undefined;
  const past = blocks.slice(end - STARTUP.blocks, end);
  return startupBaseline(past.map(({ block }) => (block.state === 'whole' ? block.estimate : undefined)));
}

function residualOf({ state, estimate }: Block, baseline: Baseline | undefined): number | undefined {
  if (state !== 'whole' || estimate === undefined || baseline === undefined) return undefined;
  const z = residual(estimate, baseline);
  return typeof z === 'number' ? z : undefined;
}

/** Sums since S was last 0, weighted by impressions: of x - b and of b. */
interface Change {
  readonly onset: EpochMs | undefined;
  readonly above: number;
  readonly below: number;
}

const NONE: Change = { onset: undefined, above: 0, below: 0 };

function changeAfter(change: Change, { s }: CusumSide, block: Block, baseline: Baseline): Change {
  if (s === 0 || block.estimate === undefined) return NONE;
  const { impressions, estimate } = block;
  return {
    onset: change.onset ?? block.start,
    above: change.above + impressions * (estimate.value - baseline.value),
    below: change.below + impressions * baseline.value,
  };
}

function shown({ onset, above, below }: Change): Pick<Alarm, 'onset' | 'size'> {
  const size = above / Math.abs(below);
  return { onset, size: Number.isFinite(size) ? size : undefined };
}
