import { type AcceptedLevel, acceptedKey, acceptedLevels } from '../accumulators/store/accepted-level.ts';
import type { Store } from '../accumulators/store/store-port.ts';
import { stepAt } from '../statistics/watched-blocks.ts';
import type { EpochMs } from '../vocabulary/events.ts';
import type { HorizonWindows } from '../windows/horizon-windows.ts';
import type { UnitStates } from '../windows/unit-state.ts';
import { type QualityDecision, Watch, type WatchSettings, wantedHours, watchedSpan } from './cohort-watch.ts';
import type { ExporterSettings } from './exporter-contract.ts';
import { PastHours } from './hour-rows.ts';
import type { WindowErrors } from './window-errors.ts';

/** Number of hours of the past that one refresh reads per unit, so that windows do not wait for weeks of them. */
const PAST_BATCH = 32;

interface PastStore {
  readonly store: Store;
  readonly namespace: string;
}

/**
 * The decisions on the watched cohorts. They are made again when a step has ended, when more turned out to be incomplete, or when a level
 * was accepted. There are none until all of the past has been read.
 */
export class Decisions {
  readonly #settings: WatchSettings & Pick<ExporterSettings, 'attribution'>;
  readonly #store: PastStore;
  #past: PastHours;
  #made: readonly QualityDecision[] = [];
  /** Identifies the input of the decisions. */
  #madeFrom = '';
  #accepted: ReadonlyMap<string, AcceptedLevel> = new Map();

  constructor(settings: WatchSettings & Pick<ExporterSettings, 'attribution'>, store: PastStore) {
    this.#settings = settings;
    this.#store = store;
    this.#past = this.#newPast();
  }

  /** The decisions; the same object until they are made again. */
  get made(): readonly QualityDecision[] {
    return this.#made;
  }

  /** Forgets what was read from the units, which may be wrong. The decisions stay until they can be made again. */
  reset(): void {
    this.#past = this.#newPast();
    this.#madeFrom = '';
  }

  /** Reads some of the missing hours. Returns the units from which it read. */
  async read(units: UnitStates, horizonWindows: HorizonWindows | undefined): Promise<readonly number[]> {
    const to = this.#end(horizonWindows);
    if (to === undefined) return [];
    const [levels] = await this.#store.store.read([acceptedKey(this.#store.namespace)]);
    this.#accepted = acceptedLevels(levels);
    const wanted = wantedHours(to, units, this.#settings.detect);
    this.#past.keep(wanted);
    const read: number[] = [];
    for (const [u, unit] of units.entries()) {
      const missing = unit === undefined ? [] : this.#past.missing(u, unit, wanted);
      if (unit === undefined || missing.length === 0) continue;
      await this.#past.read(u, unit, missing.slice(0, PAST_BATCH));
      read.push(u);
    }
    return read;
  }

  /**
   * Makes the decisions again if necessary.
   * @param errorsOf the errors of the longest window
   */
  async update(
    units: UnitStates,
    horizonWindows: HorizonWindows | undefined,
    errorsOf: (horizonWindows: HorizonWindows) => WindowErrors,
  ): Promise<void> {
    const to = this.#end(horizonWindows);
    if (to === undefined || horizonWindows === undefined) {
      if (this.#made.length > 0) this.#made = [];
      return;
    }
    const accepted = this.#accepted;
    const from = JSON.stringify([
      to,
      units.map((unit) => [unit?.incompleteBefore, ...(unit?.since ?? [])]),
      [...accepted.values()],
    ]);
    if (from === this.#madeFrom) return;
    const wanted = wantedHours(to, units, this.#settings.detect);
    const isRead = units.every((unit, u) => unit === undefined || this.#past.missing(u, unit, wanted).length === 0);
    if (!isRead) return;
    const at = { units, horizonWindows, past: this.#past, errors: errorsOf(horizonWindows), accepted };
    this.#made = await new Watch(this.#settings, to, at).decisions();
    this.#madeFrom = from;
  }

  /** End of the newest whole step; undefined: nothing is watched, or there are no panes. */
  #end(horizonWindows: HorizonWindows | undefined): EpochMs | undefined {
    if (horizonWindows?.span === undefined || watchedSpan(this.#settings) === 0) return undefined;
    return stepAt(horizonWindows.span.end, this.#settings.detect.step);
  }

  #newPast(): PastHours {
    const { attribution, detect, measures } = this.#settings;
    const { store, namespace } = this.#store;
    const longest = attribution.window.ms;
    return new PastHours({ store, namespace, measures, sets: detect.sets, horizon: detect.horizon.text, longest });
  }
}
