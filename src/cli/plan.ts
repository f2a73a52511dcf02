import { Command } from 'commander';
import { loadSettings } from '../config/load.ts';
import type { Settings } from '../config/settings.ts';
import { readTextFile } from '../connections/text-file.ts';
import { compile } from '../measures/scorer.ts';
import { fittedTable } from '../output/table.ts';
import { type Plan, planFor } from '../service/capacity-plan.ts';
import { printDuration } from '../vocabulary/durations.ts';
import { grouped } from '../vocabulary/grouped.ts';
import { nearest } from '../vocabulary/spelling.ts';
import { UsageError } from './failure.ts';
import { outputForm, tableColumns } from './terminal.ts';

interface Flags {
  readonly config?: string;
  readonly listsPerSecond: string;
  readonly feedbackPerList: string;
  readonly items: string;
  readonly catalogue?: string;
  readonly partitions: string;
  readonly workers: string;
  readonly values?: string;
  readonly users?: string;
  readonly output: string;
}

const OUTPUTS = ['table', 'json'] as const;

/** `receval plan`: the resources that the service will need. Reads only the configuration, no broker and no Redis. */
export function planCommand(): Command {
  return new Command('plan')
    .requiredOption('--lists-per-second <n>', 'impressions: the mean of a busy hour')
    .option('--feedback-per-list <n>', 'feedback for each impression', '1.5')
    .option('--items <n>', 'items of a list', '20')
    .option('--catalogue <n>', 'different items that lists show (default: as many as limits.itemsCounted)')
    .option('--partitions <n>', 'partitions of each topic', '12')
    .option('--workers <n>', 'workers that share them', '1')
    .option(
      '--values <counts>',
      'different values of each dimension of `cohorts`, such as country=30,device=3; may be repeated',
      (one: string, before: string | undefined) => (before === undefined ? one : `${before},${one}`),
    )
    .option('--users <n>', 'users whom experiments will have seen (default: more than they sample)')
    .option('--config <file>', 'configuration (default: receval.yaml in this folder, if it exists)')
    .option('--output <form>', OUTPUTS.join(', or '), OUTPUTS[0])
    .addHelpText(
      'after',
      `
Example:
  receval plan --lists-per-second 800 --partitions 12 --workers 2 --values variant=2,country=30

Lists are taken to be spread evenly over partitions, cohorts and minutes: real traffic, where few cohorts have most lists,
makes fewer rows.`,
    )
    .action((flags: Flags) => plan(flags));
}

function plan(flags: Flags): void {
  const form = outputForm(flags.output, OUTPUTS);
  const settings = loadSettings({
    file: flags.config,
    readFile: readTextFile,
    env: process.env,
  });
  const scorer = compile(settings.measures, settings.grading, settings.itemFile);
  const traffic = {
    listsPerSecond: numberOf('--lists-per-second', flags.listsPerSecond, 1e-6),
    feedbackPerList: numberOf('--feedback-per-list', flags.feedbackPerList, 0),
    itemsPerList: numberOf('--items', flags.items, 1),
    catalogue: flags.catalogue === undefined ? undefined : wholeOf('--catalogue', flags.catalogue),
    partitions: wholeOf('--partitions', flags.partitions),
    workers: wholeOf('--workers', flags.workers),
    values: valuesOf(settings, flags.values),
    users: flags.users === undefined ? undefined : numberOf('--users', flags.users, 1),
  };
  if (traffic.workers > traffic.partitions) {
    throw new UsageError(
      `--workers: ${traffic.workers} workers cannot share ${traffic.partitions} partitions: some would be idle`,
    );
  }
  const found = planFor(settings, scorer, traffic);
  process.stdout.write(
    form === 'json'
      ? `${JSON.stringify({ traffic: { ...traffic, values: Object.fromEntries(traffic.values) }, ...found }, null, 1)}\n`
      : table(found, settings, traffic.workers),
  );
}

