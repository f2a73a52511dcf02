/** No command overwrites what it reads. */
import {
  linkSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import type { Command } from 'commander';
import { afterAll, describe, expect, it } from 'vitest';
import { compareCommand } from '../../src/cli/compare.ts';
import { fuseCommand } from '../../src/cli/fuse.ts';
import { replayCommand } from '../../src/cli/replay.ts';
import { rulesCommand } from '../../src/cli/rules.ts';
import { scoreCommand } from '../../src/cli/score.ts';
import { mustSpareFiles } from '../../src/cli/written-file.ts';
import { ROOT, receval } from './receval.ts';

const folder = mkdtempSync(join(tmpdir(), 'receval-spared-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const at = (name: string): string => join(folder, name);
for (const name of ['own', 'other', 'receval.yaml']) writeFileSync(at(name), 'same\n');
linkSync(at('own'), at('hard'));
symlinkSync('own', at('soft'));
mkdirSync(at('sub'));
symlinkSync('..', at('sub/up'));
const OWN = ['own', './own', 'sub/../own', 'sub/up/own', 'hard', 'soft'].map((name) => `${folder}/${name}`);

/** Checks what the command would do with these arguments. */
function spare(command: Command, args: readonly string[]): void {
  command.action(() => {}).parse(args, { from: 'user' });
  mustSpareFiles(command);
}

const own = at('own');
const WRITERS: readonly (readonly [() => Command, string, readonly string[]])[] = [
  [replayCommand, '--dropped', ['--impressions', own]],
  [replayCommand, '--dead-letters', ['--events', own]],
  [replayCommand, '--report', ['--feedback', at('other'), `${own}@variant=a`]],
  [compareCommand, '--report', ['--events', own]],
  [compareCommand, '--dropped', ['--events', own]],
  [compareCommand, '--plot', ['--impressions', own]],
  [scoreCommand, '--report', ['--run', `a=${own}`]],
  [scoreCommand, '--plot-file', ['--qrels', own]],
  [fuseCommand, '--output', ['--lists', own]],
  [() => rulesCommand().commands[0], '--output', ['--config', own]],
  [replayCommand, '--dropped', ['--config', own]],
];

describe.each(WRITERS)('%o %s', (command, flag, reading) => {
  it.each(OWN)('is none of the files that are read, by any of their names: %s', (path) => {
    const is = reading.includes('--config') ? 'is the configuration' : 'is one of the inputs';
    expect(() => spare(command(), [...reading, flag, path])).toThrow(
      `${flag}: ${path} ${is}, and would be overwritten`,
    );
  });

  it.each([at('other.new'), '/dev/null', '-'])('may be another: %s', (path) => {
    expect(() => spare(command(), [...reading, flag, path])).not.toThrow();
  });
});

it('distinguishes forms of output from files', () => {
  expect(() => spare(replayCommand(), ['--events', own, '--output', own])).not.toThrow();
});

it.each([
  ['--dropped', at('new'), '--report', `${folder}/sub/../new`],
  ['--dropped', at('hard'), '--dead-letters', at('soft')],
])('writes no file twice: %s %s %s %s', (...args) => {
  expect(() => spare(replayCommand(), [...args])).toThrow(/: \S+ is the file of --dropped|: \S+ is the file of --dead/);
});

it('takes any pipe or device for several', () => {
  expect(() => spare(replayCommand(), ['--dropped', '/dev/null', '--dead-letters', '/dev/null'])).not.toThrow();
});

it.each([
  ['replay --events other --dropped receval.yaml', 'the configuration'],
  ['rules generate --output receval.yaml', 'the configuration'],
  ['replay --events other --config named.yaml --dropped items.csv', 'one of the inputs'],
])('%s ends with 2', async (line, is) => {
  writeFileSync(at('named.yaml'), 'catalogue: items.csv\n');
  writeFileSync(at('items.csv'), 'item,popularity\na,1\n');
  const before = ['receval.yaml', 'items.csv'].map((name) => readFileSync(at(name), 'utf8'));
  const args = line.split(' ');
  const { code, stderr } = await receval(args, { cwd: folder });
  expect([code, stderr]).toEqual([2, `receval: ${args.at(-2)}: ${args.at(-1)} is ${is}, and would be overwritten\n`]);
  expect(['receval.yaml', 'items.csv'].map((name) => readFileSync(at(name), 'utf8'))).toEqual(before);
});

/** What is added to the commands must be added to what is written, or here. */
const READ = ['--config', '--events', '--feedback', '--impressions', '--lists', '--qrels', '--run', '--token-file'];
/** Replaces no file. */
const NEW = ['--write'];

it('knows each option that takes a file', () => {
  const sources = readdirSync(resolve(ROOT, 'src/cli')).map((name) =>
    readFileSync(resolve(ROOT, 'src/cli', name), 'utf8'),
  );
  const flags = sources.flatMap((text) =>
    [...text.matchAll(/'(--[a-z-]+) <[^>']*file[^>']*>'/g)].map(([, flag]) => flag),
  );
  const written = WRITERS.map(([, flag]) => flag);
  expect([...new Set(flags)].sort()).toEqual([...new Set([...READ, ...NEW, ...written])].sort());
});
