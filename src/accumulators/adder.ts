/** Where the engine adds closings by itself (wasm/engine/adding.ts), as it is laid out in its memory. */
import { EngineBlocks, EngineWords } from '../consumers/engine/engine-blocks.ts';
import { ADDER, ADDER_PANE, TAG_OF_CONTEXT } from '../consumers/engine/engine-layout.ts';
import type { EpochMs } from '../vocabulary/events.ts';
import type { CellColumns } from './list-sums.ts';

/** What the engine knows of tags. */
export interface TagWords {
  /** By tag: how many hold it. The engine adds some and takes some away, but never the last. */
  readonly holders: EngineWords;
  /** By tag: how often it was freed. */
  readonly versions: EngineWords;
  /** By context, WORDS_OF_CONTEXT each: a `TagOfContext` (wasm/engine/tags.ts). */
  readonly contexts: EngineWords;
}
export const WORDS_OF_CONTEXT = TAG_OF_CONTEXT.BYTES / 4;

/** The cells of one unit. */
export class Adder {
  readonly blocks = new EngineBlocks();
  /** Where it is. */
  readonly place: number;
  readonly tags: TagWords;
  /** By horizon. */
  readonly panes: readonly AdderPane[];

  constructor(horizons: number, { userless, ofVector }: CellColumns) {
    const { engine } = this.blocks;
    const place = this.blocks.take(ADDER.BYTES + ADDER_PANE.BYTES * horizons);
    const at = place >>> 2;
    engine.words[at + ADDER.userless] = userless;
    engine.words[at + ADDER.bucketWidth] = ofVector;
    this.place = place;
    this.tags = {
      holders: new EngineWords(this.blocks, (holders) => {
        engine.words[at + ADDER.holders] = holders;
      }),
      versions: new EngineWords(this.blocks, (versions) => {
        engine.words[at + ADDER.versions] = versions;
      }),
      contexts: new EngineWords(this.blocks, (contexts, length) => {
        engine.words[at + ADDER.tags] = contexts;
        engine.words[at + ADDER.contexts] = Math.floor(length / WORDS_OF_CONTEXT);
      }),
    };
    this.panes = Array.from(
      { length: horizons },
      (_, h) => new AdderPane(this.blocks, place + ADDER.BYTES + ADDER_PANE.BYTES * h),
    );
    this.setDue(Number.NEGATIVE_INFINITY);
  }

  /** What closes at this time or later is for the host. */
  setDue(due: EpochMs): void {
    this.blocks.engine.doubles[(this.place >>> 3) + ADDER.due] = due;
  }

  /** From now on the engine adds what is kept in this table (kept-table.ts). */
  begin(table: number): void {
    this.blocks.engine.words[(this.place >>> 2) + ADDER.kept] = table;
    for (const pane of this.panes) pane.isUsed = true;
  }
}

/** What closings of one horizon are added to. */
export class AdderPane {
  readonly blocks: EngineBlocks;
  /** By tag: the place of its cell; 0: the host adds to it. */
  readonly cells: EngineWords;
  /** Whether the engine adds anything. */
  isUsed = false;
  readonly #place: number;

  constructor(blocks: EngineBlocks, place: number) {
    this.blocks = blocks;
    this.#place = place;
    const { words } = blocks.engine;
    this.cells = new EngineWords(blocks, (cells, tags) => {
      words[(place >>> 2) + ADDER_PANE.cells] = cells;
      words[(place >>> 2) + ADDER_PANE.tags] = tags;
    });
    this.setTimes(Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY);
  }

  /** Impressions with from <= time < to are added. */
  setTimes(from: EpochMs, to: EpochMs): void {
    const at = this.#place >>> 3;
    this.blocks.engine.doubles[at + ADDER_PANE.from] = from;
    this.blocks.engine.doubles[at + ADDER_PANE.to] = to;
  }
}
