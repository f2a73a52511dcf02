/**
 * Judges records in batches. The scanner reads some of them ahead, then what judging will read is prefetched, then they are judged one by
 * one, in order. Touching scattered entries first lets the processor fetch them in parallel; judged one at a time, each record would wait
 * for its own cache misses.
 */
import { ignoredKeys, letGo, takeInHand } from '../scan/contexts';
import { categoryPlaces, ids, placesAt, ranks, scoredSlots, scoreValues, slots } from '../scan/items';
import { ZEROS } from '../scan/layout';
import * as results from '../scan/results';
import { IMPRESSION, packFeedback, readRecord, texts, UNKNOWN, write } from '../scan/scan';
import { begin, end, REQUEST_ID, USER_ID } from '../scan/spans';
import { body } from './bodies';
import { touchDuplicates } from './duplicates';
import { entry } from './entries';
import {
  feedbackEvent,
  HAS_SCORES,
  ImpressionEvent,
  impressionEvent,
  setFeedbackEvent,
  setImpressionEvent,
} from './events';
import { feedback } from './feedback';
import { ahead, context, leapt, note, scores, stopped, time, value } from './host';
import { FEED } from './layout';
import { giveShared, sizeOf, takeShared } from './memory';
import { firstOfChain, record, touchSplits } from './request-table';
import { dropBody, hashOf, IS_DUPLICATE, IS_LATE, judgeFeedback, judgeImpression, newBody } from './rules';
import { consume, NEAR_END, NEXT_LINE } from './touch';
import { beginWork, endWork, stateOf, TopicState, Unit, unitAt } from './unit';

/** Written by the host before it feeds records of one topic (src/consumers/join/feed-block.ts). */
@unmanaged
export class Feed {
  /** The latest time that the clock allows; Infinity: there is no clock. */
  latest: f64;
  futureSkew: f64;
  outOfOrderness: f64;
  /** How far one record may advance the watermark, in ms. */
  reach: f64;
  positionBase: f64;
  /** Ignored keys of contexts, counted here; the host takes the count and resets it. */
  ignoredKeys: f64;
  unit: usize;
  topic: u32;
  /** Address of the rows, their number, and the first that is not judged yet. */
  rows: usize;
  count: u32;
  next: u32;
  /** What the scanner looks for. */
  program: usize;
  scanner: u32;
  holds: u32;
  itemsPerList: u32;
  /** Size of the largest valid record in bytes. */
  limit: u32;
  /** Whether a whole number between LEAST_MILLISECONDS and MOST_MILLISECONDS is a time in milliseconds. */
  hasMilliseconds: u32;
  carriesScores: u32;
  /** The row being judged. */
  row: usize;
}
const feed = changetype<Feed>(FEED);

/** One record. The engine may read and write ZEROS bytes behind it. */
@unmanaged
export class Row {
  offset: f64;
  /** NaN if it has none. */
  timestamp: f64;
  at: usize;
  /** Size in bytes; larger than any limit if the record has no value. */
  size: u32;
}
const ROW_BYTES: usize = offsetof<Row>();

/** A record that was read ahead. Its event, an `ImpressionEvent` or a `FeedbackEvent`, follows. */
@unmanaged
class Staged {
  row: usize;
  isImpression: u32;
  hash: u32;
  /**
   * Next addresses to prefetch in the chain of its request, in that of the feedback waiting for the request, and of the impression; 0:
   * none.
   */
  accepted: usize;
  awaited: usize;
  impression: usize;
}
const EVENT: usize = offsetof<Staged>();
const STAGED_BYTES: usize = EVENT + offsetof<ImpressionEvent>();
/** The most records that are read ahead. */
const MOST: u32 = 48;

/** Range of times that are taken for milliseconds (src/consumers/decode/times.ts). */
const LEAST_MILLISECONDS: f64 = 1e12;
const MOST_MILLISECONDS: f64 = 1e13;

