/** Weakened rules of records that are fed by the hundred: each must be caught. */
import { change, type Mutation } from './mutation.ts';

const FEED = '../wasm/engine/feed.ts';
const NUMBERS = '../wasm/engine/numbers.ts';
const CLOSING = '../wasm/engine/closing.ts';

export const FEED_MUTATIONS: readonly Mutation[] = [
  change(
    'what is read again counts again',
    FEED,
    'const isReplayed = offset < state.committed;',
    'const isReplayed = false;',
  ),
  change(
    'the watermark rises before the verdict',
    FEED,
    'const watermark = state.watermark;',
    'const watermark = ts - feed.outOfOrderness;',
  ),
  change('no event is dropped for a time beyond its record', FEED, ' || ts > row.timestamp + feed.futureSkew', ''),
  change(
    'a timestamp brings an event forward',
    FEED,
    '(row.timestamp < ts ? row.timestamp : ts)',
    '(isNaN(row.timestamp) ? ts : row.timestamp)',
  ),
  change('the clock drops nothing', FEED, ' > feed.latest && ahead(row.offset)', ' > feed.latest && false'),
  change(
    'verdicts of the clock are not repeated',
    FEED,
    'return state.hasClockDrops !== 0 && ahead(row.offset);',
    'return false;',
  ),
  change('a record leaps that is fed', FEED, 'by > feed.reach ||', 'false ||'),
  change('a record without a timestamp leaps that is fed', FEED, '!isNaN(row.timestamp));', 'true);'),
  change('a record that is fed and goes on contradicts no leap', FEED, 'by >= -feed.reach', 'false'),
  change('a replay forgets what was let pass as silent', FEED, 'if (next >= state.stopAt) stopped();', ''),
  change(
    'the first record of a slice is noted alone',
    FEED,
    'if (Math.floor(until / state.sliceMs) > state.notedSlice) note',
    'if (state.notedSlice === -Infinity) note',
  ),
  change(
    'the predecessor of a duplicate is not needed',
    FEED,
    'if (verdict === IS_DUPLICATE) note(unit.predecessorOffset, unit.predecessorWatermark, until);',
    '',
  ),
  change('feedback that waits is needed for less long', FEED, 'ts + unit.backward + unit.attribution);', 'ts);'),
  change(
    'ignored keys of known contexts are not counted',
    FEED,
    'if (number >= 0) feed.ignoredKeys += <f64>ignoredKeys;',
    'if (number >= 0) feed.ignoredKeys += 0;',
  ),
  change(
    'only the first records of a turn are judged',
    FEED,
    'for (let i: u32 = 0; i < count; i++) judge',
    'for (let i: u32 = 0; i < min(count, 5); i++) judge',
  ),
  change(
    'numbers with noughts before them are alike',
    NUMBERS,
    'return digits !== 0 || !hasLeadingZero;',
    'return true;',
  ),
  change('a number is found behind the end of its list', NUMBERS, 'if (found >= length) break;', 'return <i32>found;'),
  change(
    'every prefix is taken for that of the list',
    NUMBERS,
    'if (end - from <= units || !sameBytes(prefix, from, units)) return -1;',
    'if (end - from <= units) return -1;',
  ),
  change(
    'a tag that is given back overtakes what waits',
    CLOSING,
    'made.kind = UNREFS_TAG;',
    'made.kind = CLOSES_LIST;',
  ),
  change(
    'feedback of several topics waits in its order of coming',
    CLOSING,
    'if (n === MOST_QUEUED_EVENTS || (n > 0 && topics > 1)) return -1;',
    'if (n === MOST_QUEUED_EVENTS) return -1;',
  ),
  change(
    'of many events the first are enough',
    CLOSING,
    'if (n === MOST_QUEUED_EVENTS || (n > 0 && topics > 1)) return -1;',
    'if (n > 0 && topics > 1) return -1;\n    if (n === MOST_QUEUED_EVENTS) break;',
  ),
];
