import { type AdmissionState, type StoredTable, wholeTable } from '../accumulators/admission-state.ts';
import type { PanesState } from '../accumulators/panes-settings.ts';
import { type Row, shapeOf, sumsStarts } from '../accumulators/row.ts';
import { rowCodec } from '../accumulators/row-codec.ts';
import { decodeCheckpoint } from '../accumulators/store/checkpoint-codec.ts';
import { parseField, placesKey, type RowOwner, SINCE_START, totalKey, unitKey } from '../accumulators/store/layout.ts';
import type { Store } from '../accumulators/store/store-port.ts';
import type { Settings } from '../config/settings.ts';
import type { Decoded, Decoder } from '../consumers/decode/decoder.ts';
import { EventSample } from '../findings/event-sample.ts';
import type { Finding } from '../findings/finding.ts';
import { InvalidReasons } from '../findings/invalid-reasons.ts';
import { isEmpty, type RunFacts, runFindings } from '../findings/run-findings.ts';
import { isClustered } from '../measures/clusters.ts';
import type { Measure } from '../measures/definition.ts';
import { asksCatalogue, isListOnly, valuedActions } from '../measures/needs.ts';
import { pairCounts } from '../measures/value.ts';
import { type Absence, isAbsent, type Result } from '../statistics/absent.ts';
import type { Unit } from '../unit/unit.ts';
import type { InvalidRecord, UnitDeps, UnitSettings } from '../unit/unit-contract.ts';
import type { TopicCounts } from '../vocabulary/checkpoint.ts';
import {
  FEEDBACK_DROPS,
  type FeedbackDrop,
  IMPRESSION_DROPS,
  type ImpressionDrop,
  type InvalidCode,
} from '../vocabulary/drops.ts';
import type { EpochMs, Side, TopicRole } from '../vocabulary/events.ts';
import { stderrsOf } from '../windows/bucket-sums.ts';
import { isOverItemLimit, rowValue } from '../windows/row-value.ts';
import { type CohortRow, cohortRows } from '../windows/windows.ts';
import type { UserMean, UserMeans } from './user-means.ts';

/** One measure of one cohort. `value` is null where undefined, `stderr` where absent, then with its reason. */
export interface ResultMeasure {
  readonly value: number | null;
  /** Lists counted, or the denominator of a fraction, or users, or sessions. */
  readonly n: number;
  readonly stderr: number | null;
  readonly reason?: Absence;
  /** Of a measure of score against rating: slots with both, and their share of the slots with a rating; null: none has one. */
  readonly pairs?: number;
  readonly scoredShare?: number | null;
  /** Of a mean over users or sessions: lists left out because they have no such id. */
  readonly withoutId?: number;
}

export interface ResultRow {
  readonly by: readonly string[];
  readonly labels: Readonly<Record<string, string>>;
  readonly horizon: string;
  readonly window: string;
  readonly impressions: number;
  readonly positives: number;
  readonly measures: Readonly<Record<string, ResultMeasure>>;
  /** By rank from 1 on, where they are counted: lists with an item there, and those of them with a positive there. */
  readonly positions?: { readonly exposed: readonly number[]; readonly positives: readonly number[] };
}

/** What `receval replay --output json` prints (specification: commands 3.2), and how often records were refused, by code. */
export interface ReplayResult {
  readonly asOf: string | null;
  /** Earliest time of a valid event; null: there is none. */
  readonly from: string | null;
  readonly impressions: {
    readonly read: number;
    readonly accepted: number;
    readonly drops: Readonly<Record<ImpressionDrop, number>>;
    readonly late: Readonly<Record<string, number>>;
  };
  readonly feedback: {
    readonly read: number;
    readonly attributed: number;
    readonly drops: Readonly<Record<FeedbackDrop, number>>;
    readonly late: Readonly<Record<string, number>>;
  };
  readonly rows: readonly ResultRow[];
  readonly invalid: Readonly<Record<Side, ReadonlyMap<InvalidCode, number>>>;
  readonly ignoredCohortKeys: number;
  /** By horizon: slots whose item is not in the catalogue; undefined: no measure uses the catalogue. */
  readonly unknownItems: Readonly<Record<string, number>> | undefined;
  /** Rows that were shown more items than are counted. */
  readonly itemLimitRows: number;
  /** What looks wrong. */
  readonly findings: readonly Finding[];
  /** No impression counted, or no feedback did: the numbers mean nothing. */
  readonly isEmpty: boolean;
}

