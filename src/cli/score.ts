import { Command } from 'commander';
import type { Comparison } from '../score/comparisons.ts';
import { bytesOf } from '../score/line-fields.ts';
import { TIES } from '../score/order.ts';
import { measureNames, NAMES, PRESET_NAMES } from '../score/preset.ts';
import { FORMATS } from '../score/run-format.ts';
import type { MissingQuery, ScoreResult } from '../score/score-result.ts';
import { nearest } from '../vocabulary/spelling.ts';
import { notice } from './failure.ts';
import { findingLines } from './findings-output.ts';
import { showReport } from './report-file.ts';
import { scoreFiles } from './score-files.ts';
import { findingsOf, printScores, skippedText, withoutValueText } from './score-output.ts';
import { REPORT, readScoreSettings, SCORE_OUTPUTS, type ScoreFlags, type ScoreSettings } from './score-settings.ts';
import { WIDE } from './terminal.ts';
import { writeWhole } from './whole-file.ts';

export function scoreCommand(): Command {
  return new Command('score')
    .option('--run <[name=]file...>', 'a run, or several, .gz too; - is standard input')
    .option('--qrels <file>', 'judgements: query 0 item grade, columns that a header names, or JSON')
    .option('--lists <[name=]file...>', 'graded lists, one JSON object a line, in place of runs and judgements')
    .option(
      '--measures <list>',
      'such as ap,ndcg@10,precision@1..5 (default: those of the configuration, or five common ones)',
    )
    .option(
      '--preset <name>',
      `the convention of ${PRESET_NAMES.join(', ')} (default: flagr for the columns of PyFLAGR, else trec)`,
    )
    .option('--fuse <method...>', 'also score the runs merged by this method, or several; see receval fuse --help')
    .option('--relevant-from <grade>', 'lowest grade that is relevant (default: that of the configuration, or 1)')
    .option('--format <name>', `of the runs: ${FORMATS.join(', ')} (default: by the first row)`)
    .option(
      '--columns <names>',
      'of runs other than of TREC: names such as query,item,score, or 5 or 6 of PyFLAGR (default: by the first row)',
    )
    .option('--qrels-columns <names>', 'of judgements, such as query,item,grade (default: by the first row)')
    .option('--missing <how>', 'a judged query that a run lacks: skip, or zero (default: by the preset)')
    .option(
      '--unjudged <how>',
      'items of a run that nobody judged: count (as not relevant), or skip (take them out) (default: count)',
    )
    .option(
      '--repeated <how>',
      'items that a list holds several times: refuse, first (the others are not relevant), best (only the best row is left) (default: by the preset)',
    )
    .option('--depth <n>', 'only the first n items of a list count')
    .option('--ties <rule>', `order of equal scores: ${TIES.join(', ')} (default: by the preset)`)
    .option('--per-query', 'also each query')
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
    .action(async (flags: ScoreFlags, command: Command) => {
      const settings = await readScoreSettings(flags, command);
      const scored = await scoreFiles(settings);
      await showScores(scored, settings);
    });
}

/** Prints scores, draws the plot, and notes on stderr what the numbers leave out. Fails if there is nothing to score. */
async function showScores(result: ScoreResult, settings: ScoreSettings): Promise<void> {
  mustKnow(result, settings.rows.query);
  const { plot, output, report, pValues } = settings;
  const comparisons =
    pValues || report !== undefined || output === 'html' ? await compared(result, settings) : undefined;
  const asked = pValues ? comparisons : undefined;
  const svg =
    plot === undefined ? undefined : (await import('./score-plot.ts')).scorePlot(result, settings, plot, asked);
  if (svg !== undefined && plot?.file !== undefined) writeWhole(plot.file, svg, { flag: '--plot-file' });
  const isShown = svg !== undefined && plot?.file === undefined && output !== 'html';
  if (isShown) process.stdout.write(svg);
  else if (output !== 'html') process.stdout.write(bytesOf(printScores(result, asked, settings, output)));
  if (output === 'html' || report !== undefined) {
    const { scoresReport } = await import('./score-report.ts');
    showReport(scoresReport(result, comparisons ?? [], settings), { output, report });
  }
  if (output === 'csv' || isShown) {
    process.stderr.write(findingLines(findingsOf(result)));
    const left = withoutValueText(result, settings.names);
    if (left !== undefined) notice(`lists without a value are not in the means: ${left}`);
    if (settings.unjudged === 'skip') notice(skippedText(result));
  }
  for (const text of notes(result, settings)) notice(text);
  if (result.runs.every(({ queries }) => queries === 0)) process.exitCode = 1;
}

