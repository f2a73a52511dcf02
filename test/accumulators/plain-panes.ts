import { fixed } from '../../src/accumulators/exact.ts';
import type { PanesSettings, PanesState } from '../../src/accumulators/panes-settings.ts';
import { addRow, emptyRow, type Row, sumsStarts } from '../../src/accumulators/row.ts';
import { rowCodec } from '../../src/accumulators/row-codec.ts';
import { type Exact, LEFT_OUT, type SumsKind, WITH_POSITIVE } from '../../src/measures/sums.ts';
import { Ranges } from '../../src/vocabulary/ranges.ts';
import type { Closing } from './histories.ts';
import { PlainTable } from './plain-admission.ts';
import { itemsText } from './plain-items.ts';
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
  /** By field, the items of each list; of rows that keep items. */
  readonly items: Map<string, (readonly string[])[]>;
  /** By field, where each list has slots and positives; of rows that count by rank. */
  readonly places: Map<string, NonNullable<Closing['places']>[]>;
}

/** The rules of panes, totals and admission, one addition after the other, every row at once: the reference. */
export class PlainPanes {
  readonly deletes: string[] = [];
  readonly #settings: PanesSettings;
  readonly #sheets = new Map<string, PlainSheet>();
  readonly #tables: readonly PlainTable[];
  #clock = Number.NEGATIVE_INFINITY;

  constructor(settings: PanesSettings) {
    this.#settings = settings;
    this.#tables = settings.sets.map((by) => new PlainTable(by, settings));
  }

