/**
 * Cohorts against their own past (specification: statistics 10), from panes that are stored anyway: blocks from the minute
 * panes of 27 h, baselines from the heads of the hour panes of `detect.history`.
 *
 * A reader of panes does not see gaps, only the time before which a unit is incomplete: everything older counts as incomplete.
 * It does not see which lists were closed by idle advances, and assumes none; nor whether a worker is replaying, which the
 * alerts take from the workers' metrics.
 */
import { shownByName } from '../accumulators/admission.ts';
import { addExact } from '../accumulators/exact.ts';
import { type Row, shapeOf, sumsStarts } from '../accumulators/row.ts';
import { type AcceptedLevel, levelField } from '../accumulators/store/accepted-level.ts';
import { PART } from '../accumulators/store/fingerprint-difference.ts';
import { parseField, rowField, setText, splitValues } from '../accumulators/store/layout.ts';
import type { Settings } from '../config/settings.ts';
import { pastOf } from '../statistics/baseline.ts';
import { type WatchedDecision, watch } from '../statistics/watched.ts';
import {
  type BlockPane,
  blocksOf,
  type ErrorSource,
  hourBlock,
  hourOf,
  STEPS_REACH,
  stepAt,
  usualShare,
} from '../statistics/watched-blocks.ts';
import { PATH_BLOCKS } from '../statistics/watched-path.ts';
import { Turns } from '../vocabulary/clock.ts';
import { HOUR } from '../vocabulary/durations.ts';
import { type DurationMs, type EpochMs, INVALID_DIMENSION, OTHER_COHORT } from '../vocabulary/events.ts';
import type { HorizonWindows } from '../windows/horizon-windows.ts';
import { type UnitStates, wholeFrom } from '../windows/unit-state.ts';
import type { PastHours } from './hour-rows.ts';
import { momentsOf, type WindowErrors } from './window-errors.ts';

/** The decision on one measure of one cohort. */
export interface QualityDecision {
  readonly by: readonly string[];
  readonly values: readonly string[];
  /** The horizon, as in the configuration. */
  readonly horizon: string;
  /** The measure's canonical name. */
  readonly measure: string;
  readonly decision: WatchedDecision;
  /** The level that was accepted as normal; undefined: none was. */
  readonly accepted: AcceptedLevel | undefined;
}

export type WatchSettings = Pick<Settings, 'detect' | 'measures' | 'paneSize'>;

/** How far back the panes of the blocks reach before the cut. */
export function watchedSpan({ detect }: Pick<Settings, 'detect'>): DurationMs {
  if (detect.sets.length === 0) return 0;
  // An hour and a step more than the blocks need, because blocks start with an hour, and the windows' cut is up to a step after theirs.
  return stepsReach(detect.step) + HOUR + detect.step;
}

function stepsReach(step: DurationMs): DurationMs {
  return Math.min(STEPS_REACH, PATH_BLOCKS * step);
}

/** The time from which there are blocks of steps; whole hours precede them. */
function stepsFrom(to: EpochMs, step: DurationMs): EpochMs {
  return hourOf(to - stepsReach(step));
}

/** Starts of the complete hours before the blocks of steps, newest first. */
export function wantedHours(
  to: EpochMs,
  units: UnitStates,
  { step, history }: Pick<Settings['detect'], 'step' | 'history'>,
): readonly EpochMs[] {
  const oldest = Math.max(hourOf(to) - history, wholeFrom(units));
  const wanted: EpochMs[] = [];
  for (let hour = stepsFrom(to, step) - HOUR; hour >= oldest; hour -= HOUR) wanted.push(hour);
  return wanted;
}

/** The inputs for the decision on one measure of a cohort. */
interface WatchedMeasure {
  readonly field: string;
  /** Panes and hours before this time are incomplete, or lack the measure or the set. */
  readonly wholeFrom: EpochMs;
  readonly source: ErrorSource;
  /** The row of an hour; undefined: there is none to compare with. */
  readonly past: (hour: EpochMs) => Row | undefined;
  readonly accepted: AcceptedLevel | undefined;
}

/** Decides on all cohorts of the watched sets at one moment. */
export class Watch {
  readonly #settings: WatchSettings;
  readonly #units: UnitStates;
  readonly #horizonWindows: HorizonWindows;
  readonly #past: PastHours;
  readonly #errors: WindowErrors;
  readonly #to: EpochMs;
  readonly #starts: readonly number[];
  readonly #hours: readonly EpochMs[];
  readonly #accepted: ReadonlyMap<string, AcceptedLevel>;

  /** Blocks end at `to`, a whole step at or before the windows' cut. */
  constructor(
    settings: WatchSettings,
    to: EpochMs,
    at: {
      readonly units: UnitStates;
      readonly horizonWindows: HorizonWindows;
      readonly past: PastHours;
      readonly errors: WindowErrors;
      /** Accepted levels by `levelField`. */
      readonly accepted: ReadonlyMap<string, AcceptedLevel>;
    },
  ) {
    this.#settings = settings;
    this.#to = to;
    this.#units = at.units;
    this.#horizonWindows = at.horizonWindows;
    this.#past = at.past;
    this.#errors = at.errors;
    this.#accepted = at.accepted;
    this.#starts = sumsStarts(shapeOf(settings.measures));
    this.#hours = wantedHours(to, at.units, settings.detect);
  }

