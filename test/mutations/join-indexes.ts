/** The rules once more, as the indexes of long requests follow them: each must be caught there too. */
import { change, type Mutation } from './mutation.ts';

const DUPLICATES = '../wasm/engine/duplicates.ts';
const ACCEPTED = '../wasm/engine/accepted.ts';
const PAGES = '../wasm/engine/pages.ts';
const WAITING = '../wasm/engine/waiting.ts';
const WAITING_LONG = '../wasm/engine/long-waiting.ts';
const TREES = '../wasm/engine/time-trees.ts';

const FIRST = 'nodeOf(index.trees, late).order <= nodeOf(index.trees, holder).order ? late : holder';

export const INDEX_MUTATIONS: readonly Mutation[] = [
  change('index: the holder decides, though an earlier one is late', PAGES, FIRST, 'holder'),
  change('index: one that is late decides, though an earlier one holds the item', PAGES, FIRST, 'late'),
  change(
    'index: feedback fits at H',
    ACCEPTED,
    'const from = ts - all.attribution + 1;',
    'const from = ts - all.attribution;',
  ),
  change(
    'index: feedback does not fit at -b',
    ACCEPTED,
    'const to = ts + all.backward + 1;',
    'const to = ts + all.backward;',
  ),
  change(
    'index: feedback at the longest horizon is in time',
    ACCEPTED,
    'from, to, watermark - all.attribution + 1)',
    'from, to, watermark - all.attribution)',
  ),
  change('index: pages H apart are duplicates', PAGES, 'ts - apart + 1, ts + 1)', 'ts - apart, ts + 1)'),
  change(
    'index: a predecessor after the record is not seen',
    PAGES,
    'firstIn(index.trees, root, ts + 1, ts + apart)',
    '0',
  ),
  change('index: waiting feedback by item instead of age', WAITING_LONG, 'sortNumbers(order, count);', ''),
  change(
    'index: waiting feedback at the longest horizon is in time',
    WAITING_LONG,
    'order < closed',
    'order <= closed',
  ),
  change('index: waiting feedback is never late', WAITING, 'late !== 0; late = late', 'late === 1; late = late'),
  change(
    'index: what waits later is not found',
    WAITING,
    'if (covers(index.trees, event.ts)) indexWaiting(index, at);',
    'if (covers(index.trees, event.ts)) return;',
  ),
  change(
    'index: what is shown later is not found',
    ACCEPTED,
    'if (covers(index.trees, entry(at).ts())) addPage(index, at);',
    'if (covers(index.trees, entry(at).ts())) return;',
  ),
  change(
    'trees: entries of the earlier half are not searched',
    TREES,
    'search(trees, node.left, begin, part, from, to),',
    '0,',
  ),
  change(
    'duplicates of the slice before are not seen',
    DUPLICATES,
    'last = laterDuplicate(duplicates, hash, slice - 1, last);',
    '',
  ),
  change(
    'duplicates of the slice after are not seen',
    DUPLICATES,
    'return laterDuplicate(duplicates, hash, slice + 1, last);',
    'return last;',
  ),
];
