/**
 * Records by the hundred: the scanner reads some of them ahead, then what their verdicts will look at is touched, then they are judged
 * one by one, in their order. Touched together, what lies apart in a large memory is fetched at the same time; judged alone, each
 * record would wait for its own.
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

/** What the host writes before it feeds records of one topic (src/consumers/join/feed-block.ts). */
@unmanaged
export class Feed {
  /** A later time is ahead of the clock; Infinity: there is no clock. */
  latest: f64;
  futureSkew: f64;
  outOfOrderness: f64;
  /** How far one record may advance the watermark. */
  reach: f64;
  positionBase: f64;
  /** Of contexts, counted here and taken away by the host. */
  ignoredKeys: f64;
  unit: usize;
  topic: u32;
  /** Rows, how many there are, and the first that was not judged. */
  rows: usize;
  count: u32;
  next: u32;
  scanner: u32;
  holds: u32;
  itemsPerList: u32;
  /** Bytes of the largest record. */
  limit: u32;
  /** Whether whole numbers of the size of milliseconds are milliseconds. */
  hasMilliseconds: u32;
  carriesScores: u32;
  /** The row that is judged. */
  row: usize;
}
const feed = changetype<Feed>(FEED);

/** One record. ZEROS bytes behind it may be read and written. */
@unmanaged
export class Row {
  offset: f64;
  /** NaN: none. */
  timestamp: f64;
  at: usize;
  /** More than any limit: it has no value. */
  size: u32;
}
const ROW_BYTES: usize = offsetof<Row>();

/** A record that was read ahead. Its event, an `ImpressionEvent` or a `FeedbackEvent`, stands behind. */
@unmanaged
class Staged {
  row: usize;
  isImpression: u32;
  hash: u32;
  /** What is touched next of the chain of its request, of the feedback that waits for that, and of the impression; 0: nothing. */
  accepted: usize;
  awaited: usize;
  impression: usize;
}
const EVENT: usize = offsetof<Staged>();
const STAGED_BYTES: usize = EVENT + offsetof<ImpressionEvent>();
/** Read ahead at most. */
const MOST: u32 = 48;

/** Milliseconds are numbers of this size (src/consumers/decode/times.ts). */
const LEAST_MILLISECONDS: f64 = 1e12;
const MOST_MILLISECONDS: f64 = 1e13;

let all: usize = 0;
let count: u32 = 0;
/** Texts of what was read ahead, and where the next begins. */
let area: usize = 0;
let free: usize = 0;
const LEAST_AREA: usize = 32768;
/** Headers of the texts of a record, and what `writeText` may write more. */
const BESIDE: usize = 64;

/** To be called once, before anything else of this file. */
export function openFeed(): void {
  if (!ASC_NO_ASSERT) assert(ZEROS === 64, 'the bytes behind a record fit into four registers');
  all = takeShared(STAGED_BYTES * <usize>MOST);
  area = takeShared(LEAST_AREA);
}

/** Judges the rows, up to one that the scanner does not know: returns its index, for the host to judge it; -1: all are judged. */
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

/** Reads as many records ahead as there is room for. False: the next one is not known. */
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
  // ZEROS of them. So few bytes are moved faster in registers.
  const first = v128.load(recordEnd);
  const second = v128.load(recordEnd, 16);
  const third = v128.load(recordEnd, 32);
  const fourth = v128.load(recordEnd, 48);
  const zeros = i8x16.splat(0);
  putBehind(recordEnd, zeros, zeros, zeros, zeros);
  const kind = readRecord(row.at, <usize>row.size, feed.scanner, feed.holds, feed.itemsPerList, feed.positionBase);
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
  // What the scanner has is gone with the next record; only the request id is needed longer.
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

/** So many records of a chain are touched; few are longer. */
const TOUCHED_OF_CHAIN: u32 = 3;

/** Loads what the verdicts on all that was read ahead will look at, one step of the way after the other. */
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
        // Others of the same request may follow, so a verdict looks at all of the chain.
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
  // A timestamp that is there may hold the event back, but not bring it forward.
  moveTo(state, offset + 1, (row.timestamp < ts ? row.timestamp : ts) - feed.outOfOrderness, !isNaN(row.timestamp));
}

function judgeAndNote(unit: Unit, state: TopicState, hash: u32, offset: f64, watermark: f64, isReplayed: bool): void {
  const until = impressionEvent.ts + (2 * unit.attribution + unit.backward);
  const verdict = judgeImpression(unit, feed.topic, hash, offset, watermark, isReplayed);
  if (verdict === IS_LATE) return;
  noteNeed(state, offset, watermark, until);
  if (verdict === IS_DUPLICATE) note(unit.predecessorOffset, unit.predecessorWatermark, until);
}

/** Whether the wall clock drops the record: what it said of one that was judged before the checkpoint, is recorded. */
function isAhead(state: TopicState, row: Row, ts: f64, isReplayed: bool): bool {
  if (isReplayed) return state.hasClockDrops !== 0 && ahead(row.offset);
  return (isNaN(row.timestamp) ? ts : row.timestamp) > feed.latest && ahead(row.offset);
}

/** Offsets ascend, so what is noted for as long needs this record no more. */
function noteNeed(state: TopicState, offset: f64, watermark: f64, until: f64): void {
  if (Math.floor(until / state.sliceMs) > state.notedSlice) note(offset, watermark, until);
}

/** The position moves to `next`; the record on the way raises the watermark to `raised`, unless it leaps. */
function moveTo(state: TopicState, next: f64, raised: f64 = -Infinity, hasTimestamp: bool = false): void {
  state.position = next;
  const by = raised - state.watermark;
  if (hasTimestamp && (by > feed.reach || (state.leaps > 0 && by >= -feed.reach))) leapt(raised);
  else if (by > 0) state.watermark = raised;
  if (next >= state.stopAt) stopped();
}
