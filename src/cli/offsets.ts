import { Command } from 'commander';
import { fittedTable, thinned } from '../output/table.ts';
import { readOffsets, type TopicOffsets } from '../service/topic-offsets.ts';
import { wholeNumber, withCluster } from './cluster.ts';
import { outputForm, tableColumns, WIDE } from './terminal.ts';

interface Flags {
  readonly config?: string;
  readonly partition?: string;
  readonly output: string;
  readonly wide?: boolean;
}

const OUTPUTS = ['table', 'json'] as const;

/** `receval offsets`: where each unit stands. */
export function offsetsCommand(): Command {
  return new Command('offsets')
    .option('--config <file>', 'configuration (default: receval.yaml in this folder, if it exists)')
    .option('--partition <p>', 'only this one')
    .option('--output <form>', 'table, or json', 'table')
    .option('--wide', WIDE)
    .action((flags: Flags) => offsets(flags));
}

async function offsets({ config, partition, output, wide }: Flags): Promise<void> {
  const form = outputForm(output, OUTPUTS);
  const only = partition === undefined ? undefined : wholeNumber('--partition', partition);
  await withCluster(config, async ({ settings, admin, store }) => {
    const rows = await readOffsets(settings, { admin, store }, only);
    process.stdout.write(
      form === 'json' ? `${JSON.stringify(rows, null, 1)}\n` : `${table(rows, tableColumns(process.stdout, wide))}\n`,
    );
  });
}

const HEAD = [
  'topic',
  'owner',
  'watermark',
  'partition',
  'log start',
  'replay',
  'committed',
  'log end',
  'lag',
  'group',
  'generation',
];
const TEXTS = 3;
/** Columns that are left out first if the terminal is too narrow. */
const SELDOM = [['generation'], ['group'], ['log start'], ['replay']];

function table(rows: readonly TopicOffsets[], columns: number): string {
  const lines = rows.map((row) =>
    [
      row.topic,
      row.owner,
      row.watermark === undefined ? undefined : new Date(row.watermark).toISOString(),
      row.partition,
      row.start,
      row.replay,
      row.committed,
      row.end,
      row.lag,
      row.group,
      row.generation,
    ].map((cell) => (cell === undefined ? '-' : String(cell))),
  );
  const { header, lines: cells, left } = thinned({ header: HEAD, lines }, SELDOM, columns);
  const note = left.length === 0 ? [] : [`Not shown: ${left.join(', ')}. --wide shows all.`];
  return [fittedTable(columns)(header, cells, TEXTS).trimEnd(), ...note, ...rows.flatMap(waiting)].join('\n');
}

/** Notes on records that no worker can read yet. */
function waiting({ topic, partition, openFrom, end }: TopicOffsets): readonly string[] {
  if (openFrom === undefined) return [];
  return [
    `${topic}, partition ${partition}: ${end - openFrom} records from offset ${openFrom} on wait for the end of a transaction`,
  ];
}
