// Long because all rules are in one place, in the order in which they are applied.
import { Buffer } from 'node:buffer';
import {
  type ClosingNames,
  Delays,
  type GivenImpression,
  type JoinEvent,
  type JoinSettings,
  type JoinSink,
  type RecordPlace,
  type UndecodableRange,
  type UnitJoin,
} from '../../../src/consumers/join/api.ts';
import { copyCounts, noCounts } from '../../../src/consumers/join/counts.ts';
import { reachOf } from '../../../src/consumers/join/leaps.ts';
import { STATE_SIZE, Topic } from '../../../src/consumers/join/topic.ts';
import { type FeedbackTexts, PackedFeedback } from '../../../src/consumers/packed/packed-feedback.ts';
import { PackedImpression } from '../../../src/consumers/packed/packed-impression.ts';
import { hashText, textBound, writeText } from '../../../src/consumers/packed/text.ts';
import type { JoinCheckpoint, TopicCounts } from '../../../src/vocabulary/checkpoint.ts';
import type { FeedbackDrop } from '../../../src/vocabulary/drops.ts';
import type { Closing, DurationMs, EpochMs, Feedback, Offset, Side } from '../../../src/vocabulary/events.ts';
import { countUnmapped, type UnmetCondition } from '../../../src/vocabulary/unmapped.ts';
import { fmix32 } from '../../../src/vocabulary/user-words.ts';
import { AcceptedImpressions } from './accepted-impressions.ts';
import { ItemHash } from './byte-table.ts';
import { FeedbackRecords } from './feedback.ts';
import { ENTRY_BEFORE_WORD, ImpressionRecords } from './impressions.ts';
import { JoinedLists } from './joined-lists.ts';
import { RequestTable } from './requests.ts';
import { sameText } from './text-copies.ts';
import { Timeline } from './timeline.ts';
import { WaitingFeedback } from './waiting.ts';

/** Up to this many records are searched one by one; for more an index is built. */
const SEARCH_UP_TO = 64;
/** The same for the items of a list, in bytes per record. */
const LONG_LIST_BYTES = 16;
/** Instead of an entry: there is none. */
const NO_LIST = 0;

/** It is given events one by one. */
export type PlainJoin = Omit<UnitJoin, 'feed' | 'skipsInReplay'>;

/** A new engine, or one that resumes from a checkpoint and must be fed from its replay offsets. */
export function createJoin(settings: JoinSettings, sink: JoinSink, from?: JoinCheckpoint): PlainJoin {
  return new Join(settings, sink, from);
}

/**
 * The rules of the join (specification: join 3), in their order. They apply at three moments: an impression comes, feedback
 * comes, the combined watermark moves. What was judged before the checkpoint is judged again by a replay, but not counted again:
 * `isReplayed`. Where feedback meets an impression, both must have been.
 *
 * Written for speed: everything that is open is packed (impressions.ts, feedback.ts, waiting.ts), so the garbage
 * collector sees none of it, and nothing is allocated for an event that meets its impression.
 */
class Join implements PlainJoin {
  readonly #horizons: readonly DurationMs[];
  readonly #attribution: DurationMs;
  readonly #outOfOrderness: DurationMs;
  readonly #backward: DurationMs;
  readonly #futureSkew: DurationMs;
  readonly #feedbackLimit: number;
  readonly #actions: Actions;
  readonly #hashSeed: number;
  readonly #sink: JoinSink;

  readonly #topics: readonly Topic[];
  readonly #impressions: ImpressionRecords;
  readonly #accepted: AcceptedImpressions;
  /**
   * Duplicates by request, page and slice of H of their time: they can make further records duplicates, but no feedback is
   * attributed to them.
   */
  readonly #duplicates: RequestTable;
  readonly #timeline: Timeline;
  readonly #attributed: FeedbackRecords;
  readonly #waiting: WaitingFeedback;

