import { fixed } from '../../src/accumulators/exact.ts';
import type { PanesSettings, PanesState } from '../../src/accumulators/panes-settings.ts';
import { addRow, emptyRow, type Row, sumsOffsets } from '../../src/accumulators/row.ts';
import { rowCodec } from '../../src/accumulators/row-codec.ts';
import { LEFT_OUT, WITH_POSITIVE } from '../../src/measures/contract.ts';
import { Ranges } from '../../src/ranges.ts';
import type { Closing } from './histories.ts';
import { addToVector, type PlainVector, vectorText } from './plain-vectors.ts';

const HOUR_BUCKETS = 64;
const BUCKETS = 256;

interface PlainSheet {
  readonly deleteAt: number;
  /** `m`, `h`, `t` for totals, `v` for vectors that are kept apart. */
  readonly size: string;
  readonly n: number;
  readonly rows: Map<string, Row>;
  readonly vectors: Map<string, PlainVector>;
}

/** The rules of panes, totals and admission, one addition after the other, every row at once: the reference. */
export class PlainPanes {
  readonly deletes: string[] = [];
  readonly #settings: PanesSettings;
  readonly #sheets = new Map<string, PlainSheet>();
  readonly #tables: {
    readonly by: readonly string[];
    folded: number;
    entries: { values: string; last: number; since: number }[];
  }[];

  constructor(settings: PanesSettings) {
    this.#settings = settings;
    this.#tables = settings.sets.map((by) => ({ by, folded: Number.NEGATIVE_INFINITY, entries: [] }));
  }

  advance(watermark: number): void {
    for (const [key, sheet] of this.#sheets) {
      if (sheet.deleteAt > watermark) continue;
      this.#sheets.delete(key);
      this.deletes.push(key);
    }
    for (const table of this.#tables) {
      table.entries = table.entries.filter((entry) => entry.last + this.#settings.keepMinutes > watermark);
    }
  }

  add({ at, ts, horizon, values, userless, positive, out, bucket }: Closing): void {
    this.advance(at);
    const { paneSize, hour, keepMinutes, keepHours, keepVectors, clustered, dimensions, cohortsPerSet, shape } =
      this.#settings;
    const row = scored(shape, userless, positive, out);
    const minute = Math.floor(ts / paneSize);
    const end = (minute + 1) * paneSize;
    const hourly = Math.floor(ts / hour);
    for (const table of this.#tables) {
      const key = table.by.map((name) => values[dimensions.indexOf(name)]).join(',');
      const entry = table.entries.find((one) => one.values === key);
      let shown = key;
      if (entry !== undefined) entry.last = Math.max(entry.last, end);
      else if (table.entries.length < cohortsPerSet)
        table.entries.push({ values: key, last: end, since: table.folded });
      else {
        table.folded = Math.max(table.folded, end);
        shown = table.by.map(() => '__other__').join(',');
      }
      const field = `${this.#settings.horizons[horizon].text}|${table.by.join(',')}|${shown}`;
      const addVector = (name: string, size: string, deleteAt: number, buckets: number): void => {
        const { vectors } = this.#sheet(name, size, 0, deleteAt);
        const vector = vectors.get(field) ?? new Map();
        vectors.set(field, vector);
        addToVector(vector, shape, bucket % buckets, positive, out);
      };
      this.#addTo(`pane:m:${minute * paneSize}`, 'm', minute, end + keepMinutes, field, row);
      this.#addTo(`pane:h:${hourly * hour}`, 'h', hourly, (hourly + 1) * hour + keepHours, field, row);
      const hourEnd = (hourly + 1) * hour;
      this.#sheet(`vector:h:${hourly * hour}`, 'v', hourly, hourEnd + keepVectors);
      if (clustered.some((by) => by.join() === table.by.join())) {
        addVector(`vector:h:${hourly * hour}`, 'v', hourEnd + keepVectors, HOUR_BUCKETS);
      }
      for (const name of this.#settings.totals) {
        this.#addTo(`total:${name}:start`, 't', 0, Number.POSITIVE_INFINITY, field, row);
        addVector(`total:${name}:start`, 't', Number.POSITIVE_INFINITY, BUCKETS);
      }
    }
  }

  /** All rows by key and field, as text. */
  rows(): Map<string, Map<string, string>> {
    const { shape } = this.#settings;
    const codec = rowCodec(shape);
    const texts = ({ size, rows, vectors }: PlainSheet): Map<string, string> => {
      if (size === 'v') {
        return new Map([...vectors].map(([field, vector]) => [field, vectorText(vector, shape, HOUR_BUCKETS)]));
      }
      return new Map(
        [...rows].map(([field, row]) => {
          const vector = vectors.get(field);
          const text = codec.encode(row);
          return [
            field,
            vector === undefined ? text : `${text.slice(0, -1)},"vector":${vectorText(vector, shape, BUCKETS)}}`,
          ];
        }),
      );
    };
    return new Map(
      [...this.#sheets].flatMap(([key, sheet]) => {
        const fields = texts(sheet);
        return fields.size === 0 ? [] : [[key, fields] as const];
      }),
    );
  }

  state(): PanesState {
    const numbers = (size: string): [number, number][] =>
      new Ranges(
        [...this.#sheets.values()].filter((one) => one.size === size).map(({ n }) => [n, n + 1] as const),
      ).toJSON();
    return {
      minutes: numbers('m'),
      hours: numbers('h'),
      admission: this.#tables.map(({ by, folded, entries }) => ({
        by,
        folded,
        entries: entries.map(({ values, last, since }) => [values, last, since] as const),
      })),
    };
  }

  #addTo(name: string, size: string, n: number, deleteAt: number, field: string, row: Row): void {
    const sheet = this.#sheet(name, size, n, deleteAt);
    const sum = sheet.rows.get(field) ?? emptyRow(this.#settings.shape);
    sheet.rows.set(field, sum);
    addRow(sum, row);
  }

  #sheet(name: string, size: string, n: number, deleteAt: number): PlainSheet {
    const { namespace, unit, generation } = this.#settings.owner;
    const key = `receval:{${namespace}:${unit}}:${generation}:${name}`;
    const sheet: PlainSheet = this.#sheets.get(key) ?? { deleteAt, size, n, rows: new Map(), vectors: new Map() };
    this.#sheets.set(key, sheet);
    return sheet;
  }
}

/** The row of one list. */
export function scored(shape: PanesSettings['shape'], userless: boolean, positive: boolean, out: Float64Array): Row {
  const row = emptyRow(shape);
  row.impressions = 1;
  row.positives = positive ? 1 : 0;
  row.userless = userless ? 1 : 0;
  const offsets = sumsOffsets(shape);
  shape.kinds.forEach((kind, m) => {
    const [state, value, denominator] = out.subarray(3 * m, 3 * m + 3);
    if (state === LEFT_OUT) return;
    const sums =
      kind === 'mean'
        ? [1, state === WITH_POSITIVE ? 1 : 0, fixed(value), fixed(value * value)]
        : [fixed(value), fixed(denominator)];
    row.sums.splice(offsets[m], sums.length, ...sums);
  });
  return row;
}
