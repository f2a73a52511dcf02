import type { FaultLabel } from '../../src/vocabulary/fault-point.ts';
import type { Mutation } from '../mutations/mutation.ts';

const UNIT = 'unit/unit.ts';
const WORKER = 'worker/worker.ts';

export interface RecoveryMutation extends Mutation {
  /** A crash at this label is known to show it: such crashes are tried before all others. */
  readonly shownAt?: FaultLabel;
}

/** Weakened ways back from a crash: each must be caught. */
export const RECOVERY_MUTATIONS: readonly RecoveryMutation[] = [
  {
    name: 'reading goes on at the committed offsets',
    changes: [
      {
        file: WORKER,
        text: 'this.#deps.source.seek(partition, topic, unit.reading.from(topic)',
        replacement: 'this.#deps.source.seek(partition, topic, unit.committed.offsets[topic]',
      },
    ],
  },
  {
    name: 'what is replayed is committed before it is whole',
    changes: [
      { file: UNIT, text: "if (this.replaying) return 'REPLAYING';", replacement: '' },
      { file: UNIT, text: '(this.#changed && !this.replaying)', replacement: 'this.#changed' },
    ],
  },
  {
    name: 'rows that can still change start empty',
    changes: [
      {
        file: 'unit/restore.ts',
        text: 'new Panes(shape, panes === undefined ? undefined : { state: panes, rows, held })',
        replacement:
          'new Panes(shape, panes === undefined ? undefined : { state: panes, rows: new Map(keys.map((key) => [key, key.includes(":places:") ? of(key) : new Map()])) })',
      },
    ],
  },
  {
    name: 'who was exposed is forgotten',
    changes: [
      {
        file: 'unit/restore.ts',
        text: 'sampleOfFields(of(key), run.variants.length, undefined, settings.join.hashSeed)',
        replacement: 'sampleOfFields(new Map(), run.variants.length)',
      },
    ],
  },
  {
    name: 'what is replayed counts again',
    changes: [
      {
        file: 'consumers/join/topic.ts',
        text: 'this.committed = from?.committed ?? 0;',
        replacement: 'this.committed = from?.replay ?? 0;',
      },
    ],
  },
  {
    name: 'time that silence let pass is forgotten',
    shownAt: 'look read',
    changes: [
      {
        file: 'consumers/join/topic.ts',
        text: 'this.#idleAdvances = [...(from?.idleAdvances ?? [])];',
        replacement: 'this.#idleAdvances = [];',
      },
    ],
  },
  {
    name: 'the clock judges again',
    changes: [
      {
        file: 'consumers/join/topic.ts',
        text: 'if (offset < this.committed) return this.#clockDrops.has(offset);',
        replacement: '',
      },
    ],
  },
  {
    name: 'a commit without an answer is not sent again',
    shownAt: 'look read',
    changes: [
      {
        file: 'unit/commits.ts',
        text: 'const answer = await committing;',
        replacement: `const answer = await committing.catch((error) => {
          this.#inFlight = undefined;
          throw error;
        });`,
      },
      { file: UNIT, text: 'this.#changed = false;', replacement: '' },
    ],
  },
];
