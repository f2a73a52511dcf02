/**
 * Cohorts against their own past (statistics.md section 11), from panes that are stored anyway: minute panes of 27 h make
 * the blocks, heads of hour panes of 22 days their baselines.
 *
 * A reader of panes knows no gaps, only the time before which a unit misses something: all that is older counts as
 * incomplete. It does not know which lists an idle advance closed, nor whether a worker replays: of the first it assumes
 * none, for the second the alerts ask the workers.
 */
import { setImmediate as nextTurn } from 'node:timers/promises';
import { shownByName } from '../accumulators/admission.ts';
import { addExact } from '../accumulators/exact.ts';
import type { Ladder } from '../accumulators/ladder.ts';
import { type Row, shapeOf, sumsOffsets } from '../accumulators/row.ts';
import { parseField, rowField, setText, splitValues } from '../accumulators/store/layout.ts';
import type { UnitState } from '../accumulators/unit-state.ts';
import type { Settings } from '../config/settings.ts';
import { type DurationMs, type EpochMs, INVALID_DIMENSION, OTHER_COHORT } from '../events.ts';
import { pastBaseline, pastHours, STARTUP } from '../statistics/baseline.ts';
import { type BlockPane, blocksOf, HOUR, hourOf, pastHour } from '../statistics/blocks.ts';
import type { ErrorSource } from '../statistics/blocks-estimate.ts';
import { type WatchedDecision, watch } from '../statistics/watched.ts';
import { PATH_BLOCKS, type WatchedBlock } from '../statistics/watched-path.ts';
import type { PastHours } from './past.ts';
import { momentsOf, type WindowErrors } from './window-errors.ts';

/** What is said of one measure of one cohort. */
export interface QualityDecision {
  readonly by: readonly string[];
  readonly values: readonly string[];
  /** As in the configuration. */
  readonly horizon: string;
  /** Canonical name. */
  readonly measure: string;
  readonly decision: WatchedDecision;
}

export type WatchSettings = Pick<Settings, 'detect' | 'measures' | 'paneSize'>;

type Units = readonly (UnitState | undefined)[];

/** Minute panes are kept so long at least. */
const MINUTES_KEPT: DurationMs = 27 * HOUR;
/** Hours of 22 days are kept: three weeks before the blocks of a day. */
const JUDGED_BY_PAST: DurationMs = 24 * HOUR;
/** Longest stretch of work before other work has its turn. */
const TURN_MS = 4;

/** How far back the panes of the blocks reach before the cut. */
export function watchedSpan({ detect }: Pick<Settings, 'detect'>): DurationMs {
  if (detect.sets.length === 0) return 0;
  return Math.min(MINUTES_KEPT, (PATH_BLOCKS + STARTUP.blocks + STARTUP.lag) * detect.step);
}

/** End of the newest whole step; steps begin anew with each hour. */
export function newestStep(end: EpochMs, step: DurationMs): EpochMs {
  const hour = hourOf(end);
  return hour + Math.floor((end - hour) / step) * step;
}

/** Starts of the hours that the blocks up to `to` are compared with, without those of which something is missing. */
export function wantedHours(to: EpochMs, units: Units, step: DurationMs): readonly EpochMs[] {
  const wholeFrom = wholeFromOf(units);
  const wanted = new Set<EpochMs>();
  for (let hour = judgedFrom(to, step); hour < to; hour += HOUR) {
    const { weekly, daily } = pastHours(hour);
    for (const start of [...weekly, ...daily]) if (start >= wholeFrom) wanted.add(start);
  }
  return [...wanted].sort((a, b) => b - a);
}

/** Start of the first hour whose blocks are judged. */
function judgedFrom(to: EpochMs, step: DurationMs): EpochMs {
  return hourOf(to - Math.min(JUDGED_BY_PAST, PATH_BLOCKS * step));
}

/** Panes and hours from here on miss nothing in any unit. A unit that nobody has committed to misses everything. */
function wholeFromOf(units: Units): EpochMs {
  return Math.max(...units.map((unit) => unit?.incompleteBefore ?? Number.POSITIVE_INFINITY));
}

/** Judges all cohorts of the watched sets at one moment. */
export class Watch {
  readonly #settings: WatchSettings;
  readonly #units: Units;
  readonly #ladder: Ladder;
  readonly #past: PastHours;
  readonly #errors: WindowErrors;
  readonly #to: EpochMs;
  readonly #offsets: readonly number[];

  /** Blocks end at `to`, a whole step at or before the ladder's cut. */
  constructor(
    settings: WatchSettings,
    to: EpochMs,
    at: {
      readonly units: Units;
      readonly ladder: Ladder;
      readonly past: PastHours;
      readonly errors: WindowErrors;
    },
  ) {
    this.#settings = settings;
    this.#to = to;
    this.#units = at.units;
    this.#ladder = at.ladder;
    this.#past = at.past;
    this.#errors = at.errors;
    this.#offsets = sumsOffsets(shapeOf(settings.measures));
  }