let all: usize = 0;
let count: u32 = 0;
/** Texts of the records that were read ahead, and where the next one begins. */
let area: usize = 0;
let free: usize = 0;
const LEAST_AREA: usize = 32768;
/** Room for the headers of a record's texts, and for what `writeText` may write beyond them. */
const BESIDE: usize = 64;

/** Must be called once, before anything else in this file. */
export function openFeed(): void {
  if (!ASC_NO_ASSERT) assert(ZEROS === 64, 'the bytes behind a record fit into four registers');
  all = takeShared(STAGED_BYTES * <usize>MOST);
  area = takeShared(LEAST_AREA);
}

/** Judges the rows up to one that the scanner does not recognise, and returns its index, so that the host judges it; -1: all are judged. */
export function feedAll(): i32 {
  const unit = unitAt(feed.unit);
  if (<usize>feed.limit + BESIDE > sizeOf(area)) {
    giveShared(area);
    area = takeShared(<usize>feed.limit + BESIDE);
  }
  beginWork();
  takeInHand();
  let unknown = -1;
  while (unknown < 0 && feed.next < feed.count) {
    if (!stage(unit)) {
      unknown = <i32>feed.next;
      feed.next++;
    }
    touch(unit);
    for (let i: u32 = 0; i < count; i++) judge(unit, stagedAt(i));
  }
  letGo();
  endWork(unit);
  return unknown;
}

function stagedAt(i: u32): Staged {
  if (!ASC_NO_ASSERT) assert(i < MOST, 'a record that was read ahead');
  return changetype<Staged>(all + STAGED_BYTES * <usize>i);
}

/** Reads ahead as many records as fit. False: the scanner does not recognise the next one. */
function stage(unit: Unit): bool {
  count = 0;
  free = area;
  while (feed.next < feed.count && count < MOST) {
    const row = changetype<Row>(feed.rows + ROW_BYTES * <usize>feed.next);
    if (row.size > feed.limit) return false;
    if (free + <usize>row.size + BESIDE > area + sizeOf(area)) return true;
    const staged = stagedAt(count);
    staged.row = changetype<usize>(row);
    if (!readAhead(unit, row, staged)) return false;
    count++;
    feed.next++;
  }
  return true;
}

function readAhead(unit: Unit, row: Row, staged: Staged): bool {
  const recordEnd = row.at + <usize>row.size;
  // There are ZEROS of these bytes. So few are copied faster in registers.
  const first = v128.load(recordEnd);
  const second = v128.load(recordEnd, 16);
  const third = v128.load(recordEnd, 32);
  const fourth = v128.load(recordEnd, 48);
  const zeros = i8x16.splat(0);
  putBehind(recordEnd, zeros, zeros, zeros, zeros);
  const kind = readRecord(
    row.at,
    <usize>row.size,
    feed.program,
    feed.scanner,
    feed.holds,
    feed.itemsPerList,
    feed.positionBase,
  );
  putBehind(recordEnd, first, second, third, fourth);
  if (kind === UNKNOWN) return false;
  const ts = timeOf();
  if (!(ts >= 0)) return false;
  staged.isImpression = kind === IMPRESSION ? 1 : 0;
  const event = changetype<usize>(staged) + EVENT;
  return kind === IMPRESSION ? readImpression(unit, staged, event, ts) : readFeedback(unit, staged, event, ts);
}

function putBehind(at: usize, first: v128, second: v128, third: v128, fourth: v128): void {
  v128.store(at, first);
  v128.store(at, second, 16);
  v128.store(at, third, 32);
  v128.store(at, fourth, 48);
}

function timeOf(): f64 {
  if (results.timeForm() === results.WHOLE && feed.hasMilliseconds !== 0) {
    const ms = results.wholeTime();
    if (ms >= LEAST_MILLISECONDS && ms < MOST_MILLISECONDS) return ms;
  }
  return time();
}

