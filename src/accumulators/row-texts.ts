import type { EngineBlocks } from '../consumers/engine/engine-blocks.ts';
import { EngineRoom } from '../consumers/engine/engine-buffers.ts';
import {
  NUMBER_BYTES,
  NUMBER_IF_ANY,
  NUMBER_IS_LISTS,
  NUMBER_IS_NONE,
  NUMBER_IS_POSITIVES,
  NUMBER_IS_VALUE,
  ROW_STEP,
  ROW_TEXT_BEYOND,
} from '../consumers/engine/engine-layout.ts';
import type { ModuleFunction } from '../consumers/engine/module.ts';
import type { ExactSums } from './exact.ts';
import type { CellColumns } from './list-sums.ts';
import type { RowText } from './row-codec.ts';

const KINDS = { value: NUMBER_IS_VALUE, lists: NUMBER_IS_LISTS, positives: NUMBER_IS_POSITIVES } as const;

/** Takes the place of a number in a row that is not written here. */
const UNWRITTEN = Number.NaN;

/** Memory for the input and output of one call, shared by all units of a process. */
let room: EngineRoom | undefined;

/**
 * Writes many rows of one shape that have only head and sums, with the text of `rowCodec`. The engine writes their texts one
 * after the other (wasm/engine/row-text.ts); together they become one string, of which each text is a slice. Measured (Node 24, 7
 * measures, in turn, with the map that takes them): 0.45 us per row, 1.1 by `rowCodec`.
 */
export class RowTexts {
  /** Most rows per call of the engine. */
  static readonly most = 64;
  readonly #blocks: EngineBlocks;
  readonly #width: number;
  readonly #steps: number;
  readonly #bytes: number;
  readonly #writeRows: ModuleFunction;
  #count = 0;

  /** Returns undefined if the text has characters of more than a byte. */
  static of(text: RowText, columns: CellColumns, blocks: EngineBlocks): RowTexts | undefined {
    const isAscii = [...text.numbers.map(({ before }) => before), text.end].every((part) => /^[ -~]*$/.test(part));
    return isAscii ? new RowTexts(text, columns, blocks) : undefined;
  }

  private constructor({ numbers, end }: RowText, { width }: CellColumns, blocks: EngineBlocks) {
    this.#blocks = blocks;
    this.#width = width;
    const { engine } = blocks;
    this.#writeRows = engine.functionOf('writeRows');
    const letters = numbers.reduce((sum, { before }) => sum + before.length, end.length);
    const steps = ROW_STEP.BYTES * (numbers.length + 1);
    this.#steps = blocks.take(steps + letters + ROW_TEXT_BEYOND);
    let at = this.#steps;
    let text = at + steps;
    const put = (before: string, column: number, kind: number): void => {
      for (let i = 0; i < before.length; i++) engine.bytes[text + i] = before.charCodeAt(i);
      engine.words[(at >>> 2) + ROW_STEP.text] = text;
      engine.words[(at >>> 2) + ROW_STEP.length] = before.length;
      engine.words[(at >>> 2) + ROW_STEP.column] = column;
      engine.words[(at >>> 2) + ROW_STEP.kind] = kind;
      at += ROW_STEP.BYTES;
      text += before.length;
    };
    for (const { before, column, of, ifAny } of numbers) put(before, column, ifAny ? NUMBER_IF_ANY : KINDS[of]);
    put(end, 0, NUMBER_IS_NONE);
    const ofRow = 8 * width + 4 + letters + NUMBER_BYTES * numbers.length;
    this.#bytes = RowTexts.most * ofRow + NUMBER_BYTES + ROW_TEXT_BEYOND;
    room ??= new EngineRoom(engine, this.#bytes);
    // Reserved now: if there were no room later, changes could not be stored.
    room.reserve(this.#bytes);
  }

  /**
   * Adds the row that starts at `sums[at]` to those that are written next, at most `most` of them. `sums` undefined: the codec
   * must write the row.
   */
  add(sums: ExactSums | undefined, at: number): void {
    const { doubles } = this.#blocks.engine;
    const to = (this.#place >>> 3) + this.#width * this.#count++;
    if (sums?.read(at, this.#width, doubles, to) !== true) doubles[to] = UNWRITTEN;
  }

  /** The texts of the rows that were added since the last call. undefined: the codec must write the row. */
  take(): (string | undefined)[] {
    const { bytes, words } = this.#blocks.engine;
    const sums = this.#place;
    const ends = sums + 8 * this.#width * RowTexts.most;
    const first = ends + 4 * RowTexts.most;
    const count = this.#count;
    this.#count = 0;
    this.#writeRows(this.#steps, this.#width, sums, count, first, ends);
    const all = bytes.toString('latin1', first, words[(ends >>> 2) + count - 1]);
    const texts: (string | undefined)[] = [];
    let from = 0;
    for (let i = 0; i < count; i++) {
      const to = words[(ends >>> 2) + i] - first;
      texts.push(to === from ? undefined : all.slice(from, to));
      from = to;
    }
    return texts;
  }

  get #place(): number {
    if (room === undefined) throw new Error('there is no room for rows');
    return room.reserve(this.#bytes);
  }
}
