/**
 * Records that meet no `when` of the maps of their topic. They hold no event, and are counted by the condition that kept them out
 * (specification: events 6.1).
 */
import { INVALID_DIMENSION, OTHER_COHORT } from './events.ts';
import { grouped } from './grouped.ts';

/** The condition that kept a record out of all maps: its pointer, and the value found there. */
export interface UnmetCondition {
  readonly field: string;
  /** The value, as `valueText` writes it. */
  readonly value: string;
}

export interface UnmappedRecords extends UnmetCondition {
  records: number;
}

export type Unmapped = readonly Readonly<UnmappedRecords>[];

/**
 * Number of values, over all fields of a topic, that are counted by name: the first ones of its log, so that the counts are a function of
 * the log.
 */
const MOST_VALUES = 20;
const LONGEST = 64;
/** Characters that control a terminal or end a line, and halves of surrogate pairs. */
const UNPRINTABLE = /[\p{Cc}\p{Cs}\p{Zl}\p{Zp}\p{Bidi_Control}]/gu;

/** A text from a log as the name of a count: short, on one line, and none of our own names, which begin with `__`. */
export function valueText(text: string): string {
  if (text.startsWith('__')) return INVALID_DIMENSION;
  return [...text.slice(0, 2 * LONGEST).replace(UNPRINTABLE, '?')].slice(0, LONGEST).join('');
}

/** Counts one more record. Values of a field beyond the first ones are counted together as `__other__`. */
export function countUnmapped(counts: UnmappedRecords[], { field, value }: UnmetCondition): void {
  const at = (name: string): UnmappedRecords | undefined =>
    counts.find((one) => one.value === name && one.field === field);
  const isFull = !isOwn(value) && counts.filter((one) => !isOwn(one.value)).length >= MOST_VALUES;
  const known = at(value) ?? (isFull ? at(OTHER_COHORT) : undefined);
  if (known !== undefined) known.records++;
  else counts.push({ field, value: isFull ? OTHER_COHORT : value, records: 1 });
}

function isOwn(value: string): boolean {
  return value.startsWith('__');
}

/** The counts of several topics or units together, the most frequent first. */
export function sumOfUnmapped(all: readonly Unmapped[]): Unmapped {
  const sums = new Map<string, UnmappedRecords>();
  for (const { field, value, records } of all.flat()) {
    const key = JSON.stringify([field, value]);
    const known = sums.get(key);
    if (known === undefined) sums.set(key, { field, value, records });
    else known.records += records;
  }
  return [...sums.values()].sort((a, b) => b.records - a.records);
}

export function recordsOf(unmapped: Unmapped): number {
  return unmapped.reduce((sum, { records }) => sum + records, 0);
}

/**
 * The counts as text.
 *
 * Example: /action: product_click 41, page_view 33.
 * @param most number of values that are named
 */
export function unmappedText(unmapped: Unmapped, most = MOST_VALUES): string {
  const named = unmapped.slice(0, most);
  const fields = [...new Set(named.map(({ field }) => field))].map((field) => {
    const own = named.filter((one) => one.field === field);
    return `${field}: ${own.map(({ value, records }) => `${value} ${grouped(records)}`).join(', ')}`;
  });
  const others = recordsOf(unmapped.slice(most));
  return [...fields, ...(others === 0 ? [] : [`others ${grouped(others)}`])].join('; ');
}
