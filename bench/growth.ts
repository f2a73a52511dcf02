/**
 * `npm run bench:growth [-- --rounds N]`: how the cost of a worker at 2,000 events a second grows, and what an exporter costs. Each case
 * in its own process, in turn, medians over the rounds, JSON.parse of the same events beside them. The worker's logs are in memory and its
 * store keeps nothing: clients and servers of Kafka and Redis are not part of it. The exporter reads from a Redis.
 */
import { execFileSync } from 'node:child_process';
import { cpus } from 'node:os';
import { fileURLToPath } from 'node:url';
import type { ExporterFigures } from './exporter-case.ts';
import { flag } from './flag.ts';
import type { GrowthFigures } from './growth-case.ts';
import { CASES } from './growth-cases.ts';
import { median } from './median.ts';

const rounds = Number(flag('--rounds') ?? 3);

function run(file: string, argument: string): string {
  const script = fileURLToPath(new URL(file, import.meta.url));
  return execFileSync(process.execPath, ['--expose-gc', '--import', 'tsx/esm', script, argument], {
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'inherit'],
  });
}

const EXPORTED_COHORTS = [6, 80];

const references: number[] = [];
const figures = new Map<string, GrowthFigures[]>(CASES.map(([name]) => [name, []]));
for (let round = 1; round <= rounds; round++) {
  const { usPerEvent }: Pick<GrowthFigures, 'usPerEvent'> = JSON.parse(run('growth-case.ts', 'reference'));
  references.push(usPerEvent);
  for (const [name, growth] of CASES) {
    process.stderr.write(`round ${round} of ${rounds}: ${name}\n`);
    const found: GrowthFigures = JSON.parse(run('growth-case.ts', JSON.stringify(growth)));
    figures.get(name)?.push(found);
  }
}
const exporters = EXPORTED_COHORTS.map((cohorts): ExporterFigures => {
  process.stderr.write(`an exporter of ${cohorts} cohorts\n`);
  return JSON.parse(run('exporter-case.ts', String(cohorts)));
});

const print = (line: string): void => void process.stdout.write(`${line}\n`);
const reference = median(references);
print(`Node ${process.version}, ${cpus().length} x ${cpus()[0].model}; medians of ${rounds} rounds`);
print(`JSON.parse of the same events: ${reference.toFixed(2)} us per event`);
print('');
print(
  '| case | CPU us per event | times JSON.parse | times the first | rows per commit | idle, % of a core | longest block, CPU ms | KiB per partition, nothing open: state | process | metrics page, kB | CPU ms to make it |',
);
print('|---|---|---|---|---|---|---|---|---|---|---|');
let first: number | undefined;
for (const [name] of CASES) {
  const all = figures.get(name) ?? [];
  const of = (figure: keyof GrowthFigures): number => median(all.map((found) => found[figure]));
  const us = of('usPerEvent');
  first ??= us;
  print(
    `| ${name} | ${us.toFixed(1)} | ${(us / reference).toFixed(1)} | ${(us / first).toFixed(1)} | ${of('rowsPerCommit').toFixed(0)} | ${of('idlePercent').toFixed(1)} | ${of('longestBlockMs').toFixed(0)} | ${of('stateKib').toFixed(0)} | ${of('processKib').toFixed(0)} | ${(of('pageBytes') / 1000).toFixed(0)} | ${of('pageMs').toFixed(1)} |`,
  );
}
print('');
print(
  '| exporter of | CPU s until all of a day is read | longest block, ms: then | while it follows | CPU ms when a minute has closed | each other look | metrics page, kB | process, MB |',
);
print('|---|---|---|---|---|---|---|---|');
for (const {
  series,
  startSeconds,
  startBlockMs,
  followBlockMs,
  minuteMs,
  idleMs,
  pageBytes,
  processBytes,
} of exporters) {
  const page = (pageBytes / 1000).toFixed(0);
  const process = (processBytes / 1e6).toFixed(0);
  print(
    `| ${series} series | ${startSeconds.toFixed(1)} | ${startBlockMs.toFixed(0)} | ${followBlockMs.toFixed(0)} | ${minuteMs.toFixed(0)} | ${idleMs.toFixed(1)} | ${page} | ${process} |`,
  );
}
