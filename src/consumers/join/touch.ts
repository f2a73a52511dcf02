/**
 * Feedback without the id of its list gets that of a list which its user, or its session, was shown (specification: join 10). This
 * stands before the join, which judges the feedback like any other afterwards. Records are held back, topic by topic and in their
 * order, until every list is known that their feedback may belong to.
 */
import {
  type DurationMs,
  type EpochMs,
  type Event,
  type Feedback,
  type Impression,
  NO_ID,
} from '../../vocabulary/events.ts';
import { type JoinSettings, windowOf } from './api.ts';

export const TOUCHES = ['last', 'first'] as const;

export interface TouchSettings extends Pick<JoinSettings, 'topics' | 'horizons' | 'outOfOrderness' | 'backward'> {
  readonly touch: (typeof TOUCHES)[number];
  /** Records with a later event are `future`. */
  readonly latest: EpochMs;
  /** Bytes of the records of a topic that may wait. Default: 256 MiB. */
  readonly mostBytes?: number;
}

/** What became of feedback without the id of a list, and of lists that it cannot find. */
export interface TouchCounts {
  /** Feedback without an id that is neither future, excluded nor late whatever its list. */
  readonly looked: number;
  /** How much of it several lists with its item could have, and how much none. */
  readonly several: number;
  readonly none: number;
  /** Accepted lists without a user, or a session. */
  readonly listsWithoutKey: number;
}

/** A record as files deliver it; without `events` it holds none. */
interface HeldRecord {
  readonly value: Uint8Array | null;
  readonly decoded?:
    | { readonly events: readonly Event[]; readonly excluded?: readonly Event[] }
    | { readonly refused: string };
}

/** A list that was shown. `watermark`: that of its topic, just before its record. */
interface ShownList {
  readonly ts: EpochMs;
  readonly watermark: EpochMs;
  readonly requestId: string;
  readonly items: readonly string[];
}

const MOST_BYTES = 2 ** 28;
/** How often lists are forgotten while the window passes. */
const SWEEPS = 8;

/** @typeParam One record with whatever it carries, which comes back as it was but for request ids */
export class Touch<One extends HeldRecord> {
  readonly #settings: TouchSettings;
  readonly #window: DurationMs;
  readonly #remembered: DurationMs;
  readonly #lines: readonly Line<One>[];
  /** The topic of the impressions. */
  readonly #shownIn: Line<One>;
  readonly #shown = new Map<string, ShownLists>();
  /** Times of the lists that were not late, by request id and page. */
  readonly #identities = new Map<string, EpochMs[]>();
  #sweptAt: EpochMs = Number.NEGATIVE_INFINITY;
  readonly #counts = { looked: 0, several: 0, none: 0, listsWithoutKey: 0 };

  constructor(settings: TouchSettings) {
    this.#settings = settings;
    this.#window = windowOf(settings);
    this.#remembered = 2 * this.#window + settings.backward;
    this.#lines = settings.topics.map(() => new Line<One>());
    this.#shownIn = this.#lines[settings.topics.findIndex(({ impressions }) => impressions)];
  }

  get counts(): TouchCounts {
    return this.#counts;
  }

  /** Number of identities of lists that are remembered. */
  get remembered(): number {
    return this.#identities.size;
  }

