import { randomUUID } from 'node:crypto';
import { createInterface } from 'node:readline/promises';
import { Command } from 'commander';
import { unitKey } from '../accumulators/store/layout.ts';
import { sample } from '../consumers/source/kafka/access/kafka-sample.ts';
import type { Bounds } from '../consumers/source/source-port.ts';
import { checkPartitions } from '../service/checks.ts';
import { checkpointOf, commitSkip, mustBePartition, recordsSkipped, type Skip } from '../service/topic-offsets.ts';
import type { EpochMs } from '../vocabulary/events.ts';
import { grouped } from '../vocabulary/grouped.ts';
import { suggestion } from '../vocabulary/spelling.ts';
import { type Cluster, wholeNumber, withCluster } from './cluster.ts';
import { UsageError } from './failure.ts';

interface Flags {
  readonly config?: string;
  readonly partition: string;
  readonly topic: string;
  readonly to: string;
  readonly yes?: boolean;
}

const SAMPLE_TIMEOUT_MS = 10_000;

/** `receval skip`: moves the position of one topic of one unit past records that cannot be read. */
export function skipCommand(): Command {
  return new Command('skip')
    .requiredOption('--partition <p>', 'which partition')
    .requiredOption('--topic <name>', 'which of its topics')
    .requiredOption('--to <offset>', 'the offset to be read next')
    .option('--config <file>', 'configuration (default: receval.yaml in this folder, if it exists)')
    .option('--yes', 'do not ask')
    .action((flags: Flags) => skip(flags));
}

async function skip(flags: Flags): Promise<void> {
  const partition = wholeNumber('--partition', flags.partition);
  const to = wholeNumber('--to', flags.to);
  await withCluster(flags.config, async (cluster) => {
    const { settings, admin, store } = cluster;
    const names = settings.kafka.topics.map(({ name }) => name);
    const topic = names.indexOf(flags.topic);
    if (topic < 0) {
      throw new UsageError(`--topic: no topic "${flags.topic}"${suggestion(flags.topic, names)}`);
    }
    mustBePartition(partition, checkPartitions(settings, await admin.questions.partitionCounts()));
    const wanted: Skip = { namespace: settings.namespace, partition, topic, topicName: flags.topic, to };
    const bounds = await admin.questions.bounds(partition, topic);
    const [hash] = await store.read([unitKey(settings.namespace, partition)]);
    const records = recordsSkipped(checkpointOf(hash, partition), wanted, bounds);
    const what = `${flags.topic}, partition ${partition}: ${grouped(records)} records before offset ${to} will never be counted`;
    process.stderr.write(
      `${what}.\nWhat is open in this topic is given up, up to the longest horizon, and windows are marked incomplete until then.\n`,
    );
    if (flags.yes !== true) await mustBeWanted();
    const until = await timeAt(cluster, wanted, bounds);
    const passed = await commitSkip(store, wanted, { bounds, until, newId: randomUUID });
    process.stdout.write(
      `skipped ${grouped(passed)} records of ${flags.topic}, partition ${partition}: it continues at offset ${to}. ` +
        'Windows of lists shown before ' +
        `${new Date(until).toISOString()} are marked incomplete.\nThe worker of the partition continues by itself within 2.25 x kafka.sessionTimeout, at once if you restart it.\n`,
    );
  });
}

/** Asks on a terminal; elsewhere requires the flag. @throws UsageError */
async function mustBeWanted(): Promise<void> {
  if (process.stdin.isTTY !== true) {
    throw new UsageError('there is no terminal to ask on: give --yes to skip them. Nothing was changed');
  }
  const terminal = createInterface({ input: process.stdin, output: process.stderr });
  try {
    const answer = await terminal.question('Skip them? Type yes: ');
    if (answer.trim().toLowerCase() !== 'yes') throw new UsageError('nothing was changed');
  } finally {
    terminal.close();
  }
}

/** Timestamp of the record at the offset to continue from, as all skipped records are earlier; now, if it cannot be read. */
async function timeAt(
  { admin }: Cluster,
  { partition, topicName, to }: Skip,
  { end: logEnd, openFrom: end = logEnd }: Bounds,
): Promise<EpochMs> {
  if (to >= end) return Date.now();
  const range = { topic: topicName, partition, from: to, to: Math.min(end, to + 1) };
  try {
    const { records } = await sample(admin.client, [range], SAMPLE_TIMEOUT_MS);
    return records[0]?.timestamp ?? Date.now();
  } catch {
    return Date.now();
  }
}
