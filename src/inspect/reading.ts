/** How records become events, and the events of a sample: what replay would make of the records, without its strictness. */
import { type Adapted, canonicalAdapter } from '../consumers/decode/adapter.ts';
import { mapAdapter, mapsAdapter } from '../consumers/decode/map.ts';
import { parsePointer, resolvePointer } from '../consumers/decode/pointer.ts';
import { type Fields, isFields, isItem, type RawRecord } from '../consumers/decode/raw.ts';
import type { AdapterChoice, PositionBase } from '../consumers/decode/settings.ts';
import type { EpochMs } from '../events.ts';
import { type TimeForm, timeOf } from './times.ts';

/** A list that is written as text: parts between a separator, or JSON inside of a string. */
export interface ListText {
  readonly pointer: string;
  readonly separator: string | 'json';
}

/** One row for each item that was shown: rows of one request are its list. */
export interface RowList {
  readonly by: string;
  readonly item: string;
  readonly order: string | undefined;
}

/** How the records of one side are read. */
export interface Reading {
  readonly adapter: AdapterChoice;
  /** Of `ts`; undefined: no field holds times. */
  readonly time: { readonly form: TimeForm; readonly quoted: boolean } | undefined;
  readonly positionBase: PositionBase;
  readonly text: ListText | undefined;
  readonly rows: RowList | undefined;
}

/** Where the items of a row list stand after grouping. */
export const GROUPED = 'items';

export interface SampledList {
  readonly requestId: string;
  readonly ts: EpochMs;
  readonly items: readonly string[];
  readonly userId: string | undefined;
  readonly offset: number;
  readonly variant: string | undefined;
  /** Values of the other dimensions by name. */
  readonly dimensions: ReadonlyMap<string, string>;
}

export interface SampledFeedback {
  readonly requestId: string;
  readonly itemId: string;
  readonly ts: EpochMs;
  readonly action: string;
  readonly identity: string;
  readonly userId: string | undefined;
  readonly value: number | undefined;
}

export interface Sample {
  readonly lists: readonly SampledList[];
  readonly feedback: readonly SampledFeedback[];
  /** Event times in the order of the records. */
  readonly times: readonly EpochMs[];
  /** Records that hold no whole event: by the field that is missing. */
  readonly missing: ReadonlyMap<string, number>;
}

/** Events of records in their order. Those that lack something are left out and counted. */
export function eventsOf(rows: readonly Fields[], reading: Reading): Sample {
  const lists: SampledList[] = [];
  const feedback: SampledFeedback[] = [];
  const times: EpochMs[] = [];
  const missing = new Map<string, number>();
  const adapt = adapterOf(reading.adapter);
  for (const [i, row] of prepared(rows, reading).entries()) {
    const adapted = adapt(row, i);
    if (typeof adapted === 'string') {
      missing.set(adapted, (missing.get(adapted) ?? 0) + 1);
      continue;
    }
    for (const record of adapted) {
      const event = Array.isArray(record.items) ? listOf(record) : feedbackOf(record);
      if (typeof event === 'string') {
        missing.set(event, (missing.get(event) ?? 0) + 1);
        continue;
      }
      times.push(event.ts);
      if ('items' in event) lists.push(event);
      else feedback.push(event);
    }
  }
  return { lists, feedback, times, missing };
}

function adapterOf(adapter: AdapterChoice): (row: Fields, at: number) => Adapted {
  if (adapter === 'open-bandit') return (row, at) => openBanditRecords(row, at);
  const read =
    adapter === 'canonical' ? canonicalAdapter : 'map' in adapter ? mapAdapter(adapter.map) : mapsAdapter(adapter.maps);
  return (row) => read(JSON.stringify(row), '', 0);
}

function openBanditRecords(row: Fields, at: number): readonly RawRecord[] {
  const requestId = `row ${at + 1}`;
  const ts = row['timestamp'];
  const shown = { requestId, ts, items: [row['item_id']] };
  return row['click'] === '1' ? [shown, { requestId, ts, itemId: row['item_id'], action: 'click' }] : [shown];
}

