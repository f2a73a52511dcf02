/** The parts of the product that a history runs: the real source, or a copy of it with one guard taken out. */
import type { MemoryStore } from '../../src/accumulators/store/memory-store.ts';
import type { StoreUnavailable } from '../../src/accumulators/store/store-port.ts';
import type { checkStored, readCheckpoints, wasRead } from '../../src/service/checks.ts';
import type { Unit } from '../../src/unit/unit.ts';
import type { Worker } from '../../src/worker/worker.ts';
import { withMutation } from '../mutations/loader.ts';
import type { Change } from '../mutations/mutation.ts';
import { MOST_USERLESS } from './looks.ts';
import { type Watch, watch } from './observer.ts';

export interface Product {
  readonly Worker: typeof Worker;
  readonly MemoryStore: typeof MemoryStore;
  readonly StoreUnavailable: typeof StoreUnavailable;
  readonly checkStored: typeof checkStored;
  readonly readCheckpoints: typeof readCheckpoints;
  readonly wasRead: typeof wasRead;
  /** Users of the experiment that a unit keeps. */
  readonly SAMPLE_CAPACITY: number;
  /** Sees every unit. */
  readonly watch: Watch;
}

const FILES = [
  'worker/worker.ts',
  'unit/unit.ts',
  'accumulators/store/memory-store.ts',
  'accumulators/store/store-port.ts',
  'service/checks.ts',
  'statistics/user-sample.ts',
];

async function load(paths: readonly string[]): Promise<Product> {
  const parts: [
    { Worker: typeof Worker },
    { Unit: typeof Unit },
    { MemoryStore: typeof MemoryStore },
    { StoreUnavailable: typeof StoreUnavailable },
    { checkStored: typeof checkStored; readCheckpoints: typeof readCheckpoints; wasRead: typeof wasRead },
    { readonly SAMPLE_CAPACITY: number },
  ] = await Promise.all([
    import(/* @vite-ignore */ paths[0]),
    import(/* @vite-ignore */ paths[1]),
    import(/* @vite-ignore */ paths[2]),
    import(/* @vite-ignore */ paths[3]),
    import(/* @vite-ignore */ paths[4]),
    import(/* @vite-ignore */ paths[5]),
  ]);
  const [withWorker, withUnit, withStore, withError, withChecks, { SAMPLE_CAPACITY }] = parts;
  return { ...withWorker, ...withStore, ...withError, ...withChecks, SAMPLE_CAPACITY, watch: watch(withUnit.Unit) };
}

let known: Promise<Product> | undefined;

/**
 * Packed records lie in small pieces of memory instead of large ones: in a short history, too, pieces are emptied and used
 * again, and an engine is made in less time.
 */
const SMALL_SEGMENTS: Change = {
  file: '../wasm/engine/arena.ts',
  text: 'const SEGMENT_BYTES: usize = 16384;',
  replacement: 'const SEGMENT_BYTES: usize = 1024;',
};

/** Blocks of verdicts, which hold a thousand, are full at once: short histories have some. */
export const SMALL_BLOCKS: Change = {
  file: 'vocabulary/checkpoint.ts',
  text: 'CLOCK_BLOCK = 1024;',
  replacement: 'CLOCK_BLOCK = 4;',
};

/**
 * What is bounded by thousands is bounded by a few, so that short histories pass these bounds; a sample that both of the users
 * have seen is halved until neither is in it, and forgets them one by one.
 */
export const SMALL_BOUNDS: readonly Change[] = [
  SMALL_BLOCKS,
  { file: 'statistics/user-sample.ts', text: 'SAMPLE_CAPACITY = 2 ** 18;', replacement: 'SAMPLE_CAPACITY = 1;' },
  { file: 'statistics/user-sample.ts', text: 'MOST_GONE = 2000;', replacement: 'MOST_GONE = 1;' },
  { file: 'unit/clock-blocks.ts', text: 'MOST_REMOVED = 2000;', replacement: 'MOST_REMOVED = 1;' },
];

/** What a look needs at least is what the two users of a short history make, so that looks leave evidence, and forget it. */
const SMALL_MINIMA: readonly Change[] = [
  {
    file: 'statistics/decision.ts',
    text: 'DECISION_MINIMUM = { users: 100, buckets: 30, kish: 30, positives: 25 }',
    replacement: 'DECISION_MINIMUM = { users: 1, buckets: 1, kish: 1, positives: 1 }',
  },
  { file: 'statistics/decision.ts', text: 'MOST_USERLESS = 0.25;', replacement: `MOST_USERLESS = ${MOST_USERLESS};` },
  { file: 'statistics/mean.ts', text: 'PUBLISHED_BUCKETS = 8;', replacement: 'PUBLISHED_BUCKETS = 1;' },
];

/** The product as it is. */
export function theProduct(): Promise<Product> {
  // Its units can be watched once only.
  known ??= mutatedProduct([]);
  return known;
}

/** All changes of a product that has these. */
export function inProduct(changes: readonly Change[]): readonly Change[] {
  return [...changes, SMALL_SEGMENTS, ...SMALL_MINIMA];
}

/** Its engine is optimized as the one that is shipped is, unless its rules are changed. */
export function mutatedProduct(changes: readonly Change[]): Promise<Product> {
  const isRuleChanged = changes.some(({ file }) => file.startsWith('../wasm/'));
  return withMutation(inProduct(changes), FILES, load, isRuleChanged ? 'checked' : 'optimized');
}
