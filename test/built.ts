import { cpSync, mkdirSync, mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { build } from 'esbuild';

const ROOT = resolve(import.meta.dirname, '..');
const CACHE = join(ROOT, 'node_modules/.cache');
/** Loaded as they are: they load parts of themselves, or are loaded, by their own paths. */
const OUTSIDE = ['aws-msk-iam-sasl-signer-js', 'ioredis', 'kafkajs', 'pino', 'prom-client'];
/** What of CommonJS is in the files asks for its parts of Node by this. */
const REQUIRE = "import { createRequire as requireOf } from 'node:module'; const require = requireOf(import.meta.url);";

/**
 * Once for a whole run: compiles the command into a few files, in a folder of its own below node_modules, where they find
 * what they import. So it needs less than half of the time to start, and the tests start it hundreds of times. The command
 * as the package holds it, a file for each module, is started by test/deploy/package.test.ts and image.test.ts.
 */
export default async function setup(): Promise<() => void> {
  mkdirSync(CACHE, { recursive: true });
  const folder = mkdtempSync(join(CACHE, 'receval-built-'));
  const remove = (): void => rmSync(folder, { recursive: true, force: true });
  try {
    await build({
      entryPoints: { 'cli/main': join(ROOT, 'src/cli/main.ts'), 'cli/killed': join(ROOT, 'test/crash/service.ts') },
      outdir: join(folder, 'dist'),
      // Beside the command: from there lead the paths by which it finds package.json and other files of text.
      chunkNames: 'cli/[name]-[hash]',
      bundle: true,
      splitting: true,
      format: 'esm',
      platform: 'node',
      external: OUTSIDE,
      banner: { js: REQUIRE },
      absWorkingDir: ROOT,
      logLevel: 'silent',
    });
  } catch (error) {
    remove();
    throw error;
  }
  const isText = (path: string): boolean => statSync(path).isDirectory() || /\.(?:lua|js)$/.test(path);
  cpSync(join(ROOT, 'src'), join(folder, 'dist'), { recursive: true, filter: isText });
  const scripts = join(ROOT, 'src/accumulators/store');
  for (const name of readdirSync(scripts).filter((path) => path.endsWith('.lua'))) {
    cpSync(join(scripts, name), join(folder, 'dist/cli', name));
  }
  for (const name of ['bin', 'package.json']) cpSync(join(ROOT, name), join(folder, name), { recursive: true });
  process.env['TESTED_FOLDER'] = folder;
  return remove;
}
