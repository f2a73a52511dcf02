/**
 * `npm run bench:honesty [-- --seeds N --only same,regressed,split,pipeline,bandit]`: how often the decisions are wrong,
 * how often and how soon they are right, and what simpler tests say of the same data. Everything comes from seeds 1 to N:
 * equal arguments give equal tables. Parts that need more work per seed take a part of N.
 */
import { normalLower } from '../src/statistics/distributions.ts';
import { SAMPLE_CAPACITY } from '../src/statistics/user-sample.ts';
import { compareBandit } from './honesty/bandit.ts';
import { bothWays, compareShop, differences } from './honesty/pipeline.ts';
import { type RatioSettings, watchSplit } from './honesty/ratio.ts';
import { REGRESSED, SAME } from './honesty/settings.ts';
import { head, row, share, spread } from './honesty/table.ts';
import { watch } from './honesty/watch.ts';

const PARTS = ['same', 'regressed', 'split', 'pipeline', 'bandit'] as const;

const seeds = Number(flag('--seeds') ?? 1000);
const only = flag('--only')?.split(',') ?? PARTS;
if (!Number.isInteger(seeds) || seeds < 1) throw new Error('--seeds: a whole number from 1');

function flag(name: string): string | undefined {
  const at = process.argv.indexOf(name);
  return at < 0 ? undefined : process.argv[at + 1];
}

function print(...lines: readonly string[]): void {
  for (const line of lines) process.stdout.write(`${line}\n`);
}

/** Runs seeds 1 to n. */
function each<Value>(what: string, n: number, run: (seed: number) => Value): Value[] {
  process.stderr.write(`${what}: ${n} seeds\n`);
  return Array.from({ length: n }, (_, i) => run(i + 1));
}

const PER_PART: Readonly<Record<(typeof PARTS)[number], () => void | Promise<void>>> = {
  same,
  regressed,
  split,
  pipeline,
  bandit,
};

function same(): void {
  print('### Both variants are the same: streams with a false alarm', '');
  print(
    head(
      'traffic',
      'streams x looks',
      'regressed or improved',
      'z on lists, each look',
      'z on lists, once',
      't on users, each look',
      't on users, once',
      'srm p < .001',
      'srm found',
    ),
  );
  for (const [name, settings] of SAME) {
    const all = each(name, seeds, (seed) => watch(seed, settings));
    const count = (holds: (one: (typeof all)[number]) => boolean): string => share(all.filter(holds).length, seeds);
    print(
      row(
        name,
        `${seeds} x ${settings.looks}`,
        count(({ regressed, improved }) => regressed !== undefined || improved !== undefined),
        count(({ listsEachLook }) => listsEachLook),
        count(({ listsOnce }) => listsOnce),
        count(({ usersEachLook }) => usersEachLook),
        count(({ usersOnce }) => usersOnce),
        count(({ srmP }) => srmP),
        count(({ srm }) => srm !== undefined),
      ),
    );
  }
  print('');
}

function regressed(): void {
  print('### The treatment is clicked less often by 5 %', '');
  print(
    head(
      'traffic',
      'streams',
      'regressed',
      'improved',
      'delay in looks: median (5 % to 95 %)',
      'in users',
      'in lists',
      'users and lists at the end (median)',
    ),
  );
  const n = Math.ceil(seeds / 5);
  for (const [name, settings] of REGRESSED) {
    const all = each(name, n, (seed) => watch(seed, settings));
    const found = all.flatMap((one) => one.regressed ?? []);
    const later = found.filter(({ looks }) => looks > settings.from);
    const usersAt = (users: number): number => Math.round(users / 100) * 100;
    print(
      row(
        name,
        n,
        share(later.length, n) + (later.length < found.length ? `, too early: ${found.length - later.length}` : ''),
        share(all.filter(({ improved }) => improved !== undefined).length, n),
        spread(later.map(({ looks }) => looks - settings.from)),
        settings.from > 0 ? '-' : spread(later.map(({ users }) => usersAt(users))),
        settings.from > 0 ? '-' : spread(later.map(({ lists }) => usersAt(lists))),
        `${spread(all.map(({ last }) => usersAt(last.users))).split(' ')[0]}, ${spread(all.map(({ last }) => usersAt(last.lists))).split(' ')[0]}`,
      ),
    );
  }
  print('');
}

