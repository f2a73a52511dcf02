/**
 * Compiles the engines of mutations that are not kept yet, in a process of its own: `compileEngines` starts this file. Between tests that
 * fill the heap it takes four times as long.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { changedSources, engineWith, takeEngine } from './kept-engines.ts';
import type { Mutation } from './mutation.ts';

type Changes = Pick<Mutation, 'changes'>;

/** `loader.ts` finds the engines of these mutations afterwards, with their assertions. */
export async function compileEngines(mutations: readonly Changes[]): Promise<void> {
  const ours = fileURLToPath(import.meta.url);
  const child = spawn(process.execPath, ['--import', 'tsx', ours], { stdio: ['pipe', 'ignore', 'inherit'] });
  child.stdin.end(JSON.stringify(mutations));
  const [code] = await once(child, 'exit');
  if (code !== 0) throw new Error(`the engines of mutations were not compiled: exit code ${code}`);
}

async function compileAll(mutations: readonly Changes[]): Promise<void> {
  for (const { changes } of mutations) {
    const files = takeEngine(await changedSources(changes));
    if (files.size > 0 || changes.length === 0) await engineWith(files, true);
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const mutations: readonly Changes[] = JSON.parse(await text(process.stdin));
  await compileAll(mutations);
}
