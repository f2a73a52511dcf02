/**
 * Levels that somebody accepted as the new normal of a watched cohort (specification: statistics 10.5). They belong to no unit
 * but have their own hash, which is written by the same script as a unit, so that two concurrent writers cannot undo each
 * other.
 *
 *   receval:{<namespace>:accepted}:unit
 *       <by>|<values>|<measure>    JSON: from, at (ms), note; '' once it was withdrawn
 */
import type { EpochMs } from '../../vocabulary/events.ts';
import { keysOf, parseJson, textOf, whole } from './json.ts';
import { setText } from './layout.ts';
import type { Fields } from './store-port.ts';

export interface AcceptedLevel {
  readonly by: readonly string[];
  readonly values: readonly string[];
  /** Canonical name. */
  readonly measure: string;
  /** What was shown before is not compared with. */
  readonly from: EpochMs;
  /** When it was accepted, by the clock of the machine that ran the command. */
  readonly at: EpochMs;
  /** Why. */
  readonly note: string;
}

export function acceptedKey(namespace: string): string {
  return `receval:{${namespace}:accepted}:unit`;
}

/** The cohort and measure of an accepted level, as text. */
export function levelField({ by, values, measure }: Pick<AcceptedLevel, 'by' | 'values' | 'measure'>): string {
  return `${setText(by)}|${values.join(',')}|${measure}`;
}

/** By `levelField`. Throws an Error that names the field that this build cannot read. */
export function acceptedLevels(hash: Fields): ReadonlyMap<string, AcceptedLevel> {
  const levels = new Map<string, AcceptedLevel>();
  for (const [field, text] of hash) {
    const [by, values, measure, ...more] = field.split('|');
    if (text === '' || measure === undefined || more.length > 0) continue;
    const where = `accepted level "${field}"`;
    const stored = keysOf(parseJson(text, where), where);
    const names = by === '' ? [] : by.split(',');
    levels.set(field, {
      by: names,
      values: names.length === 0 ? [] : values.split(','),
      measure,
      from: whole(stored['from'], `${where}: from`),
      at: whole(stored['at'], `${where}: at`),
      note: textOf(stored['note'], `${where}: note`),
    });
  }
  return levels;
}
