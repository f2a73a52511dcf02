/** The report: one file that needs nothing else, no network and no script, so that it can be mailed. */
import { createHash } from 'node:crypto';
import { render } from 'preact-render-to-string';
import { escaped } from '../output/markup.ts';
import { Cohorts } from './cohorts.tsx';
import { Facts } from './facts.tsx';
import type { Fact, ReportView } from './model.ts';
import { readable, visible } from './name.tsx';
import { type KeptMarkup, PageHead, PageParts, type Part, sharedParts, VerdictCard } from './page-parts.tsx';
import { Scores } from './scores.tsx';
import { STYLE } from './style.ts';
import { switchRules } from './switch.tsx';

/** By which a report is known to be one. */
export const REPORT_MARK = '<meta name="generator" content="receval">';

/** The whole file, ending with a newline. Equal views give equal bytes. @param kept of a report that differs in nothing stored */
export function renderReport(view: ReportView, kept?: KeptMarkup): string {
  const horizons = view.cohorts?.horizons.length ?? 0;
  const measures = (view.cohorts ?? view.scores)?.measures.length ?? 0;
  const style = `${STYLE}${switchRules('h', horizons)}${switchRules('m', measures)}`;
  // Nothing but this style may be loaded or run, whatever the events have put into their names.
  const policy = `default-src 'none'; style-src 'sha256-${createHash('sha256').update(style).digest('base64')}'; base-uri 'none'; form-action 'none'`;
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${escaped(policy)}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
${REPORT_MARK}
<title>${escaped(visible(`${view.title}: ${view.verdict.badge}`))}</title>
<style>${style}</style>
</head>
<body>
${readable(render(<Report view={view} kept={kept} />))}
</body>
</html>
`;
}

function Report({ view, kept }: { readonly view: ReportView; readonly kept: KeptMarkup | undefined }) {
  const { title, verdict, facts, about, raw } = view;
  const parts: readonly Part[] = [
    ...sharedParts({ ...view, own: ownParts(view) }),
    { id: 'about', name: 'About this report', content: () => <About about={about} raw={raw} /> },
  ];
  return (
    <div class="page">
      <PageHead title={title} label="Parts of the report" parts={parts} />
      <main>
        <VerdictCard verdict={verdict}>
          <Facts facts={facts} />
        </VerdictCard>
        <PageParts parts={parts} kept={kept} />
      </main>
    </div>
  );
}

function ownParts({ scores, cohorts }: ReportView): readonly Part[] {
  return [
    ...(scores === undefined
      ? []
      : [{ id: 'scores', name: 'Scores', isStored: true, content: () => <Scores view={scores} /> }]),
    ...(cohorts === undefined
      ? []
      : [{ id: 'cohorts', name: 'Cohorts', isStored: true, content: () => <Cohorts view={cohorts} /> }]),
  ];
}

function About({ about, raw }: { readonly about: readonly Fact[]; readonly raw: ReportView['raw'] }) {
  return (
    <section class="card" aria-labelledby="about-this">
      <h2 id="about-this">About this report</h2>
      <Facts facts={about} />
      <p>
        <a class="save" download={raw.name} href={`data:application/json;charset=utf-8;base64,${base64(raw.text)}`}>
          Save all numbers (JSON)
        </a>
      </p>
      <p class="note">This file holds all it needs. It loads nothing, runs nothing and sends nothing.</p>
    </section>
  );
}

function base64(text: string): string {
  return Buffer.from(text, 'utf8').toString('base64');
}
