import { configDefaults, defineConfig } from 'vitest/config';
import { SlowestFirst } from './test/slowest-first.ts';

export default defineConfig(({ mode }) => ({
  test: {
    include: [mode === 'compose' ? 'test/compose/*.test.ts' : 'test/**/*.test.ts'],
    // `npm run test:compose`: ten minutes by itself on two cores.
    exclude: [...configDefaults.exclude, ...(mode === 'compose' ? [] : ['test/compose/**'])],
    // `npm test` compiles the command once; else tests start that of the sources.
    globalSetup: mode === 'built' ? ['test/built.ts'] : [],
    // Long enough for a machine that is several times slower: only what hangs shall end by it.
    testTimeout: 900_000,
    hookTimeout: 900_000,
    // Mutated copies of the source are compiled already (test/mutations/loader.ts).
    server: { deps: { external: [/receval-mutation-/] } },
    pool: 'forks',
    // More than a small machine has cores: tests against servers mostly wait.
    maxWorkers: 4,
    sequence: { sequencer: SlowestFirst },
  },
}));