function split(): void {
  print('### The split of the users is off', '');
  print(head('deviation', 'users', 'units', 'streams x looks', 'srm found', 'after users: median (5 % to 95 %)'));
  const n = Math.ceil(seeds / 5);
  for (const [users, looks, capacity] of [
    [30_000, 25, SAMPLE_CAPACITY],
    [100_000, 10, SAMPLE_CAPACITY],
    [100_000, 10, Number.POSITIVE_INFINITY],
  ] as const) {
    for (const deviation of [0, 0.02, 0.03, 0.05]) {
      const settings: RatioSettings = { users, looks, deviation, capacity };
      const found = each(`split off by ${deviation}`, n, (seed) => watchSplit(seed, settings)).flatMap(
        (one) => one ?? [],
      );
      print(
        row(
          `${100 * deviation} %`,
          users.toLocaleString('en'),
          capacity === SAMPLE_CAPACITY ? 'one' : 'four or more',
          `${n} x ${looks}`,
          share(found.length, n),
          spread(found.map((one) => one.users)),
        ),
      );
    }
  }
  print('');
}

async function pipeline(): Promise<void> {
  const n = Math.min(36, seeds);
  process.stderr.write(`simulated shop: ${n} seeds\n`);
  let alarms = 0;
  let mismatches = 0;
  let looks = 0;
  for (let seed = 1; seed <= n; seed++) {
    const { comparison, trail } = await compareShop(seed);
    const [{ decision, reason }] = comparison.variants;
    if (decision === 'regressed' || decision === 'improved' || reason === 'effect_changed') alarms++;
    if (comparison.srm.mismatch) mismatches++;
    looks += trail.get('treatment')?.length ?? 0;
  }
  print('### Through files, decoder and join', '');
  print(
    `* Simulated shop, both variants of one quality, its usual faults, 20,000 events in 28 hours: ${share(alarms, n)} of ${n} seeds regressed or improved, ${mismatches} with srm, in ${looks} looks.`,
  );
  const pairs = Math.min(12, seeds);
  process.stderr.write(`streams as logs: ${pairs} seeds\n`);
  const [settings] = SAME.values();
  let equal = 0;
  let differ = 0;
  for (let seed = 1; seed <= pairs; seed++) {
    const { direct, logged } = await bothWays(seed, settings);
    const found = differences(direct, logged);
    equal += found.looks - found.differ;
    differ += found.differ;
  }
  print(
    `* ${pairs} of the streams above, written as logs and compared: ${equal} looks with the same effect and interval to the last digit, ${differ} that differ.`,
    '',
  );
}

async function bandit(): Promise<void> {
  const { comparison, measures } = await compareBandit();
  const points = (value: number | null, digits = 5): string => (value === null ? '-' : value.toFixed(digits));
  const both = (bounds: readonly [number, number] | null): string =>
    bounds === null ? '-' : `${points(bounds[0])} to ${points(bounds[1])}`;
  print('### Open Bandit, random against bts', '');
  print(head('measure', 'way', 'effect', 'error', '95 % interval', 'p'));
  for (const { plain, hours, significant, compared } of measures) {
    const { measure, effect, stderr, fixedHorizon, ci, p } = compared;
    const half = 1.959963984540054 * plain.stderr;
    print(
      row(
        measure,
        `rows as if independent, one look; of ${hours} hourly looks ${significant} have p < .05`,
        points(plain.effect),
        points(plain.stderr),
        both([plain.effect - half, plain.effect + half]),
        points(2 * normalLower(-Math.abs(plain.z)), 3),
      ),
      row(
        measure,
        'by users, one look',
        points(effect),
        points(stderr),
        both(fixedHorizon?.ci ?? null),
        points(fixedHorizon?.p ?? null, 3),
      ),
      row(measure, 'by users, any look', points(effect), points(stderr), both(ci), points(p, 3)),
    );
  }
  const [{ decision, reason, explanation }] = comparison.variants;
  print('', `Decision: ${decision} (${reason}). ${explanation}`, '');
}

const cpu = process.cpuUsage();
for (const part of PARTS) if (only.includes(part)) await PER_PART[part]();
const { user, system } = process.cpuUsage(cpu);
process.stderr.write(`${Math.round((user + system) / 1e6)} s of CPU\n`);
