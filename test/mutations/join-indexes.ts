/** The rules once more, as the indexes of long requests follow them: each must be caught there too. */
import type { Mutation } from './mutation.ts';

const JOIN = 'consumers/join/join.ts';
const ACCEPTED = 'consumers/join/accepted-impressions.ts';
const PAGES = 'consumers/join/pages.ts';
const WAITING = 'consumers/join/waiting.ts';
const WAITING_LONG = 'consumers/join/requests.ts';
const TREES = 'consumers/join/time-trees.ts';

function change(name: string, file: string, text: string, replacement: string): Mutation {
  return { name, changes: [{ file, text, replacement }] };
}

const FIRST = 'trees.value(trees.order(late) <= trees.order(holder) ? late : holder)';

export const INDEX_MUTATIONS: readonly Mutation[] = [
  change('index: the holder decides, though an earlier one is late', PAGES, FIRST, 'trees.value(holder)'),
  change('index: one that is late decides, though an earlier one holds the item', PAGES, FIRST, 'trees.value(late)'),
  change(
    'index: feedback fits at H',
    ACCEPTED,
    'const from = ts - this.#attribution + 1;',
    'const from = ts - this.#attribution;',
  ),
  change(
    'index: feedback does not fit at -b',
    ACCEPTED,
    'const to = ts + this.#backward + 1;',
    'const to = ts + this.#backward;',
  ),
  change(
    'index: feedback at the longest horizon is in time',
    ACCEPTED,
    'from, to, watermark - this.#attribution + 1)',
    'from, to, watermark - this.#attribution)',
  ),
  change('index: pages H apart are duplicates', PAGES, 'ts - apart + 1, ts + 1)', 'ts - apart, ts + 1)'),
  change('index: a witness after the record is not seen', PAGES, 'trees.first(root, ts + 1, ts + apart)', '0'),
  change(
    'index: waiting feedback by item instead of age',
    WAITING_LONG,
    'taken.sort((a, b) => a.order - b.order);',
    '',
  ),
  change('index: waiting feedback at the longest horizon is in time', WAITING_LONG, '>= closed', '> closed'),
  change('index: waiting feedback is never late', WAITING, 'late !== 0; late = index', 'late < 0; late = index'),
  change(
    'index: what waits later is not found',
    WAITING,
    'if (index.covers(feedback.ts)) this.#index(index, handle);',
    'if (index.covers(feedback.ts)) return;',
  ),
  change('index: what is shown later is not found', ACCEPTED, 'pages.add(entry, ts, offset, impression);', ''),
  change(
    'trees: entries of the earlier half are not searched',
    TREES,
    'this.#search(this.#children[2 * at], low, half, from, to),',
    '0,',
  ),
  change(
    'duplicates of the slice before are not seen',
    JOIN,
    'last = this.#laterAgain(impression, hash, slice - 1, last);',
    '',
  ),
  change(
    'duplicates of the slice after are not seen',
    JOIN,
    'return this.#laterAgain(impression, hash, slice + 1, last);',
    'return last;',
  ),
];
