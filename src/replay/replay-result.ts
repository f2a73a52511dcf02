import { shownByName } from '../accumulators/admission.ts';
import { type AdmissionState, type StoredTable, wholeTable } from '../accumulators/admission-state.ts';
import type { PanesState } from '../accumulators/panes-settings.ts';
import { emptyRow, type Row, type RowShape } from '../accumulators/row.ts';
import { rowCodec } from '../accumulators/row-codec.ts';
import { decodeCheckpoint } from '../accumulators/store/checkpoint-codec.ts';
import {
  parseField,
  placesKey,
  type RowOwner,
  rowField,
  SINCE_START,
  setText,
  totalKey,
  unitKey,
} from '../accumulators/store/layout.ts';
import type { Store } from '../accumulators/store/store-port.ts';
import { Vector, vectorStarts } from '../accumulators/vector.ts';
import type { Settings } from '../config/settings.ts';
import type { TouchCounts } from '../consumers/join/touch.ts';
import { type EmptyCounts, emptyLists } from '../findings/empty-lists.ts';
import { type Finding, inOrder } from '../findings/finding.ts';
import type { UnmappedByInput } from '../findings/run-facts.ts';
import { asksCatalogue } from '../measures/needs.ts';
import type { Unit } from '../unit/unit.ts';
import type { UnitSettings } from '../unit/unit-contract.ts';
import type { TopicCounts } from '../vocabulary/checkpoint.ts';
import {
  FEEDBACK_DROPS,
  type FeedbackDrop,
  IMPRESSION_DROPS,
  type ImpressionDrop,
  type InvalidCode,
} from '../vocabulary/drops.ts';
import type { EpochMs, Side } from '../vocabulary/events.ts';
import { BUCKETS } from '../vocabulary/user-words.ts';
import { youngText } from '../vocabulary/young-lists.ts';
import { cohortRows, isOverItemLimit } from '../windows/windows.ts';
import type { LogsEnd } from './feedback-reach.ts';
import type { OpenLists } from './open-lists.ts';
import { compareRows, openOf, type ResultRow, resultRow, userMeansOf, youngLists } from './result-rows.ts';
import type { UserMeans } from './user-means.ts';
import type { Watch } from './watch.ts';

/** The output of `receval replay --output json` (specification: commands 3.2), and how often records were refused, by code. */
export interface ReplayResult {
  readonly asOf: string | null;
  /** Earliest time of a valid event; null: there is none. */
  readonly from: string | null;
  /**
   * ISO time of the newest feedback, which decides whether lists are too young to count; null: none are too young, or there is no
   * feedback.
   */
  readonly feedbackEnd: string | null;
  /** Whether lists that are younger than a horizon were counted too. */
  readonly closeAll: boolean;
  readonly impressions: {
    readonly read: number;
    readonly accepted: number;
    readonly drops: Readonly<Record<ImpressionDrop, number>>;
    readonly late: Readonly<Record<string, number>>;
    /** Number of accepted lists that are still open at each horizon. */
    readonly open: Readonly<Record<string, number>>;
  };
  readonly feedback: {
    readonly read: number;
    readonly attributed: number;
    readonly drops: Readonly<Record<FeedbackDrop, number>>;
    readonly late: Readonly<Record<string, number>>;
  };
  /** How feedback without the id of its list was joined; undefined: all feedback must have one. */
  readonly join: (Settings['join'] & TouchCounts) | undefined;
  readonly rows: readonly ResultRow[];
  readonly invalid: Readonly<Record<Side, ReadonlyMap<InvalidCode, number>>>;
  /** Records without a map, by the option that names their files, the most frequent first. Empty if there are none. */
  readonly unmapped: UnmappedByInput;
  readonly ignoredCohortKeys: number;
  /** Number of slots whose item is not in the catalogue, by horizon; undefined: no measure uses the catalogue. */
  readonly unknownItems: Readonly<Record<string, number>> | undefined;
  /** Number of rows for which more items were shown than are counted. */
  readonly itemLimitRows: number;
  /** Findings about the logs. */
  readonly findings: readonly Finding[];
  /** Whether no impression counted, or no feedback did, so that the numbers mean nothing. */
  readonly isEmpty: boolean;
}

/** The result without counts by rank. */
export function withoutPositions(result: ReplayResult): ReplayResult {
  return { ...result, rows: result.rows.map(({ positions: _, ...row }) => row) };
}

