import { writeFileSync } from 'node:fs';
import type { Comparison } from '../score/comparisons.ts';
import { measureNames } from '../score/measure-names.ts';
import type { MissingQuery, ScoreResult } from '../score/score-result.ts';
import { nearest } from '../vocabulary/spelling.ts';
import { fileProblem } from './failure.ts';
import { findingLines } from './findings-output.ts';
import { showReport } from './report-file.ts';
import { findingsOf, printScores } from './score-output.ts';
import type { ScoreSettings } from './score-settings.ts';

/** Prints scores, draws the plot, and says on stderr what the numbers leave out. Nothing to score is a failure. */
export async function showScores(result: ScoreResult, settings: ScoreSettings): Promise<void> {
  mustKnow(result, settings.rows.query);
  const { plot, output, report, pValues } = settings;
  const comparisons =
    pValues || report !== undefined || output === 'html' ? await compared(result, settings) : undefined;
  const asked = pValues ? comparisons : undefined;
  const svg =
    plot === undefined ? undefined : (await import('./score-plot.ts')).scorePlot(result, settings, plot, asked);
  if (svg !== undefined && plot?.file !== undefined) writePlot(plot.file, svg);
  const isShown = svg !== undefined && plot?.file === undefined && output !== 'html';
  if (isShown) process.stdout.write(svg);
  else if (output !== 'html') process.stdout.write(printScores(result, asked, settings, output));
  if (output === 'html' || report !== undefined) {
    const { scoresReport } = await import('./score-report.ts');
    showReport(scoresReport(result, comparisons ?? [], settings), { output, report });
  }
  if (output === 'csv' || isShown) process.stderr.write(findingLines(findingsOf(result)));
  for (const text of notes(result, settings)) process.stderr.write(`receval: ${text}\n`);
  if (result.runs.every(({ queries }) => queries === 0)) process.exitCode = 1;
}

function writePlot(path: string, svg: string): void {
  try {
    writeFileSync(path, svg);
  } catch (error) {
    throw new Error(`--plot-file: ${fileProblem(path, error, 'written')}`, { cause: error });
  }
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
  { measures, runs, missing }: ScoreResult,
  { missing: how, output, pValues, preset, qrels }: ScoreSettings,
): string[] {
  const found: string[] = [];
  for (const { name, queries, withoutOwner, unknownItems = 0 } of runs) {
    if (queries === 0) found.push(`${name}: no query is both in the run and judged: there is nothing to score`);
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
