import { configDefaults, defineConfig, type TestProjectConfiguration } from 'vitest/config';
import { sharesProcess, testFiles } from './test/shared-process.ts';
import { SlowestFirst } from './test/slowest-first.ts';

/** What is worth a minute after each change: the manual, what the numbers are, and what of the configuration and the logs says. */
const QUICK = /^test\/(?:guide|measures|statistics|config|findings|consumers\/(?:join|decode))\/|^test\/architecture/;

export default defineConfig(({ mode }) => {
  // `npm run test:compose`: four and a half minutes by itself on two cores.
  const files = testFiles()
    .filter((file) => file.startsWith('test/compose/') === (mode === 'compose'))
    .filter((file) => mode !== 'quick' || QUICK.test(file));
  const project = (name: string, isolate: boolean): TestProjectConfiguration => ({
    test: {
      name,
      isolate,
      include: files.filter((file) => sharesProcess(file) !== isolate),
      exclude: [...configDefaults.exclude],
      // Long enough for a machine that is several times slower: only what hangs shall end by it.
      testTimeout: 900_000,
      hookTimeout: 900_000,
      // Mutated copies of the source are compiled already (test/mutations/loader.ts).
      server: { deps: { external: [/receval-mutation-/] } },
      pool: 'forks',
      // Mostly garbage of small tests: collected less often, and without threads that wait for a core, that takes an eighth less CPU.
      execArgv: ['--max-semi-space-size=64', '--single-threaded-gc'],
    },
  });
  return {
    test: {
      projects: [project('own process', true), project('shared process', false)],
      // `npm test` compiles the command once; else tests start that of the sources.
      globalSetup: mode === 'built' ? ['test/built.ts'] : ['test/fresh-engine.ts'],
      forceRerunTriggers: [...configDefaults.forceRerunTriggers, '**/wasm/**'],
      // More than a small machine has cores: tests against servers mostly wait.
      maxWorkers: 4,
      sequence: { sequencer: SlowestFirst },
    },
  };
});
