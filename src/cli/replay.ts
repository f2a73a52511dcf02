import { randomUUID } from 'node:crypto';
import { Command } from 'commander';
import { type Configuration, loadConfiguration } from '../config/load.ts';
import { withFiles } from '../config/named-files.ts';
import type { Settings } from '../config/settings.ts';
import { readTextFile } from '../connections/text-file.ts';
import { ADAPTER_NAMES } from '../consumers/decode/decoder-settings.ts';
import { hasRowFeedback } from '../consumers/decode/list.ts';
import { parseTime } from '../consumers/decode/times.ts';
import { UnreadableFile } from '../consumers/source/files/lines.ts';
import { letterOf, lineOf } from '../dead-letters/letter.ts';
import { MEASURES, OF_EXPOSURES } from '../measures/all.ts';
import type { Command as ScoringCommand } from '../measures/grammar/measure-name.ts';
import { isListOnly } from '../measures/needs.ts';
import type { Fact } from '../page/model.ts';
import { droppedLine } from '../replay/dropped-line.ts';
import { type ReplayFile, type ReplayInputs, type ReplayOptions, replay } from '../replay/file-replay.ts';
import { type ReplayResult, tooYoung, withoutPositions } from '../replay/replay-result.ts';
import type { InvalidRecord } from '../unit/unit-contract.ts';
import { withPositions } from '../unit/unit-settings.ts';
import type { EpochMs } from '../vocabulary/events.ts';
import { grouped } from '../vocabulary/grouped.ts';
import { suggestion } from '../vocabulary/spelling.ts';
import { aboutService } from './about-service.ts';
import { fileProblem, notice, UsageError } from './failure.ts';
import { findingLines } from './findings-output.ts';
import { bytesOf, type InputFlags, readInputs } from './inputs.ts';
import { newHashSeed } from './process.ts';
import { showProgress } from './progress.ts';
import { recordsFile } from './records-file.ts';
import { fileName, showReport } from './report-file.ts';
import { CLOSED_ALL, OUTPUTS, printResult } from './result-output.ts';
import { outputForm, tableColumns, WIDE } from './terminal.ts';
import { mustBeReportFile, mustSpareFiles } from './written-file.ts';

export interface ReplayFlags extends InputFlags {
  readonly config?: string;
  readonly adapter?: string;
  readonly measures?: string;
  readonly horizons?: string;
  readonly concat?: boolean;
  readonly closeAll?: boolean;
  readonly allowEmpty?: boolean;
  readonly now?: string;
  readonly wide?: boolean;
  readonly deadLetters?: string;
  readonly dropped?: string;
  readonly output: string;
  readonly report?: string;
}

export const ALLOW_EMPTY = 'exit with 0 even if no impression counted, or none of the feedback';
export const CLOSE_ALL = 'also count lists that are younger than a horizon at the end, with the feedback so far';
export const DROPPED =
  'write every event and record that is dropped there, with the reason and where it stands; NDJSON';
export const REPORT = 'also write everything as one self-contained page, to mail or keep';
export const NOW =
  'the wall clock, such as 2026-11-21T08:00:00Z: later events are "future" (default: the time at start)';

