import type { JoinCheckpoint, TopicCounts } from '../../vocabulary/checkpoint.ts';
import type { EpochMs, Event, Feedback, Offset, Side } from '../../vocabulary/events.ts';
import { countUnmapped, type UnmetCondition } from '../../vocabulary/unmapped.ts';
import { type Engine, type EngineCalls, engine } from '../engine/engine.ts';
import { CLOSES_LIST, IS_DUPLICATE, IS_LATE, UNIT_FIGURES, UNREFS_TAG } from '../engine/engine-layout.ts';
import type { RecordRows } from '../engine/record-rows.ts';
import { PackedFeedback, PackedImpression } from '../packed/packed-events.ts';
import {
  Delays,
  type GivenImpression,
  type JoinEvent,
  type JoinObserver,
  type JoinSettings,
  type JoinSink,
  type RecordReader,
  type UndecodableRange,
  type UnitJoin,
  windowOf,
} from './api.ts';
import { Closings, QUEUED_BYTES } from './closings.ts';
import { copyCounts, countsOfTopic, engineDrop, noCounts, putCounts, readCounts } from './counts.ts';
import { EventBlocks } from './event-blocks.ts';
import { FedEvent, FeedBlock, type FeedSettings } from './feed-block.ts';
import { reachOf } from './leaps.ts';
import { openUnit } from './open-unit.ts';
import { STATE_SIZE, Topic } from './topic.ts';

/** Number of doubles of a unit's figures. */
const FIGURES = UNIT_FIGURES.predecessorWatermark + 1;

/** A new join, or one that resumes from a checkpoint and must be fed from its replay offsets. */
export function createJoin(settings: JoinSettings, sink: JoinSink, from?: JoinCheckpoint): UnitJoin {
  return new Join(settings, sink, from);
}

/** What all joins of a process share. */
interface Shared {
  readonly engine: Engine;
  readonly events: EventBlocks;
  readonly closings: Closings;
  readonly block: FeedBlock;
  readonly fed: FedEvent;
  readonly impression: PackedImpression;
  readonly feedback: PackedFeedback;
}
let shared: Shared | undefined;

function share(): Shared {
  if (shared === undefined) {
    const own = engine();
    shared = {
      engine: own,
      events: new EventBlocks(own),
      closings: new Closings(own),
      block: new FeedBlock(own),
      fed: new FedEvent(own),
      impression: new PackedImpression(),
      feedback: new PackedFeedback(),
    };
  }
  return shared;
}

/** Ends units whose join was collected without being closed. */
const abandoned = new FinalizationRegistry<number>((unit) => engine().end(unit));

/**
 * The topics of one unit: positions, watermarks and recorded inputs. What is open, and the rules that apply to it, are in
 * WebAssembly (wasm/engine/rules.ts), where the garbage collector sees none of it.
 */
class Join implements UnitJoin {
  readonly #shared: Shared;
  readonly #unit: number;
  readonly #calls: EngineCalls;
  readonly #fedWith: Omit<FeedSettings, 'topic' | 'latest'>;
  /** For how long after its time an impression, or feedback, is needed, in ms. */
  readonly #impressionNeeded: number;
  readonly #feedbackNeeded: number;
  readonly #topics: readonly Topic[];
  #delays: Float64Array;
  #figures: Float64Array;
  /** Counts by topic. */
  #counted: readonly Float64Array[];
  #isClosed = false;
  /** Combined watermark up to which everything is decided. */
  #watermark: EpochMs = Number.NEGATIVE_INFINITY;
  /** The record being judged. */
  readonly #place = { topic: 0, offset: 0, isReplayed: false };
  readonly #observer: JoinObserver | undefined;
  /** True while feedback that was passed to `record` is being judged. */
  #judgesFeedback = false;
  /** The impression being judged, as the caller passed it. */
  #given: GivenImpression | undefined;

