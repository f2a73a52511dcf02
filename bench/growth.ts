/**
 * `npm run bench:growth [-- --rounds N]`: how cost grows with partitions, cohorts, measures, horizons and what is read at once,
 * at 2,000 events a second. Each case in its own process, in turn, medians over the rounds, JSON.parse of the same events
 * beside them. Logs are in memory and the store keeps nothing: clients and servers of Kafka and Redis are not part of it.
 */
import { execFileSync } from 'node:child_process';
import { cpus } from 'node:os';
import { fileURLToPath } from 'node:url';
import { flag } from './flag.ts';
import type { GrowthCase, GrowthFigures } from './growth-case.ts';
import { median } from './median.ts';

const USUAL: GrowthCase = {
  partitions: 4,
  cohorts: 10,
  measures: 7,
  horizons: 3,
  vectors: false,
  rate: 2000,
  catchUp: 1,
};
const CASES: readonly (readonly [name: string, growth: GrowthCase])[] = [
  ['4 partitions, 10 cohorts, 7 measures, 3 horizons', USUAL],
  ['64 partitions', { ...USUAL, partitions: 64 }],
  ['256 partitions', { ...USUAL, partitions: 256 }],
  ['1,000 cohorts', { ...USUAL, cohorts: 1000 }],
  ['10,000 cohorts', { ...USUAL, cohorts: 10_000 }],
  ['1,000 cohorts with sums by user bucket', { ...USUAL, cohorts: 1000, vectors: true }],
  ['1 measure', { ...USUAL, measures: 1 }],
  ['1 horizon', { ...USUAL, horizons: 1 }],
  ['6 horizons', { ...USUAL, horizons: 6 }],
  ['a worker of 16 at 100,000 events a second', { ...USUAL, partitions: 16, rate: 6250 }],
  ['10,000 cohorts, 60 s read at once', { ...USUAL, cohorts: 10_000, catchUp: 60 }],
];

const rounds = Number(flag('--rounds') ?? 3);
const script = fileURLToPath(new URL('./growth-case.ts', import.meta.url));

function run(argument: string): string {
  return execFileSync(process.execPath, ['--expose-gc', '--import', 'tsx/esm', script, argument], {
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'inherit'],
  });
}

const references: number[] = [];
const figures = new Map<string, GrowthFigures[]>(CASES.map(([name]) => [name, []]));
for (let round = 1; round <= rounds; round++) {
  const { usPerEvent }: Pick<GrowthFigures, 'usPerEvent'> = JSON.parse(run('reference'));
  references.push(usPerEvent);
  for (const [name, growth] of CASES) {
    process.stderr.write(`round ${round} of ${rounds}: ${name}\n`);
    const found: GrowthFigures = JSON.parse(run(JSON.stringify(growth)));
    figures.get(name)?.push(found);
  }
}

const print = (line: string): void => void process.stdout.write(`${line}\n`);
const reference = median(references);
print(`Node ${process.version}, ${cpus().length} x ${cpus()[0].model}; medians of ${rounds} rounds`);
print(`JSON.parse of the same events: ${reference.toFixed(2)} us per event`);
print('');
print(
  '| case | CPU us per event | times JSON.parse | times the first | rows per commit | idle, % of a core | longest block, CPU ms | KiB per partition, nothing open: state | process |',
);
print('|---|---|---|---|---|---|---|---|---|');
let first: number | undefined;
for (const [name] of CASES) {
  const all = figures.get(name) ?? [];
  const of = (figure: keyof GrowthFigures): number => median(all.map((found) => found[figure]));
  const us = of('usPerEvent');
  first ??= us;
  print(
    `| ${name} | ${us.toFixed(1)} | ${(us / reference).toFixed(1)} | ${(us / first).toFixed(1)} | ${of('rowsPerCommit').toFixed(0)} | ${of('idlePercent').toFixed(1)} | ${of('longestBlockMs').toFixed(0)} | ${of('stateKib').toFixed(0)} | ${of('processKib').toFixed(0)} |`,
  );
}
