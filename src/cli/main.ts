import { Command, CommanderError } from 'commander';
import { printable } from '../vocabulary/error-text.ts';
import { exitCodeOf, explain, fileProblem, notice } from './failure.ts';
import { endOnCrash, version, writeFilesWhole } from './process.ts';

interface Offered {
  /** A line of the help text. */
  readonly does: string;
  readonly load: () => Promise<Command>;
}

/** Commands in the order of the help text. Each is loaded when it is called, to save the time of loading the others. */
const COMMANDS: Readonly<Record<string, Offered>> = {
  demo: {
    does: 'a simulated shop, joined, scored and shown live: nothing to install',
    load: async () => (await import('./demo.ts')).demoCommand(),
  },
  plan: {
    does: 'say how much memory, CPU and Redis a configuration takes for the expected traffic',
    load: async () => (await import('./plan.ts')).planCommand(),
  },
  run: {
    does: 'the service: reads Kafka, keeps its state in Redis, shows gauges',
    load: async () => (await import('./run.ts')).runCommand(),
  },
  doctor: {
    does: 'look at brokers, topics, records, Redis and the stored state, and say what to do',
    load: async () => (await import('./doctor.ts')).doctorCommand(),
  },
  offsets: {
    does: 'show where each partition stands: stored offsets, logs, lag, owner. Changes nothing',
    load: async () => (await import('./offsets.ts')).offsetsCommand(),
  },
  skip: {
    does: 'let a stopped partition pass records that cannot be read, such as a damaged batch',
    load: async () => (await import('./skip.ts')).skipCommand(),
  },
  accept: {
    does: 'accept the level of a watched cohort as normal: it is no longer compared with earlier ones',
    load: async () => (await import('./accept.ts')).acceptCommand(),
  },
  inspect: {
    does: 'say what is in logs: their fields, whether they join, what is wrong, and a configuration that reads them',
    load: async () => (await import('./inspect.ts')).inspectCommand(),
  },
  replay: {
    does: 'join logs from files and print exact ranking measures per cohort',
    load: async () => (await import('./replay.ts')).replayCommand(),
  },
  score: {
    does: 'score runs against relevance judgements: TREC and PyFLAGR files, or graded lists',
    load: async () => (await import('./score.ts')).scoreCommand(),
  },
  fuse: {
    does: 'merge ranked lists of several rankers or voters into one',
    load: async () => (await import('./fuse.ts')).fuseCommand(),
  },
  compare: {
    does: 'compare the variants of an experiment with its control, and say which is worse or better',
    load: async () => (await import('./compare.ts')).compareCommand(),
  },
  report: {
    does: 'one page of what a running service shows, to be mailed or kept: verdict, experiments, cohorts, events',
    load: async () => (await import('./report.ts')).reportCommand(),
  },
  simulate: {
    does: 'write the traffic of a simulated shop: impressions and feedback, with faults planted in known numbers',
    load: async () => (await import('./simulate.ts')).simulateCommand(),
  },
  rules: {
    does: 'generate rules for Prometheus',
    load: async () => (await import('./rules.ts')).rulesCommand(),
  },
  dashboards: {
    does: 'generate dashboards for Grafana',
    load: async () => (await import('./dashboards.ts')).dashboardsCommand(),
  },
  config: {
    does: 'check the configuration, or print its schema or every setting',
    load: async () => (await import('./config.ts')).configCommand(),
  },
};

/** The command that is called, or whose help is requested; else the names of all, for help and for suggestions. */
async function commandsOf(argv: readonly string[]): Promise<readonly Command[]> {
  const words = argv.slice(2).filter((word) => !word.startsWith('-'));
  const called = words[0] === 'help' ? words[1] : words[0];
  if (called !== undefined && Object.hasOwn(COMMANDS, called)) {
    const { does, load } = COMMANDS[called];
    return [(await load()).description(does)];
  }
  return Object.entries(COMMANDS).map(([name, { does }]) => new Command(name).description(does));
}

/** Ends the process with its exit code (specification: commands 2): 0 fine, 1 failed, 2 wrong usage, 3 regression. */
async function main(argv: readonly string[]): Promise<void> {
  const program = new Command('receval')
    .description('Online evaluation of recommender logs: exact ranking measures per cohort, live.')
    .version(version())
    .option('--verbose', 'show the stack trace of an error')
    .showSuggestionAfterError()
    .showHelpAfterError('(add --help for usage)')
    .addHelpText(
      'after',
      '\nExit codes: 0 fine, 1 failed, 2 wrong usage or configuration, 3 regression,\n4 not judged (compare --fail-on).\nDocumentation: the folder docs/ of the package.',
    );
  for (const command of await commandsOf(argv)) program.addCommand(command);
  for (const command of [program, ...program.commands, ...program.commands.flatMap((c) => c.commands)]) {
    command.exitOverride();
    command.configureOutput({ outputError: (text, write) => write(printable(text.replace(/^error: /, 'receval: '))) });
  }
  program.hook('preAction', async (_, command) => (await import('./written-file.ts')).mustSpareFiles(command));
  try {
    await program.parseAsync(argv);
  } catch (error) {
    if (error instanceof CommanderError) {
      process.exitCode = error.exitCode === 0 ? 0 : 2; // commander has printed what is wrong
      return;
    }
    notice(explain(error, program.opts()['verbose'] === true));
    process.exitCode = exitCodeOf(error);
  }
}

endOnCrash();
writeFilesWhole(process.stdout);

// A reader that closes the pipe early (head) is not an error.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code === 'EPIPE') process.exit(0);
  notice(fileProblem('standard output', error, 'written'));
  process.exit(1);
});

// Errors of standard error are ignored: there is nowhere left to report them.
process.stderr.on('error', () => {});

await main(process.argv);
