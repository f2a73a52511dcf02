import { type Outcome, run } from '../services/commands.ts';

/** Runs `node bin/receval` of a folder, without settings of the surroundings. */
export function recevalIn(folder: string, args: readonly string[], env: NodeJS.ProcessEnv = {}): Promise<Outcome> {
  const PATH = process.env['PATH'];
  return run(process.execPath, ['bin/receval', ...args], { cwd: folder, env: { PATH, ...env } });
}
