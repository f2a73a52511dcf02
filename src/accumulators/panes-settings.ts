import type { DurationMs, EpochMs } from '../vocabulary/events.ts';
import { Ranges } from '../vocabulary/ranges.ts';
import type { Takeover } from './admission.ts';
import { isLarge, parseAdmission, type StoredTable } from './admission-state.ts';
import type { RowShape } from './row.ts';
import type { Held } from './row-codec.ts';
import type { RunSettings } from './runs.ts';
import { keysOf, listOf, parseJson, rangeOf } from './store/json.ts';
import { paneKey, placesKey, type RowOwner, SINCE_START, setText, totalKey, vectorKey } from './store/layout.ts';
import type { Fields } from './store/store-port.ts';

export interface Horizon {
  /** The text of the configuration, such as `30m`. */
  readonly text: string;
  readonly ms: DurationMs;
}

/** Which rows keep items: those of these grouping sets in minute panes and, with `inTotals`, in totals. */
interface ItemRows {
  readonly sets: readonly (readonly string[])[];
  readonly inTotals: boolean;
}

/** Which rows keep counts by rank: as for items, but at one horizon. */
interface PositionRows extends ItemRows {
  /** Index of the horizon. */
  readonly horizon: number;
}

/** What shapes the rows of one unit. */
export interface PanesSettings {
  readonly owner: RowOwner;
  readonly paneSize: DurationMs;
  /** Length of an hour pane. */
  readonly hour: DurationMs;
  /** The horizons, ascending; the last is H. */
  readonly horizons: readonly Horizon[];
  /** Names in the order of an impression's dimensions. */
  readonly dimensions: readonly string[];
  /** Grouping sets, as lists of dimension names. */
  readonly sets: readonly (readonly string[])[];
  /** Those of `sets` whose hour panes keep sums by user bucket. */
  readonly clustered: readonly (readonly string[])[];
  readonly shape: RowShape;
  /** Which rows keep the items that `shape` asks for; default: none. */
  readonly items?: ItemRows | undefined;
  /** Which rows keep counts by rank; default: none. */
  readonly positions?: PositionRows | undefined;
  /** Most cohorts of one set that are kept by name at the same time; at least 1. */
  readonly cohortsPerSet: number;
  /** The values that the configuration names, for each dimension. Their cohorts are always kept by name. Default: none. */
  readonly named?: ReadonlyMap<string, readonly string[]> | undefined;
  /** When quiet cohorts lose their places to others; default: never. Not allowed with `totals`, which cover all time. */
  readonly takeover?: Takeover | undefined;
  /** Admission tables with more entries are stored beside the checkpoint. Default: as for `AdmissionSettings`. */
  readonly mostInCheckpoint?: number | undefined;
  /** How long a pane is kept after its end, in event time; at least H. */
  readonly keepMinutes: DurationMs;
  readonly keepHours: DurationMs;
  /** How long the vectors of hour panes are kept: at most `keepHours`. */
  readonly keepVectors: DurationMs;
  /** Names of the since-start totals that every closing is added to. */
  readonly totals: readonly string[];
  /** Runs of experiments. Each has a total of its own, by the value of its dimension. */
  readonly runs: readonly RunSettings[];
  /** The committed watermark; -Infinity: none. The rows already contain everything that closes or is deleted at or below it. */
  readonly closedUpTo: EpochMs;
}

/** The grouping sets whose rows keep items, in the form of `setText`. */
export function setsWithItems({ shape, items }: Pick<PanesSettings, 'shape' | 'items'>): ReadonlySet<string> {
  return new Set(shape.items === undefined ? [] : items?.sets.map(setText));
}

/** The grouping sets whose rows keep counts by rank. */
export function setsWithPositions({
  shape,
  positions,
}: Pick<PanesSettings, 'shape' | 'positions'>): ReadonlySet<string> {
  return new Set(shape.ranks === undefined ? [] : positions?.sets.map(setText));
}

/** The part of the checkpoint that belongs to the panes. Plain JSON, except that -Infinity becomes null. */
export interface PanesState {
  /** Numbers (start / size) of the panes that exist, as half-open ranges. */
  readonly minutes: readonly (readonly [from: number, to: number])[];
  readonly hours: readonly (readonly [from: number, to: number])[];
  /** The hour panes for which sums by user bucket are stored. undefined: stored by an earlier release, which did not keep this. */
  readonly vectors?: PanesState['hours'] | undefined;
  readonly admission: readonly StoredTable[];
}

/** Changes since the last commit, by key: the fields to set, keys to delete before fields are set, and fields to remove before that. */
export interface PaneChanges {
  readonly rows: Map<string, Map<string, string>>;
  /** Keys of `rows` that were stored before. */
  readonly stored: Set<string>;
  readonly deletes: string[];
  readonly removes: Map<string, readonly string[]>;
}

/** What a new owner starts from: the state in the checkpoint, and the stored fields of each of `liveKeys`. */
export interface RestoredPanes {
  readonly state: PanesState;
  readonly rows: ReadonlyMap<string, Fields>;
  /** For each key the measures whose sums in its rows are used. A key that is missing: all of them. */
  readonly held?: ReadonlyMap<string, Held>;
}

/** A pane that the checkpoint lists. Its key exists from the commit of its first row on. */
export interface ListedPane {
  /** m: minute, h: hour, v: the sums by user bucket of an hour. */
  readonly size: 'm' | 'h' | 'v';
  readonly n: number;
  readonly key: string;
  readonly end: EpochMs;
}

