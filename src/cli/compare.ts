import { Command } from 'commander';
import { withFiles } from '../config/named-files.ts';
import type { ExperimentSettings, Settings } from '../config/settings.ts';
import { ADAPTER_NAMES } from '../consumers/decode/decoder-settings.ts';
import { isDimensionName } from '../consumers/decode/dimensions.ts';
import type { Comparison } from '../experiment/comparison.ts';
import { planOf } from '../experiment/experiment-plan.ts';
import { keysText } from '../exporter/lost-rows.ts';
import { comparedFindings } from '../findings/compared-findings.ts';
import { type EmptyCounts, emptyLists } from '../findings/empty-lists.ts';
import { type Finding, inOrder } from '../findings/finding.ts';
import { compareFiles, type FilesCompared } from '../replay/compare-files.ts';
import type { Dropped } from '../replay/drop-watch.ts';
import { droppedLine } from '../replay/dropped-line.ts';
import type { ReplayInputs } from '../replay/file-replay.ts';
import { compareEarlier, compareStored, type StoredCompared, storedPositions } from '../service/compare-stored.ts';
import { partitionsText } from '../service/misfits.ts';
import type { Label } from '../statistics/decision.ts';
import { withPositions } from '../unit/unit-settings.ts';
import { grouped } from '../vocabulary/grouped.ts';
import { suggestion } from '../vocabulary/spelling.ts';
import { RESTORE_ADVICE } from '../worker/status.ts';
import { aboutService } from './about-service.ts';
import { COMPARISON_OUTPUTS, printComparison } from './comparison-output.ts';
import { comparisonPlot } from './comparison-plot.tsx';
import { UsageError } from './failure.ts';
import { type InputFlags, readInputs } from './inputs.ts';
import { newHashSeed } from './process.ts';
import { recordsFile } from './records-file.ts';
import {
  ALLOW_EMPTY,
  aboutFiles,
  CLOSE_ALL,
  DROPPED,
  NOW,
  noteOddities,
  optionsOf,
  REPORT,
  type ReplayFlags,
  readConfiguration,
  withProgress,
} from './replay.ts';
import { showReport } from './report-file.ts';
import { word } from './score-settings.ts';
import { COLOUR, outputForm, painter, tableColumns, WIDE } from './terminal.ts';
import { writeWhole } from './whole-file.ts';
import { mustBePlotFile, mustBeReportFile, mustSpareFiles } from './written-file.ts';

interface Flags extends ReplayFlags {
  readonly experiment?: string;
  readonly redis?: string;
  readonly namespace?: string;
  readonly plot?: string;
  readonly plan?: boolean;
  readonly earlier?: boolean;
  readonly ratioBy?: string;
  readonly failOn?: string;
  readonly color: string;
}

/** Exit code of a variant that is worse than the control (specification: commands 2). */
const REGRESSED = 3;
/** Exit code of a decision that `--fail-on` names. */
const FAILED_ON = 4;
const FAIL_ON = ['invalid', 'insufficient'] as const;
type FailOn = (typeof FAIL_ON)[number];