/** A sentence for each horizon at which no list was old enough to count. */
export function tooYoung({
  rows,
  feedbackEnd,
}: Pick<ReplayResult, 'rows' | 'feedbackEnd'>): ReadonlyMap<string, string> {
  const horizons = [...new Set(rows.map(({ horizon }) => horizon))];
  return new Map(
    horizons.flatMap((horizon) => {
      const own = rows.filter((row) => row.horizon === horizon);
      if (own.some(({ impressions }) => impressions > 0)) return [];
      const ofSet = own.filter(({ by }) => by.join() === own[0].by.join());
      return youngLists(...ofSet).map((young) => [horizon, youngText(young, horizon, feedbackEnd)] as const);
    }),
  );
}

export interface Finished {
  readonly settings: Settings;
  readonly unit: Unit;
  readonly unitSettings: UnitSettings;
  readonly store: Store;
  readonly total: string;
  readonly ignoredCohortKeys: number;
  readonly users: UserMeans | undefined;
  readonly watch: Watch;
  readonly open: OpenLists;
  readonly end: LogsEnd;
  readonly touched: TouchCounts | undefined;
}

/** Reads the result of a finished unit from its store, like any other reader. */
export async function readResult(finished: Finished): Promise<ReplayResult> {
  const { settings, unit, unitSettings, store, total } = finished;
  const { namespace, partition, generation, panes } = unitSettings;
  const owner = { namespace, unit: partition, generation };
  const [fields, totals] = await store.read([unitKey(namespace, partition), totalKey(owner, total, SINCE_START)]);
  const horizons = settings.attribution.horizons.map((horizon) => horizon.text);
  const rows: ResultRow[] = [];
  let itemLimitRows = 0;
  let asOf: EpochMs | undefined;
  if (fields.has('format')) {
    const checkpoint = decodeCheckpoint(fields);
    asOf = newestEnd(checkpoint.panes, panes.paneSize);
    const codec = rowCodec(panes.shape);
    const decoded = [...totals].map(([field, text]) => [field, codec.decode(text)] as const);
    const tables = await wholeTables(checkpoint.panes.admission, owner, store);
    for (const [h, horizon] of settings.attribution.horizons.entries()) {
      const own = decoded.filter(([field]) => parseField(field)?.horizon === horizon.text);
      const open = new Map(settings.cohorts.map((by) => [setText(by), finished.open.of(h, by, namedIn(tables, by))]));
      // A cohort whose lists are all open has a row too.
      const without = [...open].flatMap(([by, cohorts]) =>
        [...cohorts.keys()].map((values) => [rowField(horizon.text, by, values), emptyTotal(panes.shape)] as const),
      );
      const cohorts = cohortRows([...own, ...without], settings.cohorts, [tables], Number.NEGATIVE_INFINITY);
      for (const row of cohorts) {
        const userMean = userMeansOf(finished.users, cohorts, h, row);
        const young = open.get(setText(row.by))?.get(row.values.join(','));
        rows.push({
          ...resultRow(settings, row, horizon.text, total, userMean),
          ...openOf(young, settings.attribution.outOfOrderness),
        });
        if (isOverItemLimit(row.row)) itemLimitRows++;
      }
    }
  }
  const counts = unit.committed.counts;
  const fate = { ...fateOf(counts, horizons, finished.open), unmapped: finished.watch.unmapped(counts) };
  const { oldest } = finished.watch.sample;
  const { closeAll } = finished.end;
  return {
    from: oldest === undefined ? null : new Date(oldest).toISOString(),
    asOf: asOf === undefined ? null : new Date(asOf).toISOString(),
    feedbackEnd: feedbackEnd(finished),
    closeAll,
    ...fate,
    join: finished.touched && { ...settings.join, ...finished.touched },
    rows: rows.sort(compareRows),
    invalid: { impressions: codes(unit, 'impressions'), feedback: codes(unit, 'feedback') },
    ignoredCohortKeys: finished.ignoredCohortKeys,
    unknownItems:
      settings.itemFile !== undefined && settings.measures.some(asksCatalogue)
        ? named(horizons, (_, h) => unit.committed.unknownItems[h])
        : undefined,
    itemLimitRows,
    ...concluded(finished, fate, rows),
  };
}

/**
 * Findings about empty lists, from the rows of one grouping set at one horizon, which contain every list once; by variant, if there is
 * such a set.
 */
function emptyFindings(
  rows: readonly ResultRow[],
  { attribution, cohorts, experiments, measures }: Settings,
): readonly Finding[] {
  const of = (by: readonly string[] | undefined): readonly ResultRow[] =>
    rows.filter((row) => row.horizon === attribution.horizons[0].text && row.by.join() === by?.join());
  const counts = (some: readonly ResultRow[]): EmptyCounts => ({
    lists: some.reduce((sum, { impressions }) => sum + impressions, 0),
    empty: some.reduce((sum, { empty = 0 }) => sum + empty, 0),
  });
  const [experiment] = experiments;
  const variants = of([experiment?.dimension ?? '']).flatMap((row): readonly (readonly [string, EmptyCounts])[] => {
    const name = row.labels[experiment.dimension];
    return experiment.variants.has(name) ? [[name, counts([row])]] : [];
  });
  return emptyLists(counts(of(cohorts[0])), measures, 'impressions', new Map(variants));
}

