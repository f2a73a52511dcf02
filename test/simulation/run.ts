/**
 * npm run simulate:faults -- --seeds N [--seed S] [--sample P]
 *
 * Runs the histories of N seeds from S on (default: 1,000 from 1). `--sample`: share of the commits at which all that is
 * stored is compared with the reference (default 0.03; 1: every commit). Exit code 1: a promise was broken.
 */
import { parseArgs } from 'node:util';
import { endBuilds } from '../mutations/loader.ts';
import { type Many, runSeeds } from './many.ts';
import { theProduct } from './product.ts';
import { reportOf } from './report.ts';
import { summaryOf } from './summary.ts';

const EVERY_MS = 500;

const { values } = parseArgs({
  options: { seeds: { type: 'string' }, seed: { type: 'string' }, sample: { type: 'string' } },
});
const seeds = numberOf('seeds', values.seeds, 1000);
const from = numberOf('seed', values.seed, 1);
const sample = values.sample === undefined ? undefined : numberOf('sample', values.sample, 0);

const product = await theProduct();
const began = performance.now();
let shown = 0;
const many = await runSeeds(product, { from, seeds, sample }, (so) => {
  if (!process.stderr.isTTY || performance.now() - shown < EVERY_MS) return;
  shown = performance.now();
  process.stderr.write(`\r${progressOf(so)}`);
});
if (process.stderr.isTTY) process.stderr.write('\r\u001b[K');
const { user, system } = process.cpuUsage();
process.stdout.write(`${summaryOf(many, { from, seconds: seconds(), cpuSeconds: (user + system) / 1e6 })}\n`);
if (many.failure !== undefined) {
  process.stderr.write('a promise was broken; looking for a shorter history that breaks it, too ...\n');
  process.stdout.write(`${await reportOf(product, many.failure.scenario, many.failure.broken)}\n`);
  process.exitCode = 1;
}
await endBuilds();

function seconds(): number {
  return (performance.now() - began) / 1000;
}

function progressOf({ histories, steps }: Omit<Many, 'failure'>): string {
  const left = (seconds() / histories) * (seeds - histories);
  return `${histories} of ${seeds} histories, ${Math.round(steps / seconds())} steps a second, ${Math.round(left)} s left `;
}

function numberOf(name: string, text: string | undefined, fallback: number): number {
  const value = text === undefined ? fallback : Number(text);
  if (Number.isFinite(value) && value >= 0) return value;
  process.stderr.write(`--${name}: "${text}" is not a number\n`);
  process.exit(2);
}
