/** Reads the events of a sample like a replay, but without its strictness. */

import { listColumns } from '../consumers/decode/csv-row.ts';
import type { PositionBase } from '../consumers/decode/decoder-settings.ts';
import { together } from '../consumers/decode/field-source.ts';
import { listAdapter, listKey } from '../consumers/decode/list.ts';
import { mapAdapter, mapsAdapter } from '../consumers/decode/map.ts';
import { parsePointer, resolvePointer } from '../consumers/decode/pointer.ts';
import {
  type Adapted,
  canonicalAdapter,
  type Fields,
  isFields,
  isItem,
  isUnmet,
  type RawRecord,
} from '../consumers/decode/raw.ts';
import { isEmptyList } from '../consumers/decode/transforms.ts';
import type { EpochMs } from '../vocabulary/events.ts';
import { recordOf } from './made-fields.ts';
import type { ProposedAdapter } from './proposed-adapter.ts';
import { type TimeForm, timeOf } from './time-forms.ts';

/** How the records of one side are read. */
export interface Reading {
  readonly adapter: ProposedAdapter;
  /** The form of `ts`; undefined: no field holds times. */
  readonly time: { readonly form: TimeForm; readonly quoted: boolean } | undefined;
  readonly positionBase: PositionBase;
}

export interface SampledList {
  readonly requestId: string;
  readonly ts: EpochMs;
  readonly items: readonly string[];
  readonly userId: string | undefined;
  readonly offset: number;
  readonly variant: string | undefined;
  /** Paths of the other dimensions, by name. */
  readonly dimensions: ReadonlyMap<string, string>;
}

export interface SampledFeedback {
  readonly requestId: string;
  readonly itemId: string;
  readonly userId: string | undefined;
  readonly ts: EpochMs;
  readonly action: string;
  readonly identity: string;
  readonly value: number | undefined;
}

export interface Sample {
  readonly lists: readonly SampledList[];
  readonly feedback: readonly SampledFeedback[];
  /** Event times, in the order of the records. */
  readonly times: readonly EpochMs[];
  /** Number of incomplete records, by the field that they lack. */
  readonly missing: ReadonlyMap<string, number>;
}

/** The events of records, in their order. Incomplete records are left out and counted. @param joinBy the field that may stand for the request id */
export function eventsOf(rows: readonly Fields[], { adapter }: Reading, joinBy?: 'userId'): Sample {
  const lists: SampledList[] = [];
  const feedback: SampledFeedback[] = [];
  const times: EpochMs[] = [];
  const missing = new Map<string, number>();
  const note = (reason: string): void => void missing.set(reason, (missing.get(reason) ?? 0) + 1);
  for (const adapted of adaptedBy(adapter, rows.map(recordOf))) {
    if (typeof adapted === 'string') {
      note(adapted);
      continue;
    }
    for (const record of isUnmet(adapted) ? [] : adapted) {
      const event = Array.isArray(record.items) ? listOf(record, joinBy) : feedbackOf(record, joinBy);
      if (typeof event === 'string') {
        note(event);
        continue;
      }
      times.push(event.ts);
      if ('items' in event) lists.push(event);
      else feedback.push(event);
    }
  }
  return { lists, feedback, times, missing };
}

/** Event times in the order in which a replay judges them: it sorts the feedback in rows of items by itself. */
export function timesIn(rows: readonly Fields[], reading: Reading, joinBy?: 'userId'): readonly EpochMs[] {
  const { lists, times } = eventsOf(rows, reading, joinBy);
  const { adapter } = reading;
  return typeof adapter === 'object' && 'list' in adapter ? lists.map(({ ts }) => ts) : times;
}

