/** The state of one unit. */
import { Accepted, closeAccepted, newAccepted } from './accepted';
import { Arena, closeArena, newArena } from './arena';
import { indexesAt } from './bodies';
import { ByteTable, closeByteTable } from './byte-table';
import { countsOfTopic } from './counts';
import { closeDuplicates, Duplicates, newDuplicates } from './duplicates';
import { closeIndex } from './feedback';
import { newKeys } from './hash';
import { SETTINGS } from './layout';
import { give, shared, sizeOf, taken, takeZeros } from './memory';
import { closeTimeline, newTimeline, oldest, Timeline } from './timeline';
import { closeWaitingFeedback, newWaitingFeedback, WaitingFeedback } from './waiting';
import { steps } from './work';

/** Written at SETTINGS by the host before it opens a unit (src/consumers/join/open-unit.ts). */
@unmanaged
export class Settings {
  seed: u64;
  backward: f64;
  /** The checkpoint contains all that closed or was settled at or below this watermark. */
  decidedUpTo: f64;
  topics: u32;
  horizons: u32;
  /** The most events of one topic that are attributed to one impression. */
  feedbackLimit: u32;
  searchUpTo: u32;
  /** A list whose items take more bytes gets an index when it is searched often. */
  longBytes: u32;
  /** Number of topics that carry feedback. */
  feedbackTopics: u32;
  hasObserver: u32;
  actions: u32;
  delayBounds: u32;
  /** Whether the host asks for names of lists that close. */
  hasNames: u32;
  /** Address of an `Adder` (adding.ts), which the host keeps as long as the unit; 0: every closing is passed to the host. */
  adder: usize;
  /** Address of a block that the unit keeps: f64 horizons, f64 bounds of delays, then the texts of the actions. */
  block: usize;
}
export const settings = changetype<Settings>(SETTINGS);

/** The state of one topic, which the host reads too (src/consumers/join/topic.ts). The host takes the counts and resets them. */
@unmanaged
export class TopicState {
  /** Offset of the next record, and the watermark before it. */
  position: f64;
  watermark: f64;
  /** Records with lower offsets were judged before the checkpoint. */
  committed: f64;
  /** The host has work to do when the position reaches this offset; Infinity: none. */
  stopAt: f64;
  /** The host has recorded that a record is needed until the end of this slice of time, or of a later one. */
  notedSlice: f64;
  sliceMs: f64;
  /** 1 if a record that was judged before the checkpoint may have been ahead of the clock. */
  hasClockDrops: f64;
  /** Number of leaps that wait to be confirmed; the host holds them. */
  leaps: f64;
  impressionsRead: f64;
  impressionsFuture: f64;
  feedbackRead: f64;
  feedbackFuture: f64;
}
const TOPIC_BYTES: usize = offsetof<TopicState>();

/** What the host reads of a unit. */
@unmanaged
export class UnitFigures {
  open: f64;
  waits: f64;
  steps: f64;
  bytes: f64;
  /** Approximate time of the oldest impression; NaN: there is none. */
  oldest: f64;
  /** Offset and watermark of the predecessor of the last duplicate. */
  predecessorOffset: f64;
  predecessorWatermark: f64;
  /** Addresses of the f64 counts by topic (counts.ts), the delays (delays.ts), and the states of the topics. */
  counts: usize;
  delays: usize;
  states: usize;
}

@unmanaged
export class Unit extends UnitFigures {
  attribution: f64;
  backward: f64;
  decidedUpTo: f64;
  topics: u32;
  horizons: u32;
  feedbackLimit: u32;
  longChain: u32;
  longBytes: usize;
  feedbackTopics: u32;
  hasObserver: bool;
  hasNames: bool;
  adder: usize;
  actions: u32;
  delayBounds: u32;
  block: usize;

  keys: usize;
  entries: Arena;
  bodies: Arena;
  attributed: Arena;
  accepted: Accepted;
  duplicates: Duplicates;
  timeline: Timeline;
  waiting: WaitingFeedback;
  /** Address of the first of the indexes of bodies. */
  indexes: usize;
  sequence: u32;
}

