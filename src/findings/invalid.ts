import type { InvalidCode } from '../vocabulary/drops.ts';
import type { Side } from '../vocabulary/events.ts';
import type { RecordPlace } from './event-sample.ts';

/** How many records of a side were refused for one reason, and the first of them. */
export interface InvalidReason {
  readonly side: Side;
  readonly code: InvalidCode;
  /** The part of the event that is wrong; undefined: all of it, or unknown. */
  readonly field: string | undefined;
  readonly count: number;
  readonly place: RecordPlace | undefined;
  /** Names of the record's fields, if it is a JSON object. Never their values. */
  readonly fields: readonly string[];
}

/** Most reasons that are counted separately; items[3].id and items[7].id are one. */
const MOST_REASONS = 200;
const MOST_FIELDS = 20;
/** A longer record is not parsed for its names. */
const MOST_BYTES = 1_000_000;

/** Counts records that are refused as invalid, by side, code and field. */
export class InvalidReasons {
  readonly #reasons = new Map<string, InvalidReason>();

  take(
    side: Side,
    { code, field }: Pick<InvalidReason, 'code' | 'field'>,
    value: Uint8Array | null,
    place: RecordPlace | undefined,
  ): void {
    const name = field?.replace(/\d+/g, '*');
    const key = `${side} ${code} ${name ?? ''}`;
    const known = this.#reasons.get(key);
    if (known !== undefined) this.#reasons.set(key, { ...known, count: known.count + 1 });
    else if (this.#reasons.size < MOST_REASONS) {
      this.#reasons.set(key, { side, code, field, count: 1, place, fields: fieldsOf(value) });
    }
  }

  /** Reasons of the side, most frequent first. */
  of(side: Side): readonly InvalidReason[] {
    return [...this.#reasons.values()].filter((one) => one.side === side).sort((a, b) => b.count - a.count);
  }
}

function fieldsOf(value: Uint8Array | null): readonly string[] {
  if (value === null || value.length > MOST_BYTES) return [];
  try {
    const record: unknown = JSON.parse(new TextDecoder().decode(value));
    if (typeof record !== 'object' || record === null || Array.isArray(record)) return [];
    return Object.keys(record).slice(0, MOST_FIELDS);
  } catch {
    return [];
  }
}
