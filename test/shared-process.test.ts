import { resolve } from 'node:path';
import { expect, it } from 'vitest';
import { sharesProcess, testFiles } from './shared-process.ts';

/** Whether a test of this text shares a process, which imports a file of the other text. */
function shares(text: string, imported = ''): boolean {
  const files = new Map([
    [resolve('test/a.test.ts'), text],
    [resolve('test/b.ts'), imported],
  ]);
  return sharesProcess('test/a.test.ts', (path) => files.get(path) ?? expect.fail(`${path} is read`));
}

it.each([
  'vi.useFakeTimers();',
  "vi.mock('./b.ts');",
  "vi.spyOn(Math, 'random');",
  "process.env['TZ'] = 'UTC';",
  'process.exitCode = 1;',
  "process.on('warning', listener);",
  "Object.assign(process.env, { TZ: 'UTC' });",
  "delete process.env['TZ'];",
  'globalThis.fetch = nothing;',
  "process.on('exit', listener);",
  "process.stdout.write('line');",
  "import { Worker } from 'node:worker_threads';",
  `${'import kafkajs from'} 'kafkajs';`,
  `const kafkajs = ${'require('}'kafkajs');`,
])('a file has a process of its own for: %s', (text) => {
  expect(shares(text)).toBe(false);
  expect(shares("import { b } from './b.ts';", text)).toBe(false);
  expect(shares("const { b } = await import('./b.ts');", text)).toBe(false);
});

it.each([
  "import { b } from './b.ts';",
  "import { Unit } from '../src/unit/unit.ts';",
  "import { ServiceProcess } from '../proof/process.ts';",
  "import { spawn } from 'node:child_process';",
  'const called = vi.fn();',
  "import { kafkajs } from '../src/consumers/source/kafka/access/client.ts';",
  "type Admin = import('kafkajs').Admin;",
  "const { PATH } = process.env; run(process.execPath, { env: process.env, TZ: process.env['TZ'] });",
  "process.once('exit', lastResort); process.off('exit', lastResort);",
  "properties['process.roles']",
  // In two parts, so that it does not hold for this file.
  `/** ${'Leaves its process'} as it was: see finally. */ process.exitCode = 0;`,
  '',
])('and shares one with: %s', (text) => {
  expect(shares(text, "export * from './a.test.ts';")).toBe(true);
});

it('most files share one', () => {
  const files = testFiles();
  expect(files.filter((file) => sharesProcess(file)).length).toBeGreaterThan(files.length / 2);
});