/** Lists as text are lists, and rows of one request are one record. */
function prepared(rows: readonly Fields[], { text, rows: ofRows }: Reading): readonly Fields[] {
  const withLists = text === undefined ? rows : rows.map((row) => withList(row, text));
  return ofRows === undefined ? withLists : grouped(withLists, ofRows);
}

function withList(row: Fields, { pointer, separator }: ListText): Fields {
  const steps = parsePointer(pointer) ?? [];
  const value = resolvePointer(row, steps);
  return typeof value === 'string' ? replaced(row, steps, partsOf(value, separator)) : row;
}

function replaced(holder: Fields, [step, ...rest]: readonly string[], value: unknown): Fields {
  const below = holder[step];
  return { ...holder, [step]: rest.length === 0 || !isFields(below) ? value : replaced(below, rest, value) };
}

/** The parts of a list that is written as text. */
export function partsOf(text: string, separator: string | 'json'): readonly unknown[] {
  if (separator !== 'json') return text.split(separator).map((part) => part.trim());
  try {
    const value: unknown = JSON.parse(text);
    return Array.isArray(value) ? value : [];
  } catch {
    return [];
  }
}

function grouped(rows: readonly Fields[], { by, order }: RowList): readonly Fields[] {
  const of = (pointer: string) => (row: Fields) => resolvePointer(row, parsePointer(pointer) ?? []);
  const request = of(by);
  const place = order === undefined ? () => 0 : of(order);
  const groups = new Map<string, Fields[]>();
  for (const row of rows) {
    const id = idOf(request(row));
    if (id === undefined) continue;
    const group = groups.get(id);
    if (group === undefined) groups.set(id, [row]);
    else group.push(row);
  }
  return [...groups.values()].map((group) => ({
    ...group[0],
    [GROUPED]: [...group].sort((a, b) => Number(place(a)) - Number(place(b))),
  }));
}

function listOf(record: RawRecord): SampledList | string {
  const requestId = idOf(record.requestId);
  if (requestId === undefined) return 'requestId';
  const items = Array.isArray(record.items) ? record.items.map(itemIdOf) : [];
  const known = items.filter((id) => id !== undefined);
  if (known.length < items.length) return 'items[].id';
  const cohorts = isFields(record.cohorts) ? record.cohorts : {};
  const dimensions = new Map<string, string>();
  for (const [name, value] of Object.entries({ surface: record.surface, ...cohorts })) {
    const text = scalarText(value);
    if (text !== undefined) dimensions.set(name, text);
  }
  const experiments = isFields(record.experiments) ? record.experiments : {};
  return {
    requestId,
    ts: timeOf(record.ts)?.ms ?? Number.NaN,
    items: known,
    userId: idOf(record.userId),
    offset: Number(record.offset ?? 0),
    variant: scalarText(record.variant) ?? scalarText(experiments['default']),
    dimensions,
  };
}

function feedbackOf(record: RawRecord): SampledFeedback | string {
  const requestId = idOf(record.requestId);
  const itemId = idOf(record.itemId);
  const action = scalarText(record.action);
  if (requestId === undefined) return 'requestId';
  if (itemId === undefined) return 'itemId';
  if (action === undefined) return 'action';
  const ts = timeOf(record.ts)?.ms ?? Number.NaN;
  const value = Number(record.value ?? Number.NaN);
  const eventId = idOf(record.eventId);
  return {
    requestId,
    itemId,
    ts,
    action,
    identity: eventId ?? `${itemId} ${action} ${ts} ${value}`,
    userId: idOf(record.userId),
    value: Number.isFinite(value) ? value : undefined,
  };
}

function itemIdOf(item: unknown): string | undefined {
  return idOf(isItem(item) ? item.id : item);
}

/** As the decoder reads ids: text, or a whole number. */
export function idOf(value: unknown): string | undefined {
  if (typeof value === 'string') return value === '' ? undefined : value;
  return typeof value === 'number' && Number.isSafeInteger(value) ? String(value) : undefined;
}

function scalarText(value: unknown): string | undefined {
  if (typeof value === 'string') return value === '' ? undefined : value;
  return typeof value === 'number' || typeof value === 'boolean' ? String(value) : undefined;
}
