import { Panes } from '../src/accumulators/panes.ts';
import { liveKeys, type PanesSettings } from '../src/accumulators/panes-settings.ts';
import type { Row } from '../src/accumulators/row.ts';
import { rowCodec } from '../src/accumulators/row-codec.ts';
import { decodeCheckpoint, encodeCheckpoint } from '../src/accumulators/store/checkpoint-codec.ts';
import { FORMAT_VERSION, paneKey, unitKey } from '../src/accumulators/store/layout.ts';
import type { Store } from '../src/accumulators/store/store-port.ts';
import { noCounts } from '../src/consumers/join/counts.ts';
import type { Closing } from './accumulators/histories.ts';
import { listOf, placesOf } from './accumulators/lists.ts';
import { shownOf } from './accumulators/plain-items.ts';
import { wholeTables } from './accumulators/whole-tables.ts';
import type { RestorableStore } from './restorable-store.ts';
import type { UnitRows } from './windows/plain-windows.ts';

/** Nothing says where in it a unit is. */
const TOPIC = { committed: 0, replay: 0, replayWatermark: 0, idleAdvances: [], clockDrops: [] };

/** Owns one unit of a store and closes a history there, as far as asked. */
export class StoredUnit {
  readonly #store: Store;
  readonly #settings: PanesSettings;
  readonly #history: readonly Closing[];
  readonly #incompleteBefore: number;
  #panes: Panes | undefined;
  #watermark = Number.NEGATIVE_INFINITY;
  #claims = 0;
  #token = '';
  #seq = 0;
  #cid = '';
  generation: string;
  /** Of the configuration that it is stored under. */
  /** Of every topic, as its worker knows them. */
  partitions = 1;
  fingerprint = { shape: '{}', additive: '[]' };

  constructor(
    store: Store,
    settings: PanesSettings,
    history: readonly Closing[],
    incompleteBefore = Number.NEGATIVE_INFINITY,
  ) {
    this.#store = store;
    this.#settings = settings;
    this.#history = history;
    this.#incompleteBefore = incompleteBefore;
    this.generation = settings.owner.generation;
  }

  get watermark(): number {
    return this.#watermark;
  }

  /** Takes the unit over and continues from what the store holds; `generation`: rows start empty. */
  async claim(generation = this.generation): Promise<void> {
    const { namespace, unit } = this.#settings.owner;
    this.#token = `${unit}-${++this.#claims}`;
    const claimed = await this.#store.claim(unitKey(namespace, unit), this.#token);
    this.#seq = claimed.seq;
    this.#cid = claimed.cid;
    const checkpoint = claimed.checkpoint === undefined ? undefined : decodeCheckpoint(claimed.checkpoint);
    this.#watermark = checkpoint?.join.watermark ?? Number.NEGATIVE_INFINITY;
    const owner = { namespace, unit, generation };
    const settings = { ...this.#settings, owner, closedUpTo: this.#watermark };
    this.generation = generation;
    if (checkpoint === undefined || checkpoint.generation !== generation) {
      this.#panes = new Panes(settings);
      return;
    }
    const keys = liveKeys(settings, checkpoint.panes, this.#watermark);
    const rows = await this.#store.read(keys);
    this.#panes = new Panes(settings, {
      state: checkpoint.panes,
      rows: new Map(keys.map((key, i) => [key, rows[i]])),
    });
  }

  /** Closes everything up to `watermark` and commits. */
  async close(watermark: number): Promise<void> {
    if (this.#panes === undefined) await this.claim();
    const panes = this.#panes;
    if (panes === undefined || watermark <= this.#watermark) return;
    const { namespace, unit } = this.#settings.owner;
    for (const { at, ts, horizon, values, userless, positive, out, bucket, items, places } of this.#history) {
      if (at <= this.#watermark || at > watermark) continue;
      const { items: shape } = this.#settings.shape;
      const shown = items === undefined || shape === undefined ? undefined : shownOf(items, shape);
      const tag = panes.cohorts.tag(values);
      const list = listOf(places?.slots ?? []);
      panes.add({ at, ts, horizon, tag, userless, bucket, list }, positive, out, {
        items: shown,
        positives: placesOf(places?.positives ?? []),
      });
    }
    panes.advance(watermark);
    this.#watermark = watermark;
    const counts = noCounts(3);
    counts.impressions.accepted = new Set(
      this.#history.filter(({ at }) => at <= watermark).map(({ impression }) => impression),
    ).size;
    const parent = this.#cid;
    this.#cid = `${this.#token}-${++this.#seq}`;
    const answer = await this.#store.commit({
      unit: unitKey(namespace, unit),
      token: this.#token,
      seq: this.#seq,
      cid: this.#cid,
      parent,
      checkpoint: encodeCheckpoint({
        format: FORMAT_VERSION,
        generation: this.generation,
        fingerprint: this.fingerprint,
        partitions: this.partitions,
        incompleteBefore: this.#incompleteBefore,
        lostUpTo: Number.NEGATIVE_INFINITY,
        since: {},
        hasGap: false,
        feedbackFrom: Number.NEGATIVE_INFINITY,
        join: { topics: [TOPIC], counts: [counts], watermark },
        panes: panes.stateText(),
        runs: [],
        lastRecords: [undefined],
      }),
      ...panes.takeChanges(),
    });
    if (answer !== 'OK') throw new Error(`a commit was answered ${answer}`);
  }
}

/** Everything that a store holds of some units: the plain way to read it. */
export function unitRows(store: RestorableStore, settings: PanesSettings, units: number): readonly UnitRows[] {
  const hashes = store.snapshot();
  const codec = rowCodec(settings.shape);
  return Array.from({ length: units }, (_, unit) => {
    const fields = hashes.get(unitKey(settings.owner.namespace, unit));
    if (fields?.has('format') !== true) {
      return {
        watermark: Number.NEGATIVE_INFINITY,
        admission: [],
        incompleteBefore: Number.NEGATIVE_INFINITY,
        pane: () => undefined,
        total: () => undefined,
      };
    }
    const { generation, join, panes, incompleteBefore } = decodeCheckpoint(fields);
    const owner = { ...settings.owner, unit, generation };
    return {
      watermark: join.watermark,
      admission: wholeTables(panes.admission, owner, (key) => hashes.get(key)),
      incompleteBefore,
      pane: (start): ReadonlyMap<string, Row> | undefined => {
        const rows = hashes.get(paneKey(owner, 'm', start));
        return rows && new Map([...rows].map(([field, text]) => [field, codec.decode(text)] as const));
      },
      total: () => undefined,
    };
  });
}
