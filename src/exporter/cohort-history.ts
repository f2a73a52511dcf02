/**
 * A measure of one cohort over time, from panes that are stored anyway: the windows' minute panes, preceded by hour panes, of which only
 * requested cohorts are read. Without requests it costs nothing.
 */
import { addExact } from '../accumulators/exact.ts';
import { type Row, shapeOf, sumsStarts } from '../accumulators/row.ts';
import { rowCodec } from '../accumulators/row-codec.ts';
import { paneKey, rowField, setText } from '../accumulators/store/layout.ts';
import type { Fields, Store } from '../accumulators/store/store-port.ts';
import type { Measure } from '../measures/definition.ts';
import type { Exact } from '../measures/sums.ts';
import { measureValue, measureWeight } from '../measures/value.ts';
import { orNull } from '../statistics/absent.ts';
import { designEffect, stretchedStderr, windowStderr } from '../statistics/design-effect.ts';
import type { DurationMs, EpochMs } from '../vocabulary/events.ts';
import type { HorizonWindows, PaneRange } from '../windows/horizon-windows.ts';
import type { UnitState, UnitStates } from '../windows/unit-state.ts';
import type { CohortHistory, HistoryPoint, HistoryQuestion, QualityRow } from './exporter-contract.ts';
import { hasMoments, momentsOf } from './window-errors.ts';

interface HistoriesSettings {
  readonly store: Store;
  readonly namespace: string;
  readonly measures: readonly Measure[];
  readonly paneSize: DurationMs;
  readonly hour: DurationMs;
  /** The longest horizon: an hour that ended this long before a unit's watermark is final in it. */
  readonly longest: DurationMs;
}

/** The present inputs of a history. */
interface HistorySources {
  readonly units: UnitStates;
  /** Windows of the requested horizon. */
  readonly windows: HorizonWindows;
  /** The newest window of the cohort, whose error shows how lists depend on each other; undefined: there is none. */
  readonly newest: QualityRow | undefined;
}

/** Approximate number of points of a history for minute panes. */
const MOST_POINTS = 240;
/** Possible numbers of panes between two points, besides whole hours of panes. */
const STRIDES = [1, 2, 3, 5, 6, 10, 12, 15, 20, 30];
/** Number of (cohort, horizon) pairs whose hours are cached. */
const MOST_FIELDS = 64;
/** Keys per read. */
const BATCH = 100;

/** The standard error of sums; null: unknown. */
type StderrOf = (sums: readonly Exact[]) => number | null;

export class Histories {
  readonly #settings: HistoriesSettings;
  readonly #starts: readonly number[];
  /** Rows of hours, by field, then by number of the hour; null: no list. The least recently requested field is evicted first. */
  readonly #hours = new Map<string, Map<number, Row | null>>();
  /** Hours that are wanted, by field. */
  #wanted = new Map<string, ReadonlySet<number>>();
  #reading: Promise<void> | undefined;
  /** Incremented by `reset`: what was read before is discarded. */
  #epoch = 0;

  constructor(settings: HistoriesSettings) {
    this.#settings = settings;
    this.#starts = sumsStarts(shapeOf(settings.measures));
  }

  /** Discards what was read from the units, which may be wrong. */
  reset(): void {
    this.#hours.clear();
    this.#wanted.clear();
    this.#epoch++;
  }

  /** The known part of a history. Missing hours are read in the background, for the next request. */
  of(question: HistoryQuestion, sources: HistorySources): CohortHistory {
    const { by, values, horizon, span } = question;
    const m = this.#settings.measures.findIndex(({ canonical }) => canonical === question.measure);
    const { reach } = sources.windows;
    if (m < 0 || reach === undefined) return { points: [], hoursTo: undefined, isReading: false };
    const { paneSize } = this.#settings;
    const field = rowField(horizon, setText(by), values.join(','));
    const from = reach.to * paneSize - span;
    const panes = this.#minutes(field, m, question, sources);
    const minutesFrom = Math.min(reach.to, reach.from + Math.round(question.window / paneSize)) * paneSize;
    const hours = this.#hourPoints(field, m, sources, { from, to: minutesFrom });
    const hoursTo = hours.points.at(-1)?.at;
    return { points: [...hours.points, ...panes], hoursTo, isReading: hours.isReading };
  }