/** Variants are known from the experiments. */
function valuesOf(settings: Settings, text: string | undefined): ReadonlyMap<string, number> {
  const needed = [...new Set(settings.cohorts.flat())];
  const values = new Map<string, number>();
  for (const { dimension, variants } of settings.experiments) values.set(dimension, variants.size);
  const said = new Set<string>();
  for (const part of (text ?? '').split(',').filter((one) => one !== '')) {
    const [dimension, ...rest] = part.split('=');
    const count = rest.join('=');
    if (!needed.includes(dimension)) {
      const near = nearest(dimension, needed);
      const hint = near === undefined ? `the dimensions are ${needed.join(', ')}` : `did you mean "${near}"?`;
      throw new UsageError(`--values: no grouping set of the configuration has the dimension "${dimension}"; ${hint}`);
    }
    if (said.has(dimension)) throw new UsageError(`--values: ${dimension} is named twice`);
    said.add(dimension);
    values.set(dimension, wholeOf(`--values: ${dimension}`, count));
  }
  const missing = needed.filter((dimension) => !values.has(dimension));
  if (missing.length > 0) {
    throw new UsageError(
      `--values: say how many different values ${missing.join(' and ')} ${missing.length > 1 ? 'have' : 'has'}, such as --values ${missing.map((one) => `${one}=10`).join(',')}`,
    );
  }
  return values;
}

function numberOf(flag: string, text: string, least: number): number {
  const number = Number(text);
  if (text.trim() !== '' && Number.isFinite(number) && number >= least) return number;
  throw new UsageError(`${flag}: expected a number${least > 0 ? ' above 0' : ''}; found "${text}"`);
}

function wholeOf(flag: string, text: string): number {
  if (/^[1-9][0-9]{0,8}$/.test(text)) return Number(text);
  throw new UsageError(`${flag}: expected a whole number above 0; found "${text}"`);
}

function table({ cohorts, worker, redis, exporter }: Plan, { limits }: Settings, workers: number): string {
  const lines: string[][] = [];
  const add = (part: string, what: string, figure: string): void => {
    lines.push([part, what, figure]);
  };
  for (const { by, cohorts: kept, asked } of cohorts) {
    const rest = kept < asked ? ` of ${grouped(asked)}; the rest is __other__ (limits.cohortsPerSet)` : '';
    add('cohorts', by.length === 0 ? 'everything' : `by ${by.join(', ')}`, `${grouped(kept)}${rest}`);
  }
  add('workers', 'CPU of all, in cores', worker.cores.toPrecision(2));
  add('workers', 'open impressions of all', grouped(worker.openImpressions));
  const enough = Number.isFinite(worker.leastWorkers) ? `run ${worker.leastWorkers} or more` : 'take more partitions';
  const tooMuch = workers < worker.leastWorkers ? `, more than a worker can hold: ${enough}` : '';
  const whose = workers === 1 ? 'the worker' : 'each';
  add('workers', `state of ${whose} (limits.stateBytes)`, `${size(worker.stateBytes)}${tooMuch}`);
  add('workers', `memory of ${whose}`, size(worker.memoryBytes));
  for (const { after, rows, bytes } of redis.stored) {
    const isLast = after === redis.stored[redis.stored.length - 1].after;
    const when = isLast ? 'in the steady state' : `after ${printDuration(after)}`;
    add('Redis', `rows ${when}`, `${grouped(rows)}, ${size(bytes)}`);
  }
  if (redis.sampleBytes > 0) add('Redis', 'users of experiments', size(redis.sampleBytes));
  const full = redis.stored[redis.stored.length - 1].bytes + redis.sampleBytes;
  add('Redis', 'maxmemory, a quarter to spare', size(1.25 * full));
  add('Redis', 'memory of its machine', size(2.5 * full));
  add(
    'Redis',
    'commits',
    `${grouped(redis.commitsPerSecond)} a second of ${grouped(redis.rowsPerCommit)} rows; ${size(redis.bytesPerSecond)} a second`,
  );
  add('exporters', 'memory of each', size(exporter.memoryBytes));
  add('exporters', 'series (limits.series)', `${grouped(exporter.series)} of ${grouped(limits.series)}`);
  return fittedTable(tableColumns(process.stdout, false))(['part', 'what', 'figure'], lines, 3);
}

function size(bytes: number): string {
  const megabytes = bytes / 2 ** 20;
  if (megabytes >= 1024) return `${(megabytes / 1024).toPrecision(3)} GiB`;
  return megabytes >= 1 ? `${Math.round(megabytes)} MiB` : `${Math.round(bytes / 1024)} KiB`;
}