  readonly #delays = new Float64Array(Delays.bounds.length + 2);
  readonly delays = new Delays(this.#delays);
  /** Combined watermark. */
  #watermark: EpochMs = Number.NEGATIVE_INFINITY;
  /** What closed, settled or was deleted at or below this watermark is in the checkpoint already. */
  readonly #decidedUpTo: EpochMs;
  #open = 0;
  #steps = 0;

  readonly #found: number[] = [];
  /** Place of the record that is being judged. */
  readonly #place = { topic: 0, offset: 0, isReplayed: false };
  readonly #impression = new PackedImpression();
  readonly #feedback = new PackedFeedback();
  readonly #lists: JoinedLists;
  readonly #closing: Closing;
  /** The list that closes. */
  readonly #closes = { entry: 0, body: 0 };
  readonly #names: ClosingNames;
  readonly #visitClosing = (body: number, horizon: number, at: EpochMs, entry: number): void =>
    this.#close(body, horizon, at, entry);
  readonly #visitForgotten = (entry: number): void => this.#forget(entry);
  readonly #visitSettled = (handle: number, deadline: EpochMs): void => {
    if (deadline <= this.#decidedUpTo) return;
    const waiting = this.#waiting;
    const texts = waiting.texts(handle);
    const met = this.#accepted.anyFits(texts, waiting.requestOf(handle), waiting.hash(handle), waiting.ts(handle));
    const reason = met ? 'not_in_list' : 'orphan';
    this.#topics[waiting.topic(handle)].counts.feedback.drops[reason]++;
    this.#sink.observer?.dropped(reason, 0, waiting.read(handle));
  };

  constructor(settings: JoinSettings, sink: JoinSink, from: JoinCheckpoint | undefined) {
    const { horizons, topics } = settings;
    this.#horizons = horizons;
    this.#attribution = horizons[horizons.length - 1];
    this.#outOfOrderness = settings.outOfOrderness;
    this.#backward = settings.backward;
    this.#futureSkew = settings.futureSkew;
    this.#feedbackLimit = settings.feedbackPerImpression;
    const { hashSeed = 0, searchUpTo = SEARCH_UP_TO } = settings;
    this.#hashSeed = hashSeed;
    const itemHash = new ItemHash(hashSeed);
    this.#waiting = new WaitingFeedback(itemHash, searchUpTo, 4 * this.#attribution + 2 * settings.backward);
    this.#impressions = new ImpressionRecords(hashSeed, LONG_LIST_BYTES * searchUpTo);
    this.#accepted = new AcceptedImpressions(this.#impressions, itemHash, {
      attribution: this.#attribution,
      backward: settings.backward,
      searchUpTo,
    });
    this.#duplicates = new RequestTable(this.#impressions.entries, ENTRY_BEFORE_WORD);
    this.#attributed = new FeedbackRecords(hashSeed, Math.floor(searchUpTo / 2));
    this.#actions = new Actions(settings.actions);
    this.#sink = sink;
    this.#topics = topics.map((_, index) => {
      const counts = from === undefined ? noCounts(horizons.length) : copyCounts(from.counts[index]);
      return new Topic(
        new Float64Array(STATE_SIZE),
        counts,
        { attribution: this.#attribution, reach: reachOf(settings) },
        from?.topics[index],
        from?.clockBlocks?.[index],
      );
    });
    this.#timeline = new Timeline(horizons, (a, b) => this.#impressions.logOrder(a, b));
    const feedbackTopics = topics.flatMap((role, index) => (role.feedback ? [index] : []));
    this.#lists = new JoinedLists(this.#impressions, this.#attributed, feedbackTopics, settings.namesItems === true);
    this.#closing = { horizon: 0, at: 0, ts: 0, tag: 0, userless: false, bucket: 0, list: this.#lists.list };
    this.#decidedUpTo = from?.watermark ?? Number.NEGATIVE_INFINITY;
    const [records, closes] = [this.#impressions, this.#closes];
    this.#names = {
      get handle() {
        return closes.entry;
      },
      requestId: () => records.requestId(closes.entry),
      items: (most) => records.firstItems(closes.body, most),
    };
  }

  record(
    topic: number,
    offset: Offset,
    timestamp: EpochMs | undefined,
    events: readonly JoinEvent[],
    now: EpochMs | undefined,
  ): void {
    const t = this.#reach(topic, offset);
    if (events.length === 0) {
      t.moveTo(offset + 1);
      return;
    }
    const watermark = t.watermark;
    const isReplayed = offset < t.committed;
    const from = this.#place;
    from.topic = topic;
    from.offset = offset;
    from.isReplayed = isReplayed;
    const ahead = t.isAheadOfClock(
      offset,
      timestamp ?? latestTime(events),
      now === undefined ? undefined : now + this.#futureSkew,
    );
    let raised = Number.NEGATIVE_INFINITY;
    for (const event of events) {
      const counts = event.kind === 'impression' ? t.counts.impressions : t.counts.feedback;
      if (!isReplayed) counts.read++;
      if (ahead || (timestamp !== undefined && event.ts > timestamp + this.#futureSkew)) {
        if (!isReplayed) counts.drops.future++;
        continue;
      }
      const time = timestamp === undefined ? event.ts : Math.min(event.ts, timestamp);
      if (time - this.#outOfOrderness > raised) raised = time - this.#outOfOrderness;
      if (event.kind === 'impression') this.#judgeImpression(event, from, watermark);
      else this.#judgeFeedback(topic, this.#packed(event), offset, watermark, isReplayed);
    }
    t.moveTo(offset + 1, raised, timestamp !== undefined);
  }

  refused(topic: number, offset: Offset, side: Side, reason: 'tombstone' | 'invalid'): void {
    const t = this.#reach(topic, offset);
    if (offset >= t.committed) {
      t.counts[side].read++;
      t.counts[side].drops[reason]++;
    }
    t.moveTo(offset + 1);
  }

  passedOver(topic: number, offset: Offset, condition: UnmetCondition): void {
    const t = this.#reach(topic, offset);
    if (offset >= t.committed) {
      t.counts.unmapped ??= [];
      countUnmapped(t.counts.unmapped, condition);
    }
    t.moveTo(offset + 1);
  }

  undecodable(topic: number, { from, to, records }: UndecodableRange, side: Side): number {
    const t = this.#reach(topic, from);
    const counted = Math.max(0, Math.min(records, to - t.skip(from, to)));
    t.counts[side].read += counted;
    t.counts[side].drops.undecodable += counted;
    t.moveTo(to);
    return counted;
  }

  wasSkipped(topic: number, from: Offset, to: Offset): boolean {
    return this.#topics[topic].wasSkipped(from, to);
  }

  seek(topic: number, offset: Offset): void {
    this.#reach(topic, offset).moveTo(offset);
  }

  idle(topic: number, watermark: EpochMs): boolean {
    return this.#topics[topic].idle(watermark);
  }

  /** The topic, in its state before the record at `offset`. */
  #reach(topic: number, offset: Offset): Topic {
    const t = this.#topics[topic];
    if (offset < t.position)
      throw new RangeError(`offset ${offset} of topic ${topic} is below its position ${t.position}`);
    if (offset > t.position) t.moveTo(offset);
    return t;
  }

  #judgeImpression(shown: GivenImpression, from: RecordPlace, watermark: EpochMs): void {
    const { ts } = shown;
    const { offset, isReplayed } = from;
    const {
      counts: { impressions: counts },
      notes,
    } = this.#topics[from.topic];
    const attribution = this.#attribution;
    if (watermark >= ts + attribution) {
      if (!isReplayed) counts.drops.late++;
      return;
    }
    const neededUntil = ts + 2 * attribution + this.#backward;
    notes.note(offset, watermark, neededUntil);
    const records = this.#impressions;
    const impression = shown instanceof PackedImpression ? shown : this.#impression.pack(shown);
    const hash = hashText(impression.u8, 0, this.#hashSeed);
    const predecessor = this.#predecessorOf(impression, hash);
    if (predecessor !== 0) {
      if (!isReplayed) counts.drops.duplicate++;
      notes.note(records.offset(predecessor), records.watermark(predecessor), neededUntil);
      const duplicate = records.addEntry(
        impression,
        pageHash(hash, impression.pageOffset, this.#sliceOf(ts)),
        offset,
        watermark,
        0,
        isReplayed,
      );
      this.#duplicates.insert(duplicate);
      this.#timeline.add(ts, duplicate, 0);
      return;
    }
    const missed = this.#missedBy(ts, watermark);
    if (!isReplayed) {
      counts.accepted++;
      countLate(counts.late, missed);
    }
    const body = records.addBody(impression, this.#sink.accepted(shown, from), missed);
    const entry = records.addEntry(impression, hash, offset, watermark, body, isReplayed);
    this.#accepted.add(entry, impression);
    this.#timeline.add(ts, entry, body);
    this.#open++;
    const closed = ts + attribution;
    const waiting = this.#waiting.find(impression, hash, ts - this.#backward, closed, closed, this.#found);
    for (let i = 0; i < waiting; i++) this.#meetWaiting(this.#found[i], entry, body, isReplayed);
  }

  #packed(feedback: Feedback | PackedFeedback): PackedFeedback {
    return feedback instanceof PackedFeedback ? feedback : this.#feedback.pack(feedback);
  }

  /** The last earlier record that makes this one a duplicate; 0: none. */
  #predecessorOf(impression: PackedImpression, hash: number): number {
    const accepted = this.#accepted.predecessorOf(impression, hash);
    if (this.#duplicates.size === 0) return accepted;
    // A record less than H away is in the same slice of time, or in one next to it.
    const slice = this.#sliceOf(impression.ts);
    let last = this.#laterAgain(impression, hash, slice, accepted);
    last = this.#laterAgain(impression, hash, slice - 1, last);
    return this.#laterAgain(impression, hash, slice + 1, last);
  }

  #sliceOf(ts: EpochMs): number {
    return Math.floor(ts / this.#attribution);
  }

  /**
   * The last duplicate in the slice that makes this record a duplicate, if it is later than `last`; else `last`. Examines only
   * those later than `last`: each is examined at most once from either neighbouring slice, since this record then becomes a
   * later one of its own slice.
   */
  #laterAgain(impression: PackedImpression, hash: number, slice: number, last: number): number {
    const records = this.#impressions;
    const duplicates = this.#duplicates;
    const own = pageHash(hash, impression.pageOffset, slice);
    let steps = 0;
    let found = last;
    for (let at = duplicates.chain(own); at !== 0; at = duplicates.next(at)) {
      steps++;
      if (duplicates.hash(at) !== own || !records.isOf(at, impression.u8, 0)) continue;
      if (last !== 0 && records.logOrder(at, last) < 0) break;
      const apart = Math.abs(impression.ts - records.ts(at));
      if (records.page(at) !== impression.pageOffset || apart >= this.#attribution) continue;
      found = at;
      break;
    }
    this.#steps += steps;
    return found;
  }

  /** An impression came for which feedback may be waiting. */
  #meetWaiting(handle: number, entry: number, body: number, isImpressionReplayed: boolean): void {
    const waiting = this.#waiting;
    const lag = waiting.ts(handle) - this.#impressions.ts(entry);
    if (lag < -this.#backward || lag >= this.#attribution) return;
    const topic = waiting.topic(handle);
    const watermark = waiting.watermark(handle);
    const isReplayed = isImpressionReplayed && waiting.isReplayed(handle);
    const feedback = waiting.read(handle);
    if (this.#isLateFor(entry, watermark)) {
      this.#dropFeedback(topic, 'late', isReplayed, entry, feedback);
      waiting.remove(handle);
      return;
    }
    const slot = this.#impressions.slotOf(body, feedback.u8, feedback.item);
    if (slot < 0) {
      this.#stray(entry, feedback);
      return;
    }
    this.#sink.observer?.found(feedback);
    this.#attribute(topic, feedback, watermark, entry, body, slot, isReplayed);
    waiting.remove(handle);
  }

  #judgeFeedback(
    topic: number,
    feedback: PackedFeedback,
    offset: Offset,
    watermark: EpochMs,
    isReplayed: boolean,
  ): void {
    const { ts } = feedback;
    const deadline = ts + this.#backward + this.#attribution;
    if (watermark >= deadline) {
      this.#dropFeedback(topic, 'late', isReplayed, NO_LIST, feedback);
      return;
    }
    this.#topics[topic].notes.note(offset, watermark, deadline);
    const hash = hashText(feedback.u8, feedback.request, this.#hashSeed);
    const fits = this.#accepted.fitting(feedback, hash, ts, watermark, this.#found);
    // Newest first in `found`; the log's first comes last.
    for (let i = fits - 1; i >= 0; i--) {
      const entry = this.#found[i];
      const areBothReplayed = isReplayed && this.#impressions.isReplayed(entry);
      if (this.#isLateFor(entry, watermark)) {
        this.#dropFeedback(topic, 'late', areBothReplayed, entry, feedback);
        return;
      }
      const body = this.#impressions.body(entry);
      const slot = this.#impressions.slotOf(body, feedback.u8, feedback.item);
      if (slot >= 0) {
        this.#attribute(topic, feedback, watermark, entry, body, slot, areBothReplayed);
        return;
      }
    }
    if (fits > 0) this.#stray(this.#found[fits - 1], feedback);
    this.#waiting.add(feedback, hash, topic, watermark, deadline, isReplayed);
  }

  #stray(entry: number, feedback: FeedbackTexts): void {
    if (this.#impressions.ts(entry) + this.#attribution > this.#decidedUpTo) {
      this.#sink.observer?.strayed(entry, feedback);
    }
  }

  #isLateFor(entry: number, watermark: EpochMs): boolean {
    return watermark >= this.#impressions.ts(entry) + this.#attribution;
  }

  #attribute(
    topic: number,
    feedback: FeedbackTexts,
    watermark: EpochMs,
    entry: number,
    body: number,
    slot: number,
    isReplayed: boolean,
  ): void {
    const action = this.#actions.indexOf(feedback.u8, feedback.action);
    const attributed = this.#attributed;
    const first = this.#impressions.firstFeedback(body);
    const ofTopic = attributed.countOf(topic, body, first, feedback, action, slot);
    if (ofTopic < 0) {
      this.#dropFeedback(topic, 'duplicate', isReplayed, entry, feedback);
      return;
    }
    if (ofTopic >= this.#feedbackLimit) {
      this.#dropFeedback(topic, 'capped', isReplayed, entry, feedback);
      return;
    }
    const shown = this.#impressions.ts(entry);
    const late = this.#missedBy(shown, watermark);
    const out = this.#beyond(feedback.ts - shown);
    if (!isReplayed) {
      const counts = this.#topics[topic].counts.feedback;
      counts.attributed++;
      addDelay(this.#delays, feedback.ts - shown);
      countLate(counts.late, late & ~out);
    }
    const record = attributed.add(feedback, topic, action, slot, late | out);
    const last = this.#impressions.appendFeedback(body, record);
    if (last !== 0) attributed.link(last, record);
    attributed.appended(body, record);
  }

  #dropFeedback(
    topic: number,
    reason: FeedbackDrop,
    isReplayed: boolean,
    entry: number,
    feedback: FeedbackTexts,
  ): void {
    if (isReplayed) return;
    this.#topics[topic].counts.feedback.drops[reason]++;
    const { observer } = this.#sink;
    if (observer === undefined) return;
    const isOpen = entry !== NO_LIST && this.#impressions.body(entry) !== 0;
    observer.dropped(reason, isOpen ? entry : NO_LIST, feedback);
  }

  /** One bit for each horizon of an impression at `ts` that this watermark has passed. */
  #missedBy(ts: EpochMs, watermark: EpochMs): number {
    let bits = 0;
    for (let h = 0; h < this.#horizons.length && watermark >= ts + this.#horizons[h]; h++) bits |= 1 << h;
    return bits;
  }

  /** One bit for each horizon that ends at or before this lag. */
  #beyond(lag: DurationMs): number {
    let bits = 0;
    for (let h = 0; h < this.#horizons.length && lag >= this.#horizons[h]; h++) bits |= 1 << h;
    return bits;
  }

  advance(): void {
    const to = this.watermark;
    const from = this.#watermark;
    if (to <= from) return;
    this.#watermark = to;
    this.#timeline.close(from, to, this.#visitClosing);
    this.#waiting.settle(to, this.#visitSettled);
    this.#timeline.forget(to - 2 * this.#attribution - this.#backward, this.#visitForgotten);
    for (const topic of this.#topics) topic.forget(to);
  }

  #close(body: number, horizon: number, at: EpochMs, entry: number): void {
    if (body === 0) return; // a duplicate
    const records = this.#impressions;
    const tag = records.tag(body);
    if (at > this.#decidedUpTo && (records.missed(body) & (1 << horizon)) === 0) {
      const closing = this.#closing;
      closing.horizon = horizon;
      closing.at = at;
      closing.ts = at - this.#horizons[horizon];
      closing.tag = tag;
      closing.userless = records.userless(body);
      closing.bucket = records.bucket(body);
      this.#lists.fill(body, horizon);
      this.#closes.entry = entry;
      this.#closes.body = body;
      this.#sink.closed(closing, this.#names);
    }
    if (horizon < this.#horizons.length - 1) return;
    this.#attributed.freeChain(body, records.firstFeedback(body));
    records.freeBody(entry);
    this.#open--;
    this.#sink.unref(tag);
  }

  #forget(entry: number): void {
    const records = this.#impressions;
    if (records.isAccepted(entry)) this.#accepted.remove(entry);
    else this.#duplicates.remove(entry);
    records.entries.free(entry);
  }

  checkpoint(): JoinCheckpoint {
    this.advance();
    return {
      topics: this.#topics.map((topic) => topic.checkpoint()),
      counts: this.#topics.map((topic) => copyCounts(topic.counts)),
      watermark: this.#watermark,
      clockBlocks: this.#topics.map((topic) => topic.clockBlocks()),
    };
  }

  close(): void {}

  get replaying(): boolean {
    return this.#topics.some((topic) => topic.position < topic.committed);
  }

  get watermark(): EpochMs {
    let least = Number.POSITIVE_INFINITY;
    for (const topic of this.#topics) if (topic.watermark < least) least = topic.watermark;
    return least;
  }

  topicWatermark(topic: number): EpochMs {
    return this.#topics[topic].watermark;
  }

  topicNewest(topic: number): EpochMs {
    return this.#topics[topic].newest;
  }

  position(topic: number): Offset {
    return this.#topics[topic].position;
  }

  judgedBelow(topic: number): Offset {
    return this.#topics[topic].committed;
  }

  get counts(): readonly TopicCounts[] {
    return this.#topics.map((topic) => topic.counts);
  }

  get openImpressions(): number {
    return this.#open;
  }

  get waitingFeedback(): number {
    return this.#waiting.count;
  }

  get steps(): number {
    return this.#steps + this.#accepted.steps + this.#impressions.steps + this.#attributed.steps + this.#waiting.steps;
  }

  get oldestRemembered(): EpochMs | undefined {
    return this.#timeline.oldest;
  }

  get stateBytes(): number {
    let bytes =
      this.#impressions.bytes +
      this.#accepted.bytes +
      this.#duplicates.bytes +
      this.#timeline.bytes +
      this.#attributed.bytes +
      this.#waiting.bytes;
    for (const topic of this.#topics) bytes += topic.bytes;
    return bytes;
  }
}

/** @param figures as of `Delays` */
function addDelay(figures: Float64Array, delay: DurationMs): void {
  const seconds = delay > 0 ? delay / 1000 : 0;
  let i = 0;
  while (i < Delays.bounds.length && seconds > Delays.bounds[i]) i++;
  figures[1 + i]++;
  figures[0] += seconds;
}

/** Hash of a page of a request in a slice of time. */
function pageHash(hash: number, page: number, slice: number): number {
  return fmix32(fmix32(hash ^ Math.imul(page, 0x9e3779b1)) ^ Math.imul(slice, 0x85ebca6b));
}

function latestTime(events: readonly JoinEvent[]): EpochMs {
  let latest = Number.NEGATIVE_INFINITY;
  for (const event of events) if (event.ts > latest) latest = event.ts;
  return latest;
}

function countLate(late: number[], missed: number): void {
  for (let h = 0, bits = missed; bits !== 0; h++, bits >>>= 1) if ((bits & 1) !== 0) late[h]++;
}

/** The configured actions by packed name. They are few, so a linear search is faster than a table. */
class Actions {
  readonly #names: readonly Uint8Array[];

  constructor(names: readonly string[]) {
    this.#names = names.map((name) => {
      const u8 = Buffer.alloc(textBound(name.length));
      writeText(u8, 0, name);
      return u8;
    });
  }

  /** Index of the action whose name is at `at`; -1: it is not configured. */
  indexOf(u8: Uint8Array, at: number): number {
    const names = this.#names;
    for (let i = 0; i < names.length; i++) if (sameText(names[i], 0, u8, at)) return i;
    return -1;
  }
}
