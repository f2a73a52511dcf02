/** `npm run check`: types and style beside each other, each of which says what is wrong. */
import { spawn } from 'node:child_process';
import { join, resolve } from 'node:path';

const ROOT = resolve(import.meta.dirname, '..');
const CHECKS = [
  ['typescript/bin/tsc', '-p', 'test/tsconfig.json'],
  ['@biomejs/biome/bin/biome', 'check', '--error-on-warnings', '.'],
] as const;

const codes = await Promise.all(
  CHECKS.map(async ([file, ...args]) => {
    const child = spawn(process.execPath, [join(ROOT, 'node_modules', file), ...args], { cwd: ROOT, stdio: 'inherit' });
    return new Promise<number>((ended) => child.on('close', (code) => ended(code ?? 1)));
  }),
);
process.exitCode = Math.max(...codes);
