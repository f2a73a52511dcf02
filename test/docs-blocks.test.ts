/** Every command that the documentation shows is run by a test, or it says why not. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { type CommandBlock, commandBlocks, shownCommands } from './docs-commands.ts';
import { RUN_PAGES } from './docs-pages.ts';

const ROOT = resolve(import.meta.dirname, '..');
const RUN = new Set(RUN_PAGES.map(({ path }) => path));
const PAGES = ['README.md', 'CONTRIBUTING.md', 'SECURITY.md', ...markdownFiles('docs'), ...markdownFiles('examples')];
/** What begins a command outside of the two languages of command blocks. */
const COMMAND =
  /^(?:\$ |(?:[A-Z_]+=\S+ )?(?:npm|npx|node|bin\/receval|receval|docker|kubectl|prometheus|promtool|curl|sh|kafka-\w+) )/m;

function read(path: string): string {
  return readFileSync(join(ROOT, path), 'utf8');
}

function markdownFiles(folder: string): readonly string[] {
  return readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.md'))
    .map((name) => join(folder, name));
}

/** What is wrong with a block; undefined: it is run, or says why not. */
function fault(path: string, { runBy, notRun, text }: CommandBlock): string | undefined {
  if (notRun !== undefined) {
    const gone = [...notRun.matchAll(/test\/[\w./-]*\w/g)]
      .map(([test]) => test)
      .filter((test) => !existsSync(join(ROOT, test)));
    return gone.length === 0 ? undefined : `there is no ${gone.join(', ')}`;
  }
  if (runBy === undefined) {
    return RUN.has(path)
      ? undefined
      : 'neither run nor marked: write <!-- not run: why --> or <!-- run by test/... --> above it';
  }
  if (!existsSync(join(ROOT, runBy))) return `there is no ${runBy}`;
  const test = read(runBy);
  const words = [
    ...text.matchAll(/(?:receval|npm run|npx|kafka-\w+|kubectl) (?:--?[\w-]+(?: [\w.:/]+)? )*([a-z:]+)/g),
  ].map(([, word]) => word);
  const missing = words.filter((word) => !test.includes(word));
  return missing.length === 0 ? undefined : `${runBy} does not mention ${missing.join(', ')}`;
}

describe('every block of commands', () => {
  it('is run by a test, or says why not', () => {
    const faults = PAGES.flatMap((path) =>
      commandBlocks(read(path)).flatMap((block) => {
        const found = fault(path, block);
        return found === undefined ? [] : [`${path}:${block.line}: ${found}`];
      }),
    );
    expect(faults).toEqual([]);
  });

  it('is a ```sh or ```console block', () => {
    const others = PAGES.flatMap((path) => {
      const page = read(path);
      const fences = [...page.matchAll(/^ *```(\w*)\n([\s\S]*?)^ *```$/gm)];
      const plain = fences
        .filter(([, language]) => language !== 'sh' && language !== 'console')
        .map(([, , text]) => text);
      const rest = page.replace(/^ *```[\s\S]*?^ *```$/gm, '');
      const indented = [...rest.matchAll(/(?<=\n\n)(?: {4}.*\n)+/g)].map(([text]) => text.replace(/^ {4}/gm, ''));
      return [...plain, ...indented]
        .filter((text) => COMMAND.test(text))
        .map((text) => `${path}: ${text.split('\n', 1)[0]}`);
    });
    expect(others).toEqual([]);
  });
});

describe('blocks of commands are found', () => {
  const page = [
    '```console',
    '$ receval a \\',
    '    --b',
    'out',
    '$ receval c',
    '```',
    '',
    '<!-- not run: needs a cluster -->',
    '```sh',
    'kubectl x',
    '```',
    '',
    '  <!-- run by test/x.test.ts -->',
    '',
    '  ```sh',
    '  receval d',
    '  ```',
    '',
    '```sh',
    'for i in 1; do',
    '  receval e',
    'done',
    '```',
    '',
    '```',
    'printed',
    '```',
    '',
  ].join('\n');

  it('with the line that they stand on and the mark above them', () => {
    expect(commandBlocks(page).map(({ line, notRun, runBy }) => ({ line, notRun, runBy }))).toEqual([
      { line: 1 },
      { line: 8, notRun: 'needs a cluster' },
      { line: 13, runBy: 'test/x.test.ts' },
      { line: 19 },
    ]);
  });

  it('and those without a mark are commands with what they print', () => {
    expect(shownCommands(page)).toEqual([
      { command: 'receval a \\\n    --b', output: 'out\n' },
      { command: 'receval c', output: undefined },
      { command: 'for i in 1; do\n  receval e\ndone', output: 'printed\n' },
    ]);
  });
});
