/** Rows of a table that change, and are taken as text: by the engine where it can write them, and by the codec. */
import fc from 'fast-check';
import type { RowShape } from '../../src/accumulators/row.ts';
import { EVERY_KIND, SHAPE } from './rows.ts';

/** What a law needs of the sources, which a mutation may have changed. */
export interface RowTextParts {
  readonly CellColumns: typeof import('../../src/accumulators/list-sums.ts').CellColumns;
  readonly EngineBlocks: typeof import('../../src/consumers/engine/engine-blocks.ts').EngineBlocks;
  readonly RowPlaces: typeof import('../../src/accumulators/row-table.ts').RowPlaces;
  readonly RowTable: typeof import('../../src/accumulators/row-table.ts').RowTable;
  readonly RowTexts: typeof import('../../src/accumulators/row-texts.ts').RowTexts;
  readonly rowCodec: typeof import('../../src/accumulators/row-codec.ts').rowCodec;
  readonly rowText: typeof import('../../src/accumulators/row-codec.ts').rowText;
}

/** By index: what is added to which column of which row; without an amount it gets counts by rank. */
interface Change {
  readonly row: number;
  readonly column: number;
  readonly amount: bigint | undefined;
}

export interface RowTextHistory {
  readonly shape: RowShape;
  /** Between them the rows that changed are taken. */
  readonly commits: readonly (readonly Change[])[];
}

/** More than are written at once. */
const ROWS = 150;
/** As many digits as drawn, so that numbers of every length are as frequent, and those that are no safe integers. */
const digits = fc
  .tuple(fc.integer({ min: 1, max: 17 }), fc.bigInt({ min: 0n, max: 2n ** 80n }), fc.boolean())
  .map(([length, value, isNegative]) => {
    const size = value % 10n ** BigInt(length);
    return isNegative ? -size : size;
  });
/** Two of these are as much as a double adds up, and no safe integer. */
const amount = fc.oneof({ weight: 9, arbitrary: digits }, { weight: 1, arbitrary: fc.constant(2n ** 52n) });
const anyChange = fc.record({
  row: fc.nat({ max: ROWS - 1 }),
  column: fc.oneof(fc.nat({ max: 40 }), fc.nat({ max: 3 })),
  amount: fc.oneof({ weight: 30, arbitrary: amount }, { weight: 1, arbitrary: fc.constant(undefined) }),
});

export const rowTextHistories: fc.Arbitrary<RowTextHistory> = fc.record({
  shape: fc.constantFrom(SHAPE, EVERY_KIND, { names: [], kinds: [] }),
  commits: fc.array(
    fc.oneof(fc.array(anyChange, { maxLength: 30 }), fc.array(anyChange, { minLength: 200, maxLength: 300 })),
    { minLength: 1, maxLength: 3 },
  ),
});

/** What each commit takes, in its order. */
export function takenTexts(
  parts: RowTextParts,
  { shape, commits }: RowTextHistory,
  by: 'engine' | 'codec',
): readonly (readonly [string, string])[][] {
  const { CellColumns, EngineBlocks, RowPlaces, RowTable, RowTexts, rowCodec, rowText } = parts;
  const columns = new CellColumns(shape);
  const blocks = new EngineBlocks();
  const texts = by === 'codec' ? undefined : RowTexts.of(rowText(shape, columns), columns, blocks);
  const places = new RowPlaces(['5m'], ['']);
  const kind = { places, columns, codec: rowCodec(shape), texts, buckets: 0 };
  const table = new RowTable('key', Number.POSITIVE_INFINITY, kind);
  const taken = commits.map((changes) => {
    for (const { row, column, amount: added } of changes) {
      const live = table.row(0, `c${row}`);
      live.touch();
      if (added === undefined) live.positionsOf(3);
      else live.addTo(column % columns.width, added);
    }
    return [...table.take()];
  });
  blocks.giveAll();
  return taken;
}
