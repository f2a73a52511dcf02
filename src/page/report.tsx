/** The report: one file that needs nothing else, no network and no script, so that it can be mailed. */
import { createHash } from 'node:crypto';
import { render } from 'preact-render-to-string';
import { escaped } from '../output/markup.ts';
import { Cohorts } from './cohorts.tsx';
import { Experiment } from './experiment.tsx';
import { Findings } from './findings.tsx';
import type { Fact, ReportView } from './model.ts';
import { Name, readable, visible } from './name.tsx';
import { Pipeline } from './pipeline.tsx';
import { Positions } from './positions.tsx';
import { Scores } from './scores.tsx';
import { STYLE } from './style.ts';
import { switchRules } from './switch.tsx';

/** The whole file, ending with a newline. Equal views give equal bytes. */
export function renderReport(view: ReportView): string {
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
<title>${escaped(visible(`${view.title}: ${view.verdict.badge}`))}</title>
<style>${style}</style>
</head>
<body>
${readable(render(<Report view={view} />))}
</body>
</html>
`;
}

function Report({ view }: { readonly view: ReportView }) {
  const { title, verdict, facts, findings, experiment, cohorts, positions, pipeline, scores, about, raw } = view;
  const parts = [
    ...(findings.length === 0 ? [] : [['findings', 'What looks wrong'] as const]),
    ...(experiment === undefined ? [] : [['experiment', 'Experiment'] as const]),
    ...(scores === undefined ? [] : [['scores', 'Scores'] as const]),
    ...(cohorts === undefined ? [] : [['cohorts', 'Cohorts'] as const]),
    ...(positions === undefined ? [] : [['positions', 'Positions'] as const]),
    ...(pipeline === undefined ? [] : [['pipeline', 'Events'] as const]),
    ['about', 'About this report'] as const,
  ];
  return (
    <div class="page">
      <header class="top">
        <span class="brand">receval</span>
        <h1>
          <Name>{title}</Name>
        </h1>
        <nav aria-label="Parts of the report">
          <ul>
            {parts.map(([id, name]) => (
              <li key={id}>
                <a href={`#${id}`}>{name}</a>
              </li>
            ))}
          </ul>
        </nav>
      </header>
      <main>
        <section class={`card verdict ${verdict.tone}`} aria-label="Verdict">
          <span class={`badge ${verdict.tone}`}>{verdict.badge}</span>
          <p class="sentence">
            <Name>{verdict.sentence}</Name>
          </p>
          <Facts facts={facts} />
        </section>
        <Findings findings={findings} />
        {experiment === undefined ? null : (
          <div id="experiment">
            <Experiment {...experiment} />
          </div>
        )}
        {scores === undefined ? null : (
          <div id="scores">
            <Scores view={scores} />
          </div>
        )}
        {cohorts === undefined ? null : (
          <div id="cohorts">
            <Cohorts view={cohorts} />
          </div>
        )}
        {positions === undefined ? null : (
          <section class="card" id="positions" aria-labelledby="by-rank">
            <h2 id="by-rank">Positions</h2>
            <Positions view={positions} />
          </section>
        )}
        {pipeline === undefined ? null : (
          <section class="card" id="pipeline" aria-labelledby="events">
            <h2 id="events">What became of the events</h2>
            <Pipeline view={pipeline} />
          </section>
        )}
        <section class="card" id="about" aria-labelledby="about-this">
          <h2 id="about-this">About this report</h2>
          <Facts facts={about} />
          <p>
            <a class="save" download={raw.name} href={`data:application/json;charset=utf-8;base64,${base64(raw.text)}`}>
              Save all numbers (JSON)
            </a>
          </p>
          <p class="note">This file holds all it needs. It loads nothing, runs nothing and sends nothing.</p>
        </section>
      </main>
    </div>
  );
}

function Facts({ facts }: { readonly facts: readonly Fact[] }) {
  if (facts.length === 0) return null;
  return (
    <dl class="facts">
      {facts.map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>
            <Name>{value}</Name>
          </dd>
        </div>
      ))}
    </dl>
  );
}

function base64(text: string): string {
  return Buffer.from(text, 'utf8').toString('base64');
}