function readImpression(unit: Unit, staged: Staged, at: usize, ts: f64): bool {
  let number = results.context();
  if (number >= 0) feed.ignoredKeys += <f64>ignoredKeys;
  else {
    number = context();
    if (number < 0) return false;
  }
  setImpressionEvent(at);
  impressionEvent.ts = ts;
  impressionEvent.texts = texts;
  impressionEvent.items = placesAt();
  impressionEvent.ranks = ranks;
  impressionEvent.scores = scoreValues;
  impressionEvent.categories = categoryPlaces;
  impressionEvent.length = slots;
  impressionEvent.page = results.offset();
  impressionEvent.userWord = results.userWord();
  impressionEvent.ids = ids;
  impressionEvent.context = <u32>number + 1;
  impressionEvent.userFrom = begin(USER_ID) + 1;
  impressionEvent.userEnd = end(USER_ID) - 1;
  impressionEvent.flags = results.flags();
  if (feed.carriesScores !== 0 && scoredSlots > 0) {
    impressionEvent.flags |= HAS_SCORES;
    scores();
  }
  impressionEvent.body = newBody(unit);
  // The next record overwrites what the scanner found. Only the request id is needed longer.
  impressionEvent.texts = free;
  free = write(free, REQUEST_ID);
  if (!ASC_NO_ASSERT) assert(free <= area + sizeOf(area), 'texts end in their area');
  staged.hash = hashOf(unit, impressionEvent.texts);
  return true;
}

function readFeedback(unit: Unit, staged: Staged, at: usize, ts: f64): bool {
  setFeedbackEvent(at);
  feedbackEvent.ts = ts;
  feedbackEvent.value = results.valueForm() === results.WHOLE ? results.wholeValue() : value();
  feedbackEvent.request = free;
  free = packFeedback(free);
  feedbackEvent.item = feedbackEvent.request + <usize>results.itemPlace();
  feedbackEvent.action = feedbackEvent.request + <usize>results.actionPlace();
  const eventId = results.eventIdPlace();
  feedbackEvent.eventId = eventId < 0 ? 0 : feedbackEvent.request + <usize>eventId;
  if (!ASC_NO_ASSERT) assert(free <= area + sizeOf(area), 'texts end in their area');
  staged.hash = hashOf(unit, feedbackEvent.request);
  return true;
}

/** Number of records of a chain that are prefetched. Few chains are longer. */
const TOUCHED_OF_CHAIN: u32 = 3;

/** Prefetches what judging the batch will read, following one pointer of every record at a time. */
function touch(unit: Unit): void {
  const requests = unit.accepted.requests;
  const awaited = unit.waiting.table;
  let impressions: u32 = 0;
  let sum: usize = 0;
  for (let i: u32 = 0; i < count; i++) {
    const staged = stagedAt(i);
    const hash = staged.hash;
    staged.accepted = firstOfChain(requests, hash);
    staged.awaited = 0;
    staged.impression = 0;
    if (staged.isImpression === 0) continue;
    impressions++;
    if (awaited.size > 0) staged.awaited = firstOfChain(awaited, hash);
    setImpressionEvent(changetype<usize>(staged) + EVENT);
    sum += touchDuplicates(unit.duplicates, hash);
  }
  sum += touchSplits(requests, impressions) + touchSplits(awaited, count - impressions);
  for (let step: u32 = 0; step < TOUCHED_OF_CHAIN; step++) {
    for (let i: u32 = 0; i < count; i++) {
      const staged = stagedAt(i);
      const at = staged.accepted;
      if (at !== 0) {
        if (record(at).hash === staged.hash) {
          sum += <usize>load<u8>(at, NEAR_END);
          if (staged.isImpression === 0) staged.impression = entry(at).body;
        }
        // More records of the same request may follow, so judging reads the whole chain.
        staged.accepted = record(at).next;
      }
      const waits = staged.awaited;
      if (waits !== 0) {
        if (record(waits).hash === staged.hash) sum += <usize>load<u8>(waits, NEXT_LINE);
        staged.awaited = record(waits).next;
      }
    }
  }
  for (let i: u32 = 0; i < count; i++) {
    const staged = stagedAt(i);
    if (staged.impression === 0) continue;
    sum += <usize>load<u8>(staged.impression, NEXT_LINE);
    staged.impression = body(staged.impression).lastFeedback();
  }
  for (let i: u32 = 0; i < count; i++) {
    const staged = stagedAt(i);
    if (staged.impression !== 0) staged.impression = feedback(staged.impression).next;
  }
  for (let i: u32 = 0; i < count; i++) {
    const staged = stagedAt(i);
    if (staged.impression !== 0) sum += <usize>feedback(staged.impression).kind;
  }
  consume(sum);
}

