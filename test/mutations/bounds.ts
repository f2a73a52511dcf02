/** What bounds the work of a commit, with one rule taken out, where thousands are a few (product.ts). */
import { SMALL_BLOCKS, SMALL_BOUNDS } from '../simulation/product.ts';
import type { Change, Mutation } from './mutation.ts';

const CLOCK_DROPS = 'consumers/join/clock-drops.ts';
const CLOCK_BLOCKS = 'unit/clock-blocks.ts';

function bounded(name: string, change: Change): Mutation {
  return { name, changes: [...SMALL_BOUNDS, change] };
}

/** The join has no other of these bounds. */
function blocked(name: string, change: Change): Mutation {
  return { name, changes: [SMALL_BLOCKS, change] };
}

/** The join alone shows these. */
export const CLOCK_DROP_MUTATIONS: readonly Mutation[] = [
  blocked('clock verdicts that became bits of a block are forgotten', {
    file: CLOCK_DROPS,
    text: 'return isIn === 1 || this.#ranges.has(offset);',
    replacement: 'return this.#ranges.has(offset);',
  }),
  blocked('a block goes though a replay may begin in it', {
    file: CLOCK_DROPS,
    text: 'this.#blocks.splice(0, this.#firstFrom(Math.floor(bound / CLOCK_BLOCK)));',
    replacement: 'this.#blocks.splice(0, this.#firstFrom(Math.ceil(bound / CLOCK_BLOCK)));',
  }),
  blocked('a verdict is the bit of its neighbour', {
    file: CLOCK_DROPS,
    text: 'digits[place >> 2] |= 1 << (place & 3);',
    replacement: 'digits[place >> 2] |= 1 << ((place ^ 1) & 3);',
  }),
];

/** The simulator shows these. */
export const BOUND_MUTATIONS: readonly Mutation[] = [
  bounded('the next owner goes on without the blocks of clock verdicts', {
    file: CLOCK_BLOCKS,
    text: 'return isWhole ? { ...join, clockBlocks } : undefined;',
    replacement: 'return { ...join, topics: join.topics.map((topic) => ({ ...topic, clockBlocks: 0 })) };',
  }),
  bounded('a block of clock verdicts goes from the store while another owner may need it', {
    file: CLOCK_BLOCKS,
    text: 'const first = blocks[0]?.[0] ?? Number.POSITIVE_INFINITY;',
    replacement: 'const first = blocks.at(-1)?.[0] ?? Number.POSITIVE_INFINITY;',
  }),
  bounded('the level of the users is stored with the next user alone', {
    file: 'statistics/user-sample.ts',
    text: 'if (users.length === 0 && !raised) return fields;',
    replacement: 'if (users.length === 0) return fields;',
  }),
];
