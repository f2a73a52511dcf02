import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { type BuildOptions, type BuildResult, context } from 'esbuild';
import { carrier, MODULES } from '../../wasm/compile.ts';
import { changedSources, engineWith, takeEngine } from './kept-engines.ts';
import type { Change } from './mutation.ts';

const SRC = fileURLToPath(new URL('../../src/', import.meta.url));
const WASM = fileURLToPath(new URL('../../wasm/', import.meta.url));
const ENGINE = 'engine/engine.ts';
const PACKAGES = fileURLToPath(new URL('../../node_modules/', import.meta.url));

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
  const sources = await changedSources(changes);
  const inEngine = takeEngine(sources);
  if (inEngine.size > 0 || engine === 'checked') {
    sources.set(join(SRC, MODULES[ENGINE].file), carrier(ENGINE, await engineWith(inEngine, engine !== 'optimized')));
  }
  const folder = await mkdtemp(join(tmpdir(), 'receval-mutation-'));
  try {
    await symlink(PACKAGES, join(folder, 'node_modules'));
    const { outputFiles, metafile } = await built(files, sources);
    for (const { path, contents } of outputFiles) {
      const to = join(folder, relative(SRC, path));
      await mkdir(dirname(to), { recursive: true });
      await writeFile(to, contents);
    }
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

type Options = BuildOptions & { readonly write: false; readonly metafile: true };
type Built = BuildResult<Options>;
interface Build {
  readonly run: (sources: ReadonlyMap<string, string>) => Promise<Built>;
  readonly dispose: () => Promise<void>;
}

/** By their entries: what did not change since the last one is not parsed again. */
const builds = new Map<string, Build>();

/** The modules as they are with these sources in place of their own, as files below src. */
async function built(files: readonly string[], sources: ReadonlyMap<string, string>): Promise<Built> {
  const key = files.join();
  let build = builds.get(key);
  if (build === undefined) {
    build = await newBuild(files);
    builds.set(key, build);
  }
  return build.run(sources);
}

/** Ends the compiler, which a process would wait for: to be called where no more modules are compiled. */
export async function endBuilds(): Promise<void> {
  await Promise.all(Array.from(builds.values(), ({ dispose }) => dispose()));
  builds.clear();
}

async function newBuild(files: readonly string[]): Promise<Build> {
  let sources: ReadonlyMap<string, string> = new Map();
  const { rebuild, dispose } = await context<Options>({
    entryPoints: files.map((file) => join(SRC, file)),
    outbase: SRC,
    outdir: SRC,
    outExtension: { '.js': '.mjs' },
    write: false,
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
  let last: Promise<unknown> = Promise.resolve();
  const run: Build['run'] = (changed) => {
    // A build that is under way would be returned to whoever asks next.
    const next = last.then(() => {
      sources = changed;
      return rebuild();
    });
    last = next.catch(() => {});
    return next;
  };
  return { run, dispose };
}