/** The same without counts by rank. */
export function withoutPositions(result: ReplayResult): ReplayResult {
  return { ...result, rows: result.rows.map(({ positions: _, ...row }) => row) };
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
    const tables = [await wholeTables(checkpoint.panes.admission, owner, store)];
    for (const [h, horizon] of settings.attribution.horizons.entries()) {
      const own = decoded.filter(([field]) => parseField(field)?.horizon === horizon.text);
      const cohorts = cohortRows(own, settings.cohorts, tables, Number.NEGATIVE_INFINITY);
      for (const row of cohorts) {
        const userMean = userMeansOf(finished.users, cohorts, h, row);
        rows.push(resultRow(settings, row, horizon.text, total, userMean));
        if (isOverItemLimit(row.row)) itemLimitRows++;
      }
    }
  }
  const counts = unit.committed.counts;
  const fate = fateOf(counts, horizons);
  const { oldest } = finished.watch.sample;
  return {
    from: oldest === undefined ? null : new Date(oldest).toISOString(),
    asOf: asOf === undefined ? null : new Date(asOf).toISOString(),
    ...fate,
    rows: rows.sort(compareRows),
    invalid: { impressions: codes(unit, 'impressions'), feedback: codes(unit, 'feedback') },
    ignoredCohortKeys: finished.ignoredCohortKeys,
    unknownItems:
      settings.itemFile !== undefined && settings.measures.some(asksCatalogue)
        ? named(horizons, (_, h) => unit.committed.unknownItems[h])
        : undefined,
    itemLimitRows,
    ...finished.watch.conclude(fate),
  };
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

function fateOf(
  counts: readonly TopicCounts[],
  horizons: readonly string[],
): Pick<ReplayResult, 'impressions' | 'feedback'> {
  return {
    impressions: {
      read: sum(counts, (c) => c.impressions.read),
      accepted: sum(counts, (c) => c.impressions.accepted),
      drops: named(IMPRESSION_DROPS, (reason) => sum(counts, (c) => c.impressions.drops[reason])),
      late: named(horizons, (_, h) => sum(counts, (c) => c.impressions.late[h])),
    },
    feedback: {
      read: sum(counts, (c) => c.feedback.read),
      attributed: sum(counts, (c) => c.feedback.attributed),
      drops: named(FEEDBACK_DROPS, (reason) => sum(counts, (c) => c.feedback.drops[reason])),
      late: named(horizons, (_, h) => sum(counts, (c) => c.feedback.late[h])),
    },
  };
}

function resultRow(
  settings: Settings,
  { by, values, row }: CohortRow,
  horizon: string,
  window: string,
  userMean: (measure: Measure) => UserMean | undefined,
): ResultRow {
  return {
    by,
    labels: Object.fromEntries(by.map((dimension, i) => [dimension, values[i]])),
    horizon,
    window,
    impressions: row.impressions,
    positives: row.positives,
    measures: measuresOf(settings, row, userMean),
    ...(row.positions === undefined
      ? {}
      : { positions: { exposed: [...row.positions.exposed], positives: [...row.positions.positives] } }),
  };
}

/** Means over users of one row, which are kept outside of the rows. */
function userMeansOf(
  users: UserMeans | undefined,
  rows: readonly CohortRow[],
  horizon: number,
  { by, values }: CohortRow,
): (measure: Measure) => UserMean | undefined {
  if (users === undefined) return () => undefined;
  const named = new Set(rows.filter((row) => row.by.join() === by.join()).map((row) => row.values.join(',')));
  return (measure) => (isClustered(measure) ? users.of(measure, horizon, by, values, named) : undefined);
}

