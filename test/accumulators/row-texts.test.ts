import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ExactSums } from '../../src/accumulators/exact.ts';
import { CellColumns } from '../../src/accumulators/list-sums.ts';
import type { RowShape } from '../../src/accumulators/row.ts';
import { rowCodec, rowText } from '../../src/accumulators/row-codec.ts';
import { RowPlaces, RowTable } from '../../src/accumulators/row-table.ts';
import { RowTexts } from '../../src/accumulators/row-texts.ts';
import { LISTS, POSITIVES } from '../../src/accumulators/vector.ts';
import { EngineBlocks } from '../../src/consumers/engine/engine-blocks.ts';
import {
  NUMBER_BYTES,
  NUMBER_IS_NONE,
  NUMBER_IS_VALUE,
  ROW_STEP,
  ROW_TEXT_BEYOND,
} from '../../src/consumers/engine/engine-layout.ts';
import { type RowTextParts, rowTextHistories, takenTexts } from './row-text-histories.ts';
import { EVERY_KIND, SHAPE } from './rows.ts';

const PARTS: RowTextParts = { CellColumns, EngineBlocks, RowPlaces, RowTable, RowTexts, rowCodec, rowText };
const COLUMNS = new CellColumns(SHAPE);

function textsOf(shape: RowShape): RowTexts {
  const columns = new CellColumns(shape);
  const texts = RowTexts.of(rowText(shape, columns), columns, new EngineBlocks());
  if (texts === undefined) throw new Error('its text has letters of more than a byte');
  return texts;
}

/** A row of SHAPE in which some columns are not 0. */
function sumsWith(columns: Readonly<Record<number, number>>): ExactSums {
  const sums = new ExactSums(COLUMNS.width);
  for (const [column, value] of Object.entries(columns)) sums.addExact(Number(column), value);
  return sums;
}

describe('rows that the engine writes', () => {
  it('have the text and the order that they have by the codec, whatever their numbers are', () => {
    fc.assert(
      fc.property(rowTextHistories, (history) => {
        expect(takenTexts(PARTS, history, 'engine')).toEqual(takenTexts(PARTS, history, 'codec'));
      }),
      { numRuns: 300 },
    );
  });

  it.each(Array.from({ length: 16 }, (_, power) => power))('have every digit around 10^%d', (power) => {
    const texts = textsOf(SHAPE);
    const values = [10 ** power - 1, 10 ** power, 10 ** power + 1].filter((value) => value <= 2 ** 52);
    for (const value of values) texts.add(sumsWith({ [POSITIVES]: value }), 0);
    for (const value of values) texts.add(sumsWith({ [COLUMNS.userless + 1]: -value }), 0);
    const written = texts.take();
    const parts = { vector: undefined, items: undefined, positions: undefined };
    const negative = values.map((value) => sumsWith({ [COLUMNS.userless + 1]: -value }));
    expect(written.slice(values.length)).toEqual(negative.map((row) => rowCodec(SHAPE).encodeAt(parts, row, 0)));
    for (const [i, value] of values.entries()) {
      expect(written[i]).toContain(`"positives":${value},`);
      expect(written[values.length + i]).toContain(value === 0 ? '0' : `${-value}`);
      expect([JSON.parse(written[i] ?? '').positives]).toEqual([value]);
    }
  });

  it('have no text if a number is no safe integer', () => {
    const texts = textsOf(SHAPE);
    const codec = rowCodec(SHAPE);
    // Positives of the first measure are those of the row and those in this column.
    const more = COLUMNS.fields.find(({ of }) => of === 'positives')?.column ?? Number.NaN;
    const rows = [2 ** 52 - 1, 2 ** 52].map((value) => sumsWith({ [LISTS]: 1, [POSITIVES]: 2 ** 52, [more]: value }));
    rows.push(sumsWith({ [more]: 2 ** 53 }));
    for (const row of rows) texts.add(row, 0);
    texts.add(undefined, 0);
    texts.add(rows[0], 0);
    const parts = { vector: undefined, items: undefined, positions: undefined };
    const [first, ...others] = rows.map((row) => codec.encodeAt(parts, row, 0));
    expect(first).toContain(String(Number.MAX_SAFE_INTEGER));
    for (const other of others) expect(other).toMatch(/"\d{16}"/);
    expect(texts.take()).toEqual([first, undefined, undefined, undefined, first]);
  });

  it('are written by shapes of another size in turn', () => {
    const [small, large] = [textsOf(SHAPE), textsOf(EVERY_KIND)];
    const other = new ExactSums(new CellColumns(EVERY_KIND).width);
    for (let round = 0; round < 3; round++) {
      small.add(sumsWith({ [LISTS]: round }), 0);
      expect(small.take()).toEqual([expect.stringContaining(`{"impressions":${round},`)]);
      large.add(other, 0);
      expect(JSON.parse(large.take()[0] ?? '')).toMatchObject({ impressions: 0, measures: { 'mrr(per=user)': [] } });
    }
  });

  it('are those of names in ASCII alone', () => {
    const shape: RowShape = { names: ['größe'], kinds: ['mean'] };
    const columns = new CellColumns(shape);
    expect(RowTexts.of(rowText(shape, columns), columns, new EngineBlocks())).toBeUndefined();
  });

  it('change nothing behind the text but so many bytes', () => {
    const blocks = new EngineBlocks();
    const { bytes, words, doubles, functionOf } = blocks.engine;
    const width = 3;
    const steps = blocks.take(ROW_STEP.BYTES * (width + 1) + 32);
    const text = steps + ROW_STEP.BYTES * (width + 1);
    for (let step = 0; step <= width; step++) {
      const at = (steps + ROW_STEP.BYTES * step) >>> 2;
      words[at + ROW_STEP.text] = text;
      words[at + ROW_STEP.length] = step === width ? 1 : 0;
      words[at + ROW_STEP.column] = step;
      words[at + ROW_STEP.kind] = step === width ? NUMBER_IS_NONE : NUMBER_IS_VALUE;
    }
    bytes[text] = 0x7d;
    const sums = blocks.take(8 * width);
    doubles.fill(-(10 ** 15), sums >>> 3, (sums >>> 3) + width);
    const to = blocks.take(256);
    const ends = blocks.take(64);
    bytes.fill(0xaa, to, to + 256);
    functionOf('writeRows')(steps, width, sums, 1, to, ends);
    const end = words[ends >>> 2];
    expect(bytes.toString('latin1', to, end)).toBe('-1000000000000000'.repeat(3).concat('}'));
    expect(end - to).toBe(NUMBER_BYTES * width + 1);
    expect([...bytes.subarray(end + ROW_TEXT_BEYOND, to + 256)].every((byte) => byte === 0xaa)).toBe(true);
    blocks.giveAll();
  });
});
