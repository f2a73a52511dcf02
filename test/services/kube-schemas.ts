import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { onPath, run } from './commands.ts';
import { ServiceMissing } from './debian.ts';
import { fetchOnce } from './fetch-once.ts';
import type { Service } from './it-with.ts';

const CACHE = resolve(import.meta.dirname, '../../node_modules/.cache/receval-services');
/** It carries the JSON schemas of all releases that it knows. */
const PACKAGE = 'kubernetes-validate==1.37.0';
const FOLDER = join(CACHE, PACKAGE.replace('==', '-'));

/** What is wrong with objects of Kubernetes itself, as YAML, by the schemas of a release; unknown fields are wrong. Empty: nothing. */
export type ValidateObjects = (yaml: string, release: string) => Promise<string>;

/** The package of Python that checks objects against the schemas that it carries; fetched once into the cache. */
export const KUBE_SCHEMAS: Service<ValidateObjects> = {
  name: 'kubernetes-validate',
  async get() {
    const python = onPath('python3', process.env['PATH'] ?? '');
    if (python === undefined)
      throw new ServiceMissing('there is no python3 on the PATH; it checks objects of Kubernetes');
    mkdirSync(CACHE, { recursive: true });
    await fetchOnce(
      `${FOLDER}.lock`,
      () => existsSync(FOLDER),
      () => fetchPackage(python),
    );
    return (yaml, release) => validate(python, yaml, release);
  },
};

async function fetchPackage(python: string): Promise<void> {
  process.stderr.write(`tests: fetching ${PACKAGE} into ${FOLDER}\n`);
  const part = mkdtempSync(join(CACHE, 'kube-schemas-part-'));
  try {
    const words = [
      '-m',
      'pip',
      'install',
      '--quiet',
      '--disable-pip-version-check',
      '--no-input',
      '--only-binary',
      ':all:',
    ];
    const made = await run(python, [...words, '--target', join(part, 'packages'), PACKAGE], { env: process.env });
    if (made.code !== 0) {
      throw new ServiceMissing(`pip cannot get ${PACKAGE} (${made.stderr.slice(-300)}); install python3 and pip`);
    }
    renameSync(join(part, 'packages'), FOLDER);
  } finally {
    rmSync(part, { recursive: true, force: true });
  }
}

async function validate(python: string, yaml: string, release: string): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), 'receval-objects-'));
  try {
    const file = join(folder, 'objects.yaml');
    writeFileSync(file, yaml);
    const words = ['-m', 'kubernetes_validate', '--strict', '--quiet', '--kubernetes-version', release, file];
    const { code, stdout, stderr } = await run(python, words, { env: { ...process.env, PYTHONPATH: FOLDER } });
    return code === 0 ? '' : `${stdout}${stderr}` || `exit code ${code}`;
  } finally {
    rmSync(folder, { recursive: true });
  }
}
