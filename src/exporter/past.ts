import { setImmediate as nextTurn } from 'node:timers/promises';
import { giveToSum, type Row, shapeOf } from '../accumulators/row.ts';
import { rowCodec } from '../accumulators/row-codec.ts';
import { paneKey, parseField, setText } from '../accumulators/store/layout.ts';
import type { Fields, Store } from '../accumulators/store/port.ts';
import type { Measure } from '../measures/definition.ts';
import { HOUR } from '../vocabulary/durations.ts';
import type { DurationMs, EpochMs } from '../vocabulary/events.ts';
import type { UnitState } from '../windows/unit-state.ts';

export interface PastSettings {
  readonly store: Store;
  readonly namespace: string;
  readonly measures: readonly Measure[];
  /** Those of the grouping sets that are watched. */
  readonly sets: readonly (readonly string[])[];
  /** The horizon at which they are watched. */
  readonly horizon: string;
  /** The longest horizon: an hour that ended so long before a unit's watermark is final. */
  readonly longest: DurationMs;
}

interface Hour {
  /** Those whose rows are in `rows`. */
  readonly units: Set<number>;
  readonly rows: Map<string, Row>;
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

  /** Starts of the hours among `wanted` that are final in a unit and were not read from it. */
  missing(u: number, { watermark }: UnitState, wanted: readonly EpochMs[]): readonly EpochMs[] {
    const final = watermark - this.#settings.longest - HOUR;
    return wanted.filter((hour) => hour <= final && this.#hours.get(hour)?.units.has(u) !== true);
  }

  async read(u: number, unit: UnitState, hours: readonly EpochMs[]): Promise<void> {
    const { store, namespace } = this.#settings;
    const owner = { namespace, unit: u, generation: unit.generation };
    const hashes = await store.read(hours.map((hour) => paneKey(owner, 'h', hour)));
    for (const [i, start] of hours.entries()) {
      const hour = this.#hours.get(start) ?? { units: new Set(), rows: new Map() };
      this.#hours.set(start, hour);
      hour.units.add(u);
      this.#add(hour.rows, hashes[i]);
      await nextTurn();
    }
  }

  /** Forgets the hours that are not wanted any more. */
  keep(wanted: readonly EpochMs[]): void {
    const kept = new Set(wanted);
    for (const hour of this.#hours.keys()) if (!kept.has(hour)) this.#hours.delete(hour);
  }

  /** The sum of an hour over all units; undefined: not of all of them, or no row. */
  row(hour: EpochMs, field: string, units: number): Row | undefined {
    const found = this.#hours.get(hour);
    return found?.units.size === units ? found.rows.get(field) : undefined;
  }

  #add(rows: Map<string, Row>, hash: Fields): void {
    const codec = rowCodec(shapeOf(this.#settings.measures));
    const begin = `${this.#settings.horizon}|`;
    for (const [field, text] of hash) {
      // Most fields of a large hash are not wanted: they are not taken apart.
      const name = field.startsWith(begin) ? parseField(field) : undefined;
      if (name === undefined || !this.#sets.has(name.by)) continue;
      giveToSum(rows, field, codec.decode(text));
    }
  }
}
