import { type Row, shapeOf } from '../accumulators/row.ts';
import { type RowCodec, rowCodec } from '../accumulators/row-codec.ts';
import { paneKey, parseField } from '../accumulators/store/layout.ts';
import type { Fields } from '../accumulators/store/store-port.ts';
import { Turns } from '../vocabulary/clock.ts';
import { messageOf } from '../vocabulary/error-text.ts';
import type { HorizonWindows } from '../windows/horizon-windows.ts';
import type { UnitState } from '../windows/unit-state.ts';
import type { Rows } from '../windows/windows.ts';
import type { ExporterDeps, ExporterSettings } from './exporter-contract.ts';
import { GONE, type LostPane } from './lost-rows.ts';

/** The final rows of a unit in one minute pane, at the horizon of the windows that need them. */
interface SealedRows {
  readonly horizonWindows: HorizonWindows;
  readonly pane: number;
  readonly rows: Rows;
}

/** What was read from the panes of a unit. */
interface ReadPanes {
  readonly sealed: readonly SealedRows[];
  /** Panes of which nothing could be read. Each of them is listed, and so was stored. */
  readonly lost: readonly LostPane[];
}

/** For each pane, by number, the windows that need it. */
type WantedPanes = ReadonlyMap<number, readonly HorizonWindows[]>;

/** Number of keys per read, so that a reply stays small. */
const BATCH = 32;
/** Number of field texts that panes share. */
const FIELDS = 50_000;

/** The existing panes of unit `u` that windows are missing. */
export function wantedPanes(
  allWindows: readonly HorizonWindows[],
  units: readonly (UnitState | undefined)[],
  u: number,
): WantedPanes {
  const wanted = new Map<number, HorizonWindows[]>();
  for (const horizonWindows of allWindows) {
    for (const { from, to } of horizonWindows.missing(units, u)) {
      for (const [first, end] of units[u]?.panes ?? []) {
        for (let pane = Math.max(from, first); pane < Math.min(to, end); pane++) {
          const known = wanted.get(pane);
          if (known === undefined) wanted.set(pane, [horizonWindows]);
          else known.push(horizonWindows);
        }
      }
    }
  }
  return wanted;
}

/** Reads minute panes. There may be many, so it yields to the event loop in between. */
export class SealedPanes {
  readonly #deps: Pick<ExporterDeps, 'store' | 'namespace'>;
  readonly #paneSize: number;
  readonly #codec: RowCodec;
  readonly #fields = new Map<string, string>();

  constructor(
    { measures, limits, paneSize, positions }: Pick<ExporterSettings, 'measures' | 'limits' | 'paneSize' | 'positions'>,
    deps: Pick<ExporterDeps, 'store' | 'namespace'>,
  ) {
    this.#deps = deps;
    this.#paneSize = paneSize.ms;
    this.#codec = rowCodec(shapeOf(measures, limits?.itemsCounted, positions?.ranks));
  }

  async read(u: number, { generation }: UnitState, wanted: WantedPanes): Promise<ReadPanes> {
    const { store, namespace } = this.#deps;
    const owner = { namespace, unit: u, generation };
    const panes = [...wanted];
    const sealed: SealedRows[] = [];
    const lost: LostPane[] = [];
    const turns = new Turns();
    for (let i = 0; i < panes.length; i += BATCH) {
      const batch = panes.slice(i, i + BATCH);
      const keys = batch.map(([pane]) => paneKey(owner, 'm', pane * this.#paneSize));
      const hashes = await store.read(keys);
      for (const [j, [pane, allWindows]] of batch.entries()) {
        const read = this.#read(hashes[j], pane, allWindows);
        if (typeof read !== 'string') sealed.push(...read);
        else lost.push({ size: 'm', n: pane, key: keys[j], end: (pane + 1) * this.#paneSize, why: read });
        await turns.step();
      }
    }
    return { sealed, lost };
  }

  /** The rows of a listed pane, or why there are none. */
  #read(hash: Fields, pane: number, allWindows: readonly HorizonWindows[]): readonly SealedRows[] | string {
    if (hash.size === 0) return GONE;
    try {
      return allWindows.map((horizonWindows) => ({
        horizonWindows,
        pane,
        rows: this.#decode(hash, horizonWindows.horizon.text),
      }));
    } catch (error) {
      return messageOf(error);
    }
  }

  /** The rows of one horizon. */
  #decode(hash: Fields, horizon: string): Rows {
    const rows = new Map<string, Row>();
    const begins = `${horizon}|`;
    for (const [field, text] of hash) {
      const own = field.startsWith(begins) ? this.#one(field) : undefined;
      if (own !== undefined) rows.set(own, this.#codec.decode(text));
    }
    return rows;
  }

  /** The same text object for all panes; undefined: the text is not a row's field. */
  #one(field: string): string | undefined {
    const known = this.#fields.get(field);
    if (known !== undefined || parseField(field) === undefined) return known;
    if (this.#fields.size === FIELDS) this.#fields.clear();
    this.#fields.set(field, field);
    return field;
  }
}