export function unitAt(at: usize): Unit {
  return changetype<Unit>(at);
}

let takenBefore: usize = 0;
let stepsBefore: u64 = 0;

/** Called before any work on a unit. What is taken from now on belongs to that unit. */
export function beginWork(): void {
  takenBefore = taken - shared;
  stepsBefore = steps;
}

export function endWork(unit: Unit): void {
  unit.bytes += <f64>(<i64>(taken - shared) - <i64>takenBefore);
  unit.steps += <f64>(steps - stepsBefore);
  unit.waits = <f64>unit.waiting.count;
  unit.oldest = oldest(unit.timeline);
}

export function openUnit(): Unit {
  beginWork();
  const unit = unitAt(takeZeros(offsetof<Unit>()));
  const horizons = settings.horizons;
  unit.topics = settings.topics;
  unit.horizons = horizons;
  unit.backward = settings.backward;
  unit.decidedUpTo = settings.decidedUpTo;
  unit.feedbackLimit = settings.feedbackLimit;
  unit.longChain = settings.searchUpTo / 2;
  unit.longBytes = <usize>settings.longBytes;
  unit.feedbackTopics = settings.feedbackTopics;
  unit.hasObserver = settings.hasObserver !== 0;
  unit.hasNames = settings.hasNames !== 0;
  unit.adder = settings.adder;
  unit.actions = settings.actions;
  unit.delayBounds = settings.delayBounds;
  unit.block = settings.block;
  unit.attribution = horizonOf(unit, horizons - 1);
  unit.counts = takeZeros(8 * countsOfTopic(horizons) * <usize>unit.topics);
  unit.delays = takeZeros(8 * (2 + <usize>unit.delayBounds));
  unit.states = takeZeros(TOPIC_BYTES * <usize>unit.topics);
  unit.keys = newKeys(settings.seed);
  unit.entries = newArena();
  unit.bodies = newArena();
  unit.attributed = newArena();
  unit.accepted = newAccepted(unit.keys, unit.attribution, unit.backward, settings.searchUpTo);
  unit.duplicates = newDuplicates(unit.keys, unit.attribution);
  unit.timeline = newTimeline(unit.block, horizons);
  const reach = 4 * unit.attribution + 2 * unit.backward;
  unit.waiting = newWaitingFeedback(unit.keys, settings.searchUpTo, reach);
  endWork(unit);
  unit.bytes += <f64>sizeOf(unit.block);
  return unit;
}

export function closeUnit(unit: Unit): void {
  for (let at = unit.indexes; at !== 0; ) {
    const next = indexesAt(at).next;
    if (indexesAt(at).slots !== 0) closeByteTable(changetype<ByteTable>(indexesAt(at).slots));
    if (indexesAt(at).feedback !== 0) closeIndex(indexesAt(at).feedback);
    give(at);
    at = next;
  }
  closeWaitingFeedback(unit.waiting);
  closeTimeline(unit.timeline);
  closeDuplicates(unit.duplicates);
  closeAccepted(unit.accepted);
  closeArena(unit.attributed);
  closeArena(unit.bodies);
  closeArena(unit.entries);
  give(unit.keys);
  give(unit.states);
  give(unit.delays);
  give(unit.counts);
  give(unit.block);
  give(changetype<usize>(unit));
}

export function horizonOf(unit: Unit, h: u32): f64 {
  return load<f64>(unit.block + <usize>h * 8);
}

export function delayBoundsOf(unit: Unit): usize {
  return unit.block + <usize>unit.horizons * 8;
}

/** Address of the texts of the actions, one after the other. */
export function actionsOf(unit: Unit): usize {
  return delayBoundsOf(unit) + <usize>unit.delayBounds * 8;
}

export function stateOf(unit: Unit, topic: u32): TopicState {
  return changetype<TopicState>(unit.states + TOPIC_BYTES * <usize>topic);
}

export function countsOf(unit: Unit, topic: u32): usize {
  return unit.counts + 8 * countsOfTopic(unit.horizons) * <usize>topic;
}
