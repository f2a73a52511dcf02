/**
 * `npm run bench [-- --rounds N]`: every stage in its own process, in turn with the reference, medians over the rounds.
 * Trust the ratios: absolute times differ from machine to machine and from hour to hour.
 */
import { execFileSync } from 'node:child_process';
import { cpus } from 'node:os';
import { fileURLToPath } from 'node:url';
import { flag } from './flag.ts';
import { median } from './median.ts';
import type { StateFigures } from './state.ts';

const CASES = [
  'JSON.parse',
  'decode',
  'decode + join',
  'score',
  'accumulate',
  'whole path',
  'whole path, mapped',
] as const;
const EVENTS_PER_IMPRESSION = 2.5;

const rounds = Number(flag('--rounds') ?? 3);

/** tsx/esm, since all of tsx detaches an ArrayBuffer when it reads large CommonJS files (docs/decisions/0012: what that costs). */
function run(...args: readonly string[]): string {
  const script = fileURLToPath(new URL('./case.ts', import.meta.url));
  return execFileSync(
    process.execPath,
    ['--expose-gc', '--max-old-space-size=4096', '--import', 'tsx/esm', script, ...args],
    {
      encoding: 'utf8',
      maxBuffer: 1 << 20,
    },
  );
}

const print = (line: string): void => void process.stdout.write(`${line}\n`);

const times = new Map<string, number[]>(CASES.map((name) => [name, []]));
for (let round = 1; round <= rounds; round++) {
  for (const name of CASES) {
    process.stderr.write(`round ${round} of ${rounds}: ${name}\n`);
    const figures: { readonly us: number } = JSON.parse(run(name));
    times.get(name)?.push(figures.us);
  }
}

const us = (name: string): number => median(times.get(name) ?? []);
const reference = us('JSON.parse');
print(`Node ${process.version}, ${cpus().length} x ${cpus()[0].model}; medians of ${rounds} rounds`);
print('');
print('| stage | CPU us per impression with 1.5 feedback | times JSON.parse | events per CPU second |');
print('|---|---|---|---|');
const row = (name: string, value: number): void =>
  print(
    `| ${name} | ${value.toFixed(2)} | ${(value / reference).toFixed(2)} | ${Math.round((EVENTS_PER_IMPRESSION * 1e6) / value).toLocaleString('en')} |`,
  );
row('JSON.parse alone (reference)', reference);
row('decode', us('decode'));
row('join', Math.max(0.01, us('decode + join') - us('decode')));
row('score, 3 horizons', us('score'));
row('accumulate, 3 horizons', us('accumulate'));
row('whole path in memory', us('whole path'));
row('the same of nested foreign names', us('whole path, mapped'));
print('');
print(
  '| open impressions | packed bytes each | the same in steady state | process bytes each | most CPU of a chunk of 200, filling | steady | CPU us per impression, steady |',
);
print('|---|---|---|---|---|---|');
for (const open of [1_000_000, 5_000_000]) {
  process.stderr.write(`state of ${open} open impressions\n`);
  const f: StateFigures = JSON.parse(run('state', String(open)));
  print(
    `| ${f.open.toLocaleString('en')} | ${f.stateBytes.toFixed(0)} | ${f.steadyStateBytes.toFixed(0)} | ${f.processBytes.toFixed(0)} | ${f.longestFillMs.toFixed(1)} ms | ${f.longestSteadyMs.toFixed(1)} ms | ${f.steadyUs.toFixed(2)} |`,
  );
}
