import { readFileSync, writeFileSync } from 'node:fs';
import { Command } from 'commander';
import { loadSettings } from '../config/load.ts';
import type { Settings } from '../config/settings.ts';
import { configurationOf } from '../inspect/configuration.ts';
import { TOPIC } from '../inspect/format.ts';
import { type Inspection, inspect, type SampledFile } from '../inspect/inspection.ts';
import { reportOf } from '../inspect/report.ts';
import type { Role } from '../inspect/roles.ts';
import { Rows } from '../inspect/rows.ts';
import { screenOf } from '../inspect/screen.ts';
import { sampleTopics } from '../service/topic-sample.ts';
import { suggestion } from '../spelling.ts';
import { fileProblem, UsageError } from './failure.ts';
import { sampleOf } from './sample-file.ts';

interface Flags {
  readonly impressions?: readonly string[];
  readonly feedback?: readonly string[];
  readonly kafka?: boolean;
  readonly config?: string;
  readonly output: string;
  readonly write?: string;
  readonly sample: string;
}

const OUTPUTS: readonly string[] = ['text', 'json'];

/** `receval inspect`: exit code 1 where a replay would give no numbers, or wrong ones. */
export function inspectCommand(): Command {
  return new Command('inspect')
    .description(
      'say what logs are: their fields, whether they join, what is wrong, and a configuration that reads them',
    )
    .argument('[file...]', 'logs of lists and of feedback, or one of both')
    .option('--impressions <file...>', 'files that hold lists, where that is not seen')
    .option('--feedback <file...>', 'files that hold feedback')
    .option('--kafka', 'the newest records of the configured topics in place of files')
    .option(
      '--config <file>',
      'configuration whose grades, variants and topics are meant (with --kafka: receval.yaml if it exists)',
    )
    .option('--sample <n>', 'records of each side that are read, from the beginning', '20000')
    .option('--write <file>', 'write a configuration that reads them')
    .option('--output <form>', 'text, or json', 'text')
    .addHelpText(
      'after',
      `
Examples:
  receval inspect shown.ndjson clicks.ndjson.gz
  receval inspect events.csv --write receval.yaml
  receval inspect --kafka --config receval.yaml`,
    )
    .action((files: readonly string[], flags: Flags) => inspectLogs(files, flags));
}

async function inspectLogs(files: readonly string[], flags: Flags): Promise<void> {
  if (!OUTPUTS.includes(flags.output)) {
    throw new UsageError(`--output: no form "${flags.output}"${suggestion(flags.output, OUTPUTS)}`);
  }
  const limit = Number(flags.sample);
  if (!Number.isInteger(limit) || limit < 1 || limit > 1_000_000) {
    throw new UsageError(`--sample: expected a whole number from 1 to 1000000; found "${flags.sample}"`);
  }
  const given = givenFiles(files, flags);
  const settings = flags.kafka === true || flags.config !== undefined ? settingsOf(flags.config) : undefined;
  const sampled =
    flags.kafka === true && settings !== undefined ? await fromTopics(settings, limit) : await fromFiles(given, limit);
  const experiment = settings?.experiments.find(({ name }) => name === 'default');
  const inspection = inspect(sampled, {
    now: Date.now(),
    grades: new Set(settings?.grading.actions.map(({ name }) => name) ?? []),
    weights: flags.config === undefined ? undefined : experiment?.variants,
  });
  const topics = flags.kafka === true && settings !== undefined ? topicNames(settings) : undefined;
  const configuration = configurationOf(inspection, { topics });
  if (flags.write !== undefined) write(flags.write, configuration);
  const next = flags.kafka === true ? undefined : nextCommand(inspection, flags, configuration, given);
  process.stdout.write(
    flags.output === 'json' ? `${JSON.stringify(reportOf(inspection), null, 1)}\n` : screenOf(inspection, next),
  );
  if (inspection.findings.some(({ level }) => level === 'wrong')) process.exitCode = 1;
}

interface Given {
  readonly path: string;
  readonly role: Role | undefined;
}

