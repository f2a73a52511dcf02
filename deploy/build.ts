/**
 * `npm run build`: compiles the sources into `dist`. The command and what the package exports are each one file and what they share
 * in files of their own, since a file for each module makes every command start slower by a quarter. Packages stay outside:
 * what is installed is what runs, by the version and the licence that it names.
 */
import { execFileSync } from 'node:child_process';
import { copyFileSync, mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const ROOT = resolve(import.meta.dirname, '..');

/** What is compiled, by its path in `dist`; the types of the last two are beside them. */
const ENTRIES: Readonly<Record<string, string>> = {
  'cli/main': 'src/cli/main.ts',
  'measures/measures': 'src/measures/measures.ts',
  'fusion/fusion': 'src/fusion/fusion.ts',
};

/** Read while it runs, from where the code that reads them is compiled to. */
const TEXTS: Readonly<Record<string, string>> = {
  'cli/claim.lua': 'src/accumulators/store/claim.lua',
  'cli/commit.lua': 'src/accumulators/store/commit.lua',
  'page/live.js': 'src/page/live.js',
};

/** Writes the code into `folder`, which may hold nothing; `others`: entries beside those of the package. @throws if it does not compile */
export async function compile(folder: string, others: Readonly<Record<string, string>> = {}): Promise<void> {
  await build({
    absWorkingDir: ROOT,
    entryPoints: { ...ENTRIES, ...others },
    outdir: folder,
    // Beside the command: from there lead the paths to package.json and to the texts.
    chunkNames: 'cli/[name]-[hash]',
    bundle: true,
    splitting: true,
    packages: 'external',
    format: 'esm',
    platform: 'node',
    target: 'node20',
    logLevel: 'warning',
  });
  for (const [name, source] of Object.entries(TEXTS)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    copyFileSync(join(ROOT, source), join(folder, name));
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const dist = join(ROOT, 'dist');
  rmSync(dist, { recursive: true, force: true });
  mkdirSync(dist);
  // Only what was compiled to its end is used, and only while no source is newer than its beginning: bin/receval.
  writeFileSync(join(dist, 'begun'), '');
  await compile(dist);
  execFileSync(process.execPath, [join(ROOT, 'node_modules/typescript/bin/tsc'), '-p', 'tsconfig.build.json'], {
    cwd: ROOT,
    stdio: 'inherit',
  });
  // For editors (docs/configuration.md).
  const schema = execFileSync(process.execPath, [join(dist, 'cli/main.js'), 'config', 'schema']);
  writeFileSync(join(dist, 'receval.schema.json'), schema);
  renameSync(join(dist, 'begun'), join(dist, 'built'));
}
