import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { Secret } from '../../src/connections/secret.ts';

const folder = mkdtempSync(join(tmpdir(), 'receval-secret-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function inFile(name: string, text?: string): Secret {
  const path = join(folder, name);
  if (text !== undefined) writeFileSync(path, text);
  return new Secret({ kind: 'file', path, setting: 'redis.passwordFile' });
}

test.each([
  ['word', 'word'],
  ['word\n', 'word'],
  ['word\r\n', 'word'],
  ['word\n\n', 'word\n'],
  [' two words ', ' two words '],
])('of a file with %j the secret is %j', (text, secret) => {
  expect(inFile('one', text).read()).toBe(secret);
});

test('a file is read again each time, and what it held is known', () => {
  const secret = inFile('moving', 'first');
  expect(secret.read()).toBe('first');
  writeFileSync(join(folder, 'moving'), 'second');
  expect(secret.read()).toBe('second');
  expect([...secret.seen]).toEqual(['first', 'second']);
});

test('while a file is gone or empty, the secret is what it held last', () => {
  const secret = inFile('gone', 'kept');
  expect(secret.read()).toBe('kept');
  writeFileSync(join(folder, 'gone'), '');
  expect(secret.read()).toBe('kept');
  rmSync(join(folder, 'gone'));
  expect(secret.read()).toBe('kept');
});

test('a file that cannot be used at first is an error that names setting and file', () => {
  expect(() => inFile('missing').read()).toThrow(
    `redis.passwordFile: cannot read ${join(folder, 'missing')}: there is no such file`,
  );
  expect(() => inFile('empty', '\n').read()).toThrow(/redis\.passwordFile: .*empty is empty$/);
  const whole = new Secret({ kind: 'file', path: folder, setting: 'redis.passwordFile' });
  expect(() => whole.read()).toThrow('it is a folder');
});
