import { mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { TokenGuard } from '../../src/server/token.ts';
import { load } from '../config/fixture.ts';
import { run } from '../services/commands.ts';
import { ROOT } from './compose-file.ts';

const top = mkdtempSync(join(tmpdir(), 'receval-token-'));
afterAll(() => rmSync(top, { recursive: true }));

let made = 0;
function folders(): readonly [string, string] {
  const name = String(made++);
  const pair = [join(top, name, 'receval'), join(top, name, 'prometheus')] as const;
  for (const folder of pair) mkdirSync(folder, { recursive: true });
  return pair;
}

async function make(pair: readonly [string, string]): Promise<readonly string[]> {
  const done = await run('sh', ['deploy/http/token.sh', ...pair], { cwd: ROOT, env: { PATH: process.env['PATH'] } });
  expect(done).toEqual({ code: 0, stdout: '', stderr: '' });
  return pair.map((folder) => readFileSync(join(folder, 'token'), 'utf8'));
}

describe('deploy/http/token.sh', () => {
  it('makes one token for both, which receval takes, and which only their users may read', async () => {
    const pair = folders();
    const [asked, shown] = await make(pair);
    expect(shown).toBe(asked);
    const { token } = load(`http: {tokenFile: ${join(pair[0], 'token')}}\n`).http;
    if (token === undefined) throw new Error('there is no token');
    expect(new TokenGuard(token).accepts(`Bearer ${shown.trim()}`)).toBe(true);
    for (const folder of pair) expect(statSync(join(folder, 'token')).mode & 0o777).toBe(0o400);
  });

  it('leaves it when it runs again, makes another elsewhere, and both anew where one is missing', async () => {
    const pair = folders();
    const [first] = await make(pair);
    expect(await make(pair)).toEqual([first, first]);
    expect((await make(folders()))[0]).not.toBe(first);
    for (const folder of pair) {
      rmSync(join(folder, 'token'));
      writeFileSync(join(folder, 'token'), '');
      const [asked, shown] = await make(pair);
      expect(asked).toMatch(/^[0-9a-f]{64}\n$/);
      expect(shown).toBe(asked);
    }
  });
});
