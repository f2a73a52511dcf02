import type { EpochMs, TopicRole } from '../../vocabulary/events.ts';
import type { FieldMap, FieldSource, JoinKey, ListChoice } from './decoder-settings.ts';
import { getterOf, sourceProblem } from './field-source.ts';
import { eventOf, FIELDS, mapProblems } from './map.ts';
import { escapedStep, numberIn, parsePointer } from './pointer.ts';
import {
  type Adapted,
  type Adapter,
  ITEM_FIELDS,
  isItem,
  isRecord,
  NUMBER_FIELDS,
  parseJson,
  type RawRecord,
} from './raw.ts';

type Getter = (row: unknown) => unknown;

/** The id is that of the record; the position comes from the order of the rows. */
const ROW_FIELDS = ITEM_FIELDS.filter((name) => name !== 'id' && name !== 'position');

/** The source of a field: from the map, a JSON pointer as it is, or the field of that name. */
function sourceOf(name: string, map: FieldMap | undefined): FieldSource {
  if (map !== undefined && Object.hasOwn(map, name)) return map[name];
  return name.startsWith('/') ? name : pointerTo(name);
}

function pointerTo(name: string): string {
  return `/${escapedStep(name)}`;
}

/** From the JSON of a row to the request that it belongs to; undefined: it has none, or is not JSON object. */
export function listKey({ list, map }: ListChoice): (value: Uint8Array) => string | undefined {
  const by = getterOf(sourceOf(list.by, map));
  return (value) => {
    const row = parseJson(new TextDecoder().decode(value));
    const key = isRecord(row) ? by(row) : undefined;
    return (typeof key === 'string' && key !== '') || typeof key === 'number' ? String(key) : undefined;
  };
}

/** Whether the rows hold feedback besides what was shown. */
export function hasRowFeedback(adapter: unknown): boolean {
  return isItem(adapter) && 'feedback' in adapter && adapter.feedback !== undefined;
}

/** Whether some of that feedback has a time of its own. */
export function hasRowTimes({ feedback = {} }: ListChoice): boolean {
  return Object.values(feedback).some((given) => typeof given === 'object' && given.ts !== undefined);
}

/**
 * The adapter of records that hold the rows of one list in a JSON list: an impression, and feedback of the rows that have it.
 * Fields that do not belong to an item are taken from the first row; the time is the earliest of all rows, so that no feedback
 * precedes its list.
 * @param timeOf returns NaN for what is not a time
 */
export function listAdapter(choice: ListChoice, timeOf: (value: unknown) => EpochMs): Adapter {
  const { list, map, feedback = {} } = choice;
  const own = map ?? Object.fromEntries(OWN.map((name) => [name, pointerTo(name)]));
  const recordOf = eventOf({ ...own, requestId: sourceOf(list.by, map) });
  const position = list.order === undefined ? undefined : getterOf(sourceOf(list.order, map));
  const items = ROW_FIELDS.flatMap((name): readonly (readonly [string, Getter])[] => {
    const source = map === undefined ? pointerTo(name) : map[`items.${name}`];
    if (source === undefined) return [];
    const getter = getterOf(source);
    return [[name, NUMBER_FIELDS.has(name) ? (row) => numberIn(getter(row)) : getter]];
  });
  const reactions = Object.entries(feedback).map(([column, given]) => {
    const { action, ts, value } = typeof given === 'string' ? { action: given } : given;
    return {
      happened: getterOf(sourceOf(column, undefined)),
      action,
      ts: ts === undefined ? undefined : getterOf(ts),
      value: value === undefined ? undefined : getterOf(value),
    };
  });

  return (text): Adapted => {
    const rows = rowsIn(text);
    if (typeof rows === 'string') return rows;
    const records = rows.map((row) => recordOf(row, undefined));
    const impression: RawRecord = { ...records[0], ts: earliest(records, timeOf), items: [] };
    const shown = records.length === 1 && isNone(records[0].itemId) ? [] : rows;
    impression.items = shown.map((row, r) => {
      const item: Record<string, unknown> = { id: records[r].itemId };
      if (position !== undefined) item['position'] = numberIn(position(row));
      for (const [name, getter] of items) item[name] = getter(row);
      return item;
    });
    const events: RawRecord[] = [impression];
    for (const [r, row] of rows.entries()) {
      for (const { happened, action, ts, value } of reactions) {
        const answer = isTrue(happened(row), timeOf);
        if (answer === undefined) return 'wrong_type';
        if (!answer) continue;
        const { requestId, itemId, userId, sessionId } = records[r];
        const time = ts?.(row) ?? records[r].ts;
        events.push({ requestId, itemId, userId, sessionId, ts: time, action, value: numberIn(value?.(row)) });
      }
    }
    return events;
  };
}

const OWN = FIELDS.filter((name) => !['items', 'action', 'value', 'eventId'].includes(name));

/** A request that found nothing has one row, without an item: its field is there, and nothing is in it. */
function isNone(itemId: unknown): boolean {
  return itemId === null || itemId === '';
}

