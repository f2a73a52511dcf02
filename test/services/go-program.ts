import { join, resolve } from 'node:path';
import { isProgram, onPath, run } from './commands.ts';
import { ServiceMissing } from './debian.ts';
import { fetchOnce } from './fetch-once.ts';

const CACHE = resolve(import.meta.dirname, '../../node_modules/.cache/receval-services');

export interface GoProgram {
  readonly command: string;
  /** Path of the command's package in its module. */
  readonly source: string;
  /** As Go writes it: v1.2.3. */
  readonly version: string;
  /** What else a user can do to have it. */
  readonly advice: string;
}

/** Path of a program that Go builds once from its module, by the checksums of Go's own database. @throws ServiceMissing */
export async function goProgram({ command, source, version, advice }: GoProgram): Promise<string> {
  const folder = join(CACHE, `${command}-${version}`);
  const program = join(folder, command);
  const go = onPath('go', process.env['PATH'] ?? '');
  await fetchOnce(
    `${folder}.lock`,
    () => isProgram(program),
    async () => {
      if (go === undefined) throw new ServiceMissing(`there is no ${command} and no go on the PATH; ${advice}`);
      process.stderr.write(`tests: building ${command} ${version} into ${folder}\n`);
      const env = { ...process.env, GOBIN: folder, GOTOOLCHAIN: 'local', CGO_ENABLED: '0' };
      const made = await run(go, ['install', `${source}@${version}`], { env });
      if (made.code !== 0)
        throw new ServiceMissing(`go cannot build ${command} (${made.stderr.slice(-300)}); ${advice}`);
    },
  );
  return program;
}
