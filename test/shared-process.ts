/**
 * Most test files share a few processes, in which what they import is loaded once; a process for each file would spend more time
 * on loading than on most tests. A file has a process of its own if it, or a file of the tests that it imports, works with what
 * all of a process share: what it leaves there would be found by the next file. Of programs that tests start nothing is left.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, resolve, sep } from 'node:path';

const ROOT = resolve(import.meta.dirname, '..');
const TEST = join(ROOT, 'test');
const IMPORT = /\b(?:from|import)\s*\(?\s*'(\.[^']+)'/g;

/** What a file reads of its process changes nothing for the next one, nor does a line that it prints. */
const READ =
  'arch|argv|cpuUsage|cwd|env|execPath|getActiveResourcesInfo|getuid|hrtime|kill|pid|platform|stderr\\.write|version';
/** That what was started ends with the process at the latest: a file ends it before. */
const LAST_RESORT = String.raw`(?:once|off)\('(?:exit|disconnect)'`;

const SHARED_BY_ALL: readonly RegExp[] = [
  /'node:worker_threads'/,
  // Its folder, streams, exit code, listeners and memory.
  new RegExp(String.raw`(?<!['/])\bprocess\.(?!(?:${READ})\b|${LAST_RESORT})`),
  // Its environment.
  /\bprocess\.env(?:\[[^\]]*\]|\.\w+) = |\bdelete process\.env\b|\(process\.env, /,
  /\bglobalThis\b/,
  // Mocks, spies and fake timers; functions that only remember their calls are nobody's but the test's.
  /\bvi\.(?!fn\b|waitFor\b)/,
  // What is loaded first: access/client.ts replaces modules of kafkajs, and refuses one that is loaded already.
  /(?:from |\brequire\()'kafkajs'/,
];

/** A file that puts back whatever it changes says so, and why it can, behind these words. */
const PUTS_BACK = 'Leaves its process as it was:';

/** All test files, with slashes, below the root. */
export function testFiles(): readonly string[] {
  return readdirSync(TEST, { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('.test.ts'))
    .map((path) => `test/${path.split(sep).join('/')}`)
    .sort();
}

/** Whether a file, named from the root, may run in a process together with others. */
export function sharesProcess(
  file: string,
  read: (path: string) => string = (path) => readFileSync(path, 'utf8'),
): boolean {
  const seen = new Set<string>();
  const isAlone = (path: string): boolean => {
    if (seen.has(path) || !path.startsWith(TEST)) return false;
    seen.add(path);
    const text = read(path);
    if (!text.includes(PUTS_BACK) && SHARED_BY_ALL.some((what) => what.test(text))) return true;
    return [...text.matchAll(IMPORT)].some(([, name = '']) => isAlone(resolve(dirname(path), name)));
  };
  return !isAlone(resolve(ROOT, file));
}
