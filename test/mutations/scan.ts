/** Weakened rules of the scanner of a map: each must be caught. */
import { change, type Mutation } from './mutation.ts';

const KEYS = '../wasm/scan/keys.ts';
const SCAN = '../wasm/scan/scan.ts';
const ITEMS = '../wasm/scan/items.ts';
const SPANS = '../wasm/scan/spans.ts';
const PROGRAM = '../wasm/scan/program.ts';

export const SCAN_MUTATIONS: readonly Mutation[] = [
  change('long names are alike if they begin alike', KEYS, 'length <= FIRST || sameBytes(', 'true || sameBytes('),
  change('an object that comes twice is read twice', SCAN, 'if (key.seen === visit) return 0;', ''),
  change('an item is its id in any list', ITEMS, 'node.scalars !== 0 ? readId(i, slot) : 0', 'readId(i, slot)'),
  change('an item needs no id', ITEMS, 'if ((seen & 1) === 0) return 0;', ''),
  change('null is a value', SPANS, 'end(field) === 0 || isNull(begin(field))', 'end(field) === 0'),
  change('an id that is a number loses its ends', SPANS, '  setSpan(field, from - 1, to + 1);\n', ''),
  change('1.0 is not 1', PROGRAM, '? UNKNOWN : NO;', '? NO : NO;'),
  change('all conditions but the first are met', PROGRAM, 'if (met !== YES) return met;', 'return met;'),
  change('a value is any of its length', PROGRAM, ' && isSame(value, from, size)', ''),
  change(
    'a constant is no value',
    PROGRAM,
    'if (made.to !== 0) setSpan(<usize>made.field, made.from, made.to);\n    else if',
    'if',
  ),
];
