/** Finds the records that a replay with the proposed configuration would refuse, by decoding them as a replay does. */
import { canonicalRow } from '../consumers/decode/csv-row.ts';
import { createDecoder } from '../consumers/decode/decoder.ts';
import type { DecoderOptions } from '../consumers/decode/decoder-settings.ts';
import { listKey } from '../consumers/decode/list.ts';
import { type Fields, isFields } from '../consumers/decode/raw.ts';
import { type InvalidFiles, invalidFiles } from '../findings/invalid-files.ts';
import { InvalidReasons } from '../findings/invalid-reasons.ts';
import type { Side, TopicRole } from '../vocabulary/events.ts';
import type { InspectedFile, Known } from './inspected.ts';
import { recordOf } from './made-fields.ts';
import type { ProposedAdapter } from './proposed-adapter.ts';
import { grouped, type Reading, withEmptyLists } from './reading.ts';

/** Limits are the user's choice, so no record is refused because of them. */
const NO_LIMITS = {
  dimensions: [],
  itemsPerList: Number.MAX_SAFE_INTEGER,
  impressionBytes: Number.MAX_SAFE_INTEGER,
  feedbackBytes: Number.MAX_SAFE_INTEGER,
  tsUnit: 'auto',
} as const;

/** How the records of some files are read. */
interface Input {
  readonly side: Side;
  readonly role: TopicRole;
  readonly names: readonly string[];
  readonly adapter: ProposedAdapter;
  readonly reading: Reading;
  readonly zone: string | undefined;
  readonly joinBy: 'userId' | undefined;
}

/** Returns nothing if there are no lists, or a required field is missing altogether: then there is no configuration. */
export function refusedFiles(known: Omit<Known, 'refused' | 'mends'>): readonly InvalidFiles[] {
  const invalid = new InvalidReasons();
  const valid = { impressions: new Map<string, number>(), feedback: new Map<string, number>() };
  for (const input of inputsOf(known)) {
    const decoder = createDecoder(optionsOf(input));
    for (const file of known.files.filter(({ name }) => input.names.includes(name))) {
      const { name } = file;
      const ofSide = valid[input.side];
      ofSide.set(name, ofSide.get(name) ?? 0);
      for (const [i, json] of recordsOf(file, input.adapter).entries()) {
        const value = Buffer.from(json);
        const decoded = decoder.decode(value, name, i);
        if ('events' in decoded || decoded.refused === 'unmapped') ofSide.set(name, (ofSide.get(name) ?? 0) + 1);
        else if (decoded.refused === 'invalid') invalid.take(input.side, decoded, value, { file: name, row: i + 1 });
      }
    }
  }
  return [...invalidFiles(invalid, valid, 'impressions'), ...invalidFiles(invalid, valid, 'feedback')];
}

function inputsOf({
  impressions,
  feedback,
  oneLog,
  joined,
  zones,
  touch,
}: Omit<Known, 'refused' | 'mends'>): readonly Input[] {
  if (impressions === undefined) return [];
  const sides = [impressions, feedback].filter((side) => side !== undefined);
  if (sides.some(({ missing }) => missing.length > 0)) return [];
  const both = { impressions: true, feedback: true };
  const joinBy = touch === undefined ? undefined : 'userId';
  if (oneLog) {
    if (joined === undefined) return [];
    const names = sides.flatMap(({ files }) => files);
    return [
      {
        side: 'impressions',
        role: both,
        names,
        adapter: joined,
        reading: impressions.reading,
        zone: zones.impressions,
        joinBy,
      },
    ];
  }
  return (['impressions', 'feedback'] as const).flatMap((side): readonly Input[] => {
    const found = side === 'impressions' ? impressions : feedback;
    if (found === undefined || (side === 'feedback' && found === impressions)) return [];
    const role =
      impressions === feedback ? both : { impressions: side === 'impressions', feedback: side === 'feedback' };
    const { files: names, reading } = found;
    return [{ side, role, names, adapter: reading.adapter, reading, zone: zones[side], joinBy }];
  });
}

function optionsOf({ role, adapter, reading: { time, positionBase }, zone, joinBy }: Input): DecoderOptions {
  const timeZone = time?.form === 'local' ? (zone ?? 'UTC') : undefined;
  return { ...NO_LIMITS, role, adapter, timeZone, positionBase, joinBy };
}

/** The records as JSON, as a replay passes them to the decoder. */
function recordsOf({ rows: seen, format }: InspectedFile, adapter: ProposedAdapter): readonly string[] {
  const rows = seen.map(recordOf);
  // This adapter reads lines as they are.
  if (adapter === 'open-bandit') return [];
  const isList = typeof adapter === 'object' && 'list' in adapter;
  const isCanonical = adapter === 'canonical' || (isList && adapter.map === undefined);
  const filled = format.form.kind === 'delimited' ? withEmptyLists(rows, adapter) : rows;
  const records = isCanonical && format.form.kind === 'delimited' ? filled.map(canonicalFields) : filled;
  if (isList) return [...grouped(records, listKey(adapter)).values()].map((group) => `[${group.join(',')}]`);
  return records.map((record) => JSON.stringify(record));
}

function canonicalFields(row: Fields): Fields {
  const record = canonicalRow(Object.keys(row), Object.values(row).map(String));
  return isFields(record) ? record : row;
}