  /** Sets, then cohorts by their values, then measures as configured. Other work has its turn in between. */
  async decisions(): Promise<readonly QualityDecision[]> {
    const { detect, measures } = this.#settings;
    const watched = [...measures.entries()].filter(([, { canonical }]) => detect.measures.includes(canonical));
    const decisions: QualityDecision[] = [];
    let began = performance.now();
    for (const { by, values, field, shownAt } of this.#cohorts()) {
      const sources = this.#errors.sourcesOf({ by, values });
      for (const [m, measure] of watched) {
        const past = (hour: EpochMs): Row | undefined =>
          shownAt(hour) ? this.#past.row(hour, field, this.#units.length) : undefined;
        const decision = this.#judge(m, field, sources[m], past);
        if (decision !== undefined)
          decisions.push({ by, values, horizon: this.#ladder.horizon.text, measure: measure.canonical, decision });
        if (performance.now() - began < TURN_MS) continue;
        await nextTurn();
        began = performance.now();
      }
    }
    return decisions;
  }

  /** First time of the blocks: all that the span holds, but nothing before the first record. */
  get #from(): EpochMs | undefined {
    const { detect, paneSize } = this.#settings;
    const first = Math.min(...this.#units.flatMap((unit) => unit?.panes.map(([from]) => from) ?? []));
    if (!Number.isFinite(first)) return undefined;
    // One step less than the ladder holds: its cut may lie up to a step after ours.
    return Math.max(this.#to - watchedSpan(this.#settings) + detect.step, first * paneSize.ms);
  }

  /** Cohorts that go by their own name in all panes of the span, and when else they do. */
  #cohorts() {
    const from = this.#from ?? this.#to;
    const horizon = this.#ladder.horizon.text;
    const names = [...this.#ladder.watchedFields()].flatMap((field) => parseField(field) ?? []);
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

  #judge(
    m: number,
    field: string,
    source: ErrorSource,
    past: (hour: EpochMs) => Row | undefined,
  ): WatchedDecision | undefined {
    const from = this.#from;
    if (from === undefined || from >= this.#to) return undefined;
    const { detect, measures } = this.#settings;
    const blocks = blocksOf(this.#panes(m, field, from), { from, to: this.#to, step: detect.step }, source);
    const baselines = new Map<EpochMs, WatchedBlock['past']>();
    const baselineOf = (hour: EpochMs): WatchedBlock['past'] => {
      if (hour < judgedFrom(this.#to, detect.step)) return undefined;
      if (!baselines.has(hour)) {
        const estimate = (start: EpochMs) => {
          const row = past(start);
          return row && pastHour({ ...this.#sums(m, [row]), closedByIdle: 0, gap: false }, source);
        };
        const { weekly, daily } = pastHours(hour);
        baselines.set(hour, pastBaseline(weekly.map(estimate), daily.map(estimate)));
      }
      return baselines.get(hour);
    };
    return watch({
      at: this.#to,
      replaying: false,
      blocks: blocks.map((block) => ({ block, past: baselineOf(hourOf(block.start)) })),
      settings: { ...detect, lowerIsBetter: detect.lowerIsBetter.has(measures[m].canonical) },
    });
  }

  /** The sums of each step as one pane: 324 values to take out of their rows, not 1,620. */
  *#panes(m: number, field: string, from: EpochMs): Iterable<BlockPane> {
    const { ms } = this.#settings.paneSize;
    const { step } = this.#settings.detect;
    const wholeFrom = wholeFromOf(this.#units);
    const watermark = Math.min(...this.#units.map((unit) => unit?.watermark ?? Number.NEGATIVE_INFINITY));
    const sealed = watermark - this.#ladder.horizon.ms;
    let start = from;
    while (start < this.#to) {
      const end = Math.min(newestStep(start, step) + step, hourOf(start) + HOUR, this.#to);
      const rows: Row[] = [];
      for (let at = start; at < end; at += ms) {
        const row = this.#ladder.pane(Math.round(at / ms))?.get(field);
        if (row !== undefined) rows.push(row);
      }
      yield { ...this.#sums(m, rows), start, gap: start < wholeFrom || end > sealed, closedByIdle: 0 };
      start = end;
    }
  }

  /** Of one measure, in ones. */
  #sums(m: number, rows: readonly Row[]): Omit<BlockPane, 'start' | 'gap' | 'closedByIdle'> {
    const first = this.#offsets[m];
    const sums = new Array<Row['sums'][number]>(this.#offsets[m + 1] - first).fill(0);
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

/** Cohorts that stand for many others change what they are made of. */
function isNamed(values: readonly string[]): boolean {
  return !values.includes(OTHER_COHORT) && !values.includes(INVALID_DIMENSION);
}
