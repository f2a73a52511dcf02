import type { EpochMs, TopicRole } from '../../vocabulary/events.ts';

/** Unit of a `ts` that is a number; auto: the unit whose range it is in. */
export const TS_UNITS = ['auto', 's', 'ms', 'us', 'ns'] as const;
export type TsUnit = (typeof TS_UNITS)[number];

/** Fields that may stand for the id of a list. */
export const JOIN_KEYS = ['userId', 'sessionId'] as const;
export type JoinKey = (typeof JOIN_KEYS)[number];

/** Rank 1 is position 1, or position 0. */
export type PositionBase = 0 | 1;

type Scalar = string | number | boolean;

/** What a condition asks besides being one of some values; all of it must hold. */
export interface Asked {
  readonly exists?: boolean | undefined;
  /** A pattern, as in `pattern.ts`. */
  readonly matches?: string | undefined;
  /** Numbers that a number, also as text, must be above and below. */
  readonly above?: number | undefined;
  readonly below?: number | undefined;
  readonly not?: Condition | undefined;
  /** The path of a file that lists values, one a line. */
  readonly in?: string | undefined;
  /** What that file lists, which is read when a command starts. */
  readonly listed?: ReadonlySet<string> | undefined;
}

/** The value that must be where a pointer leads to, or one of several, or what is asked of it. */
export type Condition = Scalar | readonly Scalar[] | Asked;

/** Conditions by JSON pointer, all of which must be met. */
export type Conditions = Readonly<Record<string, Condition>>;

/**
 * Which events are left out: those that meet all conditions of one of these. Conditions by the name of a field of the event, or by a JSON pointer
 * into the record.
 */
export type Drop = readonly Conditions[];

/** What follows from the origin of a value, by name (`transforms.ts` says what each does). */
export interface TransformArguments {
  readonly pairs: string;
  readonly trim: true;
  readonly strip: string | { readonly prefix?: string | undefined; readonly suffix?: string | undefined };
  readonly lower: true;
  readonly only: (typeof ONLY)[number];
  readonly match: string;
  readonly decimal: ',';
  readonly add: number;
  readonly scale: number;
  readonly format: string;
  readonly timeOrigin: string;
  readonly unit: (typeof COUNTED_UNITS)[number];
  readonly timeZone: string;
  readonly parse: 'csv';
  readonly split: string;
  readonly label: string;
  readonly gather: string;
  readonly flatten: string;
  readonly keep: Conditions;
  readonly drop: Conditions;
  readonly default: Scalar;
}

export const ONLY = ['letters-and-digits', 'digits'] as const;
export const COUNTED_UNITS = ['ns', 'us', 'ms', 's', 'm', 'h', 'd'] as const;

/** Any of them. */
export type TransformsOf = { readonly [Name in keyof TransformArguments]?: TransformArguments[Name] | undefined };

/** A value from one origin (`at`, the first of several, several joined, or a constant), and what is done to it. */
export interface ValueSource extends TransformsOf {
  readonly at?: OneSource | undefined;
  readonly first?: readonly OneSource[] | undefined;
  readonly join?: readonly OneSource[] | undefined;
  /** Stands between the values that are joined. */
  readonly with?: string | undefined;
  readonly const?: Scalar | undefined;
}

/** A JSON pointer (RFC 6901), or a value that is made. */
export type OneSource = string | ValueSource;

/** Where the `map` adapter finds a field; several pointers are an id together. */
export type FieldSource = OneSource | readonly string[];

/** From the names of canonical fields to where they are. `each` is a list that holds one event in each entry. */
export type FieldMap = Readonly<Record<string, FieldSource>>;

/** One of several maps: for the records that meet all conditions and that no earlier map took. */
export interface MapCase {
  readonly when?: Conditions | undefined;
  readonly map: FieldMap;
}

/** Feedback in the row of its item. */
export interface RowFeedback {
  readonly action: string;
  /** Default: the time of the row. */
  readonly ts?: FieldSource | undefined;
  readonly value?: FieldSource | undefined;
}

/** For logs of one row per shown item: the rows of one request are a list. */
export interface ListChoice {
  /** `by`: the request; `order`: the position, or undefined for the order of the rows. Names of fields or columns, or JSON pointers. */
  readonly list: {
    readonly by: string;
    readonly order?: string | undefined;
    /** All rows of a list are within this many rows, counted from its first. */
    readonly within: number;
  };
  /** Fields of a row; undefined: each is found under its own name. */
  readonly map?: FieldMap | undefined;
  /** The action of a row in which a column, or what a JSON pointer names, is true. */
  readonly feedback?: Readonly<Record<string, string | RowFeedback>> | undefined;
}

