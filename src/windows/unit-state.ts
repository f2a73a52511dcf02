/** The part of a unit's hash that a reader of rows needs. */

import { type AdmissionState, isLarge, type LargeTable, wholeTable } from '../accumulators/admission-state.ts';
import type { ListedPane } from '../accumulators/panes-settings.ts';
import type { RunState, Since } from '../accumulators/runs.ts';
import { decodeCheckpoint, type Fingerprint, holdsCheckpoint } from '../accumulators/store/checkpoint-codec.ts';
import { changedSettings, missingFromPanes, partOf } from '../accumulators/store/fingerprint-difference.ts';
import { CheckpointError } from '../accumulators/store/json.ts';
import { setText } from '../accumulators/store/layout.ts';
import { type Fields, guardOf } from '../accumulators/store/store-port.ts';
import type { EpochMs } from '../vocabulary/events.ts';

export interface UnitState {
  readonly token: string;
  readonly seq: number;
  readonly cid: string;
  readonly generation: string;
  /** W; -Infinity: there is none yet. */
  readonly watermark: EpochMs;
  /** Panes that start earlier are incomplete. */
  readonly incompleteBefore: EpochMs;
  /** For each part, such as `measure mrr`: panes that start earlier lack it. Infinity: all do. */
  readonly since: ReadonlyMap<string, EpochMs>;
  /** How the configuration of its worker differs from the reader's. */
  readonly misfit: Misfit;
  /** Numbers of the minute panes that exist: half-open ranges. */
  readonly panes: readonly (readonly [from: number, to: number])[];
  /** Numbers of the hour panes that exist, likewise. */
  readonly hours: UnitState['panes'];
  /** Numbers of the hour panes whose sums by user bucket are stored, likewise; undefined: not known. */
  readonly vectors: UnitState['panes'] | undefined;
  /** See `UnitCheckpoint`. */
  readonly lostUpTo: EpochMs;
  readonly admission: readonly AdmissionState[];
  /** Tables that are stored beside the checkpoint. Until `withPlaces`, all of their cohorts are shown as the rest. */
  readonly unread: readonly LargeTable[];
  /** The part of `admission` that decides which cohorts are shown by name, as text: equal texts give equal decisions. */
  readonly admitted: string;
  /** Runs of the experiments. */
  readonly runs: readonly RunState[];
  /** Partitions of every topic when the unit was written. */
  readonly partitions: number;
  /** Impressions accepted since the unit's first record. */
  readonly accepted: number;
}

export interface Misfit {
  /** Settings that differ and change the meaning of its rows, so that the reader must not show them. */
  readonly changed: readonly string[];
  /** Measures, sets and windows of the reader that its rows lack. */
  readonly missing: readonly string[];
}

const FITS: Misfit = { changed: [], missing: [] };

/** States by unit; undefined: the unit has stored nothing yet. */
export type UnitStates = readonly (UnitState | undefined)[];

/**
 * Reads a unit's hash. undefined: nothing has been committed to the unit. Returns `last`, the previous state, if nothing has been
 * committed since.
 * @param reader the reader's configuration, the same for every call with its `last`; undefined: it reads any rows
 * @throws CheckpointError that names the unit
 */
export function readUnit(
  unit: number,
  fields: Fields,
  last: UnitState | undefined,
  reader?: Fingerprint,
): UnitState | undefined {
  if (!ofUnit(unit, () => holdsCheckpoint(fields))) return undefined;
  const { token, seq, cid } = guardOf(fields);
  if (last !== undefined && last.seq === seq && last.cid === cid && last.generation === fields.get('generation')) {
    return last.token === token ? last : { ...last, token };
  }
  const { generation, join, incompleteBefore, lostUpTo, since, panes, runs, partitions, fingerprint } = ofUnit(
    unit,
    () => decodeCheckpoint(fields),
  );
  const misfit = reader === undefined ? FITS : misfitOf(fingerprint, reader);
  const known = last?.generation === generation ? last.admission : [];
  const unread: LargeTable[] = [];
  const admission = panes.admission.map((table) => {
    if (!isLarge(table)) return table;
    const read = knownTable(table, known);
    if (read === undefined) unread.push(table);
    return read ?? hidden(table);
  });
  return {
    token,
    seq,
    cid,
    generation,
    watermark: join.watermark,
    incompleteBefore,
    since: sinceOfParts(since, misfit.missing),
    misfit,
    panes: panes.minutes,
    hours: panes.hours,
    vectors: panes.vectors,
    lostUpTo,
    admission,
    unread,
    admitted: admittedText(admission),
    runs,
    partitions,
    accepted: join.counts.reduce((sum, topic) => sum + topic.impressions.accepted, 0),
  };
}

