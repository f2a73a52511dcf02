/** What becomes of a file that a user keeps when it is written again, and when that fails. */
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { WholeFile, writeWhole } from '../../src/cli/whole-file.ts';
import { run } from '../services/commands.ts';
import { RECEVAL } from '../tested.ts';
import { ROOT } from './receval.ts';

const TSX = import.meta.resolve('tsx');

const folder = mkdtempSync(join(tmpdir(), 'receval-whole-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

let number = 0;
function newFolder(): string {
  const path = join(folder, String(number++));
  mkdirSync(path);
  return path;
}

const read = (path: string): string => readFileSync(path, 'utf8');

describe('a file that is written again', () => {
  it('keeps its mode and owner, and nothing is left beside it', () => {
    const here = newFolder();
    const path = join(here, 'rules.yml');
    writeFileSync(path, 'old');
    chmodSync(path, 0o640);
    const { uid, gid } = statSync(path);
    writeWhole(path, 'new');
    expect([read(path), readdirSync(here)]).toEqual(['new', ['rules.yml']]);
    expect(statSync(path)).toMatchObject({ uid, gid });
    expect(statSync(path).mode & 0o777).toBe(0o640);
  });

  it('is the one that symbolic links lead to, which stay', () => {
    const here = newFolder();
    mkdirSync(join(here, 'kept'));
    writeFileSync(join(here, 'kept', 'rules.yml'), 'old');
    symlinkSync('kept/rules.yml', join(here, 'one'));
    symlinkSync('one', join(here, 'two'));
    writeWhole(join(here, 'two'), 'new');
    expect(read(join(here, 'kept', 'rules.yml'))).toBe('new');
    expect(lstatSync(join(here, 'two')).isSymbolicLink()).toBe(true);
    expect(lstatSync(join(here, 'one')).isSymbolicLink()).toBe(true);
  });

  it('is made where a link leads to nothing yet', () => {
    const here = newFolder();
    mkdirSync(join(here, 'kept'));
    symlinkSync('kept/rules.yml', join(here, 'link'));
    writeWhole(join(here, 'link'), 'new');
    expect([read(join(here, 'kept', 'rules.yml')), readdirSync(join(here, 'kept'))]).toEqual(['new', ['rules.yml']]);
  });

  it('is refused if links lead in a circle', () => {
    const here = newFolder();
    symlinkSync('a', join(here, 'b'));
    symlinkSync('b', join(here, 'a'));
    expect(() => writeWhole(join(here, 'a'), 'new', { flag: '--output' })).toThrow(
      `--output: cannot write ${join(here, 'a')}: its symbolic links lead in a circle`,
    );
  });

  it('appears at the end only, and not if it is dropped', () => {
    const here = newFolder();
    const path = join(here, 'run');
    const dropped = new WholeFile(path);
    dropped.write('half');
    expect(existsSync(path)).toBe(false);
    dropped.drop();
    expect(readdirSync(here)).toEqual([]);
    const whole = new WholeFile(path);
    whole.write('one ');
    whole.write(Buffer.from('two'));
    whole.end();
    whole.drop();
    expect([read(path), readdirSync(here)]).toEqual(['one two', ['run']]);
  });

  it('may have a name as long as names can be', () => {
    const path = join(newFolder(), 'ü'.repeat(127));
    writeWhole(path, 'new');
    expect(read(path)).toBe('new');
  });

  it('is not replaced where a new one is asked for', () => {
    const here = newFolder();
    const path = join(here, 'receval.yaml');
    writeWhole(path, 'first', { isNew: true });
    expect(() => writeWhole(path, 'second', { isNew: true })).toThrow(/cannot write/);
    expect([read(path), readdirSync(here)]).toEqual(['first', ['receval.yaml']]);
  });

  it('is written directly if it is a pipe', async () => {
    const here = newFolder();
    execFileSync('mkfifo', [join(here, 'pipe')]);
    const reader = run('cat', [join(here, 'pipe')]);
    writeWhole(join(here, 'pipe'), 'through');
    expect((await reader).stdout).toBe('through');
    expect(lstatSync(join(here, 'pipe')).isFIFO()).toBe(true);
  });

  it('is written directly if it is a device', () => {
    writeWhole('/dev/null', 'nothing');
    expect(lstatSync('/dev/null').isCharacterDevice()).toBe(true);
  });
});

describe('a command that cannot write all of a file', () => {
  const here = newFolder();
  const RUN = Array.from({ length: 400 }, (_, q) => `q${q} Q0 d1 1 9.5 mine\n`).join('');
  beforeAll(() => {
    writeFileSync(join(here, 'a.run'), RUN);
    writeFileSync(join(here, 'qrels'), 'q1 0 d1 1\nq2 0 d1 1\n');
    writeFileSync(join(here, 'b.run'), RUN);
  });

  /** Files of this shell's commands are at most 1 KiB large: what is left is what a full disk leaves. */
  const limited = (args: string) =>
    run('bash', [
      '-c',
      `cd "$0" && node="$1" receval="$2"; ulimit -f 1; "$node" "$receval" ${args}`,
      here,
      process.execPath,
      RECEVAL,
    ]);

  it.each([
    ['rules.yml', 'rules generate --output rules.yml', '--output: '],
    ['grafana/receval-quality.json', 'dashboards generate quality --output grafana', ''],
    ['r.html', 'score --run a.run --qrels qrels --report r.html', '--report: '],
    ['p.svg', 'score --run a.run --qrels qrels --measures mrr --plot bar --plot-file p.svg', '--plot-file: '],
    ['merged', 'fuse --run a.run --run b.run --method rrf --output merged', '--output: '],
  ])('leaves the earlier one, and says so: %s', async (name, args, flag) => {
    mkdirSync(join(here, 'grafana'), { recursive: true });
    writeFileSync(join(here, name), 'good');
    const before = readdirSync(here, { recursive: true });
    const { code, stderr } = await limited(args);
    expect(stderr).toContain(
      `receval: ${flag}cannot write ${name}: it would be larger than the system allows (ulimit -f). Make room, or name a file elsewhere. The earlier file is as it was\n`,
    );
    expect(code).toBe(1);
    expect(read(join(here, name))).toBe('good');
    expect(readdirSync(here, { recursive: true })).toEqual(before);
  });

  it('leaves no part of a simulation', async () => {
    mkdirSync(join(here, 'shop'));
    writeFileSync(join(here, 'shop', 'simulation.json'), 'good');
    const { code, stderr } = await limited('simulate --to shop --events 2000 --force');
    expect(stderr).toContain('cannot write shop/');
    expect(code).toBe(1);
    expect([readdirSync(join(here, 'shop')), read(join(here, 'shop', 'simulation.json'))]).toEqual([
      ['simulation.json'],
      'good',
    ]);
  });

  it.each(['SIGINT', 'SIGTERM', 'SIGHUP'] as const)('leaves nothing when it is stopped by %s', async (signal) => {
    const stopped = newFolder();
    const module = JSON.stringify(resolve(ROOT, 'src/cli/whole-file.ts'));
    writeFileSync(
      join(stopped, 'command.mts'),
      `import { WholeFile } from ${module};
      new WholeFile('merged').write('half');
      console.log('written');
      setInterval(() => {}, 1000);`,
    );
    const child = spawn(process.execPath, ['--import', TSX, 'command.mts'], { cwd: stopped });
    const ended = once(child, 'exit');
    await once(child.stdout, 'data');
    expect(readdirSync(stopped)).toHaveLength(2);
    child.kill(signal);
    expect(await ended).toEqual([null, signal]);
    expect(readdirSync(stopped)).toEqual(['command.mts']);
  });
});
