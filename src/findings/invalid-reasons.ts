import type { InvalidCode } from '../vocabulary/drops.ts';
import type { Side } from '../vocabulary/events.ts';
import type { RecordPlace } from './event-sample.ts';

/** Number of records of a side that were refused for one reason, and the first of them. */
export interface InvalidReason {
  readonly side: Side;
  readonly code: InvalidCode;
  /** The part of the event that is wrong; undefined: all of it, or unknown. */
  readonly field: string | undefined;
  readonly count: number;
  readonly place: RecordPlace | undefined;
  /** Names of the record's fields, if it is a JSON object. Never their values. */
  readonly fields: readonly string[];
  /** Whether a text of the record would be a number but for its decimal comma. */
  readonly hasComma: boolean;
}

/** Most reasons of one file that are counted separately; items[3].id and items[7].id are one. */
const MOST_REASONS = 200;
const MOST_FIELDS = 20;
/** Longer records are not parsed for their names. */
const MOST_BYTES = 1_000_000;

/** A JSON string that is a number with a decimal comma, also inside JSON that is itself a string. */
const DECIMAL_COMMA = /"\s*-?\d{1,15},\d{1,15}\s*\\*"/;

/** Counts records that are refused as invalid, by side, file, code and field. */
export class InvalidReasons {
  /** The reasons of each file; the empty name is that of records whose place is unknown. */
  readonly #files = new Map<string, Map<string, InvalidReason>>();

  take(
    side: Side,
    { code, field }: Pick<InvalidReason, 'code' | 'field'>,
    value: Uint8Array | null,
    place: RecordPlace | undefined,
  ): void {
    const name = field?.replace(/\d+/g, '*');
    const key = `${side} ${code} ${name ?? ''}`;
    const file = place?.file ?? '';
    const reasons = this.#files.get(file) ?? new Map<string, InvalidReason>();
    this.#files.set(file, reasons);
    const known = reasons.get(key);
    if (known !== undefined) reasons.set(key, { ...known, count: known.count + 1 });
    else if (reasons.size < MOST_REASONS) {
      reasons.set(key, { side, code, field, count: 1, place, ...contentsOf(value) });
    }
  }

  /** Reasons of the side, most frequent first. */
  of(side: Side): readonly InvalidReason[] {
    return merged(
      [...this.#files.values()].flatMap((reasons) => [...reasons.values()].filter((one) => one.side === side)),
    );
  }

  /** Reasons of the side by file, most frequent first. */
  byFile(side: Side): ReadonlyMap<string, readonly InvalidReason[]> {
    const files = new Map<string, readonly InvalidReason[]>();
    for (const [file, reasons] of this.#files) {
      const ofSide = [...reasons.values()].filter((one) => one.side === side);
      if (ofSide.length > 0) files.set(file, merged(ofSide));
    }
    return files;
  }
}

/** Whether the record has a field that only feedback has. */
export function hasFeedback({ fields }: InvalidReason): boolean {
  return fields.includes('itemId') || fields.includes('action');
}

/** One reason for each code and field, most frequent first. */
export function merged(reasons: readonly InvalidReason[]): readonly InvalidReason[] {
  const all = new Map<string, InvalidReason>();
  for (const reason of reasons) {
    const key = `${reason.code} ${reason.field?.replace(/\d+/g, '*') ?? ''}`;
    const known = all.get(key);
    all.set(key, known === undefined ? reason : { ...known, count: known.count + reason.count });
  }
  return [...all.values()].sort((a, b) => b.count - a.count);
}

function contentsOf(value: Uint8Array | null): Pick<InvalidReason, 'fields' | 'hasComma'> {
  const none = { fields: [], hasComma: false };
  if (value === null || value.length > MOST_BYTES) return none;
  try {
    const text = new TextDecoder().decode(value);
    const record: unknown = JSON.parse(text);
    if (typeof record !== 'object' || record === null || Array.isArray(record)) return none;
    return { fields: Object.keys(record).slice(0, MOST_FIELDS), hasComma: DECIMAL_COMMA.test(text) };
  } catch {
    return none;
  }
}