/**
 * The state with the tables that it lacked; undefined: the tables belong to another commit.
 * @param hashes of the places of `unread`, in that order
 * @throws CheckpointError that names the unit
 */
export function withPlaces(unit: number, state: UnitState, hashes: readonly Fields[]): UnitState | undefined {
  const read = new Map<string, AdmissionState>();
  for (const [i, table] of state.unread.entries()) {
    const whole = ofUnit(unit, () => wholeTable(table, hashes[i]));
    if (whole === undefined) return undefined;
    read.set(setText(table.by), whole);
  }
  const admission = state.admission.map((table) => read.get(setText(table.by)) ?? table);
  return { ...state, admission, unread: [], admitted: admittedText(admission) };
}

/** A table that was read before, if it has not changed. */
function knownTable({ by, folded, places }: LargeTable, known: readonly AdmissionState[]): AdmissionState | undefined {
  return known.find(
    (table) =>
      isLarge(table) &&
      setText(table.by) === setText(by) &&
      table.folded === folded &&
      table.places.every((count, i) => count === places[i]),
  );
}

function hidden({ by }: LargeTable): AdmissionState {
  return { by, folded: Number.POSITIVE_INFINITY, entries: [] };
}

function admittedText(admission: readonly AdmissionState[]): string {
  return JSON.stringify(
    admission.map((table) => [
      table.by,
      String(table.folded),
      isLarge(table) ? table.places : table.entries.map(([values, , since]) => [values, since]),
    ]),
  );
}

function misfitOf(stored: Fingerprint, reader: Fingerprint): Misfit {
  const changed = changedSettings(stored, reader);
  const missing = missingFromPanes(stored, reader);
  return changed.length === 0 && missing.length === 0 ? FITS : { changed, missing };
}

function sinceOfParts(since: Since, missing: readonly string[]): ReadonlyMap<string, EpochMs> {
  const stored = Object.entries(since).map(([entry, at]) => [partOf(entry), at] as const);
  return new Map([...stored, ...missing.map((entry) => [partOf(entry), Number.POSITIVE_INFINITY] as const)]);
}

/** Panes that start at or after this time are complete in every unit, and have these parts. A unit without any commit is never complete. */
export function wholeFrom(units: UnitStates, parts: readonly string[] = []): EpochMs {
  const times = units.map((unit) => {
    if (unit === undefined) return Number.POSITIVE_INFINITY;
    return Math.max(unit.incompleteBefore, ...parts.map((part) => unit.since.get(part) ?? Number.NEGATIVE_INFINITY));
  });
  return Math.max(...times);
}

/** Parts that panes from `start` on lack in any unit. */
export function partsLacking(units: UnitStates, start: EpochMs): readonly string[] {
  const lacking = units.flatMap((unit) => [...(unit?.since ?? [])].filter(([, at]) => at > start));
  return [...new Set(lacking.map(([part]) => part))].sort();
}

/** Whether a unit went back, was lost or started over since `last`. If so, what was read from it may be wrong. */
export function wentBack(unit: UnitState | undefined, last: UnitState | undefined): boolean {
  if (last === undefined) return false;
  return (
    unit === undefined || unit.generation !== last.generation || unit.seq < last.seq || unit.watermark < last.watermark
  );
}

/**
 * Whether what was read since `before` is still valid in the state `now`: the same owner and generation, no older state, and all panes
 * that were read (of each size, ascending) still exist. The oldest are deleted first.
 */
export function stands(
  now: UnitState | undefined,
  before: UnitState,
  panes: readonly Pick<ListedPane, 'size' | 'n'>[],
): boolean {
  if (now === undefined || now.token !== before.token || wentBack(now, before)) return false;
  return Object.entries({ m: now.panes, h: now.hours, v: now.vectors ?? [] }).every(([size, ranges]) => {
    const oldest = panes.find((pane) => pane.size === size)?.n;
    return oldest === undefined || isListed(ranges, oldest);
  });
}

/** Whether a pane is in these ranges. */
export function isListed(ranges: UnitState['panes'], n: number): boolean {
  return ranges.some(([from, to]) => n >= from && n < to);
}

/**
 * Reads a part of what a unit has stored.
 * @throws CheckpointError that names the unit
 */
function ofUnit<T>(unit: number, read: () => T): T {
  try {
    return read();
  } catch (error) {
    if (error instanceof CheckpointError) throw new CheckpointError(`unit ${unit}: ${error.message}`, error.stop);
    throw error;
  }
}
