/** Mutated engines, kept below node_modules for the next run: compiling them takes longer than catching the mutations. */
import { createHash, randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { compiled } from '../../wasm/compile.ts';
import { type Change, changed } from './mutation.ts';

const SRC = fileURLToPath(new URL('../../src/', import.meta.url));
const WASM = fileURLToPath(new URL('../../wasm/', import.meta.url));
const COMPILER = fileURLToPath(new URL('../../node_modules/assemblyscript/package.json', import.meta.url));
const KEPT = fileURLToPath(new URL('../../node_modules/.cache/receval-engines/', import.meta.url));

/** Sources by path, as they are with these changes. */
export async function changedSources(changes: readonly Change[]): Promise<Map<string, string>> {
  const sources = new Map<string, string>();
  for (const change of changes) {
    const path = join(SRC, change.file);
    sources.set(path, changed(sources.get(path) ?? (await readFile(path, 'utf8')), change));
  }
  return sources;
}

/** Takes those of the engine out of `sources`, and returns them by name. */
export function takeEngine(sources: Map<string, string>): ReadonlyMap<string, string> {
  const files = new Map<string, string>();
  for (const [path, text] of sources) {
    if (!path.startsWith(WASM)) continue;
    files.set(relative(WASM, path), text);
    sources.delete(path);
  }
  return files;
}

/** The engine with these files in place of its own: of an earlier run, or compiled and kept for the next ones. */
export async function engineWith(files: ReadonlyMap<string, string>, isChecked: boolean): Promise<string> {
  folder ??= keptFolder();
  const key = JSON.stringify([isChecked, ...[...files].sort(([a], [b]) => (a < b ? -1 : 1))]);
  const path = join(await folder, sha256(key));
  if (existsSync(path)) return readFile(path, 'utf8');
  const code = await compiled('engine/engine.ts', { changed: files, isChecked });
  // Whoever looks sees all of it or nothing.
  const part = `${path}-part-${randomUUID()}`;
  await writeFile(part, code);
  await rename(part, path);
  return code;
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
