import type { JoinCheckpoint, TopicCounts } from '../../checkpoint.ts';
import type { FeedbackDrop } from '../../drops.ts';
import type { DurationMs, EpochMs, Feedback, Impression, Offset, Side } from '../../events.ts';
import { type FeedbackTexts, PackedFeedback } from '../packed/feedback.ts';
import { PackedImpression } from '../packed/impression.ts';
import { hashText } from '../packed/text.ts';
import { Actions } from './actions.ts';
import type { Closing, JoinEngine, JoinEvent, JoinSink } from './api.ts';
import { Delays } from './delays.ts';
import { FeedbackRecords } from './feedback.ts';
import { ImpressionRecords } from './impressions.ts';
import { JoinedLists } from './lists.ts';
import { RequestTable } from './requests.ts';
import type { JoinSettings } from './settings.ts';
import { Timeline } from './timeline.ts';
import { copyCounts, noCounts, Topic } from './topic.ts';
import { WaitingFeedback } from './waiting.ts';

/** A new engine, or one that goes on from a checkpoint and is to be fed from its replay offsets. */
export function createJoin(settings: JoinSettings, sink: JoinSink, from?: JoinCheckpoint): JoinEngine {
  return new Join(settings, sink, from);
}

/**
 * The rules of semantics.md section 1, in their order. The whole file is about three moments: an impression comes, a
 * feedback comes, the combined watermark moves. Each judgement is also a question of silence: what was decided before the
 * checkpoint is decided again by the replay, but counted by nobody.
 *
 * Long because the rules stand in one place, in the order in which they are judged.
 *
 * Written for speed: everything that is open is packed (impressions.ts, feedback.ts, waiting.ts), so the garbage
 * collector sees none of it, and nothing is allocated for an event that meets its impression.
 */
class Join implements JoinEngine {
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
  readonly #impressions = new ImpressionRecords();
  readonly #requests = new RequestTable(this.#impressions.entries);
  readonly #timeline: Timeline;
  readonly #attributed = new FeedbackRecords();
  readonly #waiting: WaitingFeedback;

  readonly delays = new Delays();
  /** Combined watermark. */
  #watermark: EpochMs = Number.NEGATIVE_INFINITY;
  /** What closed, settled or was deleted at or below it is in the checkpoint already. */
  readonly #decidedUpTo: EpochMs;
  #open = 0;

  readonly #found: number[] = [];
  readonly #impression = new PackedImpression();
  readonly #feedback = new PackedFeedback();
  readonly #lists: JoinedLists;
  readonly #closing: Closing;
  readonly #visitClosing = (body: number, horizon: number, at: EpochMs, entry: number): void =>
    this.#close(body, horizon, at, entry);
  readonly #visitForgotten = (entry: number): void => this.#forget(entry);
  readonly #visitSettled = (topic: number, met: boolean, deadline: EpochMs): void => {
    if (deadline <= this.#decidedUpTo) return;
    this.#topics[topic].counts.feedback.drops[met ? 'not_in_list' : 'orphan']++;
  };

