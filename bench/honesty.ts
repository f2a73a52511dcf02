/**
 * `npm run bench:honesty [-- --seeds N --from S --only same,crowds,power,worlds,losses,regressed,split,ratio-by,files,bandit,past]`: how often the decisions
 * are wrong, how often and how soon they are right, and what simpler tests say of the same data. Everything comes from seeds S
 * to S + N - 1 (S is usually 1): equal arguments give equal tables. Parts that need more work per seed take a part of N.
 */

import { flag } from './flag.ts';
import { crowdPower, sameCrowds } from './honesty/crowd-tables.ts';
import { openBandit, throughFiles } from './honesty/file-tables.ts';
import type { Seeds } from './honesty/output.ts';
import { againstPast } from './honesty/past-tables.ts';
import { sameVariants, worseTreatment, wrongCohort, wrongSplit } from './honesty/stream-tables.ts';
import { sameWorlds, worseWorlds } from './honesty/world-tables.ts';

const PARTS: ReadonlyMap<string, (seeds: Seeds) => void | Promise<void>> = new Map([
  ['same', sameVariants],
  ['crowds', sameCrowds],
  ['power', crowdPower],
  ['worlds', sameWorlds],
  ['losses', worseWorlds],
  ['regressed', worseTreatment],
  ['split', wrongSplit],
  ['ratio-by', wrongCohort],
  ['files', throughFiles],
  ['bandit', openBandit],
  ['past', againstPast],
]);

function wholeFlag(name: string, usual: number): number {
  const value = Number(flag(name) ?? usual);
  if (!Number.isInteger(value) || value < 1) throw new Error(`${name}: expected a whole number from 1`);
  return value;
}

const seeds: Seeds = { count: wholeFlag('--seeds', 1000), first: wholeFlag('--from', 1) };
const only = flag('--only')?.split(',') ?? [...PARTS.keys()];
const unknown = only.find((name) => !PARTS.has(name));
if (unknown !== undefined) throw new Error(`--only: no part "${unknown}"; expected ${[...PARTS.keys()].join(', ')}`);

const cpu = process.cpuUsage();
for (const [name, part] of PARTS) if (only.includes(name)) await part(seeds);
const { user, system } = process.cpuUsage(cpu);
process.stderr.write(`${Math.round((user + system) / 1e6)} s of CPU\n`);
