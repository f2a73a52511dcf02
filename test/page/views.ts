/** Reports of results that are made up, with names as a stranger would choose them. */
import { Watcher } from '../../src/experiment/take-looks.ts';
import { verdictOf } from '../../src/page/experiment.tsx';
import type { CohortLine, ReportView, ScoredRun } from '../../src/page/model.ts';
import { scoresVerdict } from '../../src/page/scores.tsx';
import { AS_OF, SETTINGS, sampleOf, state, variant } from '../experiment/states.ts';

/** Names that break out of text, attributes, styles, scripts, comments, or out of the order of writing. */
export const HOSTILE: readonly string[] = [
  '<script>alert(1)</script>',
  '"><img src=x onerror=alert(1)>',
  "' onmouseover='alert(1)",
  '</style><script>alert(1)</script>',
  '</title><script>alert(1)</script>',
  '</textarea><svg onload=alert(1)>',
  '<!-- <b>',
  '-->',
  ']]>',
  '<![CDATA[<b>]]>',
  '&lt;b&gt;&amp;&#60;',
  'javascript:alert(1)',
  'data:text/html,<script>alert(1)</script>',
  `$${'{alert(1)}'}`,
  '{{constructor.constructor("alert(1)")()}}',
  '=HYPERLINK("http://evil.example","x")',
  '\u202Eevil\u202C',
  '\u0000\u0007\u001B[31m',
  'a\nb\tc\u2028d',
  '__proto__',
  'x'.repeat(300),
];

function arm(primary: number, guard: number) {
  return variant(
    new Map([
      ['ndcg@10', { value: primary, stderr: 0.0007, df: 255 }],
      ['hit@10', { value: guard, stderr: 0.0007, df: 255 }],
      ['distinct', { value: 12, stderr: { absent: 'no_vector' } as const, df: 0 }],
    ]),
  );
}

/** Three looks at a variant that is worse, under this name. */
export function experimentReport(name: string): ReportView {
  const settings = {
    ...SETTINGS,
    variants: new Map([
      ['A', 1],
      [name, 1],
    ]),
    guardrails: ['hit@10'],
  };
  const watcher = new Watcher();
  const look = (hour: number) => {
    const { looks: _, ...totals } = state(
      { A: arm(0.3, 0.6), [name]: arm(0.3 - hour / 300, 0.6) },
      {
        settings,
        measures: ['distinct', 'hit@10', 'ndcg@10'],
        sample: sampleOf([1234, 1230]),
        asOf: AS_OF + hour * 3_600_000,
        others: new Map([[`other ${name}`, 1500]]),
      },
    );
    return watcher.look(totals);
  };
  look(1);
  look(2);
  const comparison = look(3);
  const cohort = (value: string, warning: boolean) => ({
    value,
    users: { A: 1000, [name]: 900 },
    expected: { A: 950, [name]: 950 },
    deviation: 0.05,
    p: 0.1,
    pAdjusted: 0.2,
    warning,
  });
  return {
    title: `Experiment ${name}`,
    verdict: verdictOf(comparison),
    facts: [['period', name]],
    findings: [{ code: 'one_variant', cause: `Cause ${name}.`, example: name, remedy: `Mend ${name}.` }],
    experiments: [
      {
        comparison,
        trail: watcher.trail,
        weights: settings.variants,
        ratioBy: [{ by: name, users: 1900, sampled: 1900, cohorts: [cohort(name, true), cohort('calm', false)] }],
        plan: [
          {
            variant: name,
            usersPerDay: 100,
            effects: [{ effect: 0.01, users: 5000, days: 50 }],
            healthy: { effect: 0.01, users: 5000, days: 50 },
            withinReach: 0.02,
          },
        ],
      },
    ],
    cohorts: {
      horizons: ['1m', '30m'],
      measures: ['ndcg@10', 'mrr', 'rate(action=purchase)'],
      lowerIsBetter: new Set(),
      sets: [[], ['variant']],
      lines: ['1m', '30m'].flatMap((horizon) => [
        line([], {}, horizon, 10_000, 0.3),
        line(['variant'], { variant: 'A' }, horizon, 5000, 0.32),
        line(['variant'], { variant: name }, horizon, 90, 0.25),
      ]),
    },
    positions: {
      by: ['variant'],
      horizon: '30m',
      what: '',
      ranks: 5,
      lines: [
        { name: 'A', exposed: [5000, 5000, 4990, 10, 0], positives: [1500, 700, 400, 1, 0] },
        { name, exposed: [5000, 5000, 4980, 0, 0], positives: [900, 800, 700, 0, 0] },
      ],
    },
    pipeline: {
      impressions: { read: 110, accepted: 100, drops: { invalid: 6, duplicate: 4 }, late: { '1m': 3 } },
      feedback: { read: 50, attributed: 40, drops: { orphan: 10, late: 0 }, late: {} },
      invalid: { impressions: new Map([['bad_time', 6]]), feedback: new Map() },
      unmapped: [{ field: '/event', value: name, records: 3 }],
      notes: [`Note ${name}.`],
    },
    about: [['impressions', name]],
    raw: { name: 'comparison.json', text: JSON.stringify({ name }) },
  };
}

function line(
  by: readonly string[],
  labels: Readonly<Record<string, string>>,
  horizon: string,
  impressions: number,
  value: number,
): CohortLine {
  const factor = horizon === '1m' ? 0.5 : 1;
  const measures = {
    'ndcg@10': { value: factor * value, n: impressions, stderr: 0.01 },
    mrr: { value: null, n: 0, stderr: null },
    // Of items, and long.
    'rate(action=purchase)': { value: 0.006028, n: 140_840, stderr: 0.0002074 },
  };
  return { by, labels, horizon, impressions, positives: 7, measures };
}

/** Two runs over cut-offs, the second under this name. */
export function scoresReport(name: string): ReportView {
  const run = (title: string, shift: number): ScoredRun => ({
    name: title,
    queries: 20,
    mean: [0.3 + shift, 0.4 + shift, 0.5],
    perQuery: Array.from({ length: 20 }, (_, i) => ({
      query: `${i} ${title === 'first' ? name : title}`.slice(0, 400),
      values: [0.3 + shift * (i - 8), i === 3 ? Number.NaN : 0.4, 0.5],
    })),
  });
  const scores = {
    measures: ['ndcg@1', 'ndcg@5', 'mrr'],
    lowerIsBetter: [false, false, false],
    families: [
      {
        label: 'ndcg',
        cuts: [
          { k: 1, measure: 0 },
          { k: 5, measure: 1 },
        ],
      },
    ],
    runs: [run('first', 0), { ...run('first', 0.02), name }],
    differences: [
      { run: name, measure: 'ndcg@1', queries: 20, effect: 0.02, ci: [0.01, 0.03] as const, p: 0.01 },
      { run: name, measure: 'mrr', queries: 20, effect: null, ci: null, p: null },
    ],
  };
  return {
    title: 'Scores',
    verdict: scoresVerdict(scores),
    facts: [],
    findings: [],
    scores,
    about: [['runs', name]],
    raw: { name: 'scores.json', text: '{}' },
  };
}
