import { Command, CommanderError } from 'commander';
import { compareCommand } from './compare.ts';
import { configCommand } from './config.ts';
import { demoCommand } from './demo.ts';
import { doctorCommand } from './doctor.ts';
import { exitCodeOf, explain } from './failure.ts';
import { offsetsCommand } from './offsets.ts';
import { replayCommand } from './replay.ts';
import { rulesCommand } from './rules.ts';
import { runCommand } from './run.ts';
import { simulateCommand } from './simulate.ts';
import { skipCommand } from './skip.ts';
import { version } from './version.ts';

/** Ends the process with the exit codes of interfaces.md section 3: 0 fine, 1 failed, 2 wrong usage, 3 regression. */
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
  for (const command of [
    demoCommand(),
    runCommand(),
    doctorCommand(),
    offsetsCommand(),
    skipCommand(),
    replayCommand(),
    compareCommand(),
    simulateCommand(),
    rulesCommand(),
    configCommand(),
  ])
    program.addCommand(command);
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

// A reader that closes the pipe early (head) is no error.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code === 'EPIPE') process.exit(0);
  throw error;
});

await main(process.argv);
