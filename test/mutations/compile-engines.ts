/**
 * Compiles the engines of mutations that are not kept yet, in a process of its own: between tests that fill the heap it takes four times
 * as long. That process runs a bundle: tsx would first rewrite the compilers, which takes as long as compiling thirty engines.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { build } from 'esbuild';
import { changedSources, engineWith, takeEngine } from './kept-engines.ts';
import type { Mutation } from './mutation.ts';

type Changes = Pick<Mutation, 'changes'>;

const ROOT = fileURLToPath(new URL('../../', import.meta.url));

/** `loader.ts` finds the engines of these mutations afterwards, with their assertions. */
export async function compileEngines(mutations: readonly Changes[]): Promise<void> {
  const child = spawn(process.execPath, ['--input-type=module', '--eval', await bundle()], {
    cwd: ROOT,
    stdio: ['pipe', 'ignore', 'inherit'],
  });
  child.stdin.end(JSON.stringify(mutations));
  const [code] = await once(child, 'exit');
  if (code !== 0) throw new Error(`the engines of mutations were not compiled: exit code ${code}`);
}

/** This file and what it imports, for Node. Each part of it still finds the files that are beside it. */
async function bundle(): Promise<string> {
  const { outputFiles } = await build({
    stdin: {
      contents: "import { compileGiven } from './compile-engines.ts'; await compileGiven();",
      resolveDir: dirname(fileURLToPath(import.meta.url)),
    },
    bundle: true,
    write: false,
    format: 'esm',
    platform: 'node',
    packages: 'external',
    plugins: [
      {
        name: 'own places',
        setup: ({ onLoad }) => {
          onLoad({ filter: /\.ts$/ }, async ({ path }) => ({
            contents: (await readFile(path, 'utf8'))
              .replaceAll('import.meta.url', JSON.stringify(pathToFileURL(path).href))
              .replaceAll('import.meta.dirname', JSON.stringify(dirname(path))),
            loader: 'ts',
          }));
        },
      },
    ],
  });
  return outputFiles[0].text;
}

/** Those that come as JSON from standard input. */
export async function compileGiven(): Promise<void> {
  const mutations: readonly Changes[] = JSON.parse(await text(process.stdin));
  for (const { changes } of mutations) {
    const files = takeEngine(await changedSources(changes));
    if (files.size > 0 || changes.length === 0) await engineWith(files, true);
  }
}
