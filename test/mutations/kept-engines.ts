/** Mutated engines, kept below node_modules for the next run: compiling them takes longer than catching the mutations. */
import { createHash, randomUUID } from 'node:crypto';
import { mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type Change, changed } from './mutation.ts';

const SRC = fileURLToPath(new URL('../../src/', import.meta.url));
const WASM = fileURLToPath(new URL('../../wasm/', import.meta.url));
const COMPILER = fileURLToPath(new URL('../../node_modules/assemblyscript/package.json', import.meta.url));
const KEPT = fileURLToPath(new URL('../../node_modules/.cache/receval-engines/', import.meta.url));

/** Sources of the engine by name, as they are with these changes: those that are changed. */
export async function filesOfEngine(changes: readonly Change[]): Promise<ReadonlyMap<string, string>> {
  const files = new Map<string, string>();
  for (const change of changes) {
    const path = join(SRC, change.file);
    if (!path.startsWith(WASM)) continue;
    const name = relative(WASM, path);
    files.set(name, changed(files.get(name) ?? (await readFile(path, 'utf8')), change));
  }
  return files;
}

/** Equal keys are of equal engines. */
export function engineKey(files: ReadonlyMap<string, string>, isChecked: boolean): string {
  return JSON.stringify([isChecked, ...[...files].sort(([a], [b]) => (a < b ? -1 : 1))]);
}

/** Where the engine of a key is kept, or may be. */
export async function keptPath(key: string): Promise<string> {
  folder ??= keptFolder();
  return join(await folder, sha256(key));
}

/** Whoever looks sees all of it or nothing. */
export async function keepEngine(path: string, code: string): Promise<void> {
  const part = `${path}-part-${randomUUID()}`;
  await writeFile(part, code);
  await rename(part, path);
}

let folder: Promise<string> | undefined;

/** That of the engine as it now is: what compiles it, and all that it reads, is in its name. Those of what it was are removed. */
async function keptFolder(): Promise<string> {
  const paths = (await readdir(WASM, { recursive: true })).filter((path) => path.endsWith('.ts')).sort();
  const texts = await Promise.all(paths.map((path) => readFile(join(WASM, path), 'utf8')));
  const name = sha256(JSON.stringify([await readFile(COMPILER, 'utf8'), paths, texts]));
  await mkdir(join(KEPT, name), { recursive: true });
  const others = (await readdir(KEPT)).filter((other) => other !== name);
  await Promise.all(others.map((other) => rm(join(KEPT, other), { recursive: true, force: true })));
  return join(KEPT, name);
}

function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}