export function replayCommand(): Command {
  return new Command('replay')
    .option('--impressions <file...>', 'impressions: NDJSON, JSON, CSV, TSV, Parquet; .gz, .zst; - is standard input')
    .option('--feedback <file...>', 'feedback, in any of these forms')
    .option('--events <file...>', 'both sides in one log')
    .option(
      '--adapter <name>',
      `how records are read: ${ADAPTER_NAMES.join(', ')} (default: that of the configuration)`,
    )
    .option('--measures <list>', 'such as mrr,ndcg@10,precision@1..5 (default: those of the configuration)')
    .option('--horizons <list>', 'such as 1m,5m,24h: attribution.horizons (default: those of the configuration)')
    .option('--concat', 'take several files of a side one after the other; else they are merged by event time')
    .option('--close-all', CLOSE_ALL)
    .option('--dead-letters <file>', 'write the invalid records there, with what is wrong; NDJSON')
    .option('--dropped <file>', DROPPED)
    .option('--allow-empty', ALLOW_EMPTY)
    .option('--now <time>', NOW)
    .option('--config <file>', 'configuration (default: receval.yaml in this folder, if it exists)')
    .option('--output <form>', OUTPUTS.join(', '), 'table')
    .option('--report <file.html>', REPORT)
    .option('--wide', WIDE)
    .addHelpText(
      'after',
      `
FILE@field=value[,field=value] sets fields for all records of a file that lack them.

Examples:
  receval replay --impressions impressions.ndjson.gz --feedback feedback.ndjson.gz
  receval replay --events random.csv.gz@variant=random bts.csv.gz@variant=bts --adapter open-bandit --measures ctr,mrr
  node log.js | receval replay --events - --output json`,
    )
    .action(async (flags: ReplayFlags, command: Command) => {
      const output = outputForm(flags.output, OUTPUTS);
      const inputs = readInputs(flags);
      mustBeReportFile('--report', flags.report);
      const configuration = readConfiguration(flags);
      const isReported = output === 'html' || flags.report !== undefined;
      mustSpareFiles(command, [configuration.settings.catalogue]);
      const configured = await withFiles(configuration.settings);
      const settings = isReported ? withPositions(configured) : configured;
      mustHaveFeedback(flags, settings);
      const letters = recordsFile('--dead-letters', flags.deadLetters);
      const dropped = recordsFile('--dropped', flags.dropped);
      const replayed = await replayFiles({
        settings,
        inputs,
        ...optionsOf(flags),
        onInvalid: letters && ((invalid) => letters.write(letterLine(invalid))),
        onDropped: dropped && ((one) => dropped.write(droppedLine(one))),
      });
      // What only the report counts is in no other output.
      const result = configured.positions.ranks > 0 ? replayed : withoutPositions(replayed);
      letters?.close();
      dropped?.close();
      const page = isReported
        ? (await import('./replay-report.ts')).replayReport(result, settings, {
            about: aboutFiles(inputs, configuration),
            counted: replayed.rows,
          })
        : undefined;
      if (output !== 'html') {
        process.stdout.write(printResult(result, settings, output, tableColumns(process.stdout, flags.wide)));
      }
      showReport(page, flags);
      if (output === 'csv') process.stderr.write(findingLines(result.findings));
      noteOddities(result, flags);
      noteYoung(result, output);
    });
}

/** The line that --dead-letters writes for a record; empty: its place in a file is not known. */
function letterLine(invalid: InvalidRecord): string {
  const { place } = invalid.record;
  return place === undefined ? '' : lineOf(letterOf(invalid, place));
}

/** @throws UsageError if a measure depends on feedback and there is none */
function mustHaveFeedback({ adapter, events, feedback }: ReplayFlags, { inputs, measures }: Settings): void {
  if (events !== undefined || feedback !== undefined || hasRowFeedback(adapter ?? inputs.impressions.adapter)) return;
  const asks = measures.find((measure) => !isListOnly(measure));
  if (asks === undefined) return;
  const ofLists = MEASURES.filter((definition) => isListOnly({ definition })).map(({ name }) => name);
  throw new UsageError(
    `--feedback is missing: without it ${asks.canonical} finds no positive in any list; name the feedback, or only measures of the list alone (--measures ${ofLists.slice(0, 3).join(',')},...)`,
  );
}

/** Notes what the user should know before trusting the numbers; sets the exit code if nothing counted. */
export function noteOddities(result: ReplayResult, { allowEmpty }: ReplayFlags): void {
  const { rows, itemLimitRows } = result;
  if (result.isEmpty && allowEmpty !== true) process.exitCode = 1;
  if (itemLimitRows > 0) {
    notice(
      `${itemLimitRows} of ${rows.length} rows have no ${OF_EXPOSURES}: more items than limits.itemsCounted were shown`,
    );
  }
  for (const [name, lists] of withoutId(rows)) {
    const id = name.includes('per=user') ? 'userId' : 'sessionId';
    notice(`${name} leaves out lists without a ${id}: ${grouped(lists)}`);
  }
}

/** Tables say it themselves, and JSON has a field for it. */
function noteYoung(result: ReplayResult, output: string): void {
  if (!['json', 'csv', 'html'].includes(output)) return;
  if (result.isEmpty) for (const words of tooYoung(result).values()) notice(words);
  if (output === 'csv' && result.closeAll) notice(CLOSED_ALL);
}

