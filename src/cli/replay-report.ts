import type { Settings } from '../config/settings.ts';
import { itemPartOf } from '../measures/item-part.ts';
import { countingFacts } from '../page/facts.tsx';
import type { CohortsView, Fact, PipelineView, PositionsView, Verdict } from '../page/model.ts';
import { positionLines } from '../page/positions.tsx';
import { renderReport } from '../page/report.tsx';
import { type ReplayResult, tooYoung } from '../replay/replay-result.ts';
import { wanted } from '../vocabulary/drops.ts';
import { grouped } from '../vocabulary/grouped.ts';
import { instant, listed, percent, plain, plusMinus, several } from '../vocabulary/numbers.ts';
import { sumOfUnmapped } from '../vocabulary/unmapped.ts';
import { resultJson, touchLines } from './result-output.ts';

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
      ['lists accepted', `${grouped(impressions.accepted)} of ${grouped(impressions.read)}`],
      ['feedback that joined', `${grouped(feedback.attributed)} of ${grouped(feedback.read)}`],
      ...closingFacts(result, Object.entries(impressions.open)),
    ],
    findings,
    cohorts: cohortsView(result, settings, cohorts),
    positions: positionsView(rows, settings, undefined),
    pipeline: pipelineView(result),
    about: [...about, ...countingFacts(settings)],
    raw: { name: 'replay.json', text: resultJson(result) },
  });
}

/** What became of lists that were younger than a horizon at the end. @param open by horizon */
export function closingFacts(
  { closeAll, feedbackEnd }: ReplayResult,
  open: readonly (readonly [horizon: string, lists: number])[],
): Fact[] {
  if (closeAll) return [['closed', 'all lists, also those younger than a horizon (--close-all)']];
  const some = open.filter(([, lists]) => lists > 0).map(([horizon, lists]) => `${grouped(lists)} at ${horizon}`);
  const end = feedbackEnd === null ? '' : `, ${instant(feedbackEnd)} UTC`;
  return some.length === 0 ? [] : [['open', `${listed(some)}: younger than that at the end of the feedback${end}`]];
}

/** The main numbers and how far cohorts differ; below them whether the logs can be trusted, which says nothing about the ranking. */
function verdictOf(result: ReplayResult, settings: Settings): Verdict {
  const { impressions, feedback, findings } = result;
  const young = tooYoung(result);
  const known = settings.attribution.horizons.filter(({ text }) => !young.has(text));
  const longest = known[known.length - 1]?.text;
  const judged = wanted(feedback);
  const joined = judged === 0 ? '' : `, and ${percent(feedback.attributed / judged)} of the feedback joined one`;
  const logs = `${several(impressions.accepted, 'list')} accepted${joined}.`;
  const numbers = [...(longest === undefined ? [] : mainNumbers(result, settings, longest)), ...young.values()];
  if (result.isEmpty) return { tone: 'bad', badge: 'nothing counted', sentence: [logs, ...numbers].join(' ') };
  if (findings.length === 0) {
    return { tone: 'plain', badge: 'measured', sentence: numbers.join(' '), small: `The logs are sound: ${logs}` };
  }
  const badge = `${findings.length === 1 ? 'one thing looks' : `${findings.length} things look`} wrong`;
  return { tone: 'warn', badge, sentence: [findings[0].cause, ...numbers].join(' '), small: logs };
}

/** A cohort of fewer lists is no end of a spread. */
const LEAST_LISTS = 100;

/** Sentences: means over everything, and the lowest and the highest cohort of one grouping set, by variant if there is such a set. */
function mainNumbers({ rows }: ReplayResult, settings: Settings, horizon: string): readonly string[] {
  const { cohorts, measures, experiments } = settings;
  const own = rows.filter((row) => row.horizon === horizon);
  const all = own.find(({ by }) => by.length === 0);
  const values = measures.slice(0, 3).flatMap(({ canonical }) => {
    const value = all?.measures[canonical]?.value ?? null;
    return value === null ? [] : [`${canonical} is ${plain(value)}`];
  });
  const means = values.length === 0 ? [] : [`At ${horizon} ${listed(values)}.`];
  const sets = cohorts.filter((by) => by.length === 1);
  const set = sets.find(([by]) => by === (experiments[0]?.dimension ?? 'variant')) ?? sets[0];
  const [measure] = measures;
  if (set === undefined || measure === undefined) return means;
  const ends = own.flatMap((row): readonly (readonly [number, string])[] => {
    const { value = null, stderr = null } = row.measures[measure.canonical] ?? {};
    if (row.by.join() !== set.join() || row.impressions < LEAST_LISTS || value === null) return [];
    const error = stderr === null ? '' : ` ${plusMinus(stderr, plain)}`;
    return [[value, `${plain(value)}${error} (${row.labels[set[0]]})`]];
  });
  if (ends.length < 2) return means;
  ends.sort(([a], [b]) => a - b);
  return [...means, `By ${set[0]}, ${measure.canonical} goes from ${ends[0][1]} to ${ends[ends.length - 1][1]}.`];
}

export function cohortsView(
  result: ReplayResult,
  { attribution, measures, itemSets, detect }: Settings,
  sets: readonly (readonly string[])[],
): CohortsView {
  const kept = (by: readonly string[]): boolean => itemSets.some((set) => set.join() === by.join());
  // A measure that none of these sets keeps has no value anywhere.
  const valued = measures.filter((measure) => itemPartOf(measure) === undefined || sets.some(kept));
  return {
    horizons: attribution.horizons.map(({ text }) => text),
    measures: valued.map(({ canonical }) => canonical),
    lowerIsBetter: new Set(detect.lowerIsBetter),
    instead: tooYoung(result),
    sets,
    lines: result.rows,
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
  const horizon = attribution.window.text;
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
  const { impressions, feedback, invalid, unmapped, ignoredCohortKeys, unknownItems = {}, itemLimitRows } = result;
  const unknown = Object.entries(unknownItems).filter(([, n]) => n > 0);
  return {
    impressions,
    feedback,
    invalid,
    unmapped: sumOfUnmapped(Object.values(unmapped)),
    notes: [
      ...touchLines(result).map((line) => `${line.charAt(0).toUpperCase()}${line.slice(1)}.`),
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
