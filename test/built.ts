import { cpSync, mkdirSync, mkdtempSync, rmSync, statSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { run } from './services/commands.ts';

const ROOT = resolve(import.meta.dirname, '..');
const CACHE = join(ROOT, 'node_modules/.cache');
/** `npm test` has checked the types before. */
const COMPILE = ['node_modules/typescript/bin/tsc', '-p', 'tsconfig.build.json', '--noCheck', '--declaration', 'false'];

/**
 * Once for a whole run: compiles the command as the package holds it (test/deploy/package.test.ts), into a folder of its own
 * below node_modules, where it finds what it imports. Compiled it needs less than half of the time to start, and the tests
 * start it hundreds of times.
 */
export default async function setup(): Promise<() => void> {
  mkdirSync(CACHE, { recursive: true });
  const folder = mkdtempSync(join(CACHE, 'receval-built-'));
  const remove = (): void => rmSync(folder, { recursive: true, force: true });
  const { code, stdout, stderr } = await run(process.execPath, [...COMPILE, '--outDir', join(folder, 'dist')], {
    cwd: ROOT,
    env: process.env,
  });
  if (code !== 0) {
    remove();
    throw new Error(`the command could not be compiled:\n${stdout}${stderr}`);
  }
  const isText = (path: string): boolean => statSync(path).isDirectory() || /\.(?:lua|js)$/.test(path);
  cpSync(join(ROOT, 'src'), join(folder, 'dist'), { recursive: true, filter: isText });
  for (const name of ['bin', 'package.json']) cpSync(join(ROOT, name), join(folder, name), { recursive: true });
  process.env['TESTED_FOLDER'] = folder;
  return remove;
}
