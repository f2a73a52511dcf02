/**
 * The stored state of an admission table (specification: layout 2.3). A small table is part of the checkpoint. For a large one
 * the checkpoint has only the numbers; each cohort is a field of a separate hash, and a commit writes the fields that changed.
 * The cost of a commit thus depends on the number of changes, not of cohorts.
 */
import type { EpochMs } from '../vocabulary/events.ts';
import { countOf, damagedCheckpoint, keysOf, listOf, parseJson, textOf, timeOf, whole } from './store/json.ts';
import type { Fields } from './store/store-port.ts';

/** Tables with more entries are stored beside the checkpoint. */
export const MOST_IN_CHECKPOINT = 512;

/**
 * An admitted cohort: its values, the end of its last pane, `folded` at the time of its admission, and its score, which is
 * omitted if it is 0.
 */
export type AdmissionEntry = readonly [values: string, last: EpochMs, since: EpochMs, score?: number];

interface TableState {
  readonly by: readonly string[];
  /** End of the latest pane in which something was added to the rest. -Infinity: nothing was added yet; JSON has null. */
  readonly folded: EpochMs;
  /** Cohorts of the rest, each with a lower bound of its impressions in this hour; omitted if there are none. */
  readonly candidates?: readonly (readonly [values: string, impressions: number])[];
}

/** A table with its entries. */
export interface AdmissionState extends TableState {
  /** The entries, in the order of admission. */
  readonly entries: readonly AdmissionEntry[];
}

/** The number of entries, and the number of admissions so far. If neither has changed, the entries are the same. */
type PlacesCount = readonly [entries: number, admitted: number];

/** A table whose entries are stored beside the checkpoint. */
export interface LargeTable extends TableState {
  readonly places: PlacesCount;
}

/** A table as the checkpoint has it. */
export type StoredTable = AdmissionState | LargeTable;

/** A large table with its entries, and for each entry its number: how many cohorts were admitted before it. */
export interface CompleteTable extends AdmissionState, LargeTable {
  readonly numbers: readonly number[];
}

export function isLarge(table: StoredTable): table is LargeTable {
  return 'places' in table;
}

/** The field of the head, which belongs to no cohort. Values never contain '|'. */
export const PLACES_HEAD = '|';

export function placesHead(folded: EpochMs, admitted: number): string {
  return JSON.stringify([folded, admitted]);
}

/** The value of a cohort's field. `number`: how many cohorts were admitted before it. */
export function placeText([, last, since, score]: AdmissionEntry, number: number): string {
  return JSON.stringify(score === undefined ? [last, since, number] : [last, since, number, score]);
}

/** Whether a hash has exactly the entries that the checkpoint counts. */
export function isWhole({ folded, places }: LargeTable, fields: Fields): boolean {
  const [entries, admitted] = places;
  return fields.size === entries + 1 && fields.get(PLACES_HEAD) === placesHead(folded, admitted);
}

/**
 * Returns a table with its entries. `fields`: those of its hash, if the table is large. undefined: the hash does not match the
 * checkpoint. Throws a CheckpointError that names a malformed field.
 */
export function wholeTable(table: StoredTable, fields: Fields | undefined): AdmissionState | CompleteTable | undefined {
  if (!isLarge(table)) return table;
  if (fields === undefined || !isWhole(table, fields)) return undefined;
  try {
    const numbered = [...fields].filter(([field]) => field !== PLACES_HEAD).map((place) => numberedEntry(table, place));
    numbered.sort((a, b) => a.number - b.number);
    return { ...table, entries: numbered.map(({ entry }) => entry), numbers: numbered.map(({ number }) => number) };
  } catch (error) {
    throw damagedCheckpoint(error);
  }
}

function numberedEntry(
  { by }: LargeTable,
  [values, text]: readonly [string, string],
): { readonly number: number; readonly entry: AdmissionEntry } {
  const where = `places of [${by}]: ${values.slice(0, 60)}`;
  const [last, since, number, score] = listOf(parseJson(text, where), where, (part) => part);
  return { number: whole(number, `${where}.number`), entry: entryOf(values, [last, since, score], where) };
}

/**
 * Reads a `StoredTable` from parsed JSON. States of the first release have neither scores nor candidates. Throws an Error
 * that names the part that is wrong.
 */
export function parseAdmission(json: unknown, where: string): StoredTable {
  const state = keysOf(json, where);
  const table: TableState = {
    by: listOf(state['by'], `${where}.by`, textOf),
    folded: timeOf(state['folded'], `${where}.folded`),
    ...(state['candidates'] === undefined
      ? {}
      : { candidates: listOf(state['candidates'], `${where}.candidates`, candidateOf) }),
  };
  if (state['places'] !== undefined) {
    const [entries, admitted] = listOf(state['places'], `${where}.places`, whole);
    return { ...table, places: [countOf(entries, `${where}.places[0]`), countOf(admitted, `${where}.places[1]`)] };
  }
  return { ...table, entries: listOf(state['entries'], `${where}.entries`, listedEntry) };
}

function listedEntry(entry: unknown, at: string): AdmissionEntry {
  const [values, ...numbers] = listOf(entry, at, (part) => part);
  return entryOf(textOf(values, `${at}[0]`), numbers, at);
}

function entryOf(values: string, [last, since, score]: readonly unknown[], at: string): AdmissionEntry {
  const times = [whole(last, `${at}.last`), timeOf(since, `${at}.since`)] as const;
  return score === undefined ? [values, ...times] : [values, ...times, whole(score, `${at}.score`)];
}

function candidateOf(candidate: unknown, at: string): readonly [values: string, impressions: number] {
  const parts = listOf(candidate, at, (part) => part);
  return [textOf(parts[0], `${at}[0]`), whole(parts[1], `${at}[1]`)];
}
