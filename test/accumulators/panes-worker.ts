import { expect } from 'vitest';
import type { AdmissionState } from '../../src/accumulators/admission-state.ts';
import { Panes } from '../../src/accumulators/panes.ts';
import {
  liveKeys,
  type PanesSettings,
  type PanesState,
  parsePanesState,
} from '../../src/accumulators/panes-settings.ts';
import type { Closing } from './histories.ts';
import { listOf, placesOf } from './lists.ts';
import { shownOf } from './plain-items.ts';
import { wholeTables } from './whole-tables.ts';

/** A worker and its store, which commits and dies when asked to. */
export class PanesWorker {
  readonly stored = new Map<string, Map<string, string>>();
  readonly deletes: string[] = [];
  readonly #settings: PanesSettings;
  readonly #make: typeof Panes;
  readonly #tags = new Map<number, number>();
  #panes: Panes;
  #watermark = Number.NEGATIVE_INFINITY;

  /** `make`: the class of what works. */
  constructor(settings: PanesSettings, make: typeof Panes = Panes) {
    this.#settings = settings;
    this.#make = make;
    this.#panes = new make(settings);
  }

  add(closing: Closing): void {
    const { at, ts, horizon, values, userless, positive, out, bucket, leftOut, impression, last, items, places } =
      closing;
    const tag = this.#tags.get(impression) ?? this.#panes.cohorts.tag(values, undefined, leftOut);
    this.#tags.set(impression, tag);
    const shown = items === undefined ? undefined : shownOf(items);
    const list = places && listOf(places.slots);
    const positives = places && placesOf(places.positives);
    const closed = { at, ts, horizon, tag, userless, bucket, ...(list === undefined ? {} : { list }) };
    this.#panes.add(closed, positive, out, { items: shown, positives });
    if (last) this.#panes.cohorts.unref(tag);
  }

  advance(watermark: number): void {
    this.#panes.advance(watermark);
    this.#watermark = watermark;
  }

  /** Returns the state with all entries of its tables. */
  commit(): PanesState & { readonly admission: readonly AdmissionState[] } {
    const state = this.#commit();
    return { ...state, admission: wholeTables(state.admission, this.#settings.owner, (key) => this.stored.get(key)) };
  }

  #commit(): PanesState {
    const { rows, deletes, removes } = this.#panes.takeChanges();
    for (const key of deletes) {
      this.stored.delete(key);
      this.deletes.push(key);
    }
    for (const [key, fields] of removes) for (const field of fields) this.stored.get(key)?.delete(field);
    for (const [key, fields] of rows) {
      // Not by expect, which takes a while, for every row.
      if (deletes.includes(key)) expect.fail(`${key} is deleted and written`);
      this.stored.set(key, new Map([...(this.stored.get(key) ?? []), ...fields]));
    }
    return parsePanesState(this.#panes.stateText());
  }

  /** Commits, and continues with nothing but what is stored. */
  restart(): void {
    const state = this.#commit();
    const keys = liveKeys(this.#settings, state, this.#watermark);
    const rows = new Map(keys.map((key) => [key, this.stored.get(key) ?? new Map<string, string>()]));
    this.#panes = new this.#make({ ...this.#settings, closedUpTo: this.#watermark }, { state, rows });
    this.#tags.clear();
  }
}
