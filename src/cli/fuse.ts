import { Command } from 'commander';
import { METHODS } from '../fusion/methods.ts';
import { TIES } from '../score/order.ts';
import { FORMATS } from '../score/run-format.ts';
import { fuseFiles } from './fuse-files.ts';
import { type FuseFlags, RUN_FORMATS, readFuseSettings } from './fuse-settings.ts';

export function fuseCommand(): Command {
  return new Command('fuse')
    .description('merge runs, or the lists of several voters, into one run')
    .option('--run <[name=]file...>', 'a run, or several, .gz too; - is standard input')
    .option('--lists <[name=]file...>', 'lists of several voters: CSV as PyFLAGR reads and writes it')
    .option('--method <name>', 'such as rrf, combsum(norm=rank), mc4; see below')
    .option('--output <file>', 'where the merged run goes (default: standard output)')
    .option('--as <format>', `of the merged run: ${RUN_FORMATS.join(', ')} (default: trec)`)
    .option('--tag <name>', 'name of the merged run (default: the method)')
    .option('--qrels <file>', 'judgements to learn from, for bayesfuse and mapfuse')
    .option('--relevant-from <grade>', 'lowest grade that is relevant (default: 1)')
    .option('--format <name>', `of the runs: ${FORMATS.slice(0, 2).join(', ')} (default: by the first row)`)
    .option(
      '--columns <names>',
      'of runs other than of TREC: names such as query,item,score, or 5 or 6 of PyFLAGR (default: by the first row)',
    )
    .option('--ties <rule>', `order of equal scores: ${TIES.slice(0, 3).join(', ')} (default: by the columns)`)
    .option(
      '--repeated <how>',
      'items that a list holds several times: refuse, first, best (only the best row votes) (default: by the columns)',
    )
    .option('--depth <n>', 'only the first n items of each list vote')
    .option('--top <n>', 'only the first n items of each merged list')
    .addHelpText(
      'after',
      `
Methods: ${METHODS.map(({ name }) => name).join(', ')}.

Examples:
  receval fuse --run bm25.run --run dense.run --method rrf --output fused.run
  receval fuse --run bm25.run --run dense.run --method "combsum(norm=rank)" | head
  receval fuse --lists votes.csv --method kemeny_local --as flagr --output merged.csv`,
    )
    .action(async (flags: FuseFlags) => fuseFiles(readFuseSettings(flags)));
}
