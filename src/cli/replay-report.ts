import type { Settings } from '../config/settings.ts';
import { itemPartOf } from '../measures/item-part.ts';
import type { CohortsView, Fact, PipelineView, PositionsView, Verdict } from '../page/model.ts';
import { instant, listed, plain, several, share } from '../page/numbers.ts';
import { positionLines } from '../page/position-lines.ts';
import { renderReport } from '../page/report.tsx';
import { countingFacts } from '../page/settings-facts.ts';
import type { ReplayResult } from '../replay/replay-result.ts';
import { grouped } from '../vocabulary/grouped.ts';
import { resultJson } from './result-output.ts';

/**
 * The result of a replay as one self-contained page.
 * @param about files and configuration
 * @param counted the rows with their counts by rank, which `result` may lack
 */
export function replayReport(
  result: ReplayResult,
  settings: Settings,
  { about, counted: rows }: { readonly about: readonly Fact[]; readonly counted: ReplayResult['rows'] },
): string {
  const { asOf, from, findings, impressions, feedback } = result;
  const { cohorts } = settings;
  return renderReport({
    title: 'Replay',
    verdict: verdictOf(result, settings),
    facts: [
      ['period', periodOf(from, asOf)],
      ['lists counted', `${grouped(impressions.accepted)} of ${grouped(impressions.read)}`],
      ['feedback that joined', `${grouped(feedback.attributed)} of ${grouped(feedback.read)}`],
    ],
    findings,
    cohorts: cohortsView(result, settings, cohorts),
    positions: positionsView(rows, settings, undefined),
    pipeline: pipelineView(result),
    about: [...about, ...countingFacts(settings)],
    raw: { name: 'replay.json', text: resultJson(result) },
  });
}

/** Whether the numbers can be trusted, and the main ones. */
function verdictOf(result: ReplayResult, { attribution, measures }: Settings): Verdict {
  const { impressions, feedback, findings, rows } = result;
  const longest = attribution.horizons[attribution.horizons.length - 1].text;
  const all = rows.find(({ by, horizon }) => by.length === 0 && horizon === longest);
  const values = measures.slice(0, 3).flatMap(({ canonical }) => {
    const value = all?.measures[canonical]?.value ?? null;
    return value === null ? [] : [`${canonical} is ${plain(value)}`];
  });
  const joined =
    feedback.read === 0 ? '' : `, and ${share(feedback.attributed / feedback.read)} of the feedback joined one`;
  const sentence = `${several(impressions.accepted, 'list')} counted${joined}.${values.length === 0 ? '' : ` At ${longest} ${listed(values)}.`}`;
  if (result.isEmpty) return { tone: 'bad', badge: 'nothing counted', sentence };
  if (findings.length === 0) return { tone: 'good', badge: 'nothing looks wrong', sentence };
  const badge = `${findings.length === 1 ? 'one thing looks' : `${findings.length} things look`} wrong`;
  return { tone: 'warn', badge, sentence: `${sentence} ${findings[0].cause}` };
}

export function cohortsView(
  { rows }: ReplayResult,
  { attribution, measures, itemSets, detect }: Settings,
  sets: readonly (readonly string[])[],
): CohortsView {
  const kept = (by: readonly string[]): boolean => itemSets.some((set) => set.join() === by.join());
  // A measure that none of these sets keeps has no value anywhere.
  const told = measures.filter((measure) => itemPartOf(measure) === undefined || sets.some(kept));
  return {
    horizons: attribution.horizons.map(({ text }) => text),
    measures: told.map(({ canonical }) => canonical),
    lowerIsBetter: new Set(detect.lowerIsBetter),
    sets,
    lines: rows,
  };
}

/** @param control the cohort to compare the others with; undefined: the one with most lists */
export function positionsView(
  rows: ReplayResult['rows'],
  { attribution, positions: { ranks, sets } }: Pick<Settings, 'attribution' | 'positions'>,
  control: string | undefined,
): PositionsView | undefined {
  const [by] = sets;
  if (ranks === 0 || by === undefined) return undefined;
  const horizon = attribution.horizons[attribution.horizons.length - 1].text;
  const own = rows.filter((row) => row.by.join() === by.join());
  const lines = positionLines(
    own.map(({ labels, impressions, positions }) => ({
      values: by.map((name) => labels[name]),
      impressions,
      positions,
    })),
    control,
  );
  return lines.length === 0 ? undefined : { by, horizon, what: '', ranks, lines };
}

export function periodOf(from: string | null, to: string | null): string {
  if (to === null) return 'nothing is final yet';
  return from === null ? `up to ${instant(to)} UTC` : `${instant(from)} to ${instant(to)} UTC`;
}

export function pipelineView(result: ReplayResult): PipelineView {
  const { impressions, feedback, invalid, ignoredCohortKeys, unknownItems = {}, itemLimitRows } = result;
  const unknown = Object.entries(unknownItems).filter(([, n]) => n > 0);
  return {
    impressions,
    feedback,
    invalid,
    notes: [
      ...(ignoredCohortKeys === 0
        ? []
        : [`Keys of cohorts that are not dimension names, ignored: ${grouped(ignoredCohortKeys)}.`]),
      ...(unknown.length === 0
        ? []
        : [
            `Slots with items that the catalogue does not know: ${unknown.map(([horizon, n]) => `${grouped(n)} at ${horizon}`).join(', ')}.`,
          ]),
      ...(itemLimitRows === 0
        ? []
        : [
            `Cohorts without gini and entropy, because more items than limits.itemsCounted were shown: ${grouped(itemLimitRows)}.`,
          ]),
    ],
  };
}
