import { setImmediate as nextTurn } from 'node:timers/promises';
import { addToSum, giveToSum, type Row, shapeOf } from '../accumulators/row.ts';
import { rowCodec, vectorRowCodec } from '../accumulators/row-codec.ts';
import { paneKey, parseField, setText, vectorKey } from '../accumulators/store/layout.ts';
import type { Fields, Store } from '../accumulators/store/store-port.ts';
import type { Measure } from '../measures/definition.ts';
import { HOUR } from '../vocabulary/durations.ts';
import { messageOf } from '../vocabulary/error-text.ts';
import type { DurationMs, EpochMs } from '../vocabulary/events.ts';
import { listsOf } from '../windows/bucket-sums.ts';
import { isListed, type UnitState } from '../windows/unit-state.ts';
import type { Rows } from '../windows/windows.ts';
import { GONE, type LostPane } from './lost-rows.ts';

interface HourRowsSettings {
  readonly store: Store;
  readonly namespace: string;
  readonly measures: readonly Measure[];
  /** Grouping sets that have vectors. */
  readonly clustered: readonly (readonly string[])[];
  readonly hour: DurationMs;
  /** The longest horizon: an hour that ended this long before a unit's watermark is final in that unit. */
  readonly longest: DurationMs;
}

type RowsByField = Map<string, Row>;

/**
 * Hour panes with their vectors, summed over units. A final hour of a unit is read once; other hours are read again whenever the unit has
 * sealed more or the windows have moved. A row whose vector does not contain all lists of its head is left out: vectors were started in
 * that hour, or a commit came between the two reads.
 */
export class HourRows {
  readonly #settings: HourRowsSettings;
  readonly #sets: ReadonlySet<string>;
  /** Sums by number of the hour, and the units that are in them. */
  readonly #final = new Map<number, { readonly units: Set<number>; readonly rows: RowsByField }>();
  /** For each unit, the moment of reading, and its rows by number of the hour. */
  readonly #live = new Map<number, { readonly moment: string; readonly hours: ReadonlyMap<number, Rows> }>();
  /** Lost panes by unit. */
  #lost = new Map<number, LostPane[]>();

  constructor(settings: HourRowsSettings) {
    this.#settings = settings;
    this.#sets = new Set(settings.clustered.map(setText));
  }

