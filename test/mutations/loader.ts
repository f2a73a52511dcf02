import { existsSync } from 'node:fs';
import { mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { build } from 'esbuild';
import { carrier, compiled, MODULES } from '../../wasm/compile.ts';
import { engineKey, filesOfEngine, keepEngine, keptPath } from './kept-engines.ts';
import { type Change, changed } from './mutation.ts';

const SRC = fileURLToPath(new URL('../../src/', import.meta.url));
const WASM = fileURLToPath(new URL('../../wasm/', import.meta.url));
const ENGINE = 'engine/engine.ts';
const PACKAGES = fileURLToPath(new URL('../../node_modules/', import.meta.url));

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
  const inEngine = await filesOfEngine(changes);
  const sources = new Map<string, string>();
  for (const change of changes) {
    const path = join(SRC, change.file);
    if (path.startsWith(WASM)) continue;
    sources.set(path, changed(sources.get(path) ?? (await readFile(path, 'utf8')), change));
  }
  if (inEngine.size > 0 || engine === 'checked') {
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
  const key = engineKey(files, isChecked);
  const code = engines.get(key) ?? keptOr(key, () => compiled(ENGINE, { changed: files, isChecked }));
  engines.set(key, code);
  return code;
}

/** Of an earlier run, or made and kept for the next ones. */
async function keptOr(key: string, make: () => Promise<string>): Promise<string> {
  const path = await keptPath(key);
  if (existsSync(path)) return readFile(path, 'utf8');
  const code = await make();
  await keepEngine(path, code);
  return code;
}
