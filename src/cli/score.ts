import { Command } from 'commander';
import { NAMES } from '../score/measure-names.ts';
import { TIES } from '../score/order.ts';
import { PRESET_NAMES } from '../score/preset.ts';
import { FORMATS } from '../score/run-format.ts';
import { scoreFiles } from './score-files.ts';
import { REPORT, readScoreSettings, SCORE_OUTPUTS, type ScoreFlags } from './score-settings.ts';
import { showScores } from './score-show.ts';
import { WIDE } from './terminal.ts';

export function scoreCommand(): Command {
  return new Command('score')
    .option('--run <[name=]file...>', 'a run, or several, .gz too; - is standard input')
    .option('--qrels <file>', 'judgements: query 0 item grade, separated by blanks or commas')
    .option('--lists <[name=]file...>', 'graded lists, one JSON object a line, in place of runs and judgements')
    .option(
      '--measures <list>',
      'such as ap,ndcg@10,precision@1..5 (default: those of the configuration, or a usual handful)',
    )
    .option(
      '--preset <name>',
      `the convention of ${PRESET_NAMES.join(', ')} (default: trec for TREC files, flagr for PyFLAGR files)`,
    )
    .option('--fuse <method...>', 'also score the runs merged by this method, or several; see receval fuse --help')
    .option('--relevant-from <grade>', 'lowest grade that is relevant (default: that of the configuration, or 1)')
    .option('--format <name>', `of the runs: ${FORMATS.join(', ')} (default: by the first line)`)
    .option('--columns <names>', 'of runs with commas: 5, 6, or names such as query,item,score')
    .option('--missing <how>', 'a judged query that a run lacks: skip, or zero (default: by the preset)')
    .option('--depth <n>', 'only the first n items of a list count')
    .option('--ties <rule>', `order of equal scores: ${TIES.join(', ')} (default: by the preset)`)
    .option('--per-query', 'each query, too')
    .option('--query <id>', 'only this query; all: only the means')
    .option('--names <whose>', `names of the measures: ${NAMES.join(', ')}`, 'receval')
    .option('--p-values', 'each run against the first, paired by query; and p of spearman and kendall')
    .option('--output <form>', SCORE_OUTPUTS.join(', '), 'table')
    .option('--report <file.html>', REPORT)
    .option('--wide', WIDE)
    .option('--digits <n>', 'digits after the point (default: 4 in tables, all in csv)')
    .option(
      '--plot <kind>',
      'bar: a bar for each run and measure; line: one for each run, over cut-offs; intervals: means of one measure',
    )
    .option('--plot-file <file.svg>', 'where the plot goes (default: standard output, in place of the table)')
    .option('--size <WxH>', 'of the plot in inches, such as 12x6', '10x6')
    .option('--grid', 'grid lines in the plot')
    .option('--config <file>', 'configuration (default: receval.yaml in this folder, if it exists)')
    .addHelpText(
      'after',
      `
Examples:
  receval score --run bm25.run --qrels qrels.txt --measures ap,ndcg@10,precision@1..5
  receval score --run bm25=a.run --run dense=b.run.gz --qrels qrels.txt --p-values --output latex
  receval score --run a.run --run b.run --qrels qrels.txt --measures ndcg@1..10 --plot line --plot-file ndcg.svg
  receval score --run a.run --run b.run --qrels qrels.txt --fuse rrf "combsum(norm=rank)" --p-values
  receval score --lists lists.ndjson --measures mrr,ndcg@5 --per-query --output json`,
    )
    .action(async (flags: ScoreFlags) => {
      const settings = await readScoreSettings(flags);
      const scored = await scoreFiles(settings);
      await showScores(scored, settings);
    });
}
