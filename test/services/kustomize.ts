import { join, resolve } from 'node:path';
import { isProgram, onPath, run } from './commands.ts';
import { ServiceMissing } from './debian.ts';
import { fetchOnce } from './fetch-once.ts';
import type { Service } from './it-with.ts';

const CACHE = resolve(import.meta.dirname, '../../node_modules/.cache/receval-services');
const MODULE = 'sigs.k8s.io/kustomize/kustomize/v5';
/** Needs Go 1.24 or newer. */
const VERSION = 'v5.8.1';
/** Older ones know no `labels` with templates and no `patches` with targets. */
const LEAST_MAJOR = 5;

/** What prints a folder's objects. @throws Error with what it said */
export type Kustomize = (folder: string) => Promise<string>;

/** From the PATH, alone or in kubectl; else built once by Go from its module. */
export const KUSTOMIZE: Service<Kustomize> = {
  name: 'kustomize',
  async get() {
    const path = process.env['PATH'] ?? '';
    const alone = onPath('kustomize', path);
    if (alone !== undefined && (await majorOf(alone, ['version'])) >= LEAST_MAJOR) return running(alone, ['build']);
    const kubectl = onPath('kubectl', path);
    if (kubectl !== undefined && (await majorOf(kubectl, ['version', '--client'])) >= LEAST_MAJOR) {
      return running(kubectl, ['kustomize']);
    }
    return running(await built(path), ['build']);
  },
};

function running(program: string, words: readonly string[]): Kustomize {
  return async (folder) => {
    const { code, stdout, stderr } = await run(program, [...words, folder], { env: process.env });
    if (code !== 0) throw new Error(`${program} ${words.join(' ')} ${folder}: ${stderr}`);
    return stdout;
  };
}

/** Of the kustomize that answers; 0: it tells none. */
async function majorOf(program: string, words: readonly string[]): Promise<number> {
  const { stdout } = await run(program, words, { env: process.env });
  return Number(/^(?:Kustomize Version: )?v(\d+)\./m.exec(stdout.replace(/^Client Version.*$/m, ''))?.[1] ?? 0);
}

async function built(path: string): Promise<string> {
  const program = join(CACHE, 'kustomize', 'kustomize');
  const go = onPath('go', path);
  const advice = `install kustomize ${LEAST_MAJOR} or kubectl 1.27, or newer, or Go, which builds it`;
  await fetchOnce(
    join(CACHE, 'kustomize.lock'),
    () => isProgram(program),
    async () => {
      if (go === undefined) throw new ServiceMissing(`there is no kustomize, kubectl or go on the PATH; ${advice}`);
      process.stderr.write(`tests: building kustomize ${VERSION} into ${CACHE}\n`);
      const env = { ...process.env, GOBIN: join(CACHE, 'kustomize'), GOTOOLCHAIN: 'local', CGO_ENABLED: '0' };
      const made = await run(go, ['install', `${MODULE}@${VERSION}`], { env });
      if (made.code !== 0)
        throw new ServiceMissing(`go cannot build kustomize (${made.stderr.slice(-300)}); ${advice}`);
    },
  );
  return program;
}