  /** Deletions and reviews, one moment after the other. */
  advance(watermark: number): void {
    const { hour, horizons, takeover } = this.#settings;
    const shortest = horizons[0].ms;
    let end = (Math.floor((this.#clock - shortest) / hour) + 1) * hour;
    for (; Number.isFinite(end) && takeover !== undefined && end + shortest <= watermark; end += hour) {
      this.#delete(end + shortest - 1);
      for (const table of this.#tables) table.review(end);
    }
    this.#delete(watermark);
    this.#clock = Math.max(this.#clock, watermark);
  }

  #delete(watermark: number): void {
    for (const [key, sheet] of this.#sheets) {
      if (sheet.deleteAt > watermark) continue;
      this.#sheets.delete(key);
      this.deletes.push(key);
    }
    for (const table of this.#tables) table.expire(watermark);
  }

  add({ at, ts, horizon, values, userless, positive, out, bucket, leftOut, items, places }: Closing): void {
    this.advance(at);
    const { paneSize, hour, keepMinutes, keepHours, keepVectors, clustered, dimensions, shape } = this.#settings;
    const isEmpty = places?.slots.length === 0 && (places.pageOffset ?? 0) === 0;
    const row = scored(shape, userless, positive, out, isEmpty);
    const minute = Math.floor(ts / paneSize);
    const end = (minute + 1) * paneSize;
    const hourly = Math.floor(ts / hour);
    for (const table of this.#tables) {
      const key = table.by.map((name) => values[dimensions.indexOf(name)]).join(',');
      const shown = table.add(key, { end, hourEnd: (hourly + 1) * hour, isShortest: horizon === 0 })
        ? key
        : table.by.map(() => '__other__').join(',');
      const field = `${this.#settings.horizons[horizon].text}|${table.by.join(',')}|${shown}`;
      const addVector = (name: string, size: string, deleteAt: number, buckets: number): void => {
        const { vectors } = this.#sheet(name, size, 0, deleteAt);
        const vector = vectors.get(field) ?? new Map();
        vectors.set(field, vector);
        addToVector(vector, shape, bucket % buckets, positive, out, isEmpty);
      };
      this.#addTo(`pane:m:${minute * paneSize}`, 'm', minute, end + keepMinutes, field, row);
      this.#addTo(`pane:h:${hourly * hour}`, 'h', hourly, (hourly + 1) * hour + keepHours, field, row);
      const addItems = (name: string, size: string, deleteAt: number): void => {
        if (items === undefined || this.#settings.items?.sets.some((by) => by.join() === table.by.join()) !== true)
          return;
        const sheet = this.#sheet(name, size, 0, deleteAt);
        sheet.items.set(field, [...(sheet.items.get(field) ?? []), items]);
      };
      addItems(`pane:m:${minute * paneSize}`, 'm', end + keepMinutes);
      const { positions } = this.#settings;
      const addPlaces = (name: string, size: string, deleteAt: number): void => {
        if (places === undefined || positions?.horizon !== horizon) return;
        if (!positions.sets.some((by) => by.join() === table.by.join())) return;
        const sheet = this.#sheet(name, size, 0, deleteAt);
        sheet.places.set(field, [...(sheet.places.get(field) ?? []), places]);
      };
      addPlaces(`pane:m:${minute * paneSize}`, 'm', end + keepMinutes);
      const hourEnd = (hourly + 1) * hour;
      this.#sheet(`vector:h:${hourly * hour}`, 'v', hourly, hourEnd + keepVectors);
      if (clustered.some((by) => by.join() === table.by.join())) {
        addVector(`vector:h:${hourly * hour}`, 'v', hourEnd + keepVectors, HOUR_BUCKETS);
      }
      for (const name of this.#settings.totals) {
        this.#addTo(`total:${name}:start`, 't', 0, Number.POSITIVE_INFINITY, field, row);
        addVector(`total:${name}:start`, 't', Number.POSITIVE_INFINITY, BUCKETS);
        if (this.#settings.items?.inTotals === true) addItems(`total:${name}:start`, 't', Number.POSITIVE_INFINITY);
        if (positions?.inTotals === true) addPlaces(`total:${name}:start`, 't', Number.POSITIVE_INFINITY);
      }
    }
    this.#settings.runs.forEach((run, r) => {
      if (run.horizon !== horizon || (leftOut >> r) % 2 === 1) return;
      const value = values[dimensions.indexOf(run.dimension)];
      const shown = [...run.variants, '__none__', '__invalid__'].includes(value) ? value : '__other__';
      const field = `${this.#settings.horizons[horizon].text}|${run.dimension}|${shown}`;
      const name = `total:${run.name}:${run.run}`;
      this.#addTo(name, 't', 0, Number.POSITIVE_INFINITY, field, row);
      const { vectors } = this.#sheet(name, 't', 0, Number.POSITIVE_INFINITY);
      const vector = vectors.get(field) ?? new Map();
      vectors.set(field, vector);
      addToVector(vector, shape, bucket, positive, out, isEmpty);
    });
  }

  get placesGiven(): number {
    return this.#tables.reduce((sum, { given }) => sum + given, 0);
  }

  /** All rows by key and field, as text. */
  rows(): Map<string, Map<string, string>> {
    const { shape } = this.#settings;
    const codec = rowCodec(shape);
    const texts = ({ size, rows, vectors, items, places }: PlainSheet): Map<string, string> => {
      if (size === 'v') {
        return new Map([...vectors].map(([field, vector]) => [field, vectorText(vector, shape, HOUR_BUCKETS)]));
      }
      return new Map(
        [...rows].map(([field, row]) => {
          const vector = vectors.get(field);
          const text = codec.encode(row);
          const lists = items.get(field);
          const parts = [
            text.slice(0, -1),
            ...(vector === undefined ? [] : [`"vector":${vectorText(vector, shape, BUCKETS)}`]),
            ...(lists === undefined || shape.items === undefined ? [] : [`"items":${itemsText(shape.items, lists)}`]),
            ...placesText(places.get(field) ?? [], shape.ranks ?? 0),
          ];
          return [field, `${parts.join(',')}}`];
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
      vectors: this.#settings.clustered.length === 0 ? [] : numbers('v'),
      admission: this.#tables.map((table) => table.state()),
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
    const sheet: PlainSheet = this.#sheets.get(key) ?? {
      deleteAt,
      size,
      n,
      rows: new Map(),
      vectors: new Map(),
      items: new Map(),
      places: new Map(),
    };
    this.#sheets.set(key, sheet);
    return sheet;
  }
}

/** What a row has by rank; nothing where no list has a slot at one of the ranks. */
export function placesText(lists: readonly NonNullable<Closing['places']>[], ranks: number): readonly string[] {
  const counts = (of: 'slots' | 'positives'): readonly number[] =>
    Array.from({ length: ranks }, (_, r) => lists.filter((list) => list[of].includes(r + 1)).length);
  const exposed = counts('slots');
  if (exposed.every((lists) => lists === 0)) return [];
  const seen = lists.filter(({ slots }) => slots.some((rank) => rank <= ranks));
  const positives = Array.from(
    { length: ranks },
    (_, r) => seen.filter((list) => list.positives.includes(r + 1)).length,
  );
  return [`"positions":${JSON.stringify({ exposed, positives })}`];
}

/** The row of one list. */
export function scored(
  shape: PanesSettings['shape'],
  userless: boolean,
  positive: boolean,
  out: Float64Array,
  isEmpty: boolean,
): Row {
  const row = emptyRow(shape);
  row.impressions = 1;
  row.positives = positive ? 1 : 0;
  row.userless = userless ? 1 : 0;
  row.empty = isEmpty ? 1 : 0;
  const starts = sumsStarts(shape);
  shape.kinds.forEach((kind, m) => {
    const [state, ...values] = out.subarray(5 * m, 5 * m + 5);
    const sums = fieldsOf(kind, state !== LEFT_OUT, state === WITH_POSITIVE ? 1 : 0, values);
    row.sums.splice(starts[m], sums.length, ...sums);
  });
  return row;
}

/** What one list adds to the fields of a measure; what is left out adds its pairs and rated slots alone. */
function fieldsOf(kind: SumsKind, counts: boolean, positive: number, [a, b, c, d]: readonly number[]): Exact[] {
  const if0 = (value: Exact): Exact => (counts ? value : 0);
  switch (kind) {
    case 'mean':
      return [1, positive, fixed(a), fixed(a * a)].map(if0);
    case 'fraction':
      return [fixed(a), fixed(b)].map(if0);
    case 'means':
      return [1, positive, fixed(a), fixed(b)].map(if0);
    case 'classes':
      return [fixed(a), fixed(b), fixed(c), fixed(d)].map(if0);
    case 'pairs':
      return [if0(fixed(a)), if0(fixed(b)), fixed(c)];
    case 'pairMeans':
      return [...[1, positive, fixed(a), fixed(a * a)].map(if0), fixed(b), fixed(c)];
    default:
      return [];
  }
}
