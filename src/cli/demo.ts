import { fileURLToPath } from 'node:url';
import { Command } from 'commander';
import { readSettings, replayFiles } from './replay.ts';
import { printResult } from './result-output.ts';

const SAMPLE = new URL('../../sample/open_bandit/', import.meta.url);

/** Replays the bundled sample of real clicks. */
export function demoCommand(): Command {
  return new Command('demo')
    .description('replay the bundled sample: real clicks on two policies of a fashion shop')
    .action(async () => {
      const settings = readSettings({ config: fileURLToPath(new URL('receval.yaml', SAMPLE)) });
      process.stderr.write(
        'Replaying 20,000 impressions of the Open Bandit Dataset (ZOZOTOWN, campaign "men"): what a uniform random policy\n' +
          'showed, and what Bernoulli Thompson sampling ("bts") showed, as two variants.\n',
      );
      const policy = (name: string) => ({
        path: fileURLToPath(new URL(`${name}_men.csv.gz`, SAMPLE)),
        defaults: new Map([['variant', name]]),
      });
      const result = await replayFiles({
        settings,
        inputs: { events: [policy('random'), policy('bts')] },
        adapter: 'open-bandit',
        order: 'time',
      });
      process.stdout.write(printResult(result, settings, 'table'));
      process.stdout.write(
        '\nctr and mrr are higher under bts: it has learnt what is clicked. Yours: receval replay --help\n',
      );
    });
}
