import { type AcceptedLevel, acceptedKey, acceptedLevels } from '../accumulators/store/accepted.ts';
import type { Store } from '../accumulators/store/port.ts';
import type { EpochMs } from '../vocabulary/events.ts';
import type { HorizonWindows } from '../windows/horizon-windows.ts';
import type { UnitState } from '../windows/unit-state.ts';
import type { ExporterSettings } from './contract.ts';
import { PastHours } from './past.ts';
import { newestStep, type QualityDecision, Watch, type WatchSettings, wantedHours, watchedSpan } from './watch.ts';
import type { WindowErrors } from './window-errors.ts';

type Units = readonly (UnitState | undefined)[];

/** Hours of the past read per refresh and unit, so that the windows do not wait for weeks of them. */
const PAST_BATCH = 32;

/**
 * The decisions on the watched cohorts, kept up as the units go on: made anew when a step has ended, when more turned out to
 * be incomplete, or when a level was accepted. There are none before all of the past has been read.
 */
export class Decisions {
  readonly #settings: WatchSettings & Pick<ExporterSettings, 'attribution'>;
  readonly #store: PastStore;
  #past: PastHours;
  #made: readonly QualityDecision[] = [];
  /** What they were made of. */
  #judged = '';
  #accepted: ReadonlyMap<string, AcceptedLevel> = new Map();

  constructor(settings: WatchSettings & Pick<ExporterSettings, 'attribution'>, store: PastStore) {
    this.#settings = settings;
    this.#store = store;
    this.#past = this.#newPast();
  }

  /** The same object as long as nothing was judged anew. */
  get made(): readonly QualityDecision[] {
    return this.#made;
  }

  /** What was read of the units may be wrong. The decisions stay until they can be made anew. */
  reset(): void {
    this.#past = this.#newPast();
    this.#judged = '';
  }

  /** Reads some of the hours that are missing. Answers the units of which it read. */
  async read(units: Units, horizonWindows: HorizonWindows | undefined): Promise<readonly number[]> {
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

  /** `errorsOf`: the errors of the longest window. */
  async judge(
    units: Units,
    horizonWindows: HorizonWindows | undefined,
    errorsOf: (horizonWindows: HorizonWindows) => WindowErrors,
  ): Promise<void> {
    const to = this.#end(horizonWindows);
    if (to === undefined || horizonWindows === undefined) {
      if (this.#made.length > 0) this.#made = [];
      return;
    }
    const accepted = this.#accepted;
    const judged = JSON.stringify([to, units.map((unit) => unit?.incompleteBefore), [...accepted.values()]]);
    if (judged === this.#judged) return;
    const wanted = wantedHours(to, units, this.#settings.detect);
    const isRead = units.every((unit, u) => unit === undefined || this.#past.missing(u, unit, wanted).length === 0);
    if (!isRead) return;
    const at = { units, horizonWindows, past: this.#past, errors: errorsOf(horizonWindows), accepted };
    this.#made = await new Watch(this.#settings, to, at).decisions();
    this.#judged = judged;
  }

  /** End of the newest whole step; undefined: nothing is watched, or nothing is there. */
  #end(horizonWindows: HorizonWindows | undefined): EpochMs | undefined {
    if (horizonWindows?.span === undefined || watchedSpan(this.#settings) === 0) return undefined;
    return newestStep(horizonWindows.span.end, this.#settings.detect.step);
  }

  #newPast(): PastHours {
    const { attribution, detect, measures } = this.#settings;
    const { store, namespace } = this.#store;
    const longest = Math.max(...attribution.horizons.map((horizon) => horizon.ms));
    return new PastHours({ store, namespace, measures, sets: detect.sets, horizon: detect.horizon.text, longest });
  }
}

interface PastStore {
  readonly store: Store;
  readonly namespace: string;
}