  /** Decisions by set, then by the cohorts' values, then by measure as configured. Yields to the event loop in between. */
  async decisions(): Promise<readonly QualityDecision[]> {
    const { detect, measures } = this.#settings;
    const watched = [...measures.entries()].filter(([, { canonical }]) => detect.measures.includes(canonical));
    const decisions: QualityDecision[] = [];
    const turns = new Turns();
    for (const { by, values, field, shownAt } of this.#cohorts()) {
      const sources = this.#errors.sourcesOf({ by, values });
      for (const [m, measure] of watched) {
        const whole = wholeFrom(this.#units, [PART.measure(measure.canonical), PART.cohorts(by)]);
        const past = (hour: EpochMs): Row | undefined =>
          shownAt(hour) ? this.#past.row(hour, field, this.#units.length) : undefined;
        const accepted = this.#accepted.get(levelField({ by, values, measure: measure.canonical }));
        const decision = this.#decide(m, { field, wholeFrom: whole, source: sources[m], past, accepted });
        const { horizon } = this.#horizonWindows;
        if (decision !== undefined)
          decisions.push({ by, values, horizon: horizon.text, measure: measure.canonical, decision, accepted });
        await turns.step();
      }
    }
    return decisions;
  }

  /** Start of the blocks of steps, but not before the first record. */
  get #from(): EpochMs | undefined {
    const { detect, paneSize } = this.#settings;
    const first = Math.min(...this.#units.flatMap((unit) => unit?.panes.map(([from]) => from) ?? []));
    if (!Number.isFinite(first)) return undefined;
    return Math.max(stepsFrom(this.#to, detect.step), first * paneSize.ms);
  }

  /** Cohorts that are shown by name in all panes of the span, and the earlier hours in which each of them is. */
  #cohorts() {
    const from = this.#from ?? this.#to;
    const horizon = this.#horizonWindows.horizon.text;
    const names = [...this.#horizonWindows.watchedFields()].flatMap((field) => parseField(field) ?? []);
    return this.#settings.detect.sets.flatMap((by) => {
      const set = setText(by);
      const tables = this.#units.map((unit) => unit?.admission.find((table) => setText(table.by) === set));
      const known = new Map<EpochMs, (values: string) => boolean>();
      const shown = (values: string, at: EpochMs): boolean => {
        const rule = known.get(at) ?? shownByName(tables, at);
        known.set(at, rule);
        return rule(values);
      };
      const cohorts = names.filter((name) => name.horizon === horizon && name.by === set).map(({ values }) => values);
      return cohorts
        .filter((values) => isNamed(splitValues(by, values)) && shown(values, from))
        .sort()
        .map((values) => ({
          by,
          values: splitValues(by, values),
          field: rowField(horizon, set, values),
          shownAt: (at: EpochMs) => shown(values, at),
        }));
    });
  }

  #decide(m: number, { field, wholeFrom, source, past, accepted }: WatchedMeasure): WatchedDecision | undefined {
    const first = this.#from;
    if (first === undefined || first >= this.#to) return undefined;
    const since = accepted?.from ?? Number.NEGATIVE_INFINITY;
    const from = Math.min(this.#to, Math.max(first, since));
    const { detect, measures } = this.#settings;
    const { step } = detect;
    const hours = this.#hours.flatMap((start) => {
      const row = start < Math.max(since, wholeFrom) ? undefined : past(start);
      return row === undefined ? [] : [{ ...this.#sums(m, [row]), start, closedByIdle: 0, gap: false }];
    });
    const usual = usualShare(hours);
    const before = hours.reverse().map((hour) => hourBlock(hour, { step, usual }, source));
    const steps = blocksOf(this.#panes(m, { field, from, wholeFrom }), { from, to: this.#to, step, usual }, source);
    return watch({
      at: this.#to,
      replaying: false,
      blocks: [...before, ...steps],
      step,
      pastOf: pastOf(before),
      settings: { ...detect, lowerIsBetter: detect.lowerIsBetter.has(measures[m].canonical) },
    });
  }

  /** The sums of each step as one pane: 324 values to extract from rows instead of 1,620. */
  *#panes(
    m: number,
    { field, from, wholeFrom }: { readonly field: string; readonly from: EpochMs; readonly wholeFrom: EpochMs },
  ): Iterable<BlockPane> {
    const { ms } = this.#settings.paneSize;
    const { step } = this.#settings.detect;
    const watermark = Math.min(...this.#units.map((unit) => unit?.watermark ?? Number.NEGATIVE_INFINITY));
    const sealed = watermark - this.#horizonWindows.horizon.ms;
    let start = from;
    while (start < this.#to) {
      const end = Math.min(stepAt(start, step) + step, hourOf(start) + HOUR, this.#to);
      const rows: Row[] = [];
      for (let at = start; at < end; at += ms) {
        const row = this.#horizonWindows.pane(Math.round(at / ms))?.get(field);
        if (row !== undefined) rows.push(row);
      }
      yield { ...this.#sums(m, rows), start, gap: start < wholeFrom || end > sealed, closedByIdle: 0 };
      start = end;
    }
  }

  /** Sums of one measure, in units of 1. */
  #sums(m: number, rows: readonly Row[]): Omit<BlockPane, 'start' | 'gap' | 'closedByIdle'> {
    const first = this.#starts[m];
    const sums = new Array<Row['sums'][number]>(this.#starts[m + 1] - first).fill(0);
    let impressions = 0;
    let positives = 0;
    for (const row of rows) {
      impressions += row.impressions;
      positives += row.positives;
      for (let i = 0; i < sums.length; i++) sums[i] = addExact(sums[i], row.sums[first + i]);
    }
    return { ...momentsOf(this.#settings.measures[m], sums), impressions, positives };
  }
}

/** Whether the values name a single cohort; false for the rest and for invalid values, whose membership changes. */
function isNamed(values: readonly string[]): boolean {
  return !values.includes(OTHER_COHORT) && !values.includes(INVALID_DIMENSION);
}