function measuresOf(
  { measures, itemFile }: Settings,
  row: Row,
  userMean: (measure: Measure) => UserMean | undefined,
): Readonly<Record<string, ResultMeasure>> {
  const starts = sumsStarts(shapeOf(measures));
  const stderrs = stderrsOf(row, measures);
  return Object.fromEntries(
    measures.map((measure, m): readonly [string, ResultMeasure] => {
      const mean = userMean(measure);
      if (mean !== undefined) {
        const { value, n, stderr, withoutId } = mean;
        return [measure.canonical, { value, n, ...errorOf(stderr), withoutId }];
      }
      const sums = row.sums.slice(starts[m], starts[m + 1]);
      const { value = null, n } = rowValue(measure, row, sums, itemFile?.size ?? 0);
      const counts = pairCounts(measure, sums);
      const pairs =
        counts === undefined
          ? {}
          : { pairs: counts.pairs, scoredShare: counts.rated === 0 ? null : counts.pairs / counts.rated };
      return [measure.canonical, { value, n, ...errorOf(stderrs[m]), ...pairs }];
    }),
  );
}

function errorOf(stderr: Result<number>): Pick<ResultMeasure, 'stderr' | 'reason'> {
  return isAbsent(stderr) ? { stderr: null, reason: stderr.absent } : { stderr };
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

/** By grouping set, then cohort, then horizon as text: the order depends only on the row. */
function compareRows(a: ResultRow, b: ResultRow): number {
  const key = (row: ResultRow): string =>
    JSON.stringify([row.by.length, row.by, row.by.map((dimension) => row.labels[dimension]), row.window, row.horizon]);
  return key(a) < key(b) ? -1 : 1;
}

/** Observes the events of files while they are decoded, to report what looks wrong afterwards. No result depends on it. */
export class Watch {
  readonly sample = new EventSample();
  readonly #invalid = new InvalidReasons();
  readonly #valid: Readonly<Record<Side, Map<string, number>>> = { impressions: new Map(), feedback: new Map() };
  readonly #settings: Settings;
  readonly #input: RunFacts['input'];
  readonly #latest: EpochMs;

  /** @param latest later events are `future` */
  constructor(settings: Settings, input: RunFacts['input'], latest: EpochMs) {
    this.#settings = settings;
    this.#input = input;
    this.#latest = latest;
  }

  /** The same decoder for the file at this path, observed. */
  watching(decoder: Decoder, path: string, side: Side): Decoder {
    const valid = this.#valid[side];
    valid.set(path, valid.get(path) ?? 0);
    const decode = (value: Uint8Array | null, source: string, offset: number): Decoded => {
      const decoded = decoder.decode(value, source, offset);
      if ('events' in decoded) {
        valid.set(path, (valid.get(path) ?? 0) + 1);
        for (const event of decoded.events) this.sample.take(event, path, offset, this.#latest);
      }
      return decoded;
    };
    return {
      decode,
      scan: decode,
      reader: undefined,
      get ignoredCohortKeys() {
        return decoder.ignoredCohortKeys;
      },
    };
  }

  /** A callback for invalid records, which also calls `next`. @param roles of the topics */
  invalid(roles: readonly TopicRole[], next: UnitDeps['onInvalid']): (invalid: InvalidRecord) => void {
    return (invalid) => {
      const { topic, record, code, field } = invalid;
      const side = roles[topic].impressions ? 'impressions' : 'feedback';
      this.#invalid.take(side, { code, field }, record.value, record.place);
      next?.(invalid);
    };
  }

  /** What looks wrong with the counted events, and whether the result is empty. */
  conclude(counts: Pick<RunFacts, 'impressions' | 'feedback'>): {
    readonly findings: readonly Finding[];
    readonly isEmpty: boolean;
  } {
    const { attribution, grading, measures } = this.#settings;
    const { horizons, backward, outOfOrderness, futureSkew } = attribution;
    const facts: RunFacts = {
      ...counts,
      input: this.#input,
      invalid: this.#invalid,
      valid: this.#valid,
      sample: this.sample,
      needsFeedback: measures.some((measure) => !isListOnly(measure)),
      shape: {
        horizon: horizons[horizons.length - 1],
        backward,
        outOfOrderness,
        futureSkew,
        actions: grading.actions.map(({ name }) => name),
        valued: valuedActions(grading),
      },
    };
    return { findings: runFindings(facts), isEmpty: isEmpty(facts) };
  }
}
