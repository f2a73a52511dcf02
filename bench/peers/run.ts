/**
 * npm run bench:peers -- [--seed N] [--lines N] [--rounds N]
 *
 * Installs the peers (requirements.txt) into a virtual environment below node_modules/.cache, compares `receval score` with
 * each of them on random lists, and measures all of them on one long run. Needs python3 and a package index. Exit code 1:
 * values differ.
 */
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { agreements } from './agreement.ts';
import { writeLists } from './lists.ts';
import { speeds, writeLongRun } from './speed.ts';

const ROOT = join(import.meta.dirname, '../..');
const VENV = join(ROOT, 'node_modules/.cache/receval-peers');
const RECEVAL = [process.execPath, join(ROOT, 'dist/cli/main.js')];

const { values: flags } = parseArgs({
  options: {
    seed: { type: 'string', default: '1' },
    lines: { type: 'string', default: '1000000' },
    rounds: { type: 'string', default: '3' },
  },
});

const python = installed();
const folder = mkdtempSync(join(tmpdir(), 'receval-peers-'));
try {
  writeLists(folder, Number(flags.seed));
  execFileSync(python, [join(import.meta.dirname, 'values.py'), folder], { stdio: ['ignore', 'ignore', 'inherit'] });
  const found = agreements(RECEVAL, folder, JSON.parse(readFileSync(join(folder, 'values.json'), 'utf8')));
  print(
    ['peer', 'preset', 'measures', 'values compared', 'mismatches'],
    [
      ...found.map(({ peer, preset, measures, compared, mismatches }) => [
        peer,
        `\`${preset}\``,
        String(measures),
        compared.toLocaleString('en'),
        String(mismatches.length),
      ]),
    ],
  );
  for (const mismatch of found.flatMap(({ mismatches }) => mismatches)) process.stdout.write(`* ${mismatch}\n`);
  if (found.some(({ mismatches }) => mismatches.length > 0)) process.exitCode = 1;

  if (Number(flags.rounds) > 0) {
    await writeLongRun(folder, Number(flags.lines));
    const measured = speeds(RECEVAL, python, folder, Number(flags.rounds));
    const [{ seconds: ours }] = measured;
    process.stdout.write(`\n${Number(flags.lines).toLocaleString('en')} lines, start-up included:\n\n`);
    print(
      ['', 'seconds', 'times receval'],
      measured.map(({ who, seconds }) => [who, seconds.toFixed(2), (seconds / ours).toFixed(1)]),
    );
  }
} finally {
  rmSync(folder, { recursive: true, force: true });
}

/** The python of the virtual environment. */
function installed(): string {
  const program = join(VENV, 'bin/python');
  const requirements = join(import.meta.dirname, 'requirements.txt');
  if (!existsSync(program)) {
    mkdirSync(VENV, { recursive: true });
    execFileSync('python3', ['-m', 'venv', VENV], { stdio: 'inherit' });
  }
  execFileSync(program, ['-m', 'pip', 'install', '--quiet', '--requirement', requirements], { stdio: 'inherit' });
  return program;
}

function print(head: readonly string[], rows: readonly (readonly string[])[]): void {
  const lines = [head, head.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`);
  process.stdout.write(`${lines.join('\n')}\n`);
}
