/**
 * Files with enough invalid records for a finding. Each file is judged by itself: one that is refused as a whole may be a small
 * part of its side.
 */
import type { Side } from '../vocabulary/events.ts';
import { grouped } from '../vocabulary/grouped.ts';
import type { RecordPlace } from './event-sample.ts';
import { quoted } from './finding.ts';
import { type InvalidReason, type InvalidReasons, merged } from './invalid-reasons.ts';

/** Number of records that are not invalid, by file. Contains every file that was read, even if all its records are invalid. */
export type ValidRecords = Readonly<Record<Side, ReadonlyMap<string, number>>>;

/** Files of one side that share a finding, and the most frequent reason for it. */
export interface InvalidFiles {
  readonly side: Side;
  readonly code: 'most_invalid' | 'some_invalid';
  readonly files: readonly string[];
  /** Whether these are all files of the side. */
  readonly areAll: boolean;
  readonly invalid: number;
  readonly read: number;
  /** The reasons, the most frequent one first. */
  readonly reasons: readonly InvalidReason[];
}

/** Share of invalid records in a file from which on they are a finding. */
const SOME = 0.02;
const MOST = 0.5;
/** Most reasons that a sentence names. */
const MOST_NAMED = 3;

export function invalidFiles(invalid: InvalidReasons, valid: ValidRecords, side: Side): readonly InvalidFiles[] {
  const found = [...invalid.byFile(side)].flatMap(([file, reasons]): readonly InvalidFiles[] => {
    const refused = reasons.reduce((sum, { count }) => sum + count, 0);
    const read = refused + (valid[side].get(file) ?? 0);
    if (refused < SOME * read) return [];
    const code = refused > MOST * read ? 'most_invalid' : 'some_invalid';
    return [{ side, code, files: [file], areAll: valid[side].size === 1, invalid: refused, read, reasons }];
  });
  const alike = new Map<string, InvalidFiles[]>();
  for (const one of found) {
    const key = `${one.code} ${reasonText(one.reasons[0])}`;
    alike.set(key, [...(alike.get(key) ?? []), one]);
  }
  return [...alike.values()].map((same) => ({
    ...same[0],
    files: same.flatMap(({ files }) => files),
    areAll: same.length === valid[side].size,
    invalid: same.reduce((sum, one) => sum + one.invalid, 0),
    read: same.reduce((sum, one) => sum + one.read, 0),
    reasons: merged(same.flatMap(({ reasons }) => reasons)),
  }));
}

/** Returns text such as: missing_field: requestId. */
function reasonText({ code, field }: InvalidReason): string {
  return field === undefined ? code : `${code}: ${field}`;
}

/** The most frequent reasons, and the number of records with others, such as: missing_field: requestId 12, bad_time: ts 3, others 2. */
export function reasonsText(reasons: readonly InvalidReason[]): string {
  const named = reasons.slice(0, MOST_NAMED).map((reason) => `${reasonText(reason)} ${grouped(reason.count)}`);
  const others = reasons.slice(MOST_NAMED).reduce((sum, { count }) => sum + count, 0);
  return [...named, ...(others === 0 ? [] : [`others ${grouped(others)}`])].join(', ');
}

/** The names of a record's fields, safe to print. */
export function namesText({ fields }: InvalidReason): string {
  return fields.map((field) => quoted(field).slice(1, -1)).join(', ');
}

/** Returns text such as: a.ndjson and 3 more files. */
export function filesText([first, ...others]: readonly string[]): string {
  const more = others.length === 0 ? '' : ` and ${grouped(others.length)} more file${others.length === 1 ? '' : 's'}`;
  return `${first === '-' ? 'standard input' : first}${more}`;
}

/** Returns text such as: row 7 of a.ndjson. */
export function placeText({ file, row }: RecordPlace): string {
  return `row ${grouped(row)} of ${filesText([file])}`;
}
