/**
 * `npm run bench:honesty [-- --seeds N --only same,regressed,split,files,bandit,past]`: how often the decisions are wrong, how
 * often and how soon they are right, and what simpler tests say of the same data. Everything comes from seeds 1 to N:
 * equal arguments give equal tables. Parts that need more work per seed take a part of N.
 */
import { openBandit, throughFiles } from './honesty/file-tables.ts';
import { againstPast } from './honesty/past-tables.ts';
import { sameVariants, worseTreatment, wrongSplit } from './honesty/stream-tables.ts';

const PARTS: ReadonlyMap<string, (seeds: number) => void | Promise<void>> = new Map([
  ['same', sameVariants],
  ['regressed', worseTreatment],
  ['split', wrongSplit],
  ['files', throughFiles],
  ['bandit', openBandit],
  ['past', againstPast],
]);

function flag(name: string): string | undefined {
  const at = process.argv.indexOf(name);
  return at < 0 ? undefined : process.argv[at + 1];
}

const seeds = Number(flag('--seeds') ?? 1000);
if (!Number.isInteger(seeds) || seeds < 1) throw new Error('--seeds: expected a whole number from 1');
const only = flag('--only')?.split(',') ?? [...PARTS.keys()];
const unknown = only.find((name) => !PARTS.has(name));
if (unknown !== undefined) throw new Error(`--only: no part "${unknown}"; expected ${[...PARTS.keys()].join(', ')}`);

const cpu = process.cpuUsage();
for (const [name, part] of PARTS) if (only.includes(name)) await part(seeds);
const { user, system } = process.cpuUsage(cpu);
process.stderr.write(`${Math.round((user + system) / 1e6)} s of CPU\n`);
