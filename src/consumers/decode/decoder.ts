import { Buffer, isUtf8 } from 'node:buffer';
import type { InvalidCode } from '../../vocabulary/drops.ts';
import { assertNever, type Event, type Side, type TopicRole } from '../../vocabulary/events.ts';
import type { UnmetCondition } from '../../vocabulary/unmapped.ts';
import type { JoinEvent, RecordReader } from '../join/api.ts';
import type { AdapterName, DecoderOptions, JoinKey } from './decoder-settings.ts';
import { Dimensions, isDimensionName } from './dimensions.ts';
import { type Exclusion, exclusionOf } from './exclusion.ts';
import { listAdapter } from './list.ts';
import { mapAdapter, mapsAdapter } from './map.ts';
import { OPEN_BANDIT_COLUMNS, openBanditAdapter } from './open-bandit.ts';
import {
  type Adapter,
  canonicalAdapter,
  isFields,
  isImpression,
  isItem,
  isUnmet,
  isVariants,
  ownValue,
  type RawRecord,
} from './raw.ts';
import { optionalId, Reader } from './reader.ts';
import { scanPlan } from './scan-plan.ts';
import { Scanner } from './scanner.ts';
import { timeOf, zoneOf } from './times.ts';

/** `side`: that on which the record counts. One that no map of its topic is for has none. */
type Refused =
  | { readonly refused: 'unmapped'; readonly condition: UnmetCondition }
  | { readonly refused: 'tombstone'; readonly side: Side }
  | {
      readonly refused: 'invalid';
      readonly code: InvalidCode;
      readonly field: string | undefined;
      readonly side: Side;
    };

/** All events of a record in their order, or why there is none: a record is all or nothing. */
export type Decoded = ReadEvents<Event> | Refused;

/** What `Decoded` is, where packed events are valid until any decoder decodes the next record. */
type Scanned = ReadEvents<JoinEvent> | Refused;

/** `excluded`: those that conditions leave out; absent: none. */
interface ReadEvents<One> {
  readonly events: readonly One[];
  readonly excluded?: readonly Event[];
}

export interface Decoder {
  /** How the engine reads records of this topic by itself; undefined: each must be prepared before it is read, or there is no memory. */
  readonly reader: RecordReader | undefined;
  /** Decodes faster than `decode`, for a caller that is done with the events before it decodes the next record. */
  scan(value: Uint8Array | null, source: string, offset: number): Scanned;
  /**
   * Events of one record of `source` (such as `topic:partition`, or a file's number) at `offset`. Never throws, never
   * keeps or prints what it refuses.
   */
  decode(value: Uint8Array | null, source: string, offset: number): Decoded;
  /** Number of keys in the `cohorts` of accepted records that are not valid dimension names. */
  readonly ignoredCohortKeys: number;
}

/**
 * All events of one record may together have this many times the bytes of the largest record: with `each` they share the fields
 * outside of the list.
 */
const MOST_EXPANSION = 16;

/** A decoder that reads each record by itself, in a way of its own. @param decoder whose keys it counts */
export function decoderBy(decoder: Decoder, decode: Decoder['decode']): Decoder {
  return {
    decode,
    scan: decode,
    reader: undefined,
    get ignoredCohortKeys() {
      return decoder.ignoredCohortKeys;
    },
  };
}

export function createDecoder(options: DecoderOptions): Decoder {
  return new RecordDecoder(options);
}

class RecordDecoder implements Decoder {
  readonly #role: TopicRole;
  readonly #limit: number;
  readonly #adapter: Adapter;
  readonly #dimensions: Dimensions;
  readonly #defaults: Defaults | undefined;
  readonly #exclusion: Exclusion | undefined;
  readonly #reader: Reader;
  readonly #sessions: boolean;
  readonly #joinBy: JoinKey | undefined;
  /** Only for records that need no preparation before they are read. */
  readonly #scanner: Scanner | undefined;
  /** The result of `scan`, which is reused. */
  readonly #scanned: { readonly events: JoinEvent[] } = { events: [] };

