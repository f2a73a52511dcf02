/** Mistakes in how lists and feedback lie in the engine's memory: each must be caught. */
import { change, type Mutation } from './mutation.ts';

const NUMBERS = '../wasm/engine/numbers.ts';
const ENTRIES = '../wasm/engine/entries.ts';
const BODIES = '../wasm/engine/bodies.ts';
const FEEDBACK = '../wasm/engine/feedback.ts';
const TIMELINE = '../wasm/engine/timeline.ts';
const RULES = '../wasm/engine/rules.ts';
const LIST = '../wasm/engine/list.ts';

/** Mistakes that go beyond what is theirs: an assertion must stop each (wasm/compile.ts), wherever it would be noticed without. */
export const BEYOND_BOUNDS: readonly Mutation[] = [
  change(
    'feedback is written beyond its room',
    FEEDBACK,
    'reserve(arena, FIELDS + 20 + (text === 0 ? 0 : textEnd(text) - text));',
    'reserve(arena, FIELDS);',
  ),
  change(
    'a body is freed twice',
    RULES,
    'freeBody(unit.bodies, indexesPlace(unit), bodyAt);',
    'freeBody(unit.bodies, indexesPlace(unit), bodyAt);\n  freeBody(unit.bodies, indexesPlace(unit), bodyAt);',
  ),
  change('a body is used after it was freed', RULES, 'entry(entryAt).body = 0;', ''),
  change('an entry is freed before its time', RULES, 'dropOldest(unit.timeline);', ''),
  change('a search ends behind its list', LIST, 'list.count++;', 'list.count += 2;'),
];

export const LAYOUT_MUTATIONS: readonly Mutation[] = [
  change(
    'numbers are the same whose lower halves are',
    NUMBERS,
    'if (upperOf(upper, width, found) !== distance >>> 16) continue;',
    '',
  ),
  change('no distance takes four bytes', NUMBERS, 'span < 0x1000000 ? 3 : 4', '3'),
  change('a distance of 65,536 takes two bytes', NUMBERS, 'span < 0x10000 ?', 'span <= 0x10000 ?'),
  change('no offset is wide', ENTRIES, ' || offset >= NARROW_OFFSETS', ''),
  change('no watermark is far from the time', ENTRIES, '<f64>lead !== impressionEvent.ts - watermark || ', ''),
  change('the page of an entry is lost', ENTRIES, '(impressionEvent.page !== 0 ? PAGED : 0)', '0'),
  change('the page of a body is lost', BODIES, 'flags |= PAGED;', ''),
  change('no feedback is far from its list', FEEDBACK, '(<f64>near !== lag ? IS_FAR : 0)', '0'),
  change('values above 1 are 1', FEEDBACK, 'event.value === 1 ? IS_ONE', 'event.value >= 1 ? IS_ONE'),
  change(
    'feedback without a value has 1',
    FEEDBACK,
    'isNaN(event.value) ? IS_NONE : 0',
    'isNaN(event.value) ? IS_ONE : 0',
  ),
  change('feedback counts at all horizons', FEEDBACK, '(missed !== 0 ? MISSES : 0)', '0'),
  change('the last feedback comes first', FEEDBACK, 'last === 0 ? 0 : feedback(last).next;', 'last;'),
  change('a slice loses its times', TIMELINE, 'moveColumns(slice, slice.records, slice.count);', ''),
];
