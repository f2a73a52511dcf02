/** What is open lies in WebAssembly memory, which needs address space: what is said where there is too little. */
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { run } from '../services/commands.ts';
import { RECEVAL } from '../tested.ts';
import { ROOT } from './receval.ts';

const LOGS = join(ROOT, 'sample/open_bandit');
const REPLAY = [
  'replay',
  '--config',
  join(LOGS, 'receval.yaml'),
  '--events',
  join(LOGS, 'bts_men.csv.gz@variant=bts'),
  '--output',
  'json',
];

/** `receval replay` of the sample with so many KiB of address space. */
function replay(kib: number, flags: readonly string[]) {
  const command = [process.execPath, ...flags, RECEVAL, ...REPLAY];
  return run('bash', ['-c', `ulimit -v ${kib}; exec "$@"`, 'bash', ...command]);
}

/** What compiles the sources of a checkout on their way needs WebAssembly, too: the compiled command is asked (`npm test`). */
const isCompiled = process.env['TESTED_FOLDER'] !== undefined;

describe.skipIf(process.platform !== 'linux' || !isCompiled)('under a limit on address space', () => {
  it('replay says what to raise, or how to start without', async () => {
    const { stdout, stderr } = await replay(9_000_000, []);
    expect(stdout).toBe('');
    expect(stderr).toMatch(/^receval: WebAssembly gets no memory.*\(ulimit -v\), or start node with --disable-wasm/m);
  });

  it('and started so, it counts what it counts with all the space', async () => {
    const { stdout } = await replay(4_000_000, ['--disable-wasm-trap-handler']);
    const all = await run(process.execPath, [RECEVAL, ...REPLAY]);
    expect(JSON.parse(stdout)).toEqual(JSON.parse(all.stdout));
  });
});
