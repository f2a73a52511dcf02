/** The report: one file that needs nothing else, no network and no script, so that it can be mailed. */
import { createHash } from 'node:crypto';
import { elements, escaped, Fragment, jsx, Markup, visible } from '../charts/jsx.ts';
import { switchRules } from './choices.tsx';
import { CohortSwitches, cohortPieces } from './cohorts.tsx';
import { Facts } from './facts.tsx';
import { keptPieces, markupOf, type Pieces } from './kept-markup.ts';
import type { CohortsView, Fact, ReportView } from './model.ts';
import { PageHead, type Part, partPieces, sharedParts, VerdictCard } from './page-parts.tsx';
import { Scores } from './scores.tsx';
import { STYLE } from './style.ts';

/** The mark by which a file is known to be a report. */
export const REPORT_MARK = '<meta name="generator" content="receval">';

const keptCohorts = keptPieces(cohortPieces);

/** The whole file, ending with a newline. Equal views give equal bytes. */
export function renderReport(view: ReportView): string {
  return [...reportPieces(view)].join('');
}

export function* reportPieces(view: ReportView): Pieces {
  const horizons = view.cohorts?.horizons.length ?? 0;
  const measures = (view.cohorts ?? view.scores)?.measures.length ?? 0;
  const style = `${STYLE}${switchRules('h', horizons)}${switchRules('m', measures)}`;
  // Nothing but this style may be loaded or run, whatever the names in events contain.
  const policy = `default-src 'none'; style-src 'sha256-${createHash('sha256').update(style).digest('base64')}'; base-uri 'none'; form-action 'none'`;
  yield `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${escaped(policy)}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
${REPORT_MARK}
<title>${escaped(`${view.title}: ${view.verdict.badge}`)}</title>
<style>${style}</style>
</head>
<body>
`;
  yield* bodyPieces(view);
  yield `
</body>
</html>
`;
}

function* bodyPieces(view: ReportView): Pieces {
  const { title, verdict, facts, about, raw } = view;
  const parts: readonly Part[] = [
    ...sharedParts({ ...view, own: ownParts(view) }),
    { id: 'about', name: 'About this report', markup: () => aboutMarkup(about, raw) },
  ];
  const head = markupOf(<PageHead title={title} label="Parts of the report" parts={parts} />);
  const first = markupOf(
    <VerdictCard verdict={verdict}>
      <Facts facts={facts} />
    </VerdictCard>,
  );
  yield `<div class="page">${head}<main>${first}`;
  yield* partPieces(parts);
  yield '</main></div>';
}

function ownParts({ scores, cohorts, measure }: ReportView): readonly Part[] {
  return [
    ...(scores === undefined
      ? []
      : [{ id: 'scores', name: 'Scores', markup: () => markupOf(<Scores view={scores} />) }]),
    ...(cohorts === undefined ? [] : [{ id: 'cohorts', name: 'Cohorts', markup: () => ownPieces(cohorts, measure) }]),
  ];
}

function* ownPieces(view: CohortsView, measure: string | undefined): Pieces {
  yield markupOf(<CohortSwitches view={view} measure={measure} />);
  yield* keptCohorts(view);
}

/** What the report rests on. The JSON is by far the longest part: it is written last, and not searched for signs that it cannot hold. */
function aboutMarkup(about: readonly Fact[], { name, text }: ReportView['raw']): string {
  const facts = markupOf(
    <>
      <h2 id="about-this">About this report</h2>
      <Facts facts={about} />
    </>,
  );
  const save = elements`<p><a class="save" download="${visible(name)}" href="data:application/json;charset=utf-8;base64,${base64(text)}">Save all numbers (JSON)</a></p>`;
  const note = elements`<p class="note">This file holds all it needs. It loads nothing, runs nothing and sends nothing.</p>`;
  return elements`<section class="card" aria-labelledby="about-this">${new Markup(facts)}${save}${note}</section>`.text;
}

function base64(text: string): string {
  return Buffer.from(text, 'utf8').toString('base64');
}
