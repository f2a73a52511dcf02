import type { FeedbackDrop } from '../vocabulary/drops.ts';
import type { EpochMs, Event, Feedback, Impression, Side } from '../vocabulary/events.ts';
import { fmix32 } from '../vocabulary/user-words.ts';

/** Position of a record. `file`: as it was passed, or the name of a topic partition. Rows count from 1. */
export interface RecordPlace {
  readonly file: string;
  readonly row: number;
}

/** The newest event of a side. */
interface Newest {
  readonly ts: EpochMs;
  readonly place: RecordPlace;
}

/** Most events of both sides together, and most items of all their lists. */
const MOST_EVENTS = 20_000;
const MOST_ITEMS = 400_000;
/** Most actions that are counted by name. */
const MOST_ACTIONS = 100;
/** Characters at the end of an id that decide whether it is kept. */
const TAIL = 8;
/** The sample ends after this many halvings in a row that removed nothing: ids with equal endings cannot be thinned. */
const VAIN_HALVINGS = 6;
const ALL = 2 ** 32;

/**
 * Counts the events that are read, and keeps a bounded sample of both sides. A hash of the end of the request id decides whether
 * an event is in the sample. So the impression of a sampled click is in it too, even if only one side has a prefix before the id.
 * Deterministic; takes a few tens of nanoseconds per event.
 */