/** The panes that a state lists and that end after `end`: minutes, hours, then sums by user bucket, each ascending. */
export function listedPanes(
  { owner, paneSize, hour }: Pick<PanesSettings, 'owner' | 'paneSize' | 'hour'>,
  { minutes, hours, vectors = [] }: Pick<PanesState, 'minutes' | 'hours' | 'vectors'>,
  end: EpochMs,
): readonly ListedPane[] {
  const listed = (size: ListedPane['size'], length: DurationMs, numbers: PanesState['minutes']): ListedPane[] =>
    new PaneNumbers(length, 0, numbers).endingAfter(end).map((n) => {
      const key = size === 'v' ? vectorKey(owner, n * length) : paneKey(owner, size, n * length);
      return { size, n, key, end: (n + 1) * length };
    });
  return [...listed('m', paneSize, minutes), ...listed('h', hour, hours), ...listed('v', hour, vectors)];
}

/**
 * Keys of what can still change after `watermark`: panes with end + H > watermark, the totals, and the hashes of large admission
 * tables.
 */
export function liveKeys(settings: PanesSettings, state: PanesState, watermark: EpochMs): readonly string[] {
  const finalUpTo = watermark - longest(settings);
  const hours = new PaneNumbers(settings.hour, settings.keepHours, state.hours);
  return [
    ...listedPanes(settings, { ...state, vectors: [] }, finalUpTo).map(({ key }) => key),
    ...hours.endingAfter(finalUpTo).map((n) => vectorKey(settings.owner, n * settings.hour)),
    ...settings.totals.map((name) => totalKey(settings.owner, name, SINCE_START)),
    ...settings.runs.map(({ name, run }) => totalKey(settings.owner, name, run)),
    ...state.admission.filter(isLarge).map(({ by }) => placesKey(settings.owner, by)),
  ];
}

/** H, the longest horizon. */
export function longest(settings: Pick<PanesSettings, 'horizons'>): DurationMs {
  return Math.max(...settings.horizons.map((horizon) => horizon.ms));
}

export function checkSettings(settings: PanesSettings): void {
  const window = longest(settings);
  if (Math.min(settings.keepMinutes, settings.keepHours, settings.keepVectors) < window) {
    throw new Error(`panes must be kept for the longest horizon (${window} ms) at least`);
  }
  if (settings.keepVectors > settings.keepHours)
    throw new Error('vectors of hour panes may not be kept longer than these');
  const sets = new Set(settings.sets.map(setText));
  for (const [name, some] of [
    ['clustered', settings.clustered],
    ['items.sets', settings.items?.sets ?? []],
    ['positions.sets', settings.positions?.sets ?? []],
  ] as const) {
    for (const by of some) {
      if (!sets.has(setText(by))) throw new Error(`${name}: [${by}] is none of the grouping sets`);
    }
  }
  if (settings.takeover !== undefined && (settings.takeover.ratio < 1 || settings.takeover.candidates < 1))
    throw new Error('takeover: expected a ratio and candidates of at least 1');
  if (settings.cohortsPerSet < 1) throw new Error('cohortsPerSet must be at least 1');
}

/** Reads a stored state. Throws an Error that names the part that is wrong. */
export function parsePanesState(text: string): PanesState {
  const state = keysOf(parseJson(text, 'panes'), 'panes');
  return {
    minutes: listOf(state['minutes'], 'panes.minutes', rangeOf),
    hours: listOf(state['hours'], 'panes.hours', rangeOf),
    ...(state['vectors'] === undefined ? {} : { vectors: listOf(state['vectors'], 'panes.vectors', rangeOf) }),
    admission: listOf(state['admission'], 'panes.admission', parseAdmission),
  };
}

/** Which panes of one size exist. Pane n is [n * size, (n + 1) * size); it is deleted `keep` after its end. */
export class PaneNumbers {
  readonly size: DurationMs;
  readonly #keep: DurationMs;
  readonly #numbers: Ranges;

  constructor(size: DurationMs, keep: DurationMs, numbers: Iterable<readonly [number, number]> = []) {
    this.size = size;
    this.#keep = keep;
    this.#numbers = new Ranges(numbers);
  }

  of(ts: EpochMs): number {
    return Math.floor(ts / this.size);
  }

  add(n: number): void {
    this.#numbers.add(n, n + 1);
  }

  /** When the oldest pane must be deleted; Infinity: there is none. */
  get nextDeletion(): EpochMs {
    const least = this.#numbers.least;
    return least === undefined ? Number.POSITIVE_INFINITY : (least + 1) * this.size + this.#keep;
  }

  /** Removes the panes with end + keep <= at, and returns their numbers, ascending. */
  deleteUpTo(at: EpochMs): readonly number[] {
    const bound = this.of(at - this.#keep);
    const gone = this.#numbersIn(Number.NEGATIVE_INFINITY, bound);
    this.#numbers.cutBelow(bound);
    return gone;
  }

  /** The panes that end after `end`, ascending. */
  endingAfter(end: EpochMs): readonly number[] {
    return this.#numbersIn(this.of(end), Number.POSITIVE_INFINITY);
  }

  toJSON(): [number, number][] {
    return this.#numbers.toJSON();
  }

  #numbersIn(low: number, high: number): readonly number[] {
    const found: number[] = [];
    for (const [from, to] of this.#numbers.toJSON()) {
      for (let n = Math.max(from, low); n < Math.min(to, high); n++) found.push(n);
    }
    return found;
  }
}
