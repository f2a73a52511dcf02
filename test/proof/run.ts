/**
 * The proof in its long form, or in any other: `npx tsx test/proof/run.ts [events=N] [brokers=1|3] [kills=N] ...`, by the
 * names of ProofParameters. Prints what it does, then the figures; exit code 1 if a number differs.
 */
import type { ProofParameters } from './parameters.ts';
import { type ProofReport, prove } from './proof.ts';

const LONG: ProofParameters = {
  events: 1_000_000,
  brokers: 3,
  partitions: 12,
  workers: 2,
  exporters: 2,
  kills: 10,
  freezes: 0,
  redisRestarts: 3,
  seed: 1,
  pace: 3000,
};

function parametersOf(args: readonly string[]): ProofParameters {
  const given = new Map(args.map((arg) => arg.split('=')).map(([name, value]) => [name, Number(value)]));
  const of = (name: keyof ProofParameters): number => {
    const value = given.get(name) ?? LONG[name];
    given.delete(name);
    if (!Number.isSafeInteger(value) || value < 0) throw new Error(`${name}: expected a whole number from 0`);
    return value;
  };
  const parameters: ProofParameters = {
    events: of('events'),
    brokers: of('brokers') === 1 ? 1 : 3,
    partitions: of('partitions'),
    workers: of('workers'),
    exporters: of('exporters'),
    kills: of('kills'),
    freezes: of('freezes'),
    redisRestarts: of('redisRestarts'),
    seed: of('seed'),
    pace: of('pace'),
  };
  const [unknown] = given.keys();
  if (unknown !== undefined) throw new Error(`no parameter ${unknown}; there are ${Object.keys(LONG).join(', ')}`);
  return parameters;
}

function print(report: ProofReport): void {
  const { verdict, totals } = report;
  const lines = [
    `records ${report.records}, kills ${report.kills}, freezes ${report.freezes}, redis restarts ${report.redisRestarts}, units claimed ${report.claims}, fenced ${report.fenced}`,
    `recorded inputs: idle advances ${report.idleAdvances}, records judged by the clock ${report.clockDrops}`,
    `compared: ${verdict.rows} rows, ${verdict.numbers} whole numbers, ${report.gauges} gauges on each exporter`,
    `lost ${verdict.lost}, double ${verdict.double}, different ${verdict.different}, gauges different ${report.gaugeDifferences.map((all) => all.length).join(' and ')}`,
    `feedback without a verdict: ${report.waitingFeedback}; exit codes ${report.exitCodes.join(' ')}`,
    `${report.seconds.toFixed(0)} s`,
    ...[...totals].filter(([, value]) => value > 0n).map(([name, value]) => `  ${name} ${value}`),
    ...report.crashes.map((crash) => `ended by itself: ${crash}`),
    ...verdict.examples,
    ...report.gaugeDifferences.flatMap((all) => all.slice(0, 10)),
  ];
  process.stdout.write(`${lines.join('\n')}\n`);
}

const parameters = parametersOf(process.argv.slice(2));
process.stdout.write(`${JSON.stringify(parameters)}\n`);
const report = await prove(parameters, (line) => process.stdout.write(`${line}\n`));
print(report);
const isEqual = report.verdict.different === 0 && report.gaugeDifferences.every((all) => all.length === 0);
process.exitCode = isEqual ? 0 : 1;