  /** Takes the next record of a topic. `release` returns it when it can be judged. */
  read(topic: number, record: One): void {
    const line = this.#lines[topic];
    const { events, excluded } = eventsOf(record);
    const newest = Math.max(newestOf(events), newestOf(excluded));
    const isFuture = newest > this.#settings.latest;
    const passes = isFuture ? Number.NEGATIVE_INFINITY : newest - this.#settings.outOfOrderness;
    let waitsFor = Number.NEGATIVE_INFINITY;
    for (const event of isFuture ? [] : events) {
      if (event.kind === 'impression') this.#show(event, line.read);
      else if (event.requestId === NO_ID) waitsFor = Math.max(waitsFor, event.ts + this.#settings.backward);
    }
    line.add({ record, waitsFor, passes });
    line.read = Math.max(line.read, passes);
  }

  /** Notes that a topic has ended: nothing waits for it any more. */
  ended(topic: number): void {
    this.#lines[topic].read = Number.POSITIVE_INFINITY;
  }

  /** The records of a topic that can be judged now, in their order. */
  release(topic: number): readonly One[] {
    const line = this.#lines[topic];
    const { mostBytes = MOST_BYTES } = this.#settings;
    const released: One[] = [];
    for (let held = line.first; held !== undefined; held = line.first) {
      if (held.waitsFor >= this.#shownIn.read && line.bytes <= mostBytes) break;
      line.take();
      released.push(held.waitsFor === Number.NEGATIVE_INFINITY ? held.record : this.#named(held.record, line.judged));
      line.judged = Math.max(line.judged, held.passes);
    }
    this.#forget();
    return released;
  }

  #show(impression: Impression, watermark: EpochMs): void {
    const { ts, requestId, items, joinKey } = impression;
    if (watermark >= ts + this.#window || this.#isRepeated(impression)) return;
    if (joinKey === undefined) {
      this.#counts.listsWithoutKey++;
      return;
    }
    let shown = this.#shown.get(joinKey);
    if (shown === undefined) {
      shown = new ShownLists();
      this.#shown.set(joinKey, shown);
    }
    shown.add({ ts, watermark, requestId, items });
  }

  /** Whether the join will drop a list as a duplicate (specification: join 3.4). */
  #isRepeated({ requestId, pageOffset, ts }: Impression): boolean {
    const identity = `${pageOffset} ${requestId}`;
    const times = this.#identities.get(identity);
    if (times === undefined) {
      this.#identities.set(identity, [ts]);
      return false;
    }
    // Mostly one of the last: an id that is repeated for ever costs no more.
    const isRepeated = times.findLast((time) => Math.abs(ts - time) < this.#window) !== undefined;
    times.push(ts);
    return isRepeated;
  }

  /** @param watermark of its topic, just before the record */
  #named(record: One, watermark: EpochMs): One {
    const { events, excluded } = eventsOf(record);
    const named = events.map((event) =>
      event.kind === 'feedback' && event.requestId === NO_ID
        ? { ...event, requestId: this.#requestOf(event, watermark) }
        : event,
    );
    return { ...record, decoded: excluded.length === 0 ? { events: named } : { events: named, excluded } };
  }

  /** The request id of the list that takes feedback; NO_ID: none does. */
  #requestOf(feedback: Feedback, watermark: EpochMs): string {
    if (watermark >= feedback.ts + this.#settings.backward + this.#window) return NO_ID;
    this.#counts.looked++;
    const shown = feedback.joinKey === undefined ? undefined : this.#shown.get(feedback.joinKey);
    const [taker, other] = this.#candidates(shown?.mayHold(feedback.itemId), feedback, feedback.itemId);
    if (other !== undefined) this.#counts.several++;
    if (taker !== undefined) return taker.requestId;
    this.#counts.none++;
    return this.#candidates(shown?.lists, feedback)[0]?.requestId ?? NO_ID;
  }

  /**
   * The list that takes feedback, and another one of another request that could.
   * @param lists in the order of their times
   * @param item that they must hold; default: any list will do, and one is enough
   */
  #candidates(lists: readonly ShownList[] = [], { ts }: Feedback, item?: string): readonly ShownList[] {
    const { backward, touch } = this.#settings;
    const from = countUpTo(lists, ts - this.#window);
    const to = countUpTo(lists, ts + backward);
    const enough = item === undefined ? 1 : 2;
    const found: ShownList[] = [];
    for (let n = 0; n < to - from && found.length < enough; n++) {
      const list = lists[touch === 'last' ? to - 1 - n : from + n];
      const isOther = list.watermark <= ts + backward && list.requestId !== found[0]?.requestId;
      if (isOther && (item === undefined || list.items.includes(item))) found.push(list);
    }
    return found;
  }

  /** Forgets lists that no feedback and no repeat can mean any more, from time to time. */
  #forget(): void {
    const watermark = Math.min(...this.#lines.map((line) => (line.first === undefined ? line.read : line.judged)));
    if (watermark === Number.NEGATIVE_INFINITY || watermark < this.#sweptAt + this.#window / SWEEPS) return;
    this.#sweptAt = watermark;
    const until = watermark - this.#remembered;
    for (const [key, shown] of this.#shown) if (shown.forget(until)) this.#shown.delete(key);
    for (const [identity, times] of this.#identities) {
      const kept = times.filter((ts) => ts > until);
      if (kept.length === 0) this.#identities.delete(identity);
      else if (kept.length < times.length) this.#identities.set(identity, kept);
    }
  }
}

interface Held<One> {
  readonly record: One;
  /** The impressions must have passed this time first. -Infinity: it waits for nothing. */
  readonly waitsFor: EpochMs;
  /** The watermark of its topic is at least this behind it. */
  readonly passes: EpochMs;
}

/** The records of one topic that were read and not released. */
class Line<One extends HeldRecord> {
  /** Watermark of the topic behind what was read; Infinity: it has ended. */
  read: EpochMs = Number.NEGATIVE_INFINITY;
  /** The same behind what was released. */
  judged: EpochMs = Number.NEGATIVE_INFINITY;
  bytes = 0;
  #held: Held<One>[] = [];
  #taken = 0;

  get first(): Held<One> | undefined {
    return this.#held[this.#taken];
  }

  add(held: Held<One>): void {
    this.#held.push(held);
    this.bytes += held.record.value?.length ?? 0;
  }

  take(): void {
    this.bytes -= this.#held[this.#taken].record.value?.length ?? 0;
    this.#taken++;
    if (2 * this.#taken < this.#held.length) return;
    this.#held = this.#held.slice(this.#taken);
    this.#taken = 0;
  }
}

/** With more lists an index finds those that hold an item. */
const MOST_SEARCHED = 64;

/** The lists of one user or session, in the order of their times, then of the log. */
class ShownLists {
  #lists: ShownList[] = [];
  #byItem: Map<string, ShownList[]> | undefined;

  get lists(): readonly ShownList[] {
    return this.#lists;
  }

  add(list: ShownList): void {
    insert(this.#lists, list);
    if (this.#byItem !== undefined) this.#index(list);
    else if (this.#lists.length > MOST_SEARCHED) this.#indexAll();
  }

  /** Those that hold an item, if there is an index; else all. */
  mayHold(item: string): readonly ShownList[] {
    return this.#byItem === undefined ? this.#lists : (this.#byItem.get(item) ?? []);
  }

  /** Forgets lists up to a time. Returns whether none is left. */
  forget(until: EpochMs): boolean {
    const gone = countUpTo(this.#lists, until);
    if (gone > 0) {
      this.#lists = this.#lists.slice(gone);
      this.#byItem = undefined;
      if (this.#lists.length > MOST_SEARCHED) this.#indexAll();
    }
    return this.#lists.length === 0;
  }

  #indexAll(): void {
    this.#byItem = new Map();
    for (const list of this.#lists) this.#index(list);
  }

  #index(list: ShownList): void {
    for (const item of new Set(list.items)) {
      const lists = this.#byItem?.get(item);
      if (lists === undefined) this.#byItem?.set(item, [list]);
      else insert(lists, list);
    }
  }
}

function insert(lists: ShownList[], list: ShownList): void {
  const last = lists.at(-1);
  if (last === undefined || last.ts <= list.ts) lists.push(list);
  else lists.splice(countUpTo(lists, list.ts), 0, list);
}

/** How many lists, of some in the order of their times, were shown at or before a time. */
function countUpTo(lists: readonly ShownList[], ts: EpochMs): number {
  let [from, to] = [0, lists.length];
  while (from < to) {
    const middle = (from + to) >>> 1;
    if (lists[middle].ts <= ts) from = middle + 1;
    else to = middle;
  }
  return from;
}

const NOTHING: { readonly events: readonly Event[]; readonly excluded: readonly Event[] } = {
  events: [],
  excluded: [],
};

function eventsOf({ decoded }: HeldRecord): typeof NOTHING {
  if (decoded === undefined || !('events' in decoded)) return NOTHING;
  return { events: decoded.events, excluded: decoded.excluded ?? NOTHING.excluded };
}

/** -Infinity: there is no event. */
function newestOf(events: readonly Event[]): EpochMs {
  let newest = Number.NEGATIVE_INFINITY;
  for (const { ts } of events) if (ts > newest) newest = ts;
  return newest;
}
