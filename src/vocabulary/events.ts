/**
 * The vocabulary as types, used by everything after the decoder. Units are part of the type: an `EpochMs` is not a `DurationMs`, though
 * both accept a plain number.
 */

declare const unit: unique symbol;
type Quantity<Name extends string> = number & { readonly [unit]?: Name };

/** Whole milliseconds since 1970-01-01 UTC. `-Infinity` is the watermark before anything was seen. */
export type EpochMs = Quantity<'EpochMs'>;
/** Whole milliseconds. */
export type DurationMs = Quantity<'DurationMs'>;
/** Position in a list as the user saw it; 1 is the top. */
export type Rank = Quantity<'Rank'>;
/** Position of a record in a topic partition. Kafka's 64 bits must fit a safe integer; the Kafka client checks it. */
export type Offset = Quantity<'Offset'>;

/**
 * Largest absolute value of feedback and of item scores. Any finite value could be added exactly (exact.ts), but rows keep
 * squares of sums over a list, and statistics squares of these, which must stay below 1.8e308.
 */
export const LARGEST_VALUE = 1e30;

/** The value of a dimension that an impression lacks, and of one whose text is not allowed (specification: events 5.2). */
export const ABSENT_DIMENSION = '__none__';
export const INVALID_DIMENSION = '__invalid__';
/** Cohorts that found no place in the admission table are summed here (specification: windows 4.1). */
export const OTHER_COHORT = '__other__';

/** Stands for a request id that a record lacks, as no record can say it. Feedback that has it belongs to no list. */
export const NO_ID = '';

/** One ranked list shown to one user at one time, decoded and validated. */
export interface Impression {
  readonly kind: 'impression';
  readonly requestId: string;
  readonly ts: EpochMs;
  readonly userId: string | undefined;
  /** Decoded only if requested; undefined: none. */
  readonly sessionId?: string | undefined;
  /** The user or session by which feedback finds it. Decoded only if requested; undefined: none. */
  readonly joinKey?: string | undefined;
  /** Slots before this page. Request id + page offset is the impression's identity. */
  readonly pageOffset: number;
  /** Item ids in the order of their ranks. */
  readonly items: readonly string[];
  /** Explicit ranks, ascending, one per item; undefined: pageOffset + 1, pageOffset + 2, ... */
  readonly ranks: readonly Rank[] | undefined;
  /** Values of the configured dimensions, in the decoder's order of dimensions, already cleaned. */
  readonly dimensions: readonly string[];
  /** Predicted score of each item, NaN: it has none; undefined: no item has one, or they were not requested. */
  readonly scores?: readonly number[] | undefined;
  /** Category of each item, '': it has none; undefined: no item has one, or they were not requested. */
  readonly categories?: readonly string[] | undefined;
}

/** One action of a user on one item of an impression. */
export interface Feedback {
  readonly kind: 'feedback';
  readonly requestId: string;
  readonly itemId: string;
  readonly ts: EpochMs;
  readonly action: string;
  readonly eventId: string | undefined;
  readonly value: number | undefined;
  /** The user or session by which it finds a list. Decoded only if requested; undefined: none. */
  readonly joinKey?: string | undefined;
}

export type Event = Impression | Feedback;
export type Side = 'impressions' | 'feedback';

/**
 * A list when it closes: its slots and the feedback that counts at one horizon. The join reuses its buffers for the next list, so a
 * reader copies what must be kept.
 */
export interface Joined {
  /** Number of slots, L. */
  length: number;
  /** Slots before this page. */
  pageOffset: number;
  /** Rank of each slot, ascending; undefined: slot s has rank pageOffset + s + 1. */
  ranks: Int32Array | undefined;
  /** For each slot the first slot that holds the same item; undefined: no item repeats. */
  firstSlot: Int32Array | undefined;
  /** Number of feedback events; the arrays below are valid up to it. Order: topic of the configuration, then log order. */
  events: number;
  /** First slot (from 0) that holds the event's item. */
  slot: Int32Array;
  /** Index of the action among the configured ones; -1: an action that is not configured (grade 0). */
  action: Int32Array;
  /** NaN: the event has no value. */
  value: Float64Array;
  ts: Float64Array;
  /** Grades of every known item of the request, shown ones included, in any order; undefined: only the shown ones are known. */
  known?: readonly number[] | Float64Array | undefined;
  /** Predicted score of each slot, NaN: it has none; undefined: no slot has one. */
  scores?: Float64Array | undefined;
  /** Item of each slot, valid up to `length`; undefined: not requested. */
  items?: readonly string[] | undefined;
  /** Category of each slot by its event, valid up to `length`; '': none; undefined: no slot has one, or they were not requested. */
  categories?: readonly string[] | undefined;
}

/**
 * Whether a list found nothing. An empty page behind the first does not count as such: the list ended before it (specification: measures
 * 5.11).
 */
export function isEmptyList(slots: number, pageOffset: number): boolean {
  return slots === 0 && pageOffset === 0;
}

/** What a topic of the unit carries. The impressions topic may carry feedback too. */
export interface TopicRole {
  readonly impressions: boolean;
  readonly feedback: boolean;
}

/** One (impression, horizon) that has closed: when, and where it counts. */
export interface Closed {
  /** Index of the horizon. */
  horizon: number;
  /** Close time: ts + horizon. */
  at: EpochMs;
  /** Event time of the impression: decides its pane. */
  ts: EpochMs;
  /** Index of its cohort tuple. */
  tag: number;
  userless: boolean;
  /** Bucket of the user, or of the request if there is no user: 0 to 255 (user-words.ts). */
  bucket: number;
}

/** A closing with the list at that time. Buffers are reused: copy what must be kept. */
export interface Closing extends Closed {
  readonly list: Joined;
}

export function assertNever(value: never): never {
  throw new Error(`unexpected value: ${String(value)}`);
}

/** Names of actions that a configuration can give a grade: up to 200 characters, none of them a control character. */
export const ACTION_NAME = /^[^\p{Cc}]{1,200}$/u;

/** Whether an action can be given a grade; one that cannot is worth 0. Configurations cannot name `__proto__`. */
export function isGradable(name: string): boolean {
  return ACTION_NAME.test(name) && name !== '__proto__';
}
