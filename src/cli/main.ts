import { Command, CommanderError } from 'commander';
import { endOnCrash } from './crash.ts';
import { exitCodeOf, explain } from './failure.ts';
import { version } from './version.ts';

/** Commands in the order of the help text. Each is loaded when it is called: what the others need would only cost time. */
const COMMANDS: Readonly<Record<string, () => Promise<Command>>> = {
  demo: async () => (await import('./demo.ts')).demoCommand(),
  run: async () => (await import('./run.ts')).runCommand(),
  doctor: async () => (await import('./doctor.ts')).doctorCommand(),
  offsets: async () => (await import('./offsets.ts')).offsetsCommand(),
  skip: async () => (await import('./skip.ts')).skipCommand(),
  accept: async () => (await import('./accept.ts')).acceptCommand(),
  inspect: async () => (await import('./inspect.ts')).inspectCommand(),
  replay: async () => (await import('./replay.ts')).replayCommand(),
  score: async () => (await import('./score.ts')).scoreCommand(),
  fuse: async () => (await import('./fuse.ts')).fuseCommand(),
  compare: async () => (await import('./compare.ts')).compareCommand(),
  simulate: async () => (await import('./simulate.ts')).simulateCommand(),
  rules: async () => (await import('./rules.ts')).rulesCommand(),
  dashboards: async () => (await import('./dashboards.ts')).dashboardsCommand(),
  config: async () => (await import('./config.ts')).configCommand(),
};

/** The command that is called; all of them where that is not clear, for help and for suggestions. */
function loadCommands(argv: readonly string[]): Promise<readonly Command[]> {
  const called = argv.slice(2).find((word) => !word.startsWith('-'));
  const one = called !== undefined && Object.hasOwn(COMMANDS, called) ? [COMMANDS[called]] : Object.values(COMMANDS);
  return Promise.all(one.map((load) => load()));
}

/** Ends the process with its exit code (specification: commands 2): 0 fine, 1 failed, 2 wrong usage, 3 regression. */
async function main(argv: readonly string[]): Promise<void> {
  const program = new Command('receval')
    .description('Online evaluation of recommender logs: exact ranking measures per cohort, live.')
    .version(version())
    .option('--verbose', 'show the stack trace of an error')
    .showSuggestionAfterError()
    .showHelpAfterError('(add --help for what is possible)')
    .addHelpText(
      'after',
      '\nExit codes: 0 fine, 1 failed, 2 wrong usage or configuration, 3 regression.\nDocumentation: the folder docs/ of the package.',
    );
  for (const command of await loadCommands(argv)) program.addCommand(command);
  for (const command of [program, ...program.commands, ...program.commands.flatMap((c) => c.commands)]) {
    command.exitOverride();
    command.configureOutput({ outputError: (text, write) => write(text.replace(/^error: /, 'receval: ')) });
  }
  try {
    await program.parseAsync(argv);
  } catch (error) {
    if (error instanceof CommanderError) {
      process.exitCode = error.exitCode === 0 ? 0 : 2; // commander has printed what is wrong
      return;
    }
    process.stderr.write(`receval: ${explain(error, program.opts()['verbose'] === true)}\n`);
    process.exitCode = exitCodeOf(error);
  }
}

endOnCrash();

// A reader that closes the pipe early (head) is no error.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code === 'EPIPE') process.exit(0);
  throw error;
});

await main(process.argv);
