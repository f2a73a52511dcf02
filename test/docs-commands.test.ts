/** Runs the commands that stand in the documentation, and compares what they print with what stands there. */
import { existsSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { fits, jsonValues, shownCommands, shownFiles, Workplace } from './docs-commands.ts';
import { RUN_PAGES } from './docs-pages.ts';

const ROOT = resolve(import.meta.dirname, '..');
/** Shows the exit code of the command before it. */
const ASK = 'echo $?';

describe.each(RUN_PAGES.map((page) => [page.path, page] as const))('%s', (path, { samples, filesOf }) => {
  const page = readFileSync(join(ROOT, path), 'utf8');
  const commands = shownCommands(page);
  let workplace: Workplace;
  let exitCode: number | null = 0;
  beforeAll(() => {
    const others = filesOf === undefined ? '' : readFileSync(join(ROOT, filesOf), 'utf8');
    workplace = new Workplace(samples ?? new Map([...shownFiles(others), ...shownFiles(page)]));
  });
  afterAll(() => workplace.remove());

  it('shows commands', () => {
    expect(commands.length).toBeGreaterThan(0);
  });

  it.each(commands.map((one, i) => [one.command, one, commands[i + 1]?.command] as const))(
    '%s',
    async (command, { output }, next) => {
      if (command === ASK) {
        expect(`${exitCode}\n`).toBe(output);
        return;
      }
      const { code, stdout, stderr } = await workplace.run(command);
      exitCode = code;
      if (next !== ASK) expect(code, stderr).toBe(0);
      const printed = stdout === '' ? stderr : stdout;
      if (output !== undefined && !fits(printed, output)) expect(printed).toBe(output);
    },
  );

  it('shows files as they are in the samples', () => {
    if (samples === undefined) return;
    for (const [name, shown] of shownFiles(page)) {
      const path = join(ROOT, samples, name);
      if (!existsSync(path)) continue;
      const file = readFileSync(path, 'utf8');
      if (name.endsWith('.ndjson')) expect(jsonValues(shown), name).toEqual(jsonValues(file));
      else expect(shown, name).toBe(file);
    }
  });
});

describe('what is shown fits what is printed', () => {
  it.each([
    ['a\nb\n', 'a\nb\n', true],
    ['a\nb\n', 'a\n', false],
    ['a\nb\nc\n', 'a\n...\nc\n', true],
    ['a\nb\nc\n', '...\nb\n...\n', true],
    ['a\nb\nc\n', 'a\n...\n', true],
    ['a\nb\nc\n', 'b\n...\n', false],
    ['a\nb\nc\n', '...\nb\n', false],
    ['a\nb\nc\n', '...\nx\n...\n', false],
    ['ab\nc\n', '...\nb\n...\nc\n', false],
    ['a\nb\n', 'a\nb\n...\nb\n', false],
  ])('%j as %j: %s', (output, shown, expected) => {
    expect(fits(output, shown)).toBe(expected);
  });
});