export function compareCommand(): Command {
  return new Command('compare')
    .option('--experiment <name>', 'one of the configuration (default: the only one, or "default")')
    .option('--impressions <file...>', 'impressions: NDJSON, JSON, CSV, TSV, Parquet; .gz, .zst; - is standard input')
    .option('--feedback <file...>', 'feedback, in any of these forms')
    .option('--events <file...>', 'both sides in one log')
    .option(
      '--adapter <name>',
      `how records are read: ${ADAPTER_NAMES.join(', ')} (default: that of the configuration)`,
    )
    .option('--measures <list>', 'such as mrr,ndcg@10 (default: those of the configuration)')
    .option('--concat', 'take several files of a side one after the other; else they are merged by event time')
    .option('--close-all', CLOSE_ALL)
    .option('--dropped <file>', `of files: ${DROPPED}`)
    .option('--allow-empty', ALLOW_EMPTY)
    .option('--now <time>', NOW)
    .option('--redis <url>', 'without files: the Redis of a running service (default: that of the configuration)')
    .option('--namespace <name>', 'without files: its namespace (default: that of the configuration)')
    .option('--earlier', 'without files: the run that other settings have ended last, kept for a week')
    .option('--config <file>', 'configuration (default: receval.yaml in this folder, if it exists)')
    .option('--output <form>', COMPARISON_OUTPUTS.join(', '), 'table')
    .option('--report <file.html>', REPORT)
    .option('--wide', WIDE)
    .option(...COLOUR)
    .option('--plot <file.svg>', 'draw the effect on the primary measure, look by look')
    .option('--plan', 'say how many users and days it takes to detect effects of 1, 2, 5 and 10 %')
    .option(
      '--ratio-by <list>',
      'of files: also the split of the users in each cohort of these, such as country,platform',
    )
    .option('--fail-on <list>', 'exit with 4 if a decision is invalid or insufficient: either, or both with a comma')
    .addHelpText(
      'after',
      `
Files are looked at on each full hour of event time and at the end. Without files the experiment of a running service is
shown, at the looks that the service takes once a minute; nothing is written. Exit code 3: a variant regressed.
Exit code 4: a decision that --fail-on names.

Examples:
  receval compare --impressions impressions.ndjson.gz --feedback feedback.ndjson.gz --plot effect.svg
  receval compare --impressions impressions.ndjson.gz --ratio-by country,platform
  receval compare --config receval.yaml --fail-on invalid,insufficient
  receval compare --events random.csv@variant=random bts.csv@variant=bts --adapter open-bandit --config bandit.yaml`,
    )
    .action(async (flags: Flags, command: Command) => {
      const output = outputForm(flags.output, COMPARISON_OUTPUTS);
      const failOn = flags.failOn === undefined ? [] : failOnOf(flags.failOn);
      const paint = painter(process.stdout, flags.color);
      const files = hasFiles(flags) ? readInputs(flags) : undefined;
      if (flags.plot !== undefined) mustBePlotFile('--plot', flags.plot);
      mustBeReportFile('--report', flags.report);
      const configuration = readConfiguration(flags, 'run');
      const isReported = output === 'html' || flags.report !== undefined;
      mustSpareFiles(command, [configuration.settings.catalogue]);
      const configured = await withFiles(configuration.settings);
      const settings = isReported ? withPositions(configured) : configured;
      const compared: Partial<FilesCompared> & StoredCompared =
        files === undefined
          ? await readLive(settings, flags, isReported)
          : await readAndCompare(files, settings, flags);
      const { comparison, experiment, trail, began, replayed } = compared;
      const extras = {
        plan: flags.plan === true ? planOf(comparison, trail, { ...experiment, began }) : undefined,
        ratioBy: compared.ratioBy,
        replayed,
        findings: findingsOf(compared, experiment, settings),
      };
      const page = isReported
        ? (await import('./comparison-report.ts')).comparisonReport(
            { comparison, trail, extras, settings, experiment, stored: compared.positions },
            files === undefined ? aboutService(configuration) : aboutFiles(files, configuration),
          )
        : undefined;
      if (output !== 'html') {
        const printed = printComparison(comparison, output, extras, tableColumns(process.stdout, flags.wide));
        process.stdout.write(output === 'table' ? paint(printed) : printed);
      }
      showReport(page, flags);
      if (flags.plot !== undefined) writeWhole(flags.plot, comparisonPlot(comparison, trail), { flag: '--plot' });
      if (replayed !== undefined) noteOddities(replayed, flags);
      noteWithout(compared);
      noteLost(compared);
      // A regression takes precedence over an empty result, and that over what is undecided.
      if (has(comparison, ['regressed'])) process.exitCode = REGRESSED;
      else if (has(comparison, failOn)) process.exitCode ??= FAILED_ON;
    });
}

/** Findings on the files, if any, and on the variants. */
function findingsOf(
  { comparison, replayed, plainVariants }: Partial<FilesCompared> & StoredCompared,
  { name, dimension }: ExperimentSettings,
  settings: Settings,
): readonly Finding[] {
  const { impressions, open = {}, others, userless } = comparison;
  const arms = comparedFindings({
    experiment: name,
    dimension,
    // A variant whose lists are all open was seen.
    impressions: Object.fromEntries(Object.keys(impressions).map((v) => [v, impressions[v] + (open[v] ?? 0)])),
    others,
    userless,
    plainVariants: plainVariants ?? new Map(),
  });
  const known = new Set(arms.map(({ code }) => code));
  const more = replayed?.findings ?? emptyFindings(comparison, settings);
  return inOrder([...arms, ...more.filter(({ code }) => !known.has(code))]);
}

/** Where no files were read that show them. */
function emptyFindings(
  { impressions, emptyLists: found = {} }: Comparison,
  { measures }: Settings,
): readonly Finding[] {
  const parts = Object.entries(found).map(([name, { share }]): readonly [string, EmptyCounts] => {
    return [name, { lists: impressions[name], empty: Math.round(share * impressions[name]) }];
  });
  const sum = (of: keyof EmptyCounts): number => parts.reduce((all, [, counts]) => all + counts[of], 0);
  return emptyLists({ lists: sum('lists'), empty: sum('empty') }, measures, 'impressions', new Map(parts));
}

/** Notes that a part of the traffic is not in the numbers. */
function noteWithout({ partitionsWithout: without = [] }: Partial<StoredCompared>): void {
  if (without.length === 0) return;
  process.stderr.write(
    `receval: ${partitionsText(without)} of the service hold nothing of this run: their workers have another ` +
      'configuration. Start every worker with the same one\n',
  );
}

