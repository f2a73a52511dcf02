import { createHash, randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, readFile, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { version } from 'assemblyscript/asc';
import { build } from 'esbuild';
import { carrier, compiled, MODULES } from '../../wasm/compile.ts';
import { type Change, changed } from './mutation.ts';

const SRC = fileURLToPath(new URL('../../src/', import.meta.url));
const WASM = fileURLToPath(new URL('../../wasm/', import.meta.url));
const ENGINE = 'engine/engine.ts';
const PACKAGES = fileURLToPath(new URL('../../node_modules/', import.meta.url));
const KEPT = join(PACKAGES, '.cache/receval-engines');

/** Engines that were compiled, by how and by the files that were changed: it takes a while, and most mutations leave the engine as it was. */
const engines = new Map<string, Promise<string>>();

/**
 * Compiles modules of src, named by their files below it, as they are with these changes, which may be to the engine's source. `load` gets the absolute paths of
 * the compiled modules, in the order of `files`, and imports them: they share what they import with each other, and nothing
 * with src itself. They are gone when this returns. An engine that is changed is optimized only if asked for: that takes longer than
 * most mutations need until they are caught. Throws where a change is to a file that none of them needs: it would
 * change nothing.
 */
export async function withMutation<Module>(
  changes: readonly Change[],
  files: readonly string[],
  load: (paths: readonly string[]) => Promise<Module>,
  engine?: 'checked' | 'optimized',
): Promise<Module> {
  const sources = new Map<string, string>();
  for (const change of changes) {
    const path = join(SRC, change.file);
    sources.set(path, changed(sources.get(path) ?? (await readFile(path, 'utf8')), change));
  }
  const inEngine = new Map(
    [...sources].flatMap(([path, text]) => (path.startsWith(WASM) ? [[relative(WASM, path), text]] : [])),
  );
  if (inEngine.size > 0 || engine === 'checked') {
    for (const path of inEngine.keys()) sources.delete(join(WASM, path));
    sources.set(join(SRC, MODULES[ENGINE].file), carrier(ENGINE, await engineWith(inEngine, engine !== 'optimized')));
  }
  const folder = await mkdtemp(join(tmpdir(), 'receval-mutation-'));
  try {
    await symlink(PACKAGES, join(folder, 'node_modules'));
    const { metafile } = await build({
      entryPoints: files.map((file) => join(SRC, file)),
      outbase: SRC,
      outdir: folder,
      outExtension: { '.js': '.mjs' },
      bundle: true,
      splitting: true,
      format: 'esm',
      platform: 'node',
      packages: 'external',
      // What is required when it is first called is found from src: by then the folder is gone.
      define: { 'import.meta.url': JSON.stringify(pathToFileURL(join(SRC, 'mutated.ts')).href) },
      metafile: true,
      logLevel: 'silent',
      absWorkingDir: SRC,
      plugins: [
        {
          name: 'changes',
          setup: ({ onLoad }) => {
            onLoad({ filter: /\.ts$/ }, ({ path }) => {
              const contents = sources.get(path);
              return contents === undefined ? undefined : { contents, loader: 'ts' };
            });
          },
        },
      ],
    });
    for (const { file } of changes) {
      if (join(SRC, file).startsWith(WASM)) continue;
      if (!(file in metafile.inputs)) throw new Error(`${files.join(', ')} do not need src/${file}, which is changed`);
    }
    await writeFile(join(folder, 'package.json'), '{"type":"module"}');
    return await load(files.map((file) => join(folder, file.replace(/\.ts$/, '.mjs'))));
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** The engine with these files in place of its own. */
function engineWith(files: ReadonlyMap<string, string>, isChecked: boolean): Promise<string> {
  const key = JSON.stringify([isChecked, ...[...files].sort(([a], [b]) => (a < b ? -1 : 1))]);
  const code = engines.get(key) ?? keptOr(key, () => compiled(ENGINE, { changed: files, isChecked }));
  engines.set(key, code);
  return code;
}

/** Of an earlier run, or made and kept for the next ones: what compiles an engine, and all that it reads, is in its name. */
async function keptOr(key: string, make: () => Promise<string>): Promise<string> {
  kept ??= keptFolder();
  const path = join(await kept, sha256(key));
  if (existsSync(path)) return readFile(path, 'utf8');
  const code = await make();
  const part = `${path}-part-${randomUUID()}`;
  await writeFile(part, code);
  await rename(part, path);
  return code;
}

let kept: Promise<string> | undefined;

/** That of the engine as it now is; those of what it was are removed. */
async function keptFolder(): Promise<string> {
  const paths = (await readdir(WASM, { recursive: true })).filter((path) => path.endsWith('.ts')).sort();
  const texts = await Promise.all(paths.map((path) => readFile(join(WASM, path), 'utf8')));
  const name = sha256(JSON.stringify([version, paths, texts]));
  await mkdir(join(KEPT, name), { recursive: true });
  const others = (await readdir(KEPT)).filter((other) => other !== name);
  await Promise.all(others.map((other) => rm(join(KEPT, other), { recursive: true, force: true })));
  return join(KEPT, name);
}

function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}
