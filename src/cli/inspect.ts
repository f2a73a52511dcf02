import { Command } from 'commander';
import { loadSettings } from '../config/load.ts';
import type { Settings } from '../config/settings.ts';
import { readTextFile } from '../connections/text-file.ts';
import { TOPIC } from '../inspect/file-shape.ts';
import { screenOf } from '../inspect/inspect-screen.ts';
import { type Inspection, Rows, type SampledFile } from '../inspect/inspected.ts';
import { inspect } from '../inspect/inspection.ts';
import { reportOf } from '../inspect/inspection-json.ts';
import { configurationOf, PROPOSED } from '../inspect/proposed-configuration.ts';
import type { Role } from '../inspect/roles.ts';
import { codeOf } from '../vocabulary/error-text.ts';
import { shellWord } from '../vocabulary/shell-word.ts';
import { notice, UsageError } from './failure.ts';
import { type Given, sampleOf, withoutFolders } from './sample-file.ts';
import { outputForm } from './terminal.ts';
import { writeWhole } from './whole-file.ts';

interface Flags {
  readonly impressions?: readonly string[];
  readonly feedback?: readonly string[];
  readonly kafka?: boolean;
  readonly config?: string;
  readonly output: string;
  readonly write?: string;
  readonly sample: string;
}

const OUTPUTS = ['text', 'json'] as const;

/** `receval inspect`: exit code 1 if a replay would give no numbers, or wrong ones. */
export function inspectCommand(): Command {
  return new Command('inspect')
    .argument('[file...]', 'logs of lists and of feedback, or one log of both; a folder stands for the logs in it')
    .option('--impressions <file...>', 'files that hold lists, if that is not detected')
    .option('--feedback <file...>', 'files that hold feedback')
    .option('--kafka', 'the newest records of the configured topics in place of files')
    .option(
      '--config <file>',
      'configuration whose grades, variants and topics apply (with --kafka: receval.yaml if it exists)',
    )
    .option('--sample <n>', 'records of each side to read, from the beginning', '20000')
    .option('--write <file>', 'write a configuration that reads them')
    .option('--output <form>', 'text, or json', 'text')
    .addHelpText(
      'after',
      `
Examples:
  receval inspect shown.ndjson clicks.ndjson.gz
  receval inspect events.csv --write receval.yaml
  receval inspect exported/
  receval inspect --kafka --config receval.yaml`,
    )
    .action((files: readonly string[], flags: Flags) => inspectLogs(files, flags));
}

async function inspectLogs(files: readonly string[], flags: Flags): Promise<void> {
  const output = outputForm(flags.output, OUTPUTS);
  const limit = Number(flags.sample);
  if (!Number.isInteger(limit) || limit < 1 || limit > 1_000_000) {
    throw new UsageError(`--sample: expected a whole number from 1 to 1000000; found "${flags.sample}"`);
  }
  const { given, leftOut } = await withoutFolders(givenFiles(files, flags));
  for (const { folder, files: names } of leftOut) {
    notice(`left out of ${folder}: ${names.join(', ')}`);
  }
  const settings = flags.kafka === true || flags.config !== undefined ? settingsOf(flags.config) : undefined;
  const ofTopics = flags.kafka === true ? settings : undefined;
  const sampled = ofTopics === undefined ? await sampleFiles(given, limit) : await fromTopics(ofTopics, limit);
  const inspection = inspect(sampled, {
    now: Date.now(),
    grades: new Set(settings?.grading.actions.map(({ name }) => name) ?? []),
    weights:
      flags.config === undefined ? undefined : settings?.experiments.find(({ name }) => name === 'default')?.variants,
  });
  const topics = ofTopics === undefined ? undefined : topicNames(ofTopics);
  const configuration = configurationOf(inspection, { topics });
  if (flags.write !== undefined && configuration !== undefined) write(flags.write, configuration);
  const next =
    ofTopics === undefined && configuration !== undefined ? nextCommand(inspection, flags.write, given) : undefined;
  process.stdout.write(
    output === 'json' ? `${JSON.stringify(reportOf(inspection), null, 1)}\n` : screenOf(inspection, next),
  );
  const wrong = inspection.findings.filter(({ level }) => level === 'wrong').length;
  if (wrong > 0) process.exitCode = 1;
  if (flags.write !== undefined && configuration !== undefined && wrong > 0) {
    process.stderr.write(
      `receval: ${flags.write} was written, but ${wrong === 1 ? 'one thing looks' : `${wrong} things look`} wrong (see the top of the file): fix that first, or the numbers will be wrong\n`,
    );
  }
  if (flags.write !== undefined && configuration === undefined) {
    notice(`${flags.write} was not written: no configuration reads these logs as they are`);
    process.exitCode = 1;
  }
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
  return loadSettings({ file, readFile: readTextFile, env: process.env, reads: 'files' });
}