  /**
   * Reads the hours of one unit that overlap [start, end), unless they were read at this `moment`. Returns whether it read.
   */
  async read(u: number, unit: UnitState, start: EpochMs, end: EpochMs, moment: string): Promise<boolean> {
    if (this.#live.get(u)?.moment === moment) return false;
    const { store, namespace, hour, longest } = this.#settings;
    const owner = { namespace, unit: u, generation: unit.generation };
    const wanted: number[] = [];
    for (let n = Math.floor(start / hour); n * hour < end; n++) {
      if (this.#final.get(n)?.units.has(u) !== true) wanted.push(n);
    }
    const hashes = await store.read(wanted.flatMap((n) => [vectorKey(owner, n * hour), paneKey(owner, 'h', n * hour)]));
    const hours = new Map<number, Rows>();
    for (const [i, n] of wanted.entries()) {
      const rows = this.#read(u, unit, n, hashes.slice(2 * i, 2 * i + 2));
      if ((n + 1) * hour + longest > unit.watermark) {
        hours.set(n, rows);
        continue;
      }
      const final = this.#final.get(n) ?? { units: new Set(), rows: new Map() };
      final.units.add(u);
      addRows(final.rows, rows);
      this.#final.set(n, final);
    }
    this.#live.set(u, { moment, hours });
    return true;
  }

  /** For each unit, the hours that are listed but could not be read, since the last call. */
  takeLost(): ReadonlyMap<number, readonly LostPane[]> {
    const lost = this.#lost;
    this.#lost = new Map();
    return lost;
  }

  #read(u: number, unit: UnitState, n: number, [vectors, heads]: readonly Fields[]): RowsByField {
    const { namespace, hour } = this.#settings;
    const owner = { namespace, unit: u, generation: unit.generation };
    const loses = (size: 'h' | 'v', why: string): void => {
      const key = size === 'v' ? vectorKey(owner, n * hour) : paneKey(owner, size, n * hour);
      this.#lost.set(u, [...(this.#lost.get(u) ?? []), { size, n, key, end: (n + 1) * hour, why }]);
    };
    // Errors then come from the other hours.
    if (vectors.size === 0 && isListed(unit.vectors ?? [], n)) loses('v', GONE);
    try {
      if (heads.size > 0 || !isListed(unit.hours, n)) return this.#decode(vectors, heads);
      loses('h', GONE);
    } catch (error) {
      loses('h', messageOf(error));
    }
    return new Map();
  }

  /** Evicts the hours that end at or before `start`. */
  forget(start: EpochMs): void {
    for (const n of this.#final.keys()) if ((n + 1) * this.#settings.hour <= start) this.#final.delete(n);
  }

  /** Sums over the hours of one horizon that overlap [start, end), by field. */
  sum(horizon: string, start: EpochMs, end: EpochMs): Rows {
    const { hour } = this.#settings;
    const sums: RowsByField = new Map();
    for (let n = Math.floor(start / hour); n * hour < end; n++) {
      const live = [...this.#live.values()].map(({ hours }) => hours.get(n));
      for (const rows of [this.#final.get(n)?.rows, ...live]) {
        const own = [...(rows ?? [])].filter(([field]) => parseField(field)?.horizon === horizon);
        addRows(sums, new Map(own));
      }
    }
    return sums;
  }

  #decode(vectors: Fields, heads: Fields): RowsByField {
    const shape = shapeOf(this.#settings.measures);
    const codec = rowCodec(shape);
    const vectorCodec = vectorRowCodec(shape);
    const rows: RowsByField = new Map();
    for (const [field, text] of vectors) {
      const head = heads.get(field);
      const name = parseField(field);
      if (head === undefined || name === undefined || !this.#sets.has(name.by)) continue;
      const { vector } = vectorCodec.decode(text);
      const row = codec.decode(head);
      if (vector !== undefined && listsOf(vector) === row.impressions) rows.set(field, { ...row, vector });
    }
    return rows;
  }
}

function addRows(into: RowsByField, rows: Rows): void {
  for (const [field, row] of rows) addToSum(into, field, row);
}

interface PastSettings {
  readonly store: Store;
  readonly namespace: string;
  readonly measures: readonly Measure[];
  /** The grouping sets that are watched. */
  readonly sets: readonly (readonly string[])[];
  /** The horizon at which they are watched. */
  readonly horizon: string;
  /** The longest horizon: an hour that ended this long before a unit's watermark is final. */
  readonly longest: DurationMs;
}

interface Hour {
  /** The units whose rows are in `rows`. */
  readonly units: Set<number>;
  readonly rows: Map<string, Row>;
  /** Whether the rows of one of them are lost, so that the sum is unusable. */
  isLost: boolean;
}

/** Hours of the past, summed over units: heads of hour panes, each read once, when it is final. */
export class PastHours {
  readonly #settings: PastSettings;
  readonly #sets: ReadonlySet<string>;
  readonly #hours = new Map<EpochMs, Hour>();

  constructor(settings: PastSettings) {
    this.#settings = settings;
    this.#sets = new Set(settings.sets.map(setText));
  }

  /** Starts of the `wanted` hours that are final in a unit and have not been read from it. */
  missing(u: number, { watermark }: UnitState, wanted: readonly EpochMs[]): readonly EpochMs[] {
    const final = watermark - this.#settings.longest - HOUR;
    return wanted.filter((hour) => hour <= final && this.#hours.get(hour)?.units.has(u) !== true);
  }

  async read(u: number, unit: UnitState, hours: readonly EpochMs[]): Promise<void> {
    const { store, namespace } = this.#settings;
    const owner = { namespace, unit: u, generation: unit.generation };
    const hashes = await store.read(hours.map((hour) => paneKey(owner, 'h', hour)));
    for (const [i, start] of hours.entries()) {
      const hour = this.#hours.get(start) ?? { units: new Set(), rows: new Map(), isLost: false };
      this.#hours.set(start, hour);
      hour.units.add(u);
      if (hashes[i].size === 0 && isListed(unit.hours, start / HOUR)) hour.isLost = true;
      else this.#add(hour, hashes[i]);
      await nextTurn();
    }
  }

  /** Evicts the hours that are no longer wanted. */
  keep(wanted: readonly EpochMs[]): void {
    const kept = new Set(wanted);
    for (const hour of this.#hours.keys()) if (!kept.has(hour)) this.#hours.delete(hour);
  }

  /** The sum of an hour over all units; undefined: some unit was not read, its rows are lost, or there is no row. */
  row(hour: EpochMs, field: string, units: number): Row | undefined {
    const found = this.#hours.get(hour);
    return found?.units.size === units && !found.isLost ? found.rows.get(field) : undefined;
  }

  #add(hour: Hour, hash: Fields): void {
    const codec = rowCodec(shapeOf(this.#settings.measures));
    const begin = `${this.#settings.horizon}|`;
    for (const [field, text] of hash) {
      // Most fields of a large hash are not wanted, so they are not parsed.
      const name = field.startsWith(begin) ? parseField(field) : undefined;
      if (name === undefined || !this.#sets.has(name.by)) continue;
      try {
        giveToSum(hour.rows, field, codec.decode(text));
      } catch {
        hour.isLost = true;
      }
    }
  }
}
