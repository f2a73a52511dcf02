/** Mistakes of the kind that happen, one in each part, beside the weakened rules and guards: the simulator must find them. */
import type { Mutation } from './mutation.ts';

const DELETES = 'for (const key of commit.deletes) this.#hashes.delete(key);';
const GUARD = 'const { token, seq, cid } = owned(hash);';

export const INJECTED_MUTATIONS: readonly Mutation[] = [
  {
    name: 'engine: the lowest offset to replay from with the highest watermark of its slice',
    changes: [
      {
        file: 'consumers/join/replay.ts',
        text: 'if (offset >= slice.offset) return;',
        replacement: 'slice.watermark = Math.max(slice.watermark, watermark); if (offset >= slice.offset) return;',
      },
      {
        file: 'consumers/join/replay.ts',
        text: 'slice.watermark = watermark;',
        replacement: '',
      },
    ],
  },
  {
    name: 'store: a refused commit has deleted its panes',
    changes: [
      { file: 'accumulators/store/memory.ts', text: DELETES, replacement: '' },
      { file: 'accumulators/store/memory.ts', text: GUARD, replacement: `${DELETES} ${GUARD}` },
    ],
  },
  {
    name: 'unit: a new commit where the old one was not answered',
    changes: [{ file: 'unit.ts', text: 'if (!this.#commits.isUnsettled) {', replacement: '{' }],
  },
  {
    name: 'worker: a topic that waits for the store passes for silent',
    changes: [
      {
        file: 'worker/pace.ts',
        text: ' || unit.replaying || wasBlocked || blocks[topic].size > 0 ||',
        replacement: ' || unit.replaying ||',
      },
      {
        file: 'worker/pace.ts',
        text: 'if (lag[topic] !== 0',
        replacement: 'if ((lag[topic] !== 0 && blocks[topic].size === 0)',
      },
    ],
  },
];