  constructor(settings: JoinSettings, sink: JoinSink, from: JoinCheckpoint | undefined) {
    const { horizons, topics } = settings;
    this.#horizons = horizons;
    this.#attribution = horizons[horizons.length - 1];
    this.#outOfOrderness = settings.outOfOrderness;
    this.#backward = settings.backward;
    this.#futureSkew = settings.futureSkew;
    this.#feedbackLimit = settings.feedbackPerImpression;
    this.#hashSeed = settings.hashSeed ?? 0;
    this.#actions = new Actions(settings.actions);
    this.#sink = sink;
    this.#topics = topics.map((_, index) => {
      const counts = from === undefined ? noCounts(horizons.length) : copyCounts(from.counts[index]);
      return new Topic(counts, this.#attribution, from?.topics[index]);
    });
    this.#timeline = new Timeline(horizons, (a, b) => this.#impressions.logOrder(a, b));
    const feedbackTopics = topics.flatMap((role, index) => (role.feedback ? [index] : []));
    this.#lists = new JoinedLists(this.#impressions, this.#attributed, feedbackTopics, settings.namesItems === true);
    this.#closing = { horizon: 0, at: 0, ts: 0, tag: 0, userless: false, bucket: 0, list: this.#lists.list };
    this.#waiting = new WaitingFeedback(Math.max(1, Math.floor(this.#attribution / 256)));
    this.#decidedUpTo = from?.watermark ?? Number.NEGATIVE_INFINITY;
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
      t.passed(offset + 1, Number.NEGATIVE_INFINITY);
      return;
    }
    const watermark = t.watermark;
    const silent = offset < t.committed;
    const ahead = t.isAheadOfClock(
      offset,
      timestamp ?? latestTime(events),
      now === undefined ? undefined : now + this.#futureSkew,
    );
    let raised = Number.NEGATIVE_INFINITY;
    for (const event of events) {
      const counts = event.kind === 'impression' ? t.counts.impressions : t.counts.feedback;
      if (!silent) counts.read++;
      if (ahead || (timestamp !== undefined && event.ts > timestamp + this.#futureSkew)) {
        if (!silent) counts.drops.future++;
        continue;
      }
      const time = timestamp === undefined ? event.ts : Math.min(event.ts, timestamp);
      if (time - this.#outOfOrderness > raised) raised = time - this.#outOfOrderness;
      if (event.kind === 'impression') this.#judgeImpression(t, event, offset, watermark, silent);
      else this.#judgeFeedback(topic, this.#packed(event), offset, watermark, silent);
    }
    t.passed(offset + 1, raised);
  }

  refused(topic: number, offset: Offset, side: Side, reason: 'tombstone' | 'invalid'): void {
    const t = this.#reach(topic, offset);
    if (offset >= t.committed) {
      t.counts[side].read++;
      t.counts[side].drops[reason]++;
    }
    t.passed(offset + 1, Number.NEGATIVE_INFINITY);
  }

  skipTo(topic: number, offset: Offset): void {
    this.#reach(topic, offset).passed(offset, Number.NEGATIVE_INFINITY);
  }

  idle(topic: number, watermark: EpochMs): boolean {
    return this.#topics[topic].idle(watermark);
  }

  /** The topic, as it stands before the record at `offset`. */
  #reach(topic: number, offset: Offset): Topic {
    const t = this.#topics[topic];
    if (offset < t.position)
      throw new RangeError(`offset ${offset} of topic ${topic} is below its position ${t.position}`);
    if (offset > t.position) t.passed(offset, Number.NEGATIVE_INFINITY);
    return t;
  }

  #judgeImpression(
    t: Topic,
    shown: Impression | PackedImpression,
    offset: Offset,
    watermark: EpochMs,
    silent: boolean,
  ): void {
    const { ts } = shown;
    const counts = t.counts.impressions;
    const attribution = this.#attribution;
    if (watermark >= ts + attribution) {
      if (!silent) counts.drops.late++;
      return;
    }
    const neededUntil = ts + 2 * attribution + this.#backward;
    t.notes.note(offset, watermark, neededUntil);
    const records = this.#impressions;
    const impression = shown instanceof PackedImpression ? shown : this.#impression.pack(shown);
    const hash = hashText(impression.u8, 0, this.#hashSeed);
    const witness = this.#witnessOf(impression, hash);
    if (witness !== 0) {
      if (!silent) counts.drops.duplicate++;
      t.notes.note(records.offset(witness), records.watermark(witness), neededUntil);
      this.#remember(ts, records.addEntry(impression, hash, offset, watermark, 0, silent), 0);
      return;
    }
    const missed = this.#missedBy(ts, watermark);
    if (!silent) {
      counts.accepted++;
      countLate(counts.late, missed);
    }
    const body = records.addBody(impression, this.#sink.accepted(shown), missed);
    const entry = records.addEntry(impression, hash, offset, watermark, body, silent);
    this.#remember(ts, entry, body);
    this.#open++;
    const waiting = this.#waiting.find(impression.u8, 0, hash, this.#found);
    for (let i = 0; i < waiting; i++) this.#meetWaiting(this.#found[i], entry, body, silent);
  }

  #packed(feedback: Feedback | PackedFeedback): PackedFeedback {
    return feedback instanceof PackedFeedback ? feedback : this.#feedback.pack(feedback);
  }

  /** The last earlier record that makes this one a duplicate; 0: none. */
  #witnessOf(impression: PackedImpression, hash: number): number {
    const records = this.#impressions;
    const requests = this.#requests;
    for (let at = requests.chain(hash); at !== 0; at = requests.next(at)) {
      if (requests.hash(at) !== hash || !records.isOf(at, impression.u8, 0)) continue;
      if (records.page(at) !== impression.offset) continue;
      if (Math.abs(impression.ts - records.ts(at)) < this.#attribution) return at;
    }
    return 0;
  }

  #remember(ts: EpochMs, entry: number, body: number): void {
    this.#requests.insert(entry);
    this.#timeline.add(ts, entry, body);
  }

  /** An impression came for which feedback may have waited. */
  #meetWaiting(handle: number, entry: number, body: number, silentImpression: boolean): void {
    const waiting = this.#waiting;
    const lag = waiting.ts(handle) - this.#impressions.ts(entry);
    if (lag < -this.#backward || lag >= this.#attribution) return;
    const topic = waiting.topic(handle);
    const watermark = waiting.watermark(handle);
    const silent = silentImpression && waiting.isBelow(handle);
    if (this.#isLateFor(entry, watermark)) {
      this.#dropFeedback(topic, 'late', silent);
      waiting.remove(handle);
      return;
    }
    const feedback = waiting.read(handle);
    const slot = this.#impressions.slotOf(body, feedback.u8, feedback.item);
    if (slot < 0) {
      waiting.setMet(handle);
      return;
    }
    this.#attribute(topic, feedback, watermark, entry, body, slot, silent);
    waiting.remove(handle);
  }

  #judgeFeedback(topic: number, feedback: PackedFeedback, offset: Offset, watermark: EpochMs, silent: boolean): void {
    const { ts } = feedback;
    const deadline = ts + this.#backward + this.#attribution;
    if (watermark >= deadline) {
      this.#dropFeedback(topic, 'late', silent);
      return;
    }
    this.#topics[topic].notes.note(offset, watermark, deadline);
    const hash = hashText(feedback.u8, feedback.request, this.#hashSeed);
    const fits = this.#fitting(feedback, hash, ts);
    // Newest first in `found`; the log's first comes last.
    for (let i = fits - 1; i >= 0; i--) {
      const entry = this.#found[i];
      const silentMeeting = silent && this.#impressions.isBelow(entry);
      if (this.#isLateFor(entry, watermark)) {
        this.#dropFeedback(topic, 'late', silentMeeting);
        return;
      }
      const body = this.#impressions.body(entry);
      const slot = this.#impressions.slotOf(body, feedback.u8, feedback.item);
      if (slot >= 0) {
        this.#attribute(topic, feedback, watermark, entry, body, slot, silentMeeting);
        return;
      }
    }
    this.#waiting.add(feedback, hash, topic, watermark, deadline, silent, fits > 0);
  }

  /** Puts the accepted impressions of the request that feedback of this time fits into `found`, newest first. */
  #fitting({ u8, request }: PackedFeedback, hash: number, ts: EpochMs): number {
    const records = this.#impressions;
    const requests = this.#requests;
    let n = 0;
    for (let at = requests.chain(hash); at !== 0; at = requests.next(at)) {
      if (requests.hash(at) !== hash || !records.isAccepted(at) || !records.isOf(at, u8, request)) continue;
      const lag = ts - records.ts(at);
      if (lag >= -this.#backward && lag < this.#attribution) this.#found[n++] = at;
    }
    return n;
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
    silent: boolean,
  ): void {
    const action = this.#actions.indexOf(feedback.u8, feedback.action);
    const attributed = this.#attributed;
    let ofTopic = 0;
    for (let at = this.#impressions.firstFeedback(body); at !== 0; at = attributed.next(at)) {
      if (attributed.topic(at) !== topic) continue;
      if (attributed.isSame(at, feedback, action, slot)) {
        this.#dropFeedback(topic, 'duplicate', silent);
        return;
      }
      ofTopic++;
    }
    if (ofTopic >= this.#feedbackLimit) {
      this.#dropFeedback(topic, 'capped', silent);
      return;
    }
    const shown = this.#impressions.ts(entry);
    const late = this.#missedBy(shown, watermark);
    const out = this.#beyond(feedback.ts - shown);
    if (!silent) {
      const counts = this.#topics[topic].counts.feedback;
      counts.attributed++;
      this.delays.add(feedback.ts - shown);
      countLate(counts.late, late & ~out);
    }
    const record = attributed.add(feedback, topic, action, slot, late | out);
    const last = this.#impressions.appendFeedback(body, record);
    if (last !== 0) attributed.link(last, record);
  }

  #dropFeedback(topic: number, reason: FeedbackDrop, silent: boolean): void {
    if (!silent) this.#topics[topic].counts.feedback.drops[reason]++;
  }

  /** Bits of the horizons of an impression at `ts` that this watermark has passed. */
  #missedBy(ts: EpochMs, watermark: EpochMs): number {
    let bits = 0;
    for (let h = 0; h < this.#horizons.length && watermark >= ts + this.#horizons[h]; h++) bits |= 1 << h;
    return bits;
  }

  /** Bits of the horizons that end at or before this lag. */
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
      this.#sink.closed(closing);
    }
    if (horizon < this.#horizons.length - 1) return;
    this.#attributed.freeChain(records.firstFeedback(body));
    records.freeBody(entry);
    this.#open--;
    this.#sink.released(tag);
  }

  #forget(entry: number): void {
    this.#requests.remove(entry);
    this.#impressions.entries.free(entry);
  }

  checkpoint(): JoinCheckpoint {
    this.advance();
    return {
      topics: this.#topics.map((topic) => topic.checkpoint()),
      counts: this.#topics.map((topic) => copyCounts(topic.counts)),
      watermark: this.#watermark,
    };
  }

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

  position(topic: number): Offset {
    return this.#topics[topic].position;
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

  get oldest(): EpochMs | undefined {
    return this.#timeline.oldest;
  }

  get stateBytes(): number {
    let bytes =
      this.#impressions.bytes +
      this.#requests.bytes +
      this.#timeline.bytes +
      this.#attributed.bytes +
      this.#waiting.bytes;
    for (const topic of this.#topics) bytes += topic.bytes;
    return bytes;
  }
}

function latestTime(events: readonly JoinEvent[]): EpochMs {
  let latest = Number.NEGATIVE_INFINITY;
  for (const event of events) if (event.ts > latest) latest = event.ts;
  return latest;
}

function countLate(late: number[], missed: number): void {
  for (let h = 0, bits = missed; bits !== 0; h++, bits >>>= 1) if ((bits & 1) !== 0) late[h]++;
}
