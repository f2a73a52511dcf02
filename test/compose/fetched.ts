import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { run } from '../services/commands.ts';
import { ServiceMissing } from '../services/debian.ts';
import { fetchOnce } from '../services/fetch-once.ts';

const CACHE = resolve(import.meta.dirname, '../../node_modules/.cache/receval-services');

/** What is to be done in the folder after the script, and what that depends on. */
export interface Rest {
  readonly versions: readonly string[];
  readonly finish: (folder: string) => Promise<void>;
}

/**
 * The folder that this script of `machine` fills, with the folder and `args` as its arguments; made once, and kept as long as
 * script, arguments and versions are the same. @throws ServiceMissing with what the script printed last
 */
export async function fetched(
  name: string,
  script: string,
  args: readonly string[],
  rest: Rest = { versions: [], finish: async () => {} },
): Promise<string> {
  const path = join(import.meta.dirname, 'machine', script);
  const version = createHash('sha256')
    .update(JSON.stringify([readFileSync(path, 'utf8'), args, rest.versions]))
    .digest('hex');
  const folder = join(CACHE, `${name}-${version.slice(0, 12)}`);
  await fetchOnce(
    `${folder}.lock`,
    () => existsSync(folder),
    async () => {
      process.stderr.write(`tests: unpacking Debian packages into ${folder} (nothing is installed)\n`);
      mkdirSync(CACHE, { recursive: true });
      const part = mkdtempSync(join(CACHE, `${name}-part-`));
      try {
        const made = await run('sh', [path, part, ...args]);
        if (made.code !== 0) throw new ServiceMissing(`${script}: ${(made.stdout + made.stderr).slice(-500)}`);
        await rest.finish(part);
        renameSync(part, folder);
      } finally {
        rmSync(part, { recursive: true, force: true });
      }
    },
  );
  return folder;
}
