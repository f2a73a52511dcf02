import { configDefaults, defineConfig } from 'vitest/config';
import { SlowestFirst } from './test/slowest-first.ts';

/** Rooms whose tests compute: one process runs many of their files, and loads the sources once. */
const COMPUTING = [
  'accumulators',
  'consumers/decode',
  'consumers/join',
  'consumers/packed',
  'consumers/source/files',
  'experiment',
  'findings',
  'fusion',
  'guide',
  'inspect',
  'measures/**',
  'output',
  'reference',
  'score',
  'simulate',
  'statistics',
  'unit',
  'vocabulary',
  'windows',
]
  // One test is of the memory of its process.
  .map((room) => `test/${room}/!(memory).test.ts`);

export default defineConfig(({ mode }) => ({
  test: {
    // Long enough for a machine that is several times slower: only what hangs shall end by it.
    testTimeout: 900_000,
    hookTimeout: 900_000,
    // Mutated copies of the source are compiled already (test/mutations/loader.ts).
    server: { deps: { external: [/receval-mutation-/] } },
    pool: 'forks',
    // More than a small machine has cores: tests against servers mostly wait.
    maxWorkers: 4,
    sequence: { sequencer: SlowestFirst },
    projects:
      mode === 'compose'
        ? // `npm run test:compose`: ten minutes by itself on two cores.
          [{ extends: true, test: { name: 'compose', include: ['test/compose/*.test.ts'] } }]
        : [
            {
              extends: true,
              test: {
                name: 'own process',
                include: ['test/**/*.test.ts'],
                exclude: [...configDefaults.exclude, 'test/compose/**', ...COMPUTING],
                // `npm test` compiles the command once; else tests start that of the sources.
                globalSetup: mode === 'built' ? ['test/built.ts'] : [],
              },
            },
            { extends: true, test: { name: 'computing', include: COMPUTING, isolate: false } },
          ],
  },
}));