/** Notes that rows of the run are lost: then the exit code is 1, unless a variant regressed. */
function noteLost({ lost = new Map(), lostLists = 0, looksLost = false }: Partial<StoredCompared>): void {
  if (lost.size === 0 && lostLists === 0 && !looksLost) return;
  const keys = lost.size === 0 ? '' : `: ${keysText(lost)}`;
  process.stderr.write(
    `receval: Redis has lost rows of this run, and ${grouped(lostLists)} lists with them${looksLost ? ', and what looks had found' : ''}${keys}. What is left is not all of the run: ${RESTORE_ADVICE}\n`,
  );
  process.exitCode = 1;
}

function has({ variants }: Comparison, labels: readonly Label[]): boolean {
  return variants.some(({ decision }) => labels.includes(decision));
}

function failOnOf(list: string): readonly FailOn[] {
  return list.split(',').map((text) => word('fail-on', text.trim(), FAIL_ON));
}

function hasFiles({ impressions, feedback, events }: InputFlags): boolean {
  return [impressions, feedback, events].some((files) => files !== undefined);
}

async function readLive(settings: Settings, flags: Flags, isReported: boolean): Promise<StoredCompared> {
  // What has ended may be no longer configured: its name is enough.
  const isNameEnough = flags.earlier === true && flags.experiment !== undefined;
  const experiment = isNameEnough ? flags.experiment : experimentOf(settings, flags.experiment);
  for (const name of ['adapter', 'concat', 'closeAll', 'now', 'allowEmpty', 'dropped'] as const) {
    if (flags[name] !== undefined)
      throw new UsageError(`--${flagOf(name)} says how files are read: name some, or leave it out`);
  }
  if (flags.ratioBy !== undefined) {
    throw new UsageError('--ratio-by needs files: a running service does not keep the cohorts of its users');
  }
  // Files need no client of Redis.
  const { RedisStore } = await import('../accumulators/store/redis-store.ts');
  const store = await RedisStore.connect({ ...settings.redis, url: flags.redis ?? settings.redis.url });
  try {
    const namespace = flags.namespace ?? settings.namespace;
    if (typeof experiment === 'string') return await compareEarlier(settings, experiment, namespace, store);
    if (flags.earlier === true) return await compareEarlier(settings, experiment.name, namespace, store);
    const compared = await compareStored(settings, experiment, namespace, store, newHashSeed());
    if (!isReported) return compared;
    return { ...compared, positions: await storedPositions(settings, experiment, namespace, store) };
  } finally {
    await store.close();
  }
}

async function readAndCompare(
  inputs: ReplayInputs,
  settings: Settings,
  flags: Flags,
): Promise<FilesCompared & Pick<StoredCompared, 'experiment'>> {
  const experiment = experimentOf(settings, flags.experiment);
  const ratioBy = flags.ratioBy === undefined ? undefined : dimensionsOf(flags.ratioBy, experiment);
  for (const name of ['redis', 'namespace', 'earlier'] as const) {
    if (flags[name] !== undefined)
      throw new UsageError(`--${name} is for a running service: leave it out when you name files`);
  }
  const dropped = recordsFile('--dropped', flags.dropped);
  const onDropped = dropped && ((one: Dropped) => dropped.write(droppedLine(one)));
  const options = { settings, inputs, ...optionsOf(flags), onDropped };
  const compared = await withProgress(options, (all) => compareFiles(all, experiment, ratioBy));
  dropped?.close();
  return { ...compared, experiment };
}

function flagOf(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
}

/** The dimensions of `--ratio-by`. */
function dimensionsOf(list: string, { name, dimension }: ExperimentSettings): readonly string[] {
  const names = list.split(',').map((text) => text.trim());
  for (const asked of names) {
    if (!isDimensionName(asked)) {
      throw new UsageError(`--ratio-by: "${asked}" is not a dimension; expected names such as country,platform`);
    }
    if (asked === dimension || (dimension === 'variant' && asked === 'experiment_default')) {
      throw new UsageError(
        `--ratio-by: "${asked}" holds the variants of experiment "${name}" themselves: leave it out`,
      );
    }
  }
  const twice = names.find((asked, i) => names.indexOf(asked) !== i);
  if (twice !== undefined) throw new UsageError(`--ratio-by: "${twice}" is given twice`);
  return names;
}

function experimentOf({ experiments }: Settings, asked: string | undefined): ExperimentSettings {
  const names = experiments.map(({ name }) => name);
  if (names.length === 0) throw new UsageError('the configuration has no experiments: name one under "experiments"');
  const name = asked ?? (names.length === 1 ? names[0] : 'default');
  const found = experiments.find((experiment) => experiment.name === name);
  if (found !== undefined) return found;
  if (asked === undefined) throw new UsageError(`--experiment: name one of ${names.join(', ')}`);
  throw new UsageError(`--experiment: no experiment "${asked}"${suggestion(asked, names)}`);
}
