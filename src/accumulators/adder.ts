/** The layout, in the engine's memory, of what the engine needs to add closings by itself (wasm/engine/adding.ts). */
import { EngineBlocks, EngineWords } from '../consumers/engine/engine-blocks.ts';
import { ADDER, ADDER_PANE, TAG_OF_CONTEXT } from '../consumers/engine/engine-layout.ts';
import type { EpochMs } from '../vocabulary/events.ts';
import type { CellColumns } from './list-sums.ts';

/** What the engine knows of tags. */
export interface TagWords {
  /** Number of holders of each tag. The engine adds and removes holders, but never removes the last. */
  readonly holders: EngineWords;
  /** How often each tag was freed. */
  readonly versions: EngineWords;
  /** For each context, WORDS_OF_CONTEXT words: a `TagOfContext` (wasm/engine/tags.ts). */
  readonly contexts: EngineWords;
}
export const WORDS_OF_CONTEXT = TAG_OF_CONTEXT.BYTES / 4;

/** The cells of one unit. */
export class Adder {
  readonly blocks = new EngineBlocks();
  /** Address in the engine's memory. */
  readonly place: number;
  readonly tags: TagWords;
  /** One for each horizon. */
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

  /** Impressions that close at this time or later are left to the host. */
  setDue(due: EpochMs): void {
    this.blocks.engine.doubles[(this.place >>> 3) + ADDER.due] = due;
  }

  /** Lets the engine add lists of the patterns in this table (kept-lists.ts) from now on. */
  begin(table: number): void {
    this.blocks.engine.words[(this.place >>> 2) + ADDER.kept] = table;
    for (const pane of this.panes) pane.isUsed = true;
  }
}

/** The cells to which the engine adds closings of one horizon. */
export class AdderPane {
  readonly blocks: EngineBlocks;
  /** For each tag the address of its cell; 0: the host adds to it. */
  readonly cells: EngineWords;
  /** Whether the engine adds to these cells. */
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

  /** Limits the engine to impressions with from <= time < to. */
  setTimes(from: EpochMs, to: EpochMs): void {
    const at = this.#place >>> 3;
    this.blocks.engine.doubles[at + ADDER_PANE.from] = from;
    this.blocks.engine.doubles[at + ADDER_PANE.to] = to;
  }
}
