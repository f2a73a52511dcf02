/** What experiments keep, with one rule taken out: the simulator must find each. */
import type { Change, Mutation } from './mutation.ts';

const EXPOSURES = 'unit/unit-experiments.ts';
const SETTLED = 'if (isReplayed && ts <= this.#countedUpTo) return;';

function inExposures(replacement: string): Change {
  return { file: EXPOSURES, text: SETTLED, replacement };
}

export const EXPERIMENT_MUTATIONS: readonly Mutation[] = [
  { name: 'exposures that were added before are added again', changes: [inExposures('')] },
  {
    name: 'an exposure was added before by its time alone',
    changes: [inExposures('if (ts <= this.#countedUpTo) return;')],
  },
  {
    name: 'an exposure was added before by its record alone',
    changes: [inExposures('if (isReplayed) return;')],
  },
  {
    name: 'exposures of what is still open are stored',
    changes: [
      { file: EXPOSURES, text: 'takeUpTo(watermark - this.#shortest, (', replacement: 'takeUpTo(watermark, (' },
    ],
  },
  {
    name: 'the total of a run counts what it leaves out',
    changes: [
      {
        file: 'accumulators/panes.ts',
        text: 'const takesPart = (leftOut & (1 << r)) === 0 && run.horizon === horizon;',
        replacement: 'const takesPart = leftOut >= 0 && run.horizon === horizon;',
      },
    ],
  },
  {
    name: 'the total of a run counts every horizon',
    changes: [
      {
        file: 'accumulators/panes.ts',
        text: 'const takesPart = (leftOut & (1 << r)) === 0 && run.horizon === horizon;',
        replacement: 'const takesPart = (leftOut & (1 << r)) === 0 && horizon >= 0;',
      },
    ],
  },
  {
    name: 'a run starts over with every claim',
    changes: [
      {
        file: 'accumulators/runs.ts',
        text: '{ name, run, begins: [...positions], missing: 0, since } : { ...known, since };',
        replacement:
          '{ name, run, begins: [...positions], missing: 0, since } : { ...known, begins: [...positions], since };',
      },
    ],
  },
  {
    name: 'the evidence of the newest look stands for that of all',
    changes: [
      {
        file: 'statistics/sequence.ts',
        text: 'if (a.logE !== b.logE) return a.logE > b.logE ? a : b;',
        replacement: 'if (a.logE !== b.logE) return b;',
      },
    ],
  },
  {
    name: 'what an unsound look forgets stays in the store',
    changes: [
      {
        file: 'unit/unit-experiments.ts',
        text: 'if (gone.length > 0) removes.set(key, gone);',
        replacement: 'if (gone.length > 1000) removes.set(key, gone);',
      },
    ],
  },
  {
    name: 'an unsound look forgets nothing',
    changes: [
      {
        file: 'experiment/take-looks.ts',
        text: 'if (unsoundness(soundFactsOf(state, variant, split)) !== undefined) return [];',
        replacement: 'if (unsoundness(soundFactsOf(state, variant, split)) === null) return [];',
      },
    ],
  },
  {
    name: 'looks start over with every claim',
    changes: [
      {
        file: 'unit/restore.ts',
        text: 'decodeLooks(fields, settings.experiments[r].horizon.text)',
        replacement: 'decodeLooks(new Map(), settings.experiments[r].horizon.text)',
      },
    ],
  },
  {
    name: 'whoever owns a unit looks',
    changes: [
      {
        file: 'worker/worker.ts',
        text: 'const owned = this.#units.get(LOOKING_UNIT);',
        replacement: 'const owned = [...this.#units.values()].at(-1);',
      },
    ],
  },
  {
    name: 'a run pools what was read before it began',
    changes: [
      {
        file: 'accumulators/runs.ts',
        text: 'if (ts < this.#starts[r] || offset < (this.#states[r].begins[topic] ?? 0)) runs |= 1 << r;',
        replacement: 'if (ts < this.#starts[r] || offset < 0 * topic) runs |= 1 << r;',
      },
    ],
  },
  {
    name: 'a run that begins in mid-history says that it counts from the first record',
    changes: [
      {
        file: 'unit/restore.ts',
        text: 'positions: unread,',
        replacement: 'positions: [],',
      },
    ],
  },
  {
    name: 'a run that goes on again takes what was read meanwhile',
    changes: [
      {
        file: 'unit/resume.ts',
        text: 'return { ...run, begins: join.topics.map((topic) => topic.committed) };',
        replacement: 'return run;',
      },
    ],
  },
  {
    name: 'the sums of a run are deleted when it ends',
    changes: [
      {
        file: 'unit/resume.ts',
        text: 'expired: after.filter(isOver) };',
        replacement: 'expired: after.filter(({ ended }) => ended !== undefined) };',
      },
    ],
  },
];