  constructor(options: DecoderOptions) {
    this.#role = options.role;
    const { impressions, feedback } = options.role;
    this.#limit = Math.max(impressions ? options.impressionBytes : 0, feedback ? options.feedbackBytes : 0);
    this.#adapter = adapterOf(options);
    this.#dimensions = new Dimensions(options.dimensions);
    this.#defaults =
      options.defaults === undefined || options.defaults.size === 0 ? undefined : new Defaults(options.defaults);
    this.#exclusion = exclusionOf(options.drop ?? []);
    this.#reader = new Reader(options, this.#dimensions);
    this.#sessions = options.sessions === true;
    this.#joinBy = options.joinBy;
    const isPlain =
      this.#defaults === undefined && !this.#sessions && this.#joinBy === undefined && this.#exclusion === undefined;
    const plan = isPlain ? scanPlan(options.adapter) : undefined;
    this.#scanner = plan === undefined ? undefined : new Scanner(options, this.#dimensions, plan);
  }

  get ignoredCohortKeys(): number {
    return this.#dimensions.ignoredKeys;
  }

  get reader(): RecordReader | undefined {
    return this.#scanner?.isPossible === true ? this.#scanner : undefined;
  }

  scan(value: Uint8Array | null, source: string, offset: number): Scanned {
    const event = value === null ? undefined : this.#scanner?.scan(value);
    if (event === undefined) return this.decode(value, source, offset);
    this.#scanned.events[0] = event;
    return this.#scanned;
  }