export async function sampleFiles(given: readonly Given[], limit: number): Promise<readonly SampledFile[]> {
  const sampled: SampledFile[] = [];
  for (const { path, role, inFolder } of given) {
    sampled.push({ name: path, role, inFolder, ...(await sampleOf(path, limit)) });
  }
  return sampled;
}

/** One log per partition, as each has an order of its own. */
async function fromTopics(settings: Settings, limit: number): Promise<readonly SampledFile[]> {
  // Files need no client of Kafka.
  const { sampleTopics } = await import('../service/topic-sample.ts');
  const { partitions, complete } = await sampleTopics(settings, limit);
  if (!complete) notice('the sample is not complete: the brokers took longer than 15 s');
  return partitions.map(({ topic, partition, role, values, offsets }) => {
    const records = new Rows();
    for (const value of values) records.add(jsonText(value), undefined);
    const { rows, bad } = records;
    const is: Role = role.impressions && role.feedback ? 'both' : role.impressions ? 'impressions' : 'feedback';
    return { name: topic, format: TOPIC, rows, bad, more: true, role: is, log: { partition, offsets } };
  });
}

/** Without the prefix of a schema registry. */
function jsonText(value: Uint8Array): string {
  const bytes = value[0] === 0 && value.length > 5 ? value.subarray(5) : value;
  return new TextDecoder().decode(bytes);
}

/** Several topics of feedback stay in their order, in which their events are read. */
function topicNames({ kafka: { topics } }: Settings): {
  readonly impressions: string;
  readonly feedback: readonly string[];
} {
  return {
    impressions: topics.find(({ role }) => role.impressions)?.name ?? 'impressions',
    feedback: topics.filter(({ role }) => role.feedback).map(({ name }) => name),
  };
}

/** What inspect wrote is replaced. @throws Error if another file would be overwritten */
function write(path: string, configuration: string): void {
  loadSettings({ file: path, readFile: () => configuration, env: {}, reads: 'files' });
  try {
    writeWhole(path, configuration, { flag: '--write', isNew: !isProposed(path) });
  } catch (error) {
    if (!(error instanceof Error) || codeOf(error.cause) !== 'EEXIST') throw error;
    throw new Error(
      `--write: ${path} is there already, and inspect did not write it: name another file, or remove it`,
      {
        cause: error,
      },
    );
  }
}

/** Whether inspect wrote the file, and nobody has taken its first line away. */
function isProposed(path: string): boolean {
  try {
    return readTextFile(path).startsWith(PROPOSED);
  } catch {
    return false;
  }
}

/** How to continue; undefined: there are no lists. @param to where the configuration was written */
export function nextCommand(
  { files, impressions, feedback, oneLog }: Inspection,
  to: string | undefined,
  given: readonly Given[],
): string | undefined {
  if (impressions === undefined) return undefined;
  const config = shellWord(to ?? 'receval.yaml');
  const others = feedback === undefined || feedback === impressions ? [] : feedback.files;
  const words = (names: Iterable<string>): readonly string[] => Array.from(names, shellWord);
  const inputs = oneLog
    ? ['--events', ...words(new Set(files.map(({ name }) => name)))]
    : ['--impressions', ...words(impressions.files), ...(others.length === 0 ? [] : ['--feedback', ...words(others)])];
  const replay = `receval replay --config ${config} ${inputs.join(' ')}`;
  if (to !== undefined) return replay;
  return `receval inspect ${given.map((one) => flagged(one, files)).join(' ')} --write ${config}\n${replay}`;
}

/** A file with the flag for what it was found to hold, even if the user swapped them. */
function flagged({ path, role }: Given, files: Inspection['files']): string {
  const found = files.find(({ name }) => name === path)?.guess?.role;
  return role === undefined ? shellWord(path) : `--${found ?? role} ${shellWord(path)}`;
}