function rowsIn(text: string): readonly RawRecord[] | 'not_json' | 'not_an_object' {
  const rows = parseJson(text);
  if (rows === undefined) return 'not_json';
  if (!Array.isArray(rows) || rows.length === 0) return 'not_an_object';
  const records = rows.filter(isRecord);
  return records.length < rows.length ? 'not_an_object' : records;
}

/** The earliest `ts` of all rows; or any that is not a time, for validation to refuse. */
function earliest(records: readonly RawRecord[], timeOf: (value: unknown) => EpochMs): unknown {
  let found = records[0].ts;
  let least = timeOf(found);
  for (const { ts } of records) {
    const time = timeOf(ts);
    if (Number.isNaN(time)) return ts;
    if (time >= least) continue;
    least = time;
    found = ts;
  }
  return found;
}

/** Whether a column says that something happened: a number above 0, a word for yes, or a time; undefined: neither yes nor no. */
function isTrue(value: unknown, timeOf: (value: unknown) => EpochMs): boolean | undefined {
  if (value === undefined || value === null) return false;
  if (typeof value === 'boolean') return value;
  const number = numberIn(value);
  if (typeof number === 'number') return number > 0;
  if (typeof value !== 'string') return undefined;
  return yesOrNo(value) ?? (timeOf(value) >= 0 ? true : undefined);
}

/** `at`: its path within the adapter. */
interface ListProblem {
  readonly at: readonly string[];
  readonly message: string;
}

const POINTER = 'expected a JSON pointer such as /rank (RFC 6901), or a name without a slash at its beginning';

const INSTEAD: Readonly<Record<string, string>> = {
  'items.id': 'write itemId, the item of the row',
  'items.position': 'write list.order',
  action: 'write feedback, such as {clicked: click}',
  value: 'write feedback, such as {bought: {action: purchase, value: /price}}',
};

/** What is wrong with rows of one item each for an input of this role. @param joinBy as in `mapProblems` */
export function listProblems(
  { list, map, feedback = {} }: ListChoice,
  role: TopicRole,
  joinBy?: JoinKey,
): readonly ListProblem[] {
  const problems: ListProblem[] = [];
  const check = (at: readonly string[], name: string): void => {
    if (name.startsWith('/') && parsePointer(name) === undefined) problems.push({ at, message: POINTER });
  };
  if (!role.impressions) problems.push({ at: [], message: 'rows of one item each make impressions: set it there' });
  check(['list', 'by'], list.by);
  if (list.order !== undefined) check(['list', 'order'], list.order);
  for (const [column, given] of Object.entries(feedback)) {
    check(['feedback', column], column);
    if (typeof given === 'string') continue;
    for (const field of ['ts', 'value'] as const) {
      const source = given[field];
      const message = source === undefined ? undefined : sourceProblem(field, source);
      if (message !== undefined) problems.push({ at: ['feedback', column, field], message });
    }
  }
  return map === undefined ? problems : [...problems, ...rowMapProblems(map, list.by, joinBy)];
}

/** The map of a row follows the rules of a feedback map, and may also name fields of its item. */
function rowMapProblems(map: FieldMap, by: string, joinBy: JoinKey | undefined): readonly ListProblem[] {
  // `mapProblems` needs the request and the action, which are given elsewhere.
  const whole: FieldMap = { requestId: by.startsWith('/') ? by : '', items: '', action: { const: '' }, ...map };
  return mapProblems(whole, { impressions: true, feedback: true }, joinBy)
    .filter(({ field }) => field === '' || Object.hasOwn(map, field))
    .map(({ field, message }) => ({ at: ['map', field], message }))
    .concat(
      ['items', 'action', 'value', 'each', 'items.id', 'items.position']
        .filter((field) => Object.hasOwn(map, field))
        .map((field) => ({ at: ['map', field], message: INSTEAD[field] ?? 'has no meaning in a row of one item' })),
    );
}

/** Words by which columns say whether something happened: of English, German, French, Spanish, Italian, Portuguese, Dutch. */
const YES: ReadonlySet<string> = new Set(
  ['1', 'true', 't', 'yes', 'y', 'on', 'x', 'ja', 'j', 'wahr', 'oui', 'o', 'vrai', 'si', 'sí', 'sì', 's', 'sim'].map(
    (word) => word.normalize('NFC'),
  ),
);
const NO: ReadonlySet<string> = new Set(
  ['', '0', 'false', 'f', 'no', 'n', 'off', 'null', 'none', 'nan', 'nein', 'falsch', 'non', 'faux', 'nee', 'não'].map(
    (word) => word.normalize('NFC'),
  ),
);

/** What a word says, whatever its case; undefined: neither yes nor no. */
export function yesOrNo(text: string): boolean | undefined {
  const word = text.trim().toLowerCase().normalize('NFC');
  if (YES.has(word)) return true;
  return NO.has(word) ? false : undefined;
}