  constructor(settings: JoinSettings, sink: JoinSink, from: JoinCheckpoint | undefined) {
    const { horizons, topics } = settings;
    const window = windowOf(settings);
    this.#shared = share();
    const { engine: own, events, closings } = this.#shared;
    const { futureSkew, outOfOrderness } = settings;
    this.#impressionNeeded = 2 * window + settings.backward;
    this.#feedbackNeeded = settings.backward + window;
    const unit = openUnit(own, settings, sink, from?.watermark ?? Number.NEGATIVE_INFINITY);
    this.#unit = unit;
    this.#fedWith = { unit, futureSkew, outOfOrderness, reach: reachOf(settings) };
    abandoned.register(this, unit, this);
    const states = own.words[(unit >>> 2) + UNIT_FIGURES.states];
    this.#topics = topics.map((_, index) => {
      const state = new Float64Array(own.buffer, states + 8 * STATE_SIZE * index, STATE_SIZE);
      const counts = from === undefined ? noCounts(horizons.length) : copyCounts(from.counts[index]);
      const times = { attribution: window, ...this.#fedWith };
      return new Topic(state, counts, times, from?.topics[index], from?.clockBlocks?.[index]);
    });
    this.#figures = new Float64Array(own.buffer, unit, FIGURES);
    const counts = own.words[(unit >>> 2) + UNIT_FIGURES.counts];
    const each = countsOfTopic(horizons.length);
    this.#counted = topics.map((_, t) => new Float64Array(own.buffer, counts + 8 * each * t, each));
    for (const [t, counted] of this.#counted.entries()) putCounts(counted, this.#topics[t].counts);
    const delays = own.words[(unit >>> 2) + UNIT_FIGURES.delays];
    this.#delays = new Float64Array(own.buffer, delays, Delays.bounds.length + 2);
    const namesItems = settings.namesItems === true;
    const place = this.#place;
    const { observer } = sink;
    this.#observer = observer;
    const { fed, block } = this.#shared;
    this.#calls = {
      accepted: (impression) => {
        if (this.#given !== undefined) return sink.accepted(this.#given, place);
        place.offset = block.offset;
        place.isReplayed = place.offset < this.#topics[place.topic].committed;
        return sink.accepted(fed.at(impression), place);
      },
      unref: (tag) => sink.unref(tag),
      closed: () => sink.closed(closings.read(namesItems), closings.names),
      closings: (queue, count) => {
        for (let at = queue, end = queue + QUEUED_BYTES * count; at < end; at += QUEUED_BYTES) {
          const kind = closings.kindOf(at);
          if ((kind & CLOSES_LIST) !== 0) sink.closed(closings.queued(at), closings.names);
          if ((kind & UNREFS_TAG) !== 0) sink.unref(closings.tagOf(at));
        }
      },
      dropped: (reason, list, feedback) => {
        const name = engineDrop(reason);
        const from = this.#judgesFeedback ? place : undefined;
        if (name !== undefined) observer?.dropped(name, list, events.feedbackAt(feedback), from);
      },
      strayed: (list, feedback) => observer?.strayed(list, events.feedbackAt(feedback)),
      found: (feedback) => observer?.found(events.feedbackAt(feedback)),
      stopped: () => this.#topics[place.topic].applyIdleAdvances(),
      leapt: (raised) => this.#topics[place.topic].vote(raised),
      ahead: (offset) => this.#topics[place.topic].isAheadOfClock(offset, Number.POSITIVE_INFINITY, 0),
      note: (offset, watermark, until) => this.#topics[place.topic].notes.note(offset, watermark, until),
    };
  }