/** Adapters that need no more than their name (`NAMED` of decoder.ts makes them). */
export const ADAPTER_NAMES = ['canonical', 'open-bandit'] as const;
export type AdapterName = (typeof ADAPTER_NAMES)[number];

interface AdapterTraits {
  /** A record is always an impression and its feedback in one. */
  readonly isOfBothSides: boolean;
  /** It takes the lines of a file as they are, whatever the file's format, and splits them itself. */
  readonly readsLines: boolean;
}

const USUAL: AdapterTraits = { isOfBothSides: false, readsLines: false };
const TRAITS: Readonly<Record<AdapterName, AdapterTraits>> = {
  canonical: USUAL,
  'open-bandit': { isOfBothSides: true, readsLines: true },
};

/** What must be known of an adapter before it has read a record. */
export function adapterTraits(adapter: AdapterChoice): AdapterTraits {
  return typeof adapter === 'string' ? TRAITS[adapter] : USUAL;
}

/** How the records of a topic become canonical events (specification: events 6). */
export type AdapterChoice =
  | AdapterName
  | { readonly map: FieldMap }
  | { readonly maps: readonly MapCase[] }
  | ListChoice;

/** How a configuration names the form of a file; auto: what its first bytes look like. */
export const FILE_FORMATS = ['auto', 'ndjson', 'json', 'csv', 'tsv', 'parquet'] as const;

/** How the rows of a file are written. */
export interface FileForm {
  readonly format: (typeof FILE_FORMATS)[number];
  /** The delimiter of a CSV, one ASCII character; undefined: the one that is most frequent in the first line. */
  readonly delimiter: string | undefined;
  /** Names of the fields of a CSV that has no header; undefined: it has one. */
  readonly columns: readonly string[] | undefined;
}

/** What an impression carries of its items besides ids and ranks. */
export interface Carried {
  readonly scores: boolean;
  readonly categories: boolean;
}

/** The part of the configuration that the decoder of one topic or file knows. */
export interface DecoderOptions {
  readonly adapter: AdapterChoice;
  readonly role: TopicRole;
  /** Names of the dimensions whose values an impression carries, in this order. */
  readonly dimensions: readonly string[];
  /** A longer list is refused. */
  readonly itemsPerList: number;
  /** Largest record in bytes; on a topic with both sides the larger limit applies. */
  readonly impressionBytes: number;
  readonly feedbackBytes: number;
  readonly tsUnit: TsUnit;
  /** The zone of times that are written without one, a name that `timeZone` knows; undefined: such times are refused. */
  readonly timeZone?: string | undefined;
  /** Reads these times in place of the zone: by the order of a log. */
  readonly clock?: TimeZone | undefined;
  readonly positionBase: PositionBase;
  /**
   * Values for records that lack them: `variant`, `surface`, `userId`, `sessionId` and `action` by name, every other
   * name is a cohort dimension.
   */
  readonly defaults?: ReadonlyMap<string, string>;
  /** Packed impressions carry the key of their user in user samples; default: no. */
  readonly sampleUsers?: boolean;
  /** Default: nothing. */
  readonly carries?: Carried;
  /** Impressions carry their session id, and are then not packed. Default: no. */
  readonly sessions?: boolean;
  /** The field by which events without a request id are joined; default: each must have one. */
  readonly joinBy?: JoinKey | undefined;
  /** Default: no event is left out. */
  readonly drop?: Drop | undefined;
  /** Order of the columns of a CSV that has no header row. */
  readonly columns?: readonly string[] | undefined;
}

/** Converts local times to instants, for times that are written without a zone. */
export interface TimeZone {
  /**
   * The instant at which clocks there show this time, given as if it were UTC. If clocks are set back and show it twice, it is
   * the first of the two; if they are set forward and never show it, it is later by the size of the gap (as in java.time and
   * Temporal).
   */
  instantOf(local: number): EpochMs;
  /** The second of the two instants at which clocks there show this time; undefined: there is only one, or none. */
  secondOf(local: number): EpochMs | undefined;
  /** Whether clocks there never show this time. */
  isSkipped(local: number): boolean;
  /** Whether clocks there show the time of this instant at another one, too. */
  isTwice(at: EpochMs): boolean;
}
