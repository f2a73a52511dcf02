import Table from 'cli-table3';
import { Command } from 'commander';
import { readOffsets, type TopicOffsets } from '../service/offsets.ts';
import { suggestion } from '../vocabulary/spelling.ts';
import { wholeNumber, withCluster } from './cluster.ts';
import { UsageError } from './failure.ts';

interface Flags {
  readonly config?: string;
  readonly partition?: string;
  readonly output: string;
}

const OUTPUTS: readonly string[] = ['table', 'json'];

/** `receval offsets`: where each unit stands. */
export function offsetsCommand(): Command {
  return new Command('offsets')
    .description('show where each partition stands: stored offsets, logs, lag, owner. Changes nothing')
    .option('--config <file>', 'configuration (default: receval.yaml in this folder, if it exists)')
    .option('--partition <p>', 'only this one')
    .option('--output <form>', 'table, or json', 'table')
    .action((flags: Flags) => offsets(flags));
}

async function offsets({ config, partition, output }: Flags): Promise<void> {
  if (!OUTPUTS.includes(output)) throw new UsageError(`--output: no form "${output}"${suggestion(output, OUTPUTS)}`);
  const only = partition === undefined ? undefined : wholeNumber('--partition', partition);
  await withCluster(config, async ({ settings, admin, store }) => {
    const rows = await readOffsets(settings, { admin, store }, only);
    process.stdout.write(output === 'json' ? `${JSON.stringify(rows, null, 1)}\n` : `${table(rows)}\n`);
  });
}

const HEAD = [
  'partition',
  'topic',
  'log start',
  'replay',
  'committed',
  'log end',
  'lag',
  'group',
  'watermark',
  'generation',
  'owner',
];
const TEXTS = [1, 8, 10];

function table(rows: readonly TopicOffsets[]): string {
  const shown = new Table({
    head: HEAD,
    style: { head: [], border: [], compact: true },
    colAligns: HEAD.map((_, column) => (TEXTS.includes(column) ? 'left' : 'right')),
  });
  for (const row of rows) {
    shown.push(
      [
        row.partition,
        row.topic,
        row.start,
        row.replay,
        row.committed,
        row.end,
        row.lag,
        row.group,
        row.watermark === undefined ? undefined : new Date(row.watermark).toISOString(),
        row.generation,
        row.owner,
      ].map((cell) => (cell === undefined ? '-' : String(cell))),
    );
  }
  return [shown.toString(), ...rows.flatMap(waiting)].join('\n');
}

/** Records that no worker can read yet. */
function waiting({ topic, partition, openFrom, end }: TopicOffsets): readonly string[] {
  if (openFrom === undefined) return [];
  return [
    `${topic}, partition ${partition}: ${end - openFrom} records from offset ${openFrom} on wait for the end of a transaction`,
  ];
}