/** The most lists without an id that one row leaves out, by measure. */
function withoutId(rows: ReplayResult['rows']): ReadonlyMap<string, number> {
  const most = new Map<string, number>();
  for (const { measures } of rows) {
    for (const [name, { withoutId: lists = 0 }] of Object.entries(measures)) {
      if (lists > 0) most.set(name, Math.max(lists, most.get(name) ?? 0));
    }
  }
  return most;
}

/** Replays with progress on stderr. */
function replayFiles(options: Omit<ReplayOptions, 'newId' | 'hashSeed' | 'onProgress'>): Promise<ReplayResult> {
  return withProgress(options, replay);
}

/** Reads files with progress on stderr. */
export async function withProgress<Result>(
  options: Omit<ReplayOptions, 'newId' | 'hashSeed' | 'onProgress'>,
  read: (options: ReplayOptions) => Promise<Result>,
): Promise<Result> {
  const progress = showProgress(process.stderr, bytesOf(options.inputs));
  try {
    return await read({
      ...options,
      newId: randomUUID,
      hashSeed: newHashSeed(),
      onProgress: ({ bytes, records }) => progress.update(bytes, records),
    });
  } catch (error) {
    if (!(error instanceof UnreadableFile)) throw error;
    throw new Error(fileProblem(error.file, error.cause), { cause: error });
  } finally {
    progress.stop();
  }
}

/** Limit of cohorts: nothing here becomes a series of Prometheus, so only memory bounds them. */
const REPLAY_SERIES = '10000000';

export function readSettings(
  flags: Pick<ReplayFlags, 'config' | 'measures' | 'horizons'>,
  command: ScoringCommand = 'replay',
): Settings {
  return readConfiguration(flags, command).settings;
}

/** `command`: files are compared with the measures of the service. */
export function readConfiguration(
  { config, measures, horizons }: Pick<ReplayFlags, 'config' | 'measures' | 'horizons'>,
  command: ScoringCommand = 'replay',
): Configuration {
  return loadConfiguration({
    file: config,
    readFile: readTextFile,
    env: process.env,
    overrides: {
      'limits.series': REPLAY_SERIES,
      ...(measures === undefined ? {} : { measures }),
      ...(horizons === undefined ? {} : { 'attribution.horizons': horizons }),
    },
    command,
    reads: 'files',
  });
}

export function optionsOf({
  adapter,
  concat,
  closeAll,
  now,
}: ReplayFlags): Pick<ReplayOptions, 'adapter' | 'order' | 'closeAll' | 'now'> {
  const known = ADAPTER_NAMES.find((name) => name === adapter);
  if (adapter !== undefined && known === undefined) {
    const hint =
      adapter === 'map'
        ? '; the adapter "map" needs its pointers: set it in the configuration'
        : suggestion(adapter, ADAPTER_NAMES);
    throw new UsageError(`--adapter: no adapter "${adapter}"${hint}`);
  }
  return { adapter: known, order: concat === true ? 'concat' : 'time', closeAll, now: timeOf(now) };
}

function timeOf(now: string | undefined): EpochMs {
  if (now === undefined) return Date.now();
  const time = parseTime(now);
  if (Number.isNaN(time)) {
    throw new UsageError(`--now: expected a time such as 2026-11-21T08:00:00Z; found "${now}"`);
  }
  return Math.floor(time);
}

/** The files and the configuration of a result. Names are without folders, as a report may be sent to others. */
export function aboutFiles(inputs: ReplayInputs, configuration: Configuration): readonly Fact[] {
  const sides =
    'events' in inputs
      ? [fileFact('events', inputs.events)]
      : [fileFact('impressions', inputs.impressions), fileFact('feedback', inputs.feedback)];
  return [...sides.filter(([, names]) => names !== ''), ...aboutService(configuration)];
}

function fileFact(side: string, files: readonly ReplayFile[]): Fact {
  const names = files.map(({ path, defaults }) => {
    const pairs = [...defaults].map(([field, value]) => `${field}=${value}`).join(', ');
    return `${fileName(path)}${pairs === '' ? '' : ` with ${pairs}`}`;
  });
  return [side, names.join('; ')];
}
