import { writeFileSync } from 'node:fs';
import { sumsKind } from '../measures/value.ts';
import type { Comparison } from '../score/comparisons.ts';
import { measureNames } from '../score/measure-names.ts';
import type { MissingQuery, ScoreResult } from '../score/result.ts';
import { nearest } from '../spelling.ts';
import { printScores } from './score-output.ts';
import type { ScoreSettings } from './score-settings.ts';

/** Prints scores, draws the plot, and says on stderr what the numbers leave out. */
export async function showScores(result: ScoreResult, settings: ScoreSettings): Promise<void> {
  mustKnow(result, settings.rows.query);
  const { plot } = settings;
  const svg = plot === undefined ? undefined : (await import('./score-plot.ts')).scorePlot(result, settings, plot);
  if (svg !== undefined && plot?.file !== undefined) writeFileSync(plot.file, svg);
  const isShown = svg !== undefined && plot?.file === undefined;
  if (isShown && settings.output !== 'html') {
    process.stdout.write(svg);
  } else {
    const comparisons = settings.pValues ? await compared(result, settings) : undefined;
    process.stdout.write(printScores(result, comparisons, settings, svg));
  }
  for (const text of notes(result, settings)) process.stderr.write(`receval: ${text}\n`);
}

async function compared(result: ScoreResult, { names }: ScoreSettings): Promise<readonly Comparison[]> {
  const { compareRuns } = await import('../score/comparisons.ts');
  return compareRuns(result, measureNames(result.measures, names), result.measures.map(sumsKind));
}

function mustKnow({ runs }: ScoreResult, query: string | undefined): void {
  if (query === undefined || runs.some(({ perQuery }) => perQuery.some((one) => one.query === query))) return;
  const near = nearest(query, new Set(runs.flatMap(({ perQuery }) => perQuery.map((one) => one.query))));
  throw new Error(
    `--query: no run has a judged query "${query}"${near === undefined ? '' : `; did you mean "${near}"?`}`,
  );
}

const MOST_NAMED = 5;

function notes({ runs, missing }: ScoreResult, { missing: how, output, pValues, preset }: ScoreSettings): string[] {
  const found: string[] = [];
  for (const { name, queries } of runs) {
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
  }
  if (pValues && output === 'csv')
    found.push('comparisons of runs are not part of csv: use json, table, md, html or latex');
  return found;
}

function named(missing: readonly MissingQuery[]): string {
  const first = missing.slice(0, MOST_NAMED).map(({ query }) => query);
  const others = missing.length - first.length;
  return `${first.join(', ')}${others > 0 ? ` and ${others} others` : ''}`;
}