  decode(value: Uint8Array | null, source: string, offset: number): Decoded {
    // On a topic with both sides, a record that cannot be read counts as an impression.
    const side: Side = this.#role.impressions ? 'impressions' : 'feedback';
    if (value === null) return { refused: 'tombstone', side };
    try {
      const text = textOf(value, this.#limit);
      if (typeof text === 'string') return invalid(text, side);
      const records = this.#adapter(text.text, source, offset);
      if (typeof records === 'string') return invalid(records, side);
      if (isUnmet(records)) return { refused: 'unmapped', condition: records };
      const isExcluded = this.#exclusion?.(text.text);
      const events: Event[] = [];
      const excluded: Event[] = [];
      let units = 0;
      for (const record of records) {
        if (records.length > 1) units += textUnits(record);
        if (units > MOST_EXPANSION * this.#limit) return invalid('too_large', side);
        const event = this.#eventOf(record);
        if ('refused' in event) return event;
        const keyed = this.#joinBy === undefined ? event : { ...event, joinKey: optionalId(record[this.#joinBy]) };
        (isExcluded?.(record) === true ? excluded : events).push(keyed);
      }
      return excluded.length === 0 ? { events } : { events, excluded };
    } catch {
      // No input is known to get here, but a stack overflow or a bug in an adapter must not stop the unit.
      return invalid('adapter_failed', side);
    }
  }

  #eventOf(record: RawRecord): Event | Refused {
    this.#defaults?.fill(record);
    if (isImpression(record)) {
      if (!this.#role.impressions) return invalid('wrong_kind', 'feedback');
      const impression = this.#reader.impression(record);
      if ('code' in impression) return { refused: 'invalid', side: 'impressions', ...impression };
      return this.#sessions ? { ...impression, sessionId: optionalId(record.sessionId) } : impression;
    }
    if (!this.#role.feedback) return invalid('wrong_kind', 'impressions');
    const feedback = this.#reader.feedback(record);
    return 'code' in feedback ? { refused: 'invalid', side: 'feedback', ...feedback } : feedback;
  }
}

/** Approximate UTF-16 units of the ids of a record, which are copied later. */
function textUnits({ requestId, userId, sessionId, eventId, itemId, action, items }: RawRecord): number {
  let units = 0;
  for (const id of [requestId, userId, sessionId, eventId, itemId, action]) units += unitsOf(id);
  if (Array.isArray(items)) for (const item of items) units += unitsOf(isItem(item) ? item.id : item);
  return units;
}

function unitsOf(id: unknown): number {
  return typeof id === 'string' ? id.length : 8;
}

/** The adapters that need no more than their name. */
const NAMED: Readonly<Record<AdapterName, (options: DecoderOptions) => Adapter>> = {
  canonical: () => canonicalAdapter,
  'open-bandit': ({ columns = OPEN_BANDIT_COLUMNS }) => openBanditAdapter(columns),
};

function adapterOf(options: DecoderOptions): Adapter {
  const { adapter: choice, tsUnit } = options;
  if (typeof choice === 'string') return NAMED[choice](options);
  if ('list' in choice) {
    const zone = zoneOf(options);
    return listAdapter(choice, (value) =>
      typeof value === 'string' || typeof value === 'number' ? timeOf(value, tsUnit, zone) : Number.NaN,
    );
  }
  if ('map' in choice) return mapAdapter(choice.map);
  if ('maps' in choice) return mapsAdapter(choice.maps);
  return assertNever(choice);
}

function invalid(code: InvalidCode, side: Side): Refused {
  return { refused: 'invalid', code, field: undefined, side };
}

/** A first byte of 0 marks the prefix of a schema registry; the schema's number follows in four bytes. */
const REGISTRY_PREFIX = 5;

type TextOrCode = { readonly text: string } | InvalidCode;

/** The text of a record of at most `limit` bytes, without registry prefix and byte order mark; else why there is none. */
function textOf(value: Uint8Array, limit: number): TextOrCode {
  if (value.byteLength > limit) return 'too_large';
  let start = value.byteLength > 0 && value[0] === 0 ? Math.min(REGISTRY_PREFIX, value.byteLength) : 0;
  if (value[start] === 0xef && value[start + 1] === 0xbb && value[start + 2] === 0xbf) start += 3;
  const bytes = Buffer.from(value.buffer, value.byteOffset + start, value.byteLength - start);
  return isUtf8(bytes) ? { text: bytes.toString('utf8') } : 'not_utf8';
}

/** Top-level fields that a default can set by name; every other name is a cohort dimension. */
export const DEFAULT_FIELDS = ['variant', 'surface', 'userId', 'sessionId', 'action'] as const;
type DefaultField = (typeof DEFAULT_FIELDS)[number];

/** Values for records that lack them. Names that are neither such a field nor a dimension are ignored. */
class Defaults {
  readonly #fields: readonly (readonly [DefaultField, string])[];
  readonly #cohorts: readonly (readonly [string, string])[];

  constructor(values: ReadonlyMap<string, string>) {
    this.#fields = DEFAULT_FIELDS.flatMap((name) => {
      const value = values.get(name);
      return value === undefined ? [] : [[name, value] as const];
    });
    this.#cohorts = [...values].filter(
      ([name]) => !this.#fields.some(([field]) => field === name) && isDimensionName(name),
    );
  }

  /** Changes the record, which the caller must own. Values of a wrong type are left for validation. */
  fill(record: RawRecord): void {
    for (const [name, value] of this.#fields) {
      if (name === 'variant' && hasDefaultVariant(record)) continue;
      record[name] ??= value;
    }
    const given = record.cohorts ?? {};
    if (this.#cohorts.length === 0 || !isFields(given)) return;
    const cohorts: Record<string, unknown> = Object.create(null);
    for (const name of Object.keys(given)) cohorts[name] = given[name];
    for (const [name, value] of this.#cohorts) cohorts[name] ??= value;
    record.cohorts = cohorts;
  }
}

function hasDefaultVariant({ experiments }: RawRecord): boolean {
  return isVariants(experiments) && ownValue(experiments, 'default') !== undefined;
}