async function compared(result: ScoreResult, { names }: ScoreSettings): Promise<readonly Comparison[]> {
  const { compareRuns } = await import('../score/comparisons.ts');
  return compareRuns(result, measureNames(result.measures, names, result.reading));
}

function mustKnow({ runs }: ScoreResult, query: string | undefined): void {
  if (query === undefined || runs.some(({ perQuery }) => perQuery.some((one) => one.query === query))) return;
  const near = nearest(query, new Set(runs.flatMap(({ perQuery }) => perQuery.map((one) => one.query))));
  throw new Error(
    `--query: no run has a judged query "${query}"${near === undefined ? '' : `; did you mean "${near}"?`}`,
  );
}

const MOST_NAMED = 5;

function notes(
  { measures, runs, missing, evidence }: ScoreResult,
  { depth, missing: how, output, pValues, plot, preset, qrels, unjudged: unjudgedItems }: ScoreSettings,
): string[] {
  const found: string[] = [];
  if (unjudgedItems === 'skip' && evidence.every(({ top }) => top === undefined)) {
    found.push('--unjudged skip: the judgements call no item irrelevant, so only relevant items are left of the lists');
  }
  const withoutCut = measures.filter(({ k }) => k === undefined).map(({ canonical }) => canonical);
  if (plot?.kind === 'line' && withoutCut.length > 0) {
    found.push(`--plot line leaves out what has no cut-off, and --plot bar does not: ${withoutCut.join(', ')}`);
  }
  for (const { name, queries, counts, withoutOwner, withoutKnown = 0, unknownItems = 0 } of runs) {
    if (queries === 0) found.push(`${name}: no query is both in the run and judged: there is nothing to score`);
    const cut = evidence.find(({ run }) => run === name)?.relevantCut ?? 0;
    if (cut > 0 && counts.relevantRetrieved === 0) {
      found.push(`${name}: all relevant items of its lists, ${cut}, are behind the first ${depth} (--depth)`);
    }
    const of = missing.filter(({ run }) => run === name);
    const lacking = of.filter(({ missingFrom }) => missingFrom === 'run');
    const unjudged = of.filter(({ missingFrom }) => missingFrom === 'qrels');
    const isZero = how === 'zero' || (how === undefined && preset === 'rectools');
    if (lacking.length > 0) {
      const what = isZero ? 'count as 0' : 'do not count (--missing zero counts them as 0)';
      found.push(`${name}: judged queries without a list ${what}: ${named(lacking)}`);
    }
    if (unjudged.length > 0) found.push(`${name}: queries that nobody judged do not count: ${named(unjudged)}`);
    for (const [m, lists] of withoutOwner.entries()) {
      if (lists === 0) continue;
      const owner = String(measures[m].params.get('per'));
      const why = qrels === undefined ? '' : `: runs do not say whose a list is, --lists do ("${owner}")`;
      found.push(`${name}: ${measures[m].canonical} leaves out lists without a ${owner}${why}: ${lists}`);
    }
    if (withoutKnown > 0) {
      const of = withoutKnown === queries ? 'no list says' : `${withoutKnown} of ${queries} lists do not say`;
      found.push(`${name}: ${of} what else is relevant ("known"): for ideal=all only what they show is known`);
    }
    if (unknownItems > 0) found.push(`${name}: slots with items that the catalogue does not know: ${unknownItems}`);
  }
  const correlates = measures.some(({ definition }) => definition.correlation !== undefined);
  if (pValues && runs.length === 1 && !correlates) {
    found.push('--p-values compares each run with the first: there is one run, so there is nothing to compare');
  }
  if (pValues && output === 'csv')
    found.push('comparisons of runs are not part of csv: use json, table, md, html or latex');
  return found;
}

function named(missing: readonly MissingQuery[]): string {
  const first = missing.slice(0, MOST_NAMED).map(({ query }) => query);
  const others = missing.length - first.length;
  const rest = others === 0 ? '' : ` and ${others} ${others === 1 ? 'other' : 'others'}`;
  return `${first.join(', ')}${rest}`;
}
