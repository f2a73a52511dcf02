/**
 * Commands and files that a page of the documentation shows.
 *
 * A ```console block holds commands, `$ ` before each, and below a command what it prints on standard output, or on standard
 * error where that is all. A command continues behind a line that ends in a backslash. A line `...` stands for lines that are
 * left out; a command without lines below it shows nothing of its output. `echo $?` shows the exit code of the command before
 * it, which else is 0. A ```sh block is one script; a block without a language right below it is what it prints. A block below
 * a line that ends in a file's name and a colon (`` `receval.yaml`: ``) is that file.
 *
 * A comment above a block, `not run: ...` or `run by test/...`, takes it out.
 */
import { spawn } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join, resolve } from 'node:path';
import { RECEVAL } from './tested.ts';

const ROOT = resolve(import.meta.dirname, '..');

export interface ShownCommand {
  readonly command: string;
  /** undefined: nothing of it is shown. */
  readonly output: string | undefined;
}

export interface CommandBlock {
  readonly line: number;
  readonly language: 'console' | 'sh';
  readonly text: string;
  /** The output below a script; undefined: none is shown. */
  readonly output: string | undefined;
  /** Why it is not run; undefined: it is not said to be left out. */
  readonly notRun: string | undefined;
  /** The test that runs it, from the root; undefined: none is named. */
  readonly runBy: string | undefined;
}

const BLOCK =
  /^ *(?:<!-- (?:not run: (?<notRun>.+?)|run by (?<runBy>\S+)) -->\n\n? *)?```(?<language>console|sh)\n(?<text>[\s\S]*?)^ *```$(?:\n\n```\n(?<output>[\s\S]*?)^```$)?/gm;

export function commandBlocks(page: string): readonly CommandBlock[] {
  return [...page.matchAll(BLOCK)].map(({ index, groups = {} }): CommandBlock => {
    const { language, text = '', output, notRun, runBy } = groups;
    const line = page.slice(0, index).split('\n').length;
    return { line, language: language === 'sh' ? 'sh' : 'console', text, output, notRun, runBy };
  });
}

/** The commands that are to be run, in order. */
export function shownCommands(page: string): readonly ShownCommand[] {
  const blocks = commandBlocks(page).filter(({ notRun, runBy }) => notRun === undefined && runBy === undefined);
  return blocks.flatMap(({ language, text, output }) =>
    language === 'sh' ? [{ command: text.trim(), output }] : commandsOf(text),
  );
}

function commandsOf(block: string): readonly ShownCommand[] {
  return block
    .split(/^\$ /m)
    .slice(1)
    .map((text) => {
      const [command = ''] = /^(?:.*\\\n)*.*\n/.exec(text) ?? [];
      const output = text.slice(command.length);
      return { command: command.trimEnd(), output: output === '' ? undefined : output };
    });
}

/** From names of files to their text. */
export function shownFiles(page: string): ReadonlyMap<string, string> {
  const blocks = page.matchAll(/`([\w-]+\.\w+)`[^\n]*:\n\n```\w+\n([\s\S]*?)^```$/gm);
  return new Map([...blocks].map(([, name, text]) => [name, text]));
}

/** JSON values one after the other, each from the start of a line; a value may continue over lines that are indented. */
export function jsonValues(text: string): readonly unknown[] {
  return text
    .split(/^(?=\{)/m)
    .filter((part) => part.trim() !== '')
    .map((part) => JSON.parse(part));
}

/** Whether the output is what is shown, a line `...` standing for any number of lines. */
export function fits(output: string, shown: string): boolean {
  return linesFit(output.split('\n'), shown.split('\n'));
}

function linesFit(printed: readonly string[], shown: readonly string[]): boolean {
  const left = shown.findIndex((line) => line.trim() === '...');
  if (left < 0) return printed.length === shown.length && shown.every((line, i) => line === printed[i]);
  if (printed.length < left || !shown.slice(0, left).every((line, i) => line === printed[i])) return false;
  const rest = shown.slice(left + 1);
  return printed.some((_, i) => i >= left && linesFit(printed.slice(i), rest));
}

/** Folders of a checkout that commands name. */
const OF_CHECKOUT = ['bin', 'deploy', 'sample'];

/** A copy of a folder, or a folder of a checkout with these files in it, in which commands run, `receval` among them. */
export class Workplace {
  readonly #home = mkdtempSync(join(tmpdir(), 'receval-docs-'));
  readonly #folder = join(this.#home, 'folder');

  constructor(content: string | ReadonlyMap<string, string>) {
    if (typeof content === 'string') cpSync(resolve(ROOT, content), this.#folder, { recursive: true });
    else {
      mkdirSync(this.#folder);
      for (const name of OF_CHECKOUT) symlinkSync(join(ROOT, name), join(this.#folder, name));
      for (const [name, text] of content) writeFileSync(join(this.#folder, name), text);
    }
    mkdirSync(join(this.#home, 'bin'));
    symlinkSync(RECEVAL, join(this.#home, 'bin/receval'));
  }

  run(command: string): Promise<{ readonly code: number | null; readonly stdout: string; readonly stderr: string }> {
    const path = `${join(this.#home, 'bin')}${delimiter}${process.env['PATH'] ?? ''}`;
    return new Promise((done, fail) => {
      const child = spawn('bash', ['-c', command], {
        cwd: this.#folder,
        env: { ...process.env, PATH: path },
        stdio: ['ignore', 'pipe', 'pipe'],
      });
      let stdout = '';
      let stderr = '';
      child.stdout.setEncoding('utf8').on('data', (text: string) => {
        stdout += text;
      });
      child.stderr.setEncoding('utf8').on('data', (text: string) => {
        stderr += text;
      });
      child.on('error', fail);
      child.on('close', (code) => done({ code, stdout, stderr }));
    });
  }

  remove(): void {
    rmSync(this.#home, { recursive: true });
  }
}
