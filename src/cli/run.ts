import { randomUUID } from 'node:crypto';
import { setFlagsFromString } from 'node:v8';
import { Command } from 'commander';
import { type Configuration, effectiveDocument, loadConfiguration } from '../config/load.ts';
import { withFiles } from '../config/named-files.ts';
import { readTextFile } from '../connections/text-file.ts';
import { type Role, Service } from '../service/service.ts';
import { SettingsWatch } from '../service/start-watch.ts';
import { suggestion } from '../vocabulary/spelling.ts';
import { aboutService } from './about-service.ts';
import { UsageError } from './failure.ts';
import { logPrinted, processLog } from './log.ts';
import { newHashSeed, runToEnd, untilStopped, version } from './process.ts';

interface Flags {
  readonly config?: string;
  readonly role: string;
  readonly rebuild?: boolean;
  readonly newGeneration?: boolean;
  readonly from?: string;
  readonly acceptPartitions?: boolean;
  readonly restartExperiments?: boolean;
}

const ROLES: readonly Role[] = ['worker', 'exporter', 'all'];
/** How long a stop may take. */
const STOP_MS = 4500;
const SETTINGS_CHECK_MS = 10_000;

/**
 * Calls before V8 optimizes a function with its slowest compiler: ten times as many as by itself. What a worker does often is WebAssembly, so
 * most JavaScript is not worth it (docs/decisions/0027-fewer-functions-optimized.md).
 */
const CALLS_BEFORE_TURBOFAN = 30_000;

/** Many programs read their settings again at this signal. */
const HUNG_UP =
  'SIGHUP ends the service in order, as SIGTERM does: settings are read at the start only, so start it again';

/** `receval run`: the service on Kafka and Redis. */
export function runCommand(): Command {
  return new Command('run')
    .option('--role <role>', `${ROLES.join(', ')}`, 'all')
    .option('--config <file>', 'configuration (default: receval.yaml in this folder, if it exists)')
    .option('--rebuild', 'once: the state was lost, count again from the earliest record retained')
    .option('--new-generation', 'once: the configuration has changed the meaning of rows, which start empty')
    .option('--from <where>', 'earliest: with --new-generation, count again what Kafka still holds')
    .option('--accept-partitions', 'once: the topics have more partitions now')
    .option('--restart-experiments', 'once: experiments whose settings have changed begin at zero')
    .action(async (flags: Flags, command: Command) => run(flags, command.optsWithGlobals()['verbose'] === true));
}

async function run(flags: Flags, verbose: boolean): Promise<void> {
  const role = ROLES.find((name) => name === flags.role);
  if (role === undefined) throw new UsageError(`--role: no role "${flags.role}"${suggestion(flags.role, ROLES)}`);
  if (flags.from !== undefined && (flags.from !== 'earliest' || flags.newGeneration !== true))
    throw new UsageError(
      '--from earliest counts again what Kafka still holds, together with --new-generation; there is no other',
    );
  // Earlier releases do not know the flag, and would print so.
  if (role !== 'exporter' && Number.parseInt(process.versions.v8, 10) >= 13) {
    setFlagsFromString(`--invocation-count-for-turbofan=${CALLS_BEFORE_TURBOFAN}`);
  }
  const load = (): Configuration => loadConfiguration({ file: flags.config, readFile: readTextFile, env: process.env });
  const configuration = load();
  const settings = await withFiles(configuration.settings);
  const log = processLog(verbose ? 'debug' : 'info');
  logPrinted(log);
  // Also while it still waits for Kafka or Redis: the first process of a container ignores a signal that it does not listen for.
  const stopped = untilStopped(undefined);
  process.once('SIGHUP', () => log.warn({}, HUNG_UP));
  const starting = Service.start({
    settings,
    role,
    permissions: {
      rebuild: flags.rebuild === true,
      newGeneration: flags.from === undefined ? flags.newGeneration === true : 'earliest',
      acceptPartitions: flags.acceptPartitions === true,
      restartExperiments: flags.restartExperiments === true,
    },
    version: version(),
    newId: randomUUID,
    hashSeed: newHashSeed(),
    log,
    about: aboutService(configuration),
  });
  const service = await Promise.race([starting, stopped.then(() => undefined)]);
  if (service === undefined) {
    log.info({ role }, 'stopped before it was running');
    // What it waits for would keep it alive; nothing is counted yet.
    process.exit(0);
  }
  log.info({ role, port: service.port, partitions: service.partitions }, 'receval is running');
  const textOf = (one: Configuration): string => JSON.stringify(effectiveDocument(one));
  const watch = new SettingsWatch(() => textOf(load()), textOf(configuration), log);
  setInterval(() => watch.look(), SETTINGS_CHECK_MS).unref();
  await runToEnd(service, stopped, STOP_MS);
}