  /** Resolves when nothing is being read. */
  async settled(): Promise<void> {
    while (this.#reading !== undefined) await this.#reading;
  }

  #minutes(
    field: string,
    m: number,
    { window, span }: HistoryQuestion,
    { windows, newest }: HistorySources,
  ): readonly HistoryPoint[] {
    const { reach } = windows;
    if (reach === undefined) return [];
    const { paneSize } = this.#settings;
    const length = Math.round(window / paneSize);
    const known = firstWith(windows, field, reach);
    const first = Math.max(reach.from + length, reach.to - Math.floor(span / paneSize), known + 1);
    const stride = strideOf(reach.to - first);
    const [at, end] = [this.#starts[m], this.#starts[m + 1]];
    const begin = Math.max(known, first - length);
    // Each pane is added and later subtracted.
    const rows: (Row | undefined)[] = [];
    for (let pane = begin; pane < reach.to; pane++) rows.push(windows.pane(pane)?.get(field));
    const sums = new Array<Exact>(end - at).fill(0);
    const add = (row: Row | undefined, sign: 1 | -1): void => {
      if (row === undefined) return;
      for (let i = 0; i < sums.length; i++) {
        const part = row.sums[at + i];
        if (part !== 0) sums[i] = addExact(sums[i], sign === 1 ? part : -part);
      }
    };
    const stderrOf = this.#stderrs(m, newest);
    const points: HistoryPoint[] = [];
    for (let i = 0; i < rows.length; i++) {
      add(rows[i], 1);
      if (i >= length) add(rows[i - length], -1);
      const next = begin + i + 1;
      if (next < first || (next % stride !== 0 && next !== reach.to)) continue;
      const point = this.#point(next * paneSize, m, sums, stderrOf);
      if (point !== undefined) points.push(point);
    }
    return points;
  }

  #hourPoints(
    field: string,
    m: number,
    { units, newest }: HistorySources,
    { from, to }: { readonly from: EpochMs /** The first point from minute panes. */; readonly to: EpochMs },
  ): { readonly points: readonly HistoryPoint[]; readonly isReading: boolean } {
    const { hour, longest } = this.#settings;
    const final = Math.min(...units.flatMap((unit) => unit?.watermark ?? [])) - longest;
    const numbers: number[] = [];
    for (let n = Math.ceil(from / hour); (n + 1) * hour <= final && (n + 1) * hour < to; n++) numbers.push(n);
    if (numbers.length === 0) return { points: [], isReading: false };
    const known = this.#remembered(field, numbers[0]);
    const stderrOf = this.#stderrs(m, newest);
    const points = numbers.flatMap((n) => {
      const row = known.get(n);
      const sums = row?.sums.slice(this.#starts[m], this.#starts[m + 1]);
      return sums === undefined ? [] : (this.#point((n + 1) * hour, m, sums, stderrOf) ?? []);
    });
    const missing = numbers.filter((n) => !known.has(n));
    if (missing.length > 0) {
      this.#wanted.set(field, new Set([...(this.#wanted.get(field) ?? []), ...missing]));
      this.#reading ??= this.#read(units).finally(() => {
        this.#reading = undefined;
      });
    }
    return { points, isReading: missing.length > 0 };
  }

  /** The hours of a field from `oldest` on; makes it the most recently requested one. */
  #remembered(field: string, oldest: number): Map<number, Row | null> {
    const known = this.#hours.get(field) ?? new Map<number, Row | null>();
    this.#hours.delete(field);
    this.#hours.set(field, known);
    for (const n of known.keys()) if (n < oldest) known.delete(n);
    for (const other of this.#hours.keys()) {
      if (this.#hours.size <= MOST_FIELDS) break;
      this.#hours.delete(other);
    }
    return known;
  }

