/** Pages whose command blocks are run (docs-commands.test.ts), and where. */
import { readdirSync } from 'node:fs';
import { join, resolve } from 'node:path';

const ROOT = resolve(import.meta.dirname, '..');

export interface Page {
  readonly path: string;
  /** The commands run in a copy of this folder of samples; undefined: where the files are that the page shows. */
  readonly samples?: string;
  /** Another page whose files are there too. */
  readonly filesOf?: string;
}

/** Pages of a folder, each with the folder of samples that has its name. */
function pagesOf(folder: string): readonly Page[] {
  return readdirSync(join(ROOT, 'docs', folder))
    .filter((name) => name.endsWith('.md') && name !== 'README.md')
    .map((name) => ({ path: `docs/${folder}/${name}`, samples: `sample/${folder}/${name.replace('.md', '')}` }));
}

/** Each runs in a copy of its folder. The one on Kafka is run by test/service/example.test.ts. */
const EXAMPLES = ['files', 'experiment', 'ci-gate'].map((name) => ({
  path: `examples/${name}/README.md`,
  samples: `examples/${name}`,
}));

export const RUN_PAGES: readonly Page[] = [
  { path: 'README.md' },
  { path: 'docs/compare.md' },
  { path: 'docs/concepts.md' },
  { path: 'docs/configuration.md' },
  { path: 'docs/dead-letters.md' },
  { path: 'docs/files.md' },
  { path: 'docs/first-hour.md' },
  { path: 'docs/fuse.md', samples: 'sample/fuse' },
  { path: 'docs/inspect.md' },
  { path: 'docs/measures.md', samples: 'sample/score' },
  { path: 'docs/open-bandit.md' },
  { path: 'docs/plan.md' },
  { path: 'docs/replay.md', filesOf: 'README.md' },
  { path: 'docs/report.md' },
  { path: 'docs/score.md', samples: 'sample/score' },
  { path: 'docs/simulate.md' },
  ...pagesOf('reproduced'),
  ...pagesOf('adapters'),
  ...EXAMPLES,
];
