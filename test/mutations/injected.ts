/** Mistakes of the kind that happen, one in each part, beside the weakened rules and guards: the simulator must find them. */
import type { Mutation } from './mutation.ts';

const DELETES = 'for (const key of commit.deletes) this.#hashes.delete(key);';
const GUARD = 'const { token, seq, cid } = guardOf(hash);';

export const INJECTED_MUTATIONS: readonly Mutation[] = [
  {
    name: 'engine: the lowest offset to replay from with the highest watermark of its slice',
    changes: [
      {
        file: 'consumers/join/topic.ts',
        text: 'if (at < notes.length && notes[at].offset <= offset) return;',
        replacement: `if (at < notes.length && notes[at].offset <= offset) {
      if (notes[at].slice === slice) notes[at] = { ...notes[at], watermark: Math.max(notes[at].watermark, watermark) };
      return;
    }`,
      },
      {
        file: 'consumers/join/topic.ts',
        text: 'notes.splice(from, end - from, { slice, offset, watermark });',
        replacement:
          'notes.splice(from, end - from, { slice, offset, watermark: end > at ? Math.max(watermark, notes[at].watermark) : watermark });',
      },
    ],
  },
  {
    name: 'store: a refused commit has deleted its panes',
    changes: [
      { file: 'accumulators/store/memory-store.ts', text: DELETES, replacement: '' },
      { file: 'accumulators/store/memory-store.ts', text: GUARD, replacement: `${DELETES} ${GUARD}` },
    ],
  },
  {
    name: 'unit: a new commit where the old one was not answered',
    changes: [{ file: 'unit/unit.ts', text: 'if (!this.#commits.hasInFlight) {', replacement: '{' }],
  },
  {
    name: 'unit: a batch that was passed is judged by a replay that can decode it',
    changes: [
      {
        file: 'unit/unit.ts',
        text: 'if (offset < position || (skips && this.#join.wasSkipped(topic, offset, offset + 1))) continue;',
        replacement: 'if (offset < position) continue;',
      },
    ],
  },
  {
    name: 'engine: the checkpoint forgets which batches were passed',
    changes: [
      {
        file: 'consumers/join/topic.ts',
        text: '...(undecodable.isEmpty ? {} : { undecodable: undecodable.toJSON() }),',
        replacement: '',
      },
    ],
  },
  {
    name: 'engine: a replay counts again what could not be decoded',
    changes: [
      {
        file: 'consumers/join/topic.ts',
        text: 'const first = Math.max(from, this.committed);',
        replacement: 'const first = from;',
      },
      {
        file: 'unit/unit.ts',
        text: 'if (to <= from || this.#join.wasSkipped(topic, from, to)) return;',
        replacement: 'if (to <= from) return;',
      },
    ],
  },
  {
    name: 'unit: what cannot be decoded is passed and not counted',
    changes: [
      { file: 'consumers/join/join.ts', text: 't.counts[side].read += counted;', replacement: '' },
      { file: 'consumers/join/join.ts', text: 't.counts[side].drops.undecodable += counted;', replacement: '' },
    ],
  },
  {
    name: 'worker: a topic that waits for the store passes for silent',
    changes: [
      {
        file: 'worker/pace.ts',
        text: ' || unit.replaying || wasPaused || pauseReasons[topic].size > 0 ||',
        replacement: ' || unit.replaying ||',
      },
      {
        file: 'worker/pace.ts',
        text: 'if (lag[topic] !== 0',
        replacement: 'if ((lag[topic] !== 0 && pauseReasons[topic].size === 0)',
      },
    ],
  },
  {
    name: 'rows: counts by rank end with the process',
    changes: [
      {
        file: 'accumulators/row-codec.ts',
        text: 'row.positions = readPositions(',
        replacement: 'readPositions(',
      },
    ],
  },
  {
    name: 'rows: slots of a page count as if the list began there',
    changes: [
      {
        file: 'accumulators/position-sums.ts',
        text: 'this.exposed[rankOf(list, s) - 1]++;',
        replacement: 'this.exposed[s]++;',
      },
    ],
  },
  {
    name: 'rows: counts by rank at every horizon',
    changes: [
      {
        file: 'accumulators/panes.ts',
        text: ' || horizon !== this.#settings.positions?.horizon',
        replacement: '',
      },
    ],
  },
];
