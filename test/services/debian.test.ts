import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { debianProgram, type Surroundings } from './debian.ts';

const TOOL = { command: 'tool', debianPackage: 'toolbox' };

let folder = '';
let bin = '';
let log = '';
let said: string[] = [];

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'receval-debian-'));
  bin = join(folder, 'bin');
  log = join(folder, 'log');
  said = [];
  mkdirSync(bin);
});
afterEach(() => rmSync(folder, { recursive: true }));

/** A program on the PATH that notes how it was called. */
function fake(name: string, script: string): void {
  const path = join(bin, name);
  writeFileSync(path, `#!/bin/sh\nPATH=/usr/bin:/bin\necho "${name} $*" >> '${log}'\n${script}\n`);
  chmodSync(path, 0o755);
}

/** What apt-get, dpkg and ldd do where all is well. */
function fakes({ download = 'touch toolbox_1.deb', ldd = 'echo "libc.so.6 => /lib/libc.so.6 (0x1)"' } = {}): void {
  fake(
    'apt-get',
    `case "$1" in download) ${download};; install) cp /bin/true '${bin}/tool';; *) touch '${folder}/updated';; esac`,
  );
  fake('dpkg', 'mkdir -p "$3/usr/bin" && cp /bin/true "$3/usr/bin/tool"');
  fake('ldd', ldd);
}

function around(isRoot = false): Surroundings {
  const say = (line: string): void => {
    said.push(line);
  };
  return { env: { PATH: bin }, cache: join(folder, 'cache'), isRoot, say };
}

function calls(): string[] {
  const lines = existsSync(log) ? readFileSync(log, 'utf8').trim().split('\n') : [];
  return lines.map((line) => line.split(' ').slice(0, 2).join(' ')).filter((line) => !line.startsWith('ldd'));
}

describe('debianProgram', () => {
  it('takes the program of the PATH', async () => {
    fakes();
    fake('tool', '');
    expect(await debianProgram(TOOL, around())).toBe(join(bin, 'tool'));
    expect(calls()).toEqual([]);
    expect(said).toEqual([]);
  });

  it('unpacks the package into the cache once, says so in one line, and leaves no other file there', async () => {
    fakes();
    const first = await debianProgram(TOOL, around());
    expect(first).toBe(join(folder, 'cache/toolbox/usr/bin/tool'));
    expect(await debianProgram(TOOL, around())).toBe(first);
    expect(calls()).toEqual(['apt-get download', 'dpkg -x']);
    expect(said).toEqual([
      expect.stringMatching(/^tests: unpacking tool from the Debian package toolbox into \S+ \(nothing/),
    ]);
    expect(readdirSync(join(folder, 'cache'))).toEqual(['toolbox']);
  });

  it('unpacks once for many who ask at the same time', async () => {
    fakes({ download: 'sleep 0.3; touch toolbox_1.deb' });
    const paths = await Promise.all(Array.from({ length: 5 }, () => debianProgram(TOOL, around())));
    expect(new Set(paths).size).toBe(1);
    expect(calls()).toEqual(['apt-get download', 'dpkg -x']);
  });

  it('takes over the lock of a process that died', async () => {
    fakes();
    mkdirSync(join(folder, 'cache'));
    writeFileSync(join(folder, 'cache/toolbox.lock'), '2147483646');
    expect(await debianProgram(TOOL, around())).toMatch(/tool$/);
  });

  it('reads the lists of packages first where they are missing, as root', async () => {
    fakes({ download: `test -e '${folder}/updated' && touch toolbox_1.deb` });
    expect(await debianProgram(TOOL, around(true))).toMatch(/tool$/);
    expect(calls()).toEqual(['apt-get download', 'apt-get update', 'apt-get download', 'dpkg -x']);
  });

  it('names the one command where there is nothing to download, and leaves nothing behind', async () => {
    fakes({ download: 'echo "E: Unable to locate package toolbox" >&2; exit 100' });
    await expect(debianProgram(TOOL, around())).rejects.toThrow(
      'cannot get tool (E: Unable to locate package toolbox); as root: apt-get install -y --no-install-recommends toolbox',
    );
    expect(calls()).toEqual(['apt-get download']);
    expect(readdirSync(join(folder, 'cache'))).toEqual([]);
  });

  it('installs the package as root if a library is missing', async () => {
    fakes({ ldd: 'echo "	libx.so.1 => not found"' });
    expect(await debianProgram(TOOL, around(true))).toBe(join(bin, 'tool'));
    expect(calls()).toEqual(['apt-get download', 'dpkg -x', 'apt-get install']);
    expect(readFileSync(log, 'utf8')).toContain('DPkg::Lock::Timeout=300');
    expect(said.at(-1)).toBe('tests: installing the Debian package toolbox: it needs libx.so.1');
  });

  it('does not install it as somebody else', async () => {
    fakes({ ldd: 'echo "	libx.so.1 => not found"' });
    await expect(debianProgram(TOOL, around())).rejects.toThrow(/it needs libx\.so\.1.*apt-get install/);
    expect(calls()).toEqual(['apt-get download', 'dpkg -x']);
  });

  it('says what to do where there is no apt-get', async () => {
    await expect(debianProgram(TOOL, around())).rejects.toThrow('there is no tool on the PATH; install it');
  });
});