async function wholeTables(
  tables: readonly StoredTable[],
  owner: RowOwner,
  store: Store,
): Promise<readonly AdmissionState[]> {
  const keys = tables.map(({ by }) => placesKey(owner, by));
  const hashes = await store.read(keys);
  return tables.map((table, t) => {
    const whole = wholeTable(table, hashes[t]);
    if (whole === undefined) throw new Error(`${keys[t]}: the places are not those that the checkpoint counts`);
    return whole;
  });
}

/** A row of a total to which no list was added. */
function emptyTotal(shape: RowShape): Row {
  const starts = vectorStarts(shape.kinds);
  return { ...emptyRow(shape), vector: new Vector(BUCKETS, starts[starts.length - 1]) };
}

/** Decides which cohorts of a set are shown by name, as in `cohortRows`. */
function namedIn(tables: readonly AdmissionState[], by: readonly string[]): (values: string) => boolean {
  return shownByName([tables.find((table) => setText(table.by) === setText(by))], Number.NEGATIVE_INFINITY);
}

/** Concludes whether the result is empty. If no list is old enough at any horizon, the numbers mean nothing. */
function concluded(
  { watch, end, settings, touched }: Finished,
  fate: Pick<ReplayResult, 'impressions' | 'feedback' | 'unmapped'>,
  rows: readonly ResultRow[],
): Pick<ReplayResult, 'findings' | 'isEmpty'> {
  const { attribution, cohorts } = settings;
  const { text } = attribution.window;
  const ofLongest = rows.filter(({ by, horizon }) => horizon === text && by.join() === cohorts[0].join());
  const longest = {
    counted: ofLongest.reduce((lists, row) => lists + row.impressions, 0),
    open: fate.impressions.open[text],
  };
  const { findings, isEmpty } = watch.conclude({ ...fate, longest, end, touched });
  return {
    findings: inOrder([...findings, ...emptyFindings(rows, settings)]),
    isEmpty: isEmpty || (rows.length > 0 && rows.every(({ impressions }) => impressions === 0)),
  };
}

function feedbackEnd({ settings, end: { reach, closeAll } }: Finished): string | null {
  return Number.isFinite(reach) && !closeAll
    ? new Date(reach + settings.attribution.outOfOrderness).toISOString()
    : null;
}

function fateOf(
  counts: readonly TopicCounts[],
  horizons: readonly string[],
  open: OpenLists,
): Pick<ReplayResult, 'impressions' | 'feedback'> {
  return {
    impressions: {
      read: sum(counts, (c) => c.impressions.read),
      accepted: sum(counts, (c) => c.impressions.accepted),
      drops: named(IMPRESSION_DROPS, (reason) => sum(counts, (c) => c.impressions.drops[reason])),
      late: named(horizons, (_, h) => sum(counts, (c) => c.impressions.late[h])),
      open: named(horizons, (_, h) => open.total(h)),
    },
    feedback: {
      read: sum(counts, (c) => c.feedback.read),
      attributed: sum(counts, (c) => c.feedback.attributed),
      drops: named(FEEDBACK_DROPS, (reason) => sum(counts, (c) => c.feedback.drops[reason])),
      late: named(horizons, (_, h) => sum(counts, (c) => c.feedback.late[h])),
    },
  };
}

function newestEnd({ minutes }: PanesState, paneSize: number): EpochMs | undefined {
  return minutes.length === 0 ? undefined : minutes[minutes.length - 1][1] * paneSize;
}

function sum(counts: readonly TopicCounts[], of: (counts: TopicCounts) => number): number {
  return counts.reduce((total, topic) => total + of(topic), 0);
}

function named<Name extends string>(
  names: readonly Name[],
  of: (name: Name, i: number) => number,
): Record<Name, number>;
function named(names: readonly string[], of: (name: string, i: number) => number): Record<string, number> {
  return Object.fromEntries(names.map((name, i) => [name, of(name, i)]));
}

function codes(unit: Unit, side: Side): ReadonlyMap<InvalidCode, number> {
  const all = new Map<InvalidCode, number>();
  for (const topic of unit.committed.invalid) {
    for (const [code, n] of topic[side]) all.set(code, (all.get(code) ?? 0) + n);
  }
  return new Map([...all].sort(([, a], [, b]) => b - a));
}