function givenFiles(files: readonly string[], { impressions = [], feedback = [], kafka }: Flags): readonly Given[] {
  const all: readonly Given[] = [
    ...files.map((path) => ({ path, role: undefined })),
    ...impressions.map((path) => ({ path, role: 'impressions' as const })),
    ...feedback.map((path) => ({ path, role: 'feedback' as const })),
  ];
  if (kafka === true && all.length > 0)
    throw new UsageError('--kafka reads the topics of the configuration: name no files with it');
  if (kafka !== true && all.length === 0) {
    throw new UsageError('name the logs: receval inspect FILE..., or --kafka for the topics of the configuration');
  }
  if (all.some(({ path }) => path === '-'))
    throw new UsageError('a log is read twice here: give it by its name, not on standard input');
  return all;
}

function settingsOf(file: string | undefined): Settings {
  return loadSettings({ file, readFile: (path) => readFileSync(path, 'utf8'), env: process.env });
}

async function fromFiles(given: readonly Given[], limit: number): Promise<readonly SampledFile[]> {
  const sampled: SampledFile[] = [];
  for (const { path, role } of given) sampled.push({ name: path, role, ...(await sampleOf(path, limit)) });
  return sampled;
}

/** One log for each partition: each is in an order of its own. */
async function fromTopics(settings: Settings, limit: number): Promise<readonly SampledFile[]> {
  const { partitions, complete } = await sampleTopics(settings, limit);
  if (!complete) process.stderr.write('receval: the sample is not complete: the brokers took longer than 15 s\n');
  return partitions.map(({ topic, role, values }) => {
    const records = new Rows();
    for (const value of values) records.add(jsonText(value), undefined);
    const { rows, bad } = records;
    const is: Role = role.impressions && role.feedback ? 'both' : role.impressions ? 'impressions' : 'feedback';
    return { name: topic, format: TOPIC, rows, bad, more: true, role: is };
  });
}

/** Without the prefix of a schema registry. */
function jsonText(value: Uint8Array): string {
  const bytes = value[0] === 0 && value.length > 5 ? value.subarray(5) : value;
  return new TextDecoder().decode(bytes);
}

function topicNames({ kafka: { topics } }: Settings): { readonly impressions: string; readonly feedback: string } {
  const of = (side: Role): string =>
    topics.find(({ role }) => (side === 'feedback' ? role.feedback : role.impressions))?.name ?? side;
  return { impressions: of('impressions'), feedback: of('feedback') };
}

/** @throws Error where there is nothing to write, or a file that would be lost. */
function write(path: string, configuration: string | undefined): void {
  if (configuration === undefined) {
    throw new Error(
      `--write: there is no configuration that reads these logs; see what looks wrong: receval inspect without --write`,
    );
  }
  loadSettings({ file: path, readFile: () => configuration, env: {} });
  try {
    writeFileSync(path, configuration, { flag: 'wx' });
  } catch (error) {
    const isThere = error instanceof Error && 'code' in error && error.code === 'EEXIST';
    throw new Error(
      isThere
        ? `--write: ${path} is there already: name another file, or remove it`
        : fileProblem(path, error, 'written'),
      { cause: error },
    );
  }
}

/** As they were found, where the user gave them the wrong way round. */
function flagged({ path, role }: Given, files: Inspection['files']): string {
  const found = files.find(({ name }) => name === path)?.judged?.role;
  return role === undefined ? path : `--${found ?? role} ${path}`;
}

/** How to go on; undefined: not with these files. */
function nextCommand(
  { files, impressions, feedback, oneLog }: Inspection,
  { write: to }: Flags,
  configuration: string | undefined,
  given: readonly Given[],
): string | undefined {
  if (configuration === undefined || impressions === undefined) return undefined;
  const [lists, clicks] = [impressions.files, feedback === impressions ? [] : (feedback?.files ?? [])].map((names) =>
    names.join(' '),
  );
  const config = to ?? 'receval.yaml';
  const inputs = oneLog
    ? `--events ${files.map(({ name }) => name).join(' ')}`
    : `--impressions ${lists}${clicks === '' ? '' : ` --feedback ${clicks}`}`;
  const replay = `receval replay --config ${config} ${inputs}`;
  return to === undefined
    ? `receval inspect ${given.map((one) => flagged(one, files)).join(' ')} --write ${config}\n${replay}`
    : replay;
}
