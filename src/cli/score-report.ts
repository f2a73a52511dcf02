import { lessIsBetter } from '../measures/direction.ts';
import type { Fact, ScoresView } from '../page/model.ts';
import { renderReport } from '../page/report.tsx';
import { scoresVerdict } from '../page/scores.tsx';
import type { Comparison } from '../score/comparisons.ts';
import { measureNames } from '../score/preset.ts';
import type { ScoreResult } from '../score/score-result.ts';
import { grouped } from '../vocabulary/grouped.ts';
import { aboutReceval, fileName, hashOf } from './report-file.ts';
import { findingsOf, scoresJson, skippedText } from './score-output.ts';
import { familiesOf } from './score-plot.ts';
import type { ScoreSettings } from './score-settings.ts';

/** Scores as one self-contained page, with the queries of all runs. @param comparisons each run against the first */
export function scoresReport(result: ScoreResult, comparisons: readonly Comparison[], settings: ScoreSettings): string {
  const { measures, runs } = result;
  const names = measureNames(measures, settings.names, result.reading);
  const view: ScoresView = {
    measures: names,
    lowerIsBetter: measures.map((measure) => lessIsBetter(measure, { actions: [] })),
    families: familiesOf(measures, names).map(({ label, cuts }) => ({
      label,
      cuts: cuts.map(({ k, place }) => ({ k, measure: place })).sort((a, b) => a.k - b.k),
    })),
    runs,
    differences: comparisons,
  };
  const queries = [...new Set(runs.map((run) => run.queries))].map(grouped);
  return renderReport({
    title: 'Scores',
    verdict: scoresVerdict(view),
    facts: [
      ['runs', runs.map(({ name }) => name).join(', ')],
      ['queries', queries.join(', ')],
      ...(settings.unjudged === 'skip' ? [['taken out', skippedText(result)] as const] : []),
    ],
    findings: findingsOf(result),
    scores: view,
    about: aboutOf(settings),
    raw: {
      name: 'scores.json',
      text: scoresJson(result, comparisons, { ...settings, rows: { perQuery: true, query: undefined } }),
    },
  });
}

function aboutOf(settings: ScoreSettings): readonly Fact[] {
  const { runs, qrels, measures, preset, relevantFrom, missing, unjudged, depth, ties } = settings;
  const counting = {
    measures,
    preset,
    relevantFrom,
    missing,
    unjudged,
    depth: Number.isFinite(depth) ? depth : null,
    ties,
  };
  return [
    ['runs', runs.map(({ name, path }) => `${name === undefined ? '' : `${name}: `}${fileName(path)}`).join('; ')],
    ...(qrels === undefined ? [] : [['judgements', fileName(qrels)] as const]),
    ...aboutReceval(),
    ['measures', measures.join(', ')],
    ...(preset === undefined ? [] : [['preset', preset] as const]),
    ['relevant from grade', String(relevantFrom)],
    ['settings', hashOf(counting)],
  ];
}
