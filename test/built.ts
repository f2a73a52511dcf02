import { cpSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { compile } from '../deploy/build.ts';
import { isStale } from '../wasm/compile.ts';
import { offerRunBroker } from './services/run-broker.ts';

const ROOT = resolve(import.meta.dirname, '..');
const CACHE = join(ROOT, 'node_modules/.cache');

/**
 * Once for a whole run: compiles the command as the package holds it, in a folder of its own below node_modules, where it finds
 * what it imports, so that tests start what users start; and offers a broker to all files.
 */
export default async function setup(): Promise<() => Promise<void>> {
  // What is tested is what is committed: nothing is compiled in its place.
  if (isStale()) throw new Error('wasm/ has changed since it was compiled: npx tsx wasm/compile.ts');
  mkdirSync(CACHE, { recursive: true });
  const folder = mkdtempSync(join(CACHE, 'receval-built-'));
  const remove = (): void => rmSync(folder, { recursive: true, force: true });
  try {
    await compile(join(folder, 'dist'), { 'cli/killed': 'test/crash/service.ts' });
  } catch (error) {
    remove();
    throw error;
  }
  for (const name of ['bin', 'package.json']) cpSync(join(ROOT, name), join(folder, name), { recursive: true });
  process.env['TESTED_FOLDER'] = folder;
  const endBroker = await offerRunBroker();
  return async () => {
    remove();
    await endBroker();
  };
}