function adaptedBy(adapter: ProposedAdapter, all: readonly Fields[]): readonly Adapted[] {
  if (adapter === 'open-bandit') return all.map(openBanditRecords);
  const rows = withEmptyLists(all, adapter);
  if (typeof adapter === 'object' && 'list' in adapter) {
    const read = listAdapter(adapter, (value) => timeOf(value)?.ms ?? Number.NaN);
    return [...grouped(rows, listKey(adapter)).values()].map((group) => read(`[${group.join(',')}]`, '', 0));
  }
  const read =
    adapter === 'canonical' ? canonicalAdapter : 'map' in adapter ? mapAdapter(adapter.map) : mapsAdapter(adapter.maps);
  return rows.map((row) => read(JSON.stringify(row), '', 0));
}

/** Adds an empty text to rows of a CSV that lack a list that others have as text: a replay reads an empty list. */
export function withEmptyLists(rows: readonly Fields[], adapter: ProposedAdapter): readonly Fields[] {
  const lists = typeof adapter === 'string' ? ['items'] : [...listColumns(adapter)];
  const texts = lists.filter((column) => rows.some((row) => typeof row[column] === 'string'));
  if (texts.length === 0) return rows;
  const empty = Object.fromEntries(texts.map((column) => [column, '']));
  return rows.map((row) => (texts.every((column) => row[column] !== undefined) ? row : { ...empty, ...row }));
}

/** The rows of each request, as JSON. */
export function grouped(
  rows: readonly Fields[],
  keyOf: (value: Uint8Array) => string | undefined,
): ReadonlyMap<string, string[]> {
  const groups = new Map<string, string[]>();
  const encoder = new TextEncoder();
  for (const row of rows) {
    const json = JSON.stringify(row);
    const key = keyOf(encoder.encode(json));
    if (key === undefined) continue;
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [json]);
    else group.push(json);
  }
  return groups;
}

function openBanditRecords(row: Fields, at: number): readonly RawRecord[] {
  const requestId = `row ${at + 1}`;
  const ts = row['timestamp'];
  const shown = { requestId, ts, items: [row['item_id']] };
  return row['click'] === '1' ? [shown, { requestId, ts, itemId: row['item_id'], action: 'click' }] : [shown];
}

/** The elements of a list that is text. */
export function partsOf(text: string, separator: string): readonly string[] {
  return isEmptyList(text) ? [] : text.split(separator).map((part) => part.trim());
}

function listOf(record: RawRecord, joinBy: 'userId' | undefined): SampledList | string {
  const own = idOf(record.requestId);
  const user = idOf(record.userId);
  if (own === undefined && (joinBy === undefined || user === undefined)) return joinBy ?? 'requestId';
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
  const ts = timeOf(record.ts)?.ms ?? Number.NaN;
  return {
    requestId: own ?? JSON.stringify([user, ts, known]),
    ts,
    items: known,
    userId: user,
    offset: Number(record.offset ?? 0),
    variant: scalarText(record.variant) ?? scalarText(experiments['default']),
    dimensions,
  };
}

function feedbackOf(record: RawRecord, joinBy: 'userId' | undefined): SampledFeedback | string {
  const userId = idOf(record.userId);
  const requestId = idOf(record.requestId) ?? (joinBy === undefined || userId === undefined ? undefined : '');
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
    userId,
    ts,
    action,
    identity: eventId ?? `${itemId} ${action} ${ts} ${value}`,
    value: Number.isFinite(value) ? value : undefined,
  };
}

function itemIdOf(item: unknown): string | undefined {
  return idOf(isItem(item) ? item.id : item);
}

/** Reads the composite id of several fields, as the decoder builds it; undefined: a part is missing. */
export function jointId(paths: readonly string[]): (row: Fields) => string | undefined {
  const pointers = paths.map((path) => parsePointer(path) ?? []);
  return (row) => idOf(together(pointers.map((pointer) => resolvePointer(row, pointer))));
}

/** An id as the decoder reads it: text or an integer. */
export function idOf(value: unknown): string | undefined {
  if (typeof value === 'string') return value === '' ? undefined : value;
  return typeof value === 'number' && Number.isSafeInteger(value) ? String(value) : undefined;
}

function scalarText(value: unknown): string | undefined {
  if (typeof value === 'string') return value === '' ? undefined : value;
  return typeof value === 'number' || typeof value === 'boolean' ? String(value) : undefined;
}
