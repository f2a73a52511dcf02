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
import type { Fields, Store } from './store-port.ts';

export interface AcceptedLevel {
  readonly by: readonly string[];
  readonly values: readonly string[];
  /** Canonical name. */
  readonly measure: string;
  /** Blocks before this time are not compared with. */
  readonly from: EpochMs;
  /** When it was accepted, by the clock of the machine that ran the command. */
  readonly at: EpochMs;
  /** Why. */
  readonly note: string;
}

/** The cohort and the measure that a level belongs to. */
type LevelName = Pick<AcceptedLevel, 'by' | 'values' | 'measure'>;

export function acceptedKey(namespace: string): string {
  return `receval:{${namespace}:accepted}:unit`;
}

/** The cohort and measure of an accepted level, as text. */
export function levelField({ by, values, measure }: LevelName): string {
  return `${setText(by)}|${values.join(',')}|${measure}`;
}

/** The accepted levels, by `levelField`. Throws an Error that names the field that this build cannot read. */
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

/** Stores a level, replacing the one of the same cohort and measure. Returns false if another write came in between. */
export async function acceptLevel(
  store: Store,
  namespace: string,
  level: AcceptedLevel,
  newId: () => string,
): Promise<boolean> {
  const { from, at, note } = level;
  return await setLevel(store, namespace, levelField(level), JSON.stringify({ from, at, note }), newId);
}

/** Withdraws a level, so that the cohort is compared with its earlier past again. */
export async function withdrawLevel(
  store: Store,
  namespace: string,
  level: LevelName,
  newId: () => string,
): Promise<boolean> {
  return await setLevel(store, namespace, levelField(level), '', newId);
}

async function setLevel(
  store: Store,
  namespace: string,
  field: string,
  text: string,
  newId: () => string,
): Promise<boolean> {
  const unit = acceptedKey(namespace);
  const token = newId();
  const { seq, cid } = await store.claim(unit, token);
  const answer = await store.commit({
    unit,
    token,
    seq: seq + 1,
    cid: newId(),
    parent: cid,
    checkpoint: new Map([[field, text]]),
    rows: new Map(),
    deletes: [],
  });
  return answer === 'OK' || answer === 'ALREADY';
}
