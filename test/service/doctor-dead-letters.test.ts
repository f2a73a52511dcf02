import { chmodSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { lookAtDeadLetters } from '../../src/service/doctor-dead-letters.ts';
import { kafkaConnection } from '../../src/service/service-settings.ts';
import { load } from '../config/fixture.ts';

const folder = mkdtempSync(join(tmpdir(), 'receval-doctor-letters-'));
afterAll(() => rmSync(folder, { recursive: true }));

async function found(file: string): Promise<readonly string[]> {
  const settings = load(`deadLetter: {to: file, file: ${file}, files: 3}\n`);
  const findings = await lookAtDeadLetters(settings, kafkaConnection(settings, 'test'), Date.now());
  return findings.map(({ level, message }) => `${level} ${message.split(':', 1)[0]}`);
}

it('files of dead letters that others may read are told, those set aside among them', async () => {
  const path = join(folder, 'letters');
  expect(await found(path)).toEqual([`ok ${path} can be made`]);
  for (const name of [path, `${path}.1`, `${path}.2`]) writeFileSync(name, '', { mode: 0o600 });
  expect(await found(path)).toEqual([`ok ${path} can be written`]);
  chmodSync(`${path}.1`, 0o644);
  expect(await found(path)).toEqual([`ok ${path} can be written`, `warning other users may read or write ${path}.1`]);
});

it('a symbolic link where dead letters would go is an error', async () => {
  const path = join(folder, 'link');
  symlinkSync(join(folder, 'elsewhere'), path);
  expect(await found(path)).toEqual([`error ${path} is a symbolic link, which is not followed`]);
});
