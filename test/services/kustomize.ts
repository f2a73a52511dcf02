import { onPath, run } from './commands.ts';
import { goProgram } from './go-program.ts';
import type { Service } from './it-with.ts';

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
    const built = await goProgram({
      command: 'kustomize',
      source: 'sigs.k8s.io/kustomize/kustomize/v5',
      version: 'v5.8.1', // needs Go 1.24 or newer
      advice: `install kustomize ${LEAST_MAJOR} or kubectl 1.27, or newer, or Go, which builds it`,
    });
    return running(built, ['build']);
  },
};

function running(program: string, words: readonly string[]): Kustomize {
  return async (folder) => {
    const { code, stdout, stderr } = await run(program, [...words, folder], { env: process.env });
    if (code !== 0) throw new Error(`${program} ${words.join(' ')} ${folder}: ${stderr}`);
    return stdout;
  };
}

/** The major version of the kustomize that answers; 0: it reports none. */
async function majorOf(program: string, words: readonly string[]): Promise<number> {
  const { stdout } = await run(program, words, { env: process.env });
  return Number(/^(?:Kustomize Version: )?v(\d+)\./m.exec(stdout.replace(/^Client Version.*$/m, ''))?.[1] ?? 0);
}