function judge(unit: Unit, staged: Staged): void {
  const row = changetype<Row>(staged.row);
  const state = stateOf(unit, feed.topic);
  const offset = row.offset;
  const isImpression = staged.isImpression !== 0;
  if (isImpression) setImpressionEvent(changetype<usize>(staged) + EVENT);
  else setFeedbackEvent(changetype<usize>(staged) + EVENT);
  if (offset > state.position) moveTo(state, offset);
  feed.row = staged.row;
  const isReplayed = offset < state.committed;
  if (!isReplayed) {
    if (isImpression) state.impressionsRead++;
    else state.feedbackRead++;
  }
  const ts = isImpression ? impressionEvent.ts : feedbackEvent.ts;
  if (isAhead(state, row, ts, isReplayed) || ts > row.timestamp + feed.futureSkew) {
    if (isImpression) dropBody(unit);
    if (!isReplayed) {
      if (isImpression) state.impressionsFuture++;
      else state.feedbackFuture++;
    }
    moveTo(state, offset + 1);
    return;
  }
  const watermark = state.watermark;
  if (isImpression) judgeAndNote(unit, state, staged.hash, offset, watermark, isReplayed);
  else if (judgeFeedback(unit, feed.topic, staged.hash, watermark, isReplayed)) {
    noteNeed(state, offset, watermark, ts + unit.backward + unit.attribution);
  }
  // The watermark follows the earlier of the event's time and the record's timestamp.
  moveTo(state, offset + 1, (row.timestamp < ts ? row.timestamp : ts) - feed.outOfOrderness, !isNaN(row.timestamp));
}

function judgeAndNote(unit: Unit, state: TopicState, hash: u32, offset: f64, watermark: f64, isReplayed: bool): void {
  const until = impressionEvent.ts + (2 * unit.attribution + unit.backward);
  const verdict = judgeImpression(unit, feed.topic, hash, offset, watermark, isReplayed);
  if (verdict === IS_LATE) return;
  noteNeed(state, offset, watermark, until);
  if (verdict === IS_DUPLICATE) note(unit.predecessorOffset, unit.predecessorWatermark, until);
}

/** Whether the wall clock drops the record. For a record judged before the checkpoint, the recorded decision holds. */
function isAhead(state: TopicState, row: Row, ts: f64, isReplayed: bool): bool {
  if (isReplayed) return state.hasClockDrops !== 0 && ahead(row.offset);
  return (isNaN(row.timestamp) ? ts : row.timestamp) > feed.latest && ahead(row.offset);
}

/** Offsets ascend, so a need that ends in a slice already noted does not need this record. */
function noteNeed(state: TopicState, offset: f64, watermark: f64, until: f64): void {
  if (Math.floor(until / state.sliceMs) > state.notedSlice) note(offset, watermark, until);
}

/** Moves the position to `next`. The record passed raises the watermark to `raised`, unless it leaps. */
function moveTo(state: TopicState, next: f64, raised: f64 = -Infinity, hasTimestamp: bool = false): void {
  state.position = next;
  const by = raised - state.watermark;
  if (hasTimestamp && (by > feed.reach || (state.leaps > 0 && by >= -feed.reach))) leapt(raised);
  else if (by > 0) state.watermark = raised;
  if (next >= state.stopAt) stopped();
}
