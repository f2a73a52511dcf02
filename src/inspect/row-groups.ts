/** Groups rows of one item each by the request of their list. */
import { parsePointer, resolvePointer } from '../consumers/decode/pointer.ts';
import type { Fields } from '../consumers/decode/raw.ts';
import { jointId } from './reading.ts';

/** One field, or two together. */
export type Key = string | readonly string[];

function keyAt(by: Key): (row: Fields) => unknown {
  if (typeof by !== 'string' && by.length > 1) return jointId(by);
  const pointer = parsePointer(typeof by === 'string' ? by : by[0]) ?? [];
  return (row) => resolvePointer(row, pointer);
}

/** The values at a path in the rows of each request, in their order. */
function groupsOf(rows: readonly Fields[], by: Key, at: string): readonly (readonly unknown[])[] {
  const request = keyAt(by);
  const pointer = parsePointer(at) ?? [];
  const groups = new Map<unknown, unknown[]>();
  for (const row of rows) {
    const id = request(row);
    const group = groups.get(id);
    if (group === undefined) groups.set(id, [resolvePointer(row, pointer)]);
    else group.push(resolvePointer(row, pointer));
  }
  return [...groups.values()];
}

const NEARLY_ALL = 0.95;

export function isNumbered(rows: readonly Fields[], by: Key, order: string): boolean {
  const groups = groupsOf(rows, by, order).map((group) => group.map(Number));
  const whole = groups.filter((group) => {
    const least = Math.min(...group);
    return (
      least <= 1 &&
      new Set(group).size === group.length &&
      Math.max(...group) - least === group.length - 1 &&
      least >= 0
    );
  });
  return rows.length >= 2 * groups.length && whole.length >= NEARLY_ALL * groups.length;
}

/** Whether this field has only one value in the rows of each request. */
export function isOneEach(rows: readonly Fields[], by: Key, at: string): boolean {
  const groups = groupsOf(rows, by, at);
  return groups.filter((group) => new Set(group).size === 1).length >= 0.9 * groups.length;
}

export function differsWithin(rows: readonly Fields[], by: Key, at: string): boolean {
  const groups = groupsOf(rows, by, at);
  return groups.filter((group) => new Set(group).size === group.length).length >= NEARLY_ALL * groups.length;
}

/** Whether the rows of each request are adjacent. */
export function standTogether(rows: readonly Fields[], by: Key): boolean {
  const request = keyAt(by);
  const seen = new Set<unknown>();
  let before: unknown;
  let begun = 0;
  for (const row of rows) {
    const id = request(row);
    if (id !== before) begun++;
    seen.add(id);
    before = id;
  }
  return begun <= 1.05 * seen.size && rows.length >= 1.5 * seen.size;
}

/** Whether the rows of each request have one time and different positions, mostly from 1 (or 0) on, but with gaps for other items. */
export function isGapped(
  rows: readonly Fields[],
  by: Key,
  order: string,
  times: readonly { readonly path: string }[],
): boolean {
  if (!standTogether(rows, by) || !differsWithin(rows, by, order)) return false;
  const groups = groupsOf(rows, by, order);
  const fromTop = groups.filter((group) => Math.min(...group.map(Number)) <= 1);
  return fromTop.length >= 0.8 * groups.length && times.some(({ path }) => isOneEach(rows, by, path));
}