export class EventSample {
  #impressions: Impression[] = [];
  #feedback: Feedback[] = [];
  /** Events with a hash below this are kept. */
  #below = ALL;
  #isFull = false;
  #items = 0;
  readonly #newest: Record<Side, { ts: EpochMs; file: string; row: number } | undefined> = {
    impressions: undefined,
    feedback: undefined,
  };
  #oldest: EpochMs | undefined;
  readonly #counts: Record<Side, number> = { impressions: 0, feedback: 0 };
  readonly #actions = new Map<string, number>();
  #withUser = 0;

  /** @param most largest number of events that are kept of both sides together */
  readonly #most: number;

  constructor(most = MOST_EVENTS) {
    this.#most = most;
  }

  get impressions(): readonly Impression[] {
    return this.#impressions;
  }

  get feedback(): readonly Feedback[] {
    return this.#feedback;
  }

  /** Number of valid events of the side. */
  count(side: Side): number {
    return this.#counts[side];
  }

  newest(side: Side): Newest | undefined {
    const newest = this.#newest[side];
    return newest === undefined ? undefined : { ts: newest.ts, place: { file: newest.file, row: newest.row } };
  }

  /** The earliest time of a valid event of either side. */
  get oldest(): EpochMs | undefined {
    return this.#oldest;
  }

  /** Number of feedback events by action, for the first 100 actions. */
  get actions(): ReadonlyMap<string, number> {
    return this.#actions;
  }

  /** Share of all impressions that name their user, 0 to 1. */
  get withUser(): number {
    return this.#counts.impressions === 0 ? 0 : this.#withUser / this.#counts.impressions;
  }

  /** @param latest events later than this are from the future, and do not count for `newest` */
  take(event: Event, file: string, row: number, latest: EpochMs): void {
    const side: Side = event.kind === 'impression' ? 'impressions' : 'feedback';
    this.#counts[side]++;
    if (event.kind === 'impression') {
      if (event.userId !== undefined) this.#withUser++;
    } else {
      const { action } = event;
      const known = this.#actions.get(action);
      if (known !== undefined || this.#actions.size < MOST_ACTIONS) this.#actions.set(action, (known ?? 0) + 1);
    }
    if (event.ts > latest) return;
    if (this.#oldest === undefined || event.ts < this.#oldest) this.#oldest = event.ts;
    const newest = this.#newest[side];
    if (newest === undefined) this.#newest[side] = { ts: event.ts, file, row };
    else if (event.ts > newest.ts) {
      newest.ts = event.ts;
      newest.file = file;
      newest.row = row;
    }
    if (this.#isFull || tailHash(event.requestId) >= this.#below) return;
    this.#keep(event);
    if (this.#impressions.length + this.#feedback.length > this.#most || this.#items > MOST_ITEMS) this.#thin();
  }

  #keep(event: Event): void {
    if (event.kind === 'feedback') this.#feedback.push(event);
    else {
      this.#impressions.push(event);
      this.#items += event.items.length;
    }
  }

  #thin(): void {
    for (let i = 0; i < VAIN_HALVINGS; i++) {
      this.#below /= 2;
      const before = this.#impressions.length + this.#feedback.length;
      const isKept = ({ requestId }: Event): boolean => tailHash(requestId) < this.#below;
      const impressions = this.#impressions.filter(isKept);
      const feedback = this.#feedback.filter(isKept);
      const left = impressions.length + feedback.length;
      if (left === 0) break;
      this.#impressions = impressions;
      this.#feedback = feedback;
      this.#items = impressions.reduce((sum, { items }) => sum + items.length, 0);
      if (left <= 0.75 * before) return;
    }
    this.#isFull = true;
  }
}

/** Hash of the last letters and digits of an id, in lower case; of its digits if only letters precede them. A final ".0" is ignored. */
export function tailHash(id: string): number {
  let end = id.length;
  while (end > 0 && id.charCodeAt(end - 1) === ZERO) end--;
  if (end === 0 || end === id.length || id.charCodeAt(end - 1) !== DOT) end = id.length;
  else end--;
  while (end > 0 && !isWord(id.charCodeAt(end - 1))) end--;
  let from = end;
  while (from > 0 && end - from < TAIL && isWord(id.charCodeAt(from - 1))) from--;
  let digits = end;
  while (digits > from && isDigit(id.charCodeAt(digits - 1))) digits--;
  let before = digits;
  while (before > from && !isDigit(id.charCodeAt(before - 1))) before--;
  if (before === from && digits < end) from = digits;
  let hash = 0x811c9dc5;
  for (let i = from; i < end; i++) hash = Math.imul(hash ^ lower(id.charCodeAt(i)), 0x01000193);
  return fmix32(hash) >>> 0;
}

const DOT = 46;
const ZERO = 48;

function isDigit(code: number): boolean {
  return code >= ZERO && code <= 57;
}

/** An ASCII letter or digit, or any character beyond ASCII. */
function isWord(code: number): boolean {
  return isDigit(code) || (code >= 65 && code <= 90) || (code >= 97 && code <= 122) || code > 127;
}

function lower(code: number): number {
  return code >= 65 && code <= 90 ? code + 32 : code;
}

export interface DroppedEvent {
  readonly side: Side;
  readonly reason: FeedbackDrop;
  readonly ts: EpochMs;
  readonly requestId: string;
  /** The item of feedback. */
  readonly itemId: string | undefined;
  /** undefined: no longer known. */
  readonly place: RecordPlace | undefined;
}

/** Most events that are kept for one reason. */
const MOST = 512;

/**
 * A sample of the events that are dropped for each reason, spread evenly over all of them: every first, second, fourth, ... of
 * those that came.
 */
export class DroppedSample {
  readonly #kept = new Map<string, { events: DroppedEvent[]; step: number; seen: number }>();

  take(event: DroppedEvent): void {
    const key = `${event.side} ${event.reason}`;
    const kept = this.#kept.get(key) ?? { events: [], step: 1, seen: 0 };
    this.#kept.set(key, kept);
    if (kept.seen++ % kept.step > 0) return;
    kept.events.push(event);
    if (kept.events.length <= MOST) return;
    kept.events = kept.events.filter((_, i) => i % 2 === 0);
    kept.step *= 2;
  }

  /** The sampled events, in the order of time. */
  of(side: Side, reason: FeedbackDrop): readonly DroppedEvent[] {
    return [...(this.#kept.get(`${side} ${reason}`)?.events ?? [])].sort((a, b) => a.ts - b.ts);
  }
}