  record(
    topic: number,
    offset: Offset,
    timestamp: EpochMs | undefined,
    events: readonly JoinEvent[],
    now: EpochMs | undefined,
    excluded: readonly Event[] = [],
  ): void {
    const t = this.#at(topic, offset);
    const all = excluded.length === 0 ? events : [...events, ...excluded];
    if (all.length === 0) {
      t.moveTo(offset + 1);
      return;
    }
    const watermark = t.watermark;
    const isReplayed = offset < t.committed;
    const place = this.#place;
    place.topic = topic;
    place.offset = offset;
    place.isReplayed = isReplayed;
    const ahead = t.isAheadOfClock(
      offset,
      timestamp ?? latestTime(all),
      now === undefined ? undefined : now + this.#fedWith.futureSkew,
    );
    let raised = Number.NEGATIVE_INFINITY;
    for (const [e, event] of all.entries()) {
      const counts = event.kind === 'impression' ? t.counts.impressions : t.counts.feedback;
      if (!isReplayed) counts.read++;
      const isFuture = ahead || (timestamp !== undefined && event.ts > timestamp + this.#fedWith.futureSkew);
      const time = timestamp === undefined ? event.ts : Math.min(event.ts, timestamp);
      if (!isFuture && time - this.#fedWith.outOfOrderness > raised) raised = time - this.#fedWith.outOfOrderness;
      if (isFuture || e >= events.length) {
        const why = isFuture ? 'future' : 'excluded';
        if (isReplayed) continue;
        counts.drops[why]++;
        this.#observer?.notTaken?.(why, event, place);
      } else if (event.kind === 'impression') this.#judgeImpression(t, event, watermark);
      else this.#judgeFeedback(t, event, watermark);
    }
    t.moveTo(offset + 1, raised, timestamp !== undefined);
  }

  #judgeImpression({ notes }: Topic, given: GivenImpression, watermark: EpochMs): void {
    const { engine: own, events, impression } = this.#shared;
    const { topic, offset, isReplayed } = this.#place;
    events.putImpression(given instanceof PackedImpression ? given : impression.pack(given));
    const neededUntil = given.ts + this.#impressionNeeded;
    this.#given = given;
    own.calls = this.#calls;
    const verdict = own.impression(this.#unit, topic, offset, watermark, isReplayed);
    if (verdict === IS_LATE) {
      if (!isReplayed) this.#observer?.notTaken?.('late', given, this.#place);
      return;
    }
    notes.note(offset, watermark, neededUntil);
    if (verdict !== IS_DUPLICATE) return;
    if (!isReplayed) this.#observer?.notTaken?.('duplicate', given, this.#place);
    const figures = this.#figures;
    notes.note(figures[UNIT_FIGURES.predecessorOffset], figures[UNIT_FIGURES.predecessorWatermark], neededUntil);
  }

  #judgeFeedback({ notes }: Topic, event: Feedback | PackedFeedback, watermark: EpochMs): void {
    const { engine: own, events, feedback } = this.#shared;
    const { topic, offset, isReplayed } = this.#place;
    events.putFeedback(event instanceof PackedFeedback ? event : feedback.pack(event));
    own.calls = this.#calls;
    const waited = this.waitingFeedback;
    this.#judgesFeedback = true;
    const isNeeded = own.feedback(this.#unit, topic, watermark, isReplayed) !== 0;
    this.#judgesFeedback = false;
    if (!isReplayed && this.waitingFeedback > waited) this.#observer?.notTaken?.('waits', event, this.#place);
    if (!isNeeded) return;
    notes.note(offset, watermark, event.ts + this.#feedbackNeeded);
  }

  feed(topic: number, reader: RecordReader, rows: RecordRows, now: EpochMs | undefined): number {
    if (this.#isClosed) throw new Error('the join is closed');
    const { engine: own, fed, block } = this.#shared;
    reader.begin();
    fed.reader = reader;
    this.#given = undefined;
    this.#place.topic = topic;
    own.calls = this.#calls;
    const latest = now === undefined ? Number.POSITIVE_INFINITY : now + this.#fedWith.futureSkew;
    const unknown = block.feed({ ...this.#fedWith, topic, latest }, reader, rows);
    this.#topics[topic].countRead();
    return unknown;
  }

  refused(topic: number, offset: Offset, side: Side, reason: 'tombstone' | 'invalid'): void {
    const t = this.#at(topic, offset);
    if (offset >= t.committed) {
      t.counts[side].read++;
      t.counts[side].drops[reason]++;
    }
    t.moveTo(offset + 1);
  }

  passedOver(topic: number, offset: Offset, condition: UnmetCondition): void {
    const t = this.#at(topic, offset);
    const { committed, counts } = t;
    if (offset >= committed) {
      counts.unmapped ??= [];
      countUnmapped(counts.unmapped, condition);
    }
    t.moveTo(offset + 1);
  }

  undecodable(topic: number, { from, to, records }: UndecodableRange, side: Side): number {
    const t = this.#at(topic, from);
    const counted = Math.max(0, Math.min(records, to - t.skip(from, to)));
    t.counts[side].read += counted;
    t.counts[side].drops.undecodable += counted;
    t.moveTo(to);
    return counted;
  }

  skipsInReplay(topic: number): boolean {
    return this.#topics[topic].hasSkipped;
  }

  wasSkipped(topic: number, from: Offset, to: Offset): boolean {
    return this.#topics[topic].wasSkipped(from, to);
  }

  seek(topic: number, offset: Offset): void {
    this.#at(topic, offset).moveTo(offset);
  }

  idle(topic: number, watermark: EpochMs): boolean {
    return this.#topics[topic].idle(watermark);
  }

  /** The topic, in its state before the record at `offset`. */
  #at(topic: number, offset: Offset): Topic {
    if (this.#isClosed) throw new Error('the join is closed');
    const t = this.#topics[topic];
    if (offset < t.position)
      throw new RangeError(`offset ${offset} of topic ${topic} is below its position ${t.position}`);
    if (offset > t.position) t.moveTo(offset);
    return t;
  }

  advance(): void {
    const to = this.watermark;
    const from = this.#watermark;
    if (to <= from || this.#isClosed) return;
    this.#watermark = to;
    const { engine: own } = this.#shared;
    own.calls = this.#calls;
    own.advance(this.#unit, from, to);
    for (const topic of this.#topics) topic.forget(to);
  }

  checkpoint(): JoinCheckpoint {
    this.advance();
    return {
      topics: this.#topics.map((topic) => topic.checkpoint()),
      counts: this.counts.map(copyCounts),
      watermark: this.#watermark,
      clockBlocks: this.#topics.map((topic) => topic.clockBlocks()),
    };
  }

  close(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#figures = this.#figures.slice();
    this.#figures[UNIT_FIGURES.bytes] = 0;
    this.#counted = this.#counted.map((counted) => counted.slice());
    this.#delays = this.#delays.slice();
    for (const topic of this.#topics) topic.detach();
    abandoned.unregister(this);
    const { engine: own } = this.#shared;
    own.end(this.#unit);
    if (own.calls === this.#calls) own.calls = undefined;
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
    return this.#topics.map(({ counts }, t) => {
      readCounts(this.#counted[t], counts);
      return counts;
    });
  }

  get delays(): Delays {
    return new Delays(this.#delays);
  }

  get openImpressions(): number {
    return this.#figures[UNIT_FIGURES.open];
  }

  get waitingFeedback(): number {
    return this.#figures[UNIT_FIGURES.waits];
  }

  get steps(): number {
    return this.#figures[UNIT_FIGURES.steps];
  }

  get oldestRemembered(): EpochMs | undefined {
    const oldest = this.#figures[UNIT_FIGURES.oldest];
    return Number.isNaN(oldest) ? undefined : oldest;
  }

  get stateBytes(): number {
    let bytes = this.#figures[UNIT_FIGURES.bytes];
    for (const topic of this.#topics) bytes += topic.bytes;
    return bytes;
  }
}

function latestTime(events: readonly JoinEvent[]): EpochMs {
  return events.reduce((latest, { ts }) => Math.max(latest, ts), Number.NEGATIVE_INFINITY);
}
