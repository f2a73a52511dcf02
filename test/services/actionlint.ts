import { run } from './commands.ts';
import { goProgram } from './go-program.ts';
import type { Service } from './it-with.ts';

/** What is wrong with a file of GitHub Actions; empty: nothing. */
export type LintWorkflow = (file: string) => Promise<string>;

/** actionlint, built once by Go from its module. It asks nothing of the network and starts no shellcheck. */
export const ACTIONLINT: Service<LintWorkflow> = {
  name: 'actionlint',
  async get() {
    const program = await goProgram({
      command: 'actionlint',
      source: 'github.com/rhysd/actionlint/cmd/actionlint',
      version: 'v1.7.12',
      advice: 'install Go 1.25 or newer, which builds it',
    });
    return async (file) => {
      const { code, stdout, stderr } = await run(program, ['-no-color', '-shellcheck=', '-pyflakes=', file]);
      return code === 0 ? '' : `${stdout}${stderr}` || `exit code ${code}`;
    };
  },
};
