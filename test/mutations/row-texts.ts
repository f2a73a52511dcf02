/** Weakened rules of rows that the engine writes: each must be caught. */
import { change, type Mutation } from './mutation.ts';

const WRITER = '../wasm/engine/row-text.ts';
const TEXTS = 'accumulators/row-texts.ts';

export const ROW_TEXT_MUTATIONS: readonly Mutation[] = [
  change('a number that is no safe integer is written', WRITER, '!(Math.abs(value) <= LARGEST_SAFE)', 'isNaN(value)'),
  change(
    'a row that is not to be written is',
    WRITER,
    '!(Math.abs(value) <= LARGEST_SAFE)',
    'Math.abs(value) > LARGEST_SAFE',
  ),
  change('a sign is left out', WRITER, 'store<u8>(at++, 0x2d)', 'at = to'),
  change('0 has no digit', WRITER, 'min(<u64>ctz(digits), 63)', '<u64>ctz(digits)'),
  change(
    'zeros in the middle are left out',
    WRITER,
    'store<u64>(end, digitsOf(whole - upper * TEN_TO_8) | ZEROS_OF_8);\n  return end + 8;',
    'return writeFirst(end, whole - upper * TEN_TO_8);',
  ),
  change('lists of a measure are those of the row', WRITER, 'value = lists - value', 'value = lists'),
  change('positives of a measure are those of the row', WRITER, 'value += positives', 'value = positives'),
  change('0 empty lists are written', WRITER, 'value !== 0 || step.kind !== NUMBER_IF_ANY', 'true'),
  change('empty lists are never written', WRITER, 'value !== 0 || step.kind', 'step.kind'),
  change(
    'what stands beyond doubles is left out',
    'accumulators/exact.ts',
    'if (this.#beyond.has(at + i)) return false;',
    '',
  ),
  change(
    'parts of a row are left out',
    'accumulators/row-table.ts',
    'this.#hasOnlySums ? this.#sums : undefined',
    'this.#sums',
  ),
  change(
    'a row that is not written takes the text of the next',
    TEXTS,
    'texts.push(to === from ? undefined : all.slice(from, to));',
    'if (to !== from) texts.push(all.slice(from, to));',
  ),
  change(
    'only the first rows are taken',
    'accumulators/row-table.ts',
    'from < changed.length; from += RowTexts.most',
    'from < 1; from += RowTexts.most',
  ),
];
