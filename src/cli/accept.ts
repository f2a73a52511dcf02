import { randomUUID } from 'node:crypto';
import { Command } from 'commander';
import {
  type AcceptedLevel,
  acceptedKey,
  acceptedLevels,
  acceptLevel,
  withdrawLevel,
} from '../accumulators/store/accepted-level.ts';
import { RedisStore } from '../accumulators/store/redis-store.ts';
import type { Settings } from '../config/settings.ts';
import { cleanDimension } from '../consumers/decode/dimensions.ts';
import { parseTime } from '../consumers/decode/times.ts';
import { fittedTable } from '../output/table.ts';
import type { EpochMs } from '../vocabulary/events.ts';
import { suggestion } from '../vocabulary/spelling.ts';
import { readConfiguration } from './cluster.ts';
import { UsageError } from './failure.ts';
import { tableColumns } from './terminal.ts';

interface Flags {
  readonly config?: string;
  readonly cohort?: string;
  readonly measure?: string;
  readonly from?: string;
  readonly note?: string;
  readonly withdraw?: boolean;
  readonly list?: boolean;
}

/** `receval accept`: the level of a watched cohort is normal from now on. */
export function acceptCommand(): Command {
  return new Command('accept')
    .option('--cohort <values>', 'such as variant=treatment,country=DE. Default: all lists')
    .option('--measure <name>', 'one of detect.measures. Default: all of them')
    .option('--from <time>', 'when the new level began, such as 2026-11-21T08:00:00Z. Default: now')
    .option('--note <text>', 'why; shown in the log and by --list')
    .option('--withdraw', 'withdraw it: cohorts are compared with all of their past again')
    .option('--list', 'show what was accepted, and change nothing')
    .option('--config <file>', 'configuration (default: receval.yaml in this folder, if it exists)')
    .action((flags: Flags) => accept(flags));
}

async function accept(flags: Flags): Promise<void> {
  const settings = readConfiguration(flags.config);
  const cohort = cohortOf(flags.cohort, settings);
  const measures = measuresOf(flags.measure, settings);
  const from = timeOf(flags.from);
  const note = (flags.note ?? '').trim();
  const isChange = flags.list !== true;
  if (isChange && flags.withdraw !== true && note === '') {
    throw new UsageError('--note: say why, such as --note "new ranker since Monday". Whoever is on call next reads it');
  }
  const store = await RedisStore.connect(settings.redis);
  try {
    const { namespace } = settings;
    for (const measure of isChange ? measures : []) {
      const level = { ...cohort, measure, from, at: Date.now(), note };
      const isStored =
        flags.withdraw === true
          ? await withdrawLevel(store, namespace, level, randomUUID)
          : await acceptLevel(store, namespace, level, randomUUID);
      if (!isStored)
        throw new Error('somebody else accepted a level at the same moment: nothing was changed; try again');
    }
    const [hash] = await store.read([acceptedKey(namespace)]);
    process.stdout.write(`${table([...acceptedLevels(hash).values()])}\n`);
    if (!isChange) return;
    process.stderr.write('The exporters use it within a detect.step; a new level warms up for 36 steps.\n');
  } finally {
    await store.close();
  }
}

function cohortOf(text: string | undefined, { detect }: Settings): Pick<AcceptedLevel, 'by' | 'values'> {
  const parts = (text ?? '').split(',').filter((part) => part !== '');
  const given = new Map(
    parts.map((part) => {
      const at = part.indexOf('=');
      if (at <= 0) throw new UsageError(`--cohort: "${part}" is not a dimension=value`);
      return [part.slice(0, at), cleanDimension(part.slice(at + 1))] as const;
    }),
  );
  const by = detect.sets.find((set) => set.length === given.size && set.every((name) => given.has(name)));
  if (by !== undefined) return { by, values: by.map((name) => given.get(name) ?? '') };
  const sets = detect.sets.map((set) => (set.length === 0 ? 'all lists (no --cohort)' : set.join(',')));
  const known = sets.length === 0 ? 'no cohort is watched: detect.sets is empty' : `watched are: ${sets.join('; ')}`;
  throw new UsageError(`--cohort: ${[...given.keys()].join(',') || 'all lists'} is not watched; ${known}`);
}

function measuresOf(name: string | undefined, { detect }: Settings): readonly string[] {
  if (name === undefined) return detect.measures;
  if (detect.measures.includes(name)) return [name];
  throw new UsageError(
    `--measure: "${name}" is not watched (detect.measures: ${detect.measures.join(', ')})${suggestion(name, detect.measures)}`,
  );
}

function timeOf(text: string | undefined): EpochMs {
  if (text === undefined) return Date.now();
  const time = Math.floor(parseTime(text));
  if (Number.isFinite(time)) return time;
  throw new UsageError(`--from: "${text}" is not a time such as 2026-11-21T08:00:00Z`);
}

function table(levels: readonly AcceptedLevel[]): string {
  if (levels.length === 0) return 'nothing was accepted: every watched cohort is compared with all of its past';
  const head = ['cohort', 'measure', 'normal from', 'accepted', 'note'];
  const lines = levels.map(({ by, values, measure, from, at, note }) => {
    const cohort = by.map((name, i) => `${name}=${values[i]}`).join(',') || 'all lists';
    return [cohort, measure, new Date(from).toISOString(), new Date(at).toISOString(), note];
  });
  return fittedTable(tableColumns(process.stdout, false))(head, lines, head.length).trimEnd();
}