  /** Never rejects: what the store does not return is requested again by the next call. */
  async #read(units: UnitStates): Promise<void> {
    // Waits, so that requests of the same moment are served too.
    await Promise.resolve();
    const wanted = this.#wanted;
    const epoch = this.#epoch;
    this.#wanted = new Map();
    const fields = [...wanted.keys()];
    const hours = [...new Set([...wanted.values()].flatMap((some) => [...some]))].sort((a, b) => a - b);
    const sums = new Map<string, Map<number, Row | null>>(
      fields.map((field) => [field, new Map(hours.map((n) => [n, null]))]),
    );
    try {
      for (const [u, unit] of units.entries()) if (unit !== undefined) await this.#readUnit(u, unit, hours, sums);
    } catch {
      return;
    }
    if (epoch !== this.#epoch) return;
    for (const [field, rows] of sums) {
      const known = this.#hours.get(field);
      for (const [n, row] of rows) known?.set(n, row);
    }
  }

  /** Adds the rows of one unit in these hours to `sums`. */
  async #readUnit(
    u: number,
    { generation }: UnitState,
    hours: readonly number[],
    sums: ReadonlyMap<string, Map<number, Row | null>>,
  ): Promise<void> {
    const { namespace, hour, measures } = this.#settings;
    const owner = { namespace, unit: u, generation };
    const codec = rowCodec(shapeOf(measures));
    for (let i = 0; i < hours.length; i += BATCH) {
      const batch = hours.slice(i, i + BATCH);
      const keys = batch.map((n) => paneKey(owner, 'h', n * hour));
      const hashes = await this.#fields(keys, [...sums.keys()]);
      for (const [j, n] of batch.entries()) {
        for (const [field, rows] of sums) {
          const text = hashes[j].get(field);
          if (text === undefined) continue;
          const row = codec.decode(text);
          const sum = rows.get(n) ?? undefined;
          if (sum === undefined) rows.set(n, row);
          else for (const [s, part] of row.sums.entries()) sum.sums[s] = addExact(sum.sums[s], part);
        }
      }
    }
  }

  #fields(keys: readonly string[], fields: readonly string[]): Promise<readonly Fields[]> {
    const { store } = this.#settings;
    return store.readFields === undefined ? store.read(keys) : store.readFields(keys, fields);
  }

  #point(at: EpochMs, m: number, sums: readonly Exact[], stderrOf: StderrOf): HistoryPoint | undefined {
    const value = measureValue(this.#settings.measures[m], sums);
    return value === undefined ? undefined : { at, value, stderr: stderrOf(sums) };
  }

  /** Standard errors, on the assumption that lists depend on each other as much as in the newest window. */
  #stderrs(m: number, newest: QualityRow | undefined): StderrOf {
    if (newest === undefined) return () => null;
    const measure = this.#settings.measures[m];
    const own = newest.row.sums.slice(this.#starts[m], this.#starts[m + 1]);
    const error = newest.stderrs[m];
    if (!hasMoments(measure)) {
      const weight = measureWeight(measure, own);
      return (sums) => orNull(stretchedStderr(error, weight, measureWeight(measure, sums)));
    }
    const effect = designEffect(error, momentsOf(measure, own));
    return (sums) => orNull(windowStderr(momentsOf(measure, sums), effect));
  }
}

/** The first pane that contains a row of the field; if none does, the end. */
function firstWith(windows: HorizonWindows, field: string, { from, to }: PaneRange): number {
  for (let pane = from; pane < to; pane++) if (windows.pane(pane)?.has(field) === true) return pane;
  return to;
}

/** Number of panes between two points, such that there are not many more than `MOST_POINTS`. */
function strideOf(panes: number): number {
  const least = Math.ceil(panes / MOST_POINTS);
  return STRIDES.find((stride) => stride >= least) ?? 60 * Math.ceil(least / 60);
}
