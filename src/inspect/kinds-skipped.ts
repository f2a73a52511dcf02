/** Kinds of records that match no `when` of the maps of a log, such as page views: a replay skips them. */
import type { MapCase } from '../consumers/decode/decoder-settings.ts';
import { mapsAdapter } from '../consumers/decode/map.ts';
import { type Adapted, type Fields, isUnmet } from '../consumers/decode/raw.ts';
import { ABSENT_DIMENSION } from '../vocabulary/events.ts';
import { grouped } from '../vocabulary/grouped.ts';
import { countUnmapped, type UnmappedRecords } from '../vocabulary/unmapped.ts';
import { usualGrade } from './field-names.ts';
import { profileOf } from './fields.ts';
import type { InspectedSide, Known } from './inspected.ts';
import { cut, type LogFinding, note } from './log-finding.ts';
import { recordOf } from './made-fields.ts';
import type { ProposedAdapter } from './proposed-adapter.ts';
import { isFlag } from './row-shape.ts';

const MOST_NAMED = 5;

export function kindsSkipped(known: Known): readonly LogFinding[] {
  const skipped = skippedIn(known);
  if (skipped.length === 0) return [];
  const kinds = skipped.filter(({ value }) => value !== ABSENT_DIMENSION);
  const words = kinds
    .sort((a, b) => worth(b.value) - worth(a.value) || b.records - a.records)
    .slice(0, MOST_NAMED)
    .map(({ value, records }) => `${cut(value)} (${grouped(records)})`);
  const more = kinds.length > MOST_NAMED ? [`${kinds.length - MOST_NAMED} more kinds`] : [];
  const none = skipped
    .filter(({ value }) => value === ABSENT_DIMENSION)
    .map(({ field, records }) => `records without ${field} (${grouped(records)})`);
  return [
    note(
      'kinds_skipped',
      `No list, and no feedback on one, was found in these kinds of records, which are skipped: ${[...words, ...more, ...none].join(', ')}.`,
      'If some of them say what people did with a list, log its id, the item and the time with each.',
    ),
  ];
}

/** The records that are skipped, for each field that decides. */
function skippedIn({ files, oneLog, joined, kinds, impressions, feedback }: Known): readonly UnmappedRecords[] {
  const counts: UnmappedRecords[] = [];
  if (oneLog) {
    const rows = files.filter(({ guess }) => guess?.role === 'both').flatMap((file) => file.rows);
    const all = kinds === undefined ? undefined : { [kinds.path]: [...kinds.lists, ...kinds.read] };
    countSkipped(counts, all === undefined ? casesOf(joined) : [{ when: all, map: {} }], rows);
    return counts;
  }
  const sides = [...new Set([impressions, feedback])].filter((side): side is InspectedSide => side !== undefined);
  const byFiles = new Map<string, InspectedSide[]>();
  for (const side of sides) byFiles.set(side.files.join(), [...(byFiles.get(side.files.join()) ?? []), side]);
  for (const own of byFiles.values()) {
    const read = own.map(({ apart, reading }) => (apart.length > 0 ? [] : casesOf(reading.adapter)));
    // Records that one side skips may belong to the other.
    const cases = read.every((some) => some.length > 0) ? read.flat() : [];
    const rows = files.filter(({ name }) => own[0].files.includes(name)).flatMap((file) => file.rows);
    const { fields } = profileOf(rows);
    // Rows of items that nobody clicked are no kind of records.
    const isOfKinds = ({ when = {} }: MapCase): boolean =>
      Object.keys(when).every((path) => {
        const field = fields.get(path);
        return field === undefined || !isFlag(field);
      });
    countSkipped(counts, cases.every(isOfKinds) ? cases : [], rows);
  }
  return counts;
}

function casesOf(adapter: ProposedAdapter | undefined): readonly MapCase[] {
  return typeof adapter === 'object' && 'maps' in adapter ? adapter.maps : [];
}

function countSkipped(counts: UnmappedRecords[], cases: readonly MapCase[], rows: readonly Fields[]): void {
  const read = mapsAdapter(cases);
  for (const row of cases.length === 0 ? [] : rows) {
    const adapted: Adapted = read(JSON.stringify(recordOf(row)), '', 0);
    if (typeof adapted !== 'string' && isUnmet(adapted)) countUnmapped(counts, adapted);
  }
}

/** Importance of a kind: purchases come before page views. */
function worth(kind: string): number {
  const grade = usualGrade(kind);
  return typeof grade === 'number' ? grade : 0;
}
