/** The functions that the host calls (src/consumers/engine/engine.ts). */
import { openScan } from '../scan/scan';
import { openAdding } from './adding';
import { openClosing, openQueue } from './closing';
import { openDue } from './due';
import { feedbackEvent, impressionEvent, setFeedbackEvent, setImpressionEvent } from './events';
import { feedAll, openFeed } from './feed';
import { openFeedback } from './feedback';
import { openItems } from './items';
import { FEEDBACK_EVENT, IMPRESSION_EVENT } from './layout';
import { openLongWaiting } from './long-waiting';
import { give, giveShared, openMemory, shrinkShared, sizeOf, take, taken, takeShared } from './memory';
import { openNumbers } from './numbers';
import { openPages } from './pages';
import { openRepeats } from './repeats';
import { hashOf, judgeFeedback, judgeImpression, moveOn, openRules } from './rules';
import { openTimeline } from './timeline';
import { beginWork, closeUnit, endWork, openUnit, unitAt } from './unit';
import { openWholeItems } from './whole-items';

export {
  anyEnd as valueEnd,
  blankEnd,
  itemsAt,
  keep,
  keyEnd,
  recordAt,
  reserveScan,
  scan,
  slotsAt,
  textsAt,
} from '../scan/scan';
export { writeRows } from './row-text';

/**
 * Must be called once, before anything else. The memory is `bytes` long.
 * @param salt initial value of the hash of users (src/vocabulary/user-words.ts)
 */
export function open(bytes: usize, salt: u32): void {
  openMemory(bytes);
  openScan(salt);
  openNumbers();
  openWholeItems();
  openRepeats();
  openItems();
  openFeedback();
  openPages();
  openLongWaiting();
  openTimeline();
  openClosing();
  openQueue();
  openAdding();
  openDue();
  openRules();
  openFeed();
}

/** A block of memory for the host. */
export function takeBlock(bytes: usize): usize {
  return take(bytes);
}

export function giveBlock(at: usize): void {
  give(at);
}

/** A block that belongs to no unit. May be called while the engine calls the host. */
export function takeSharedBlock(bytes: usize): usize {
  return takeShared(bytes);
}

export function giveSharedBlock(at: usize): void {
  giveShared(at);
}

/** Shrinks such a block to what `bytes` bytes need. Returns its new size in bytes. */
export function shrinkSharedBlock(at: usize, bytes: usize): usize {
  shrinkShared(at, bytes);
  return sizeOf(at);
}

export function takenBytes(): f64 {
  return <f64>taken;
}

/** Opens a unit with the settings at SETTINGS. */
export function begin(): usize {
  return changetype<usize>(openUnit());
}

export function end(unit: usize): void {
  closeUnit(unitAt(unit));
}

/** Judges the impression at IMPRESSION_EVENT. Returns what became of it (rules.ts). */
export function impression(unit: usize, topic: u32, offset: f64, watermark: f64, isReplayed: bool): i32 {
  beginWork();
  setImpressionEvent(IMPRESSION_EVENT);
  const hash = hashOf(unitAt(unit), impressionEvent.request());
  const verdict = judgeImpression(unitAt(unit), topic, hash, offset, watermark, isReplayed);
  endWork(unitAt(unit));
  return verdict;
}

/** Judges the feedback at FEEDBACK_EVENT. Returns whether its record is still needed. */
export function feedback(unit: usize, topic: u32, watermark: f64, isReplayed: bool): bool {
  beginWork();
  setFeedbackEvent(FEEDBACK_EVENT);
  const isNeeded = judgeFeedback(
    unitAt(unit),
    topic,
    hashOf(unitAt(unit), feedbackEvent.request),
    watermark,
    isReplayed,
  );
  endWork(unitAt(unit));
  return isNeeded;
}

/** Moves the combined watermark from `from` to `to`: closes lists, settles feedback, forgets old records. */
export function advance(unit: usize, from: f64, to: f64): void {
  beginWork();
  moveOn(unitAt(unit), from, to);
  endWork(unitAt(unit));
}

/** Scans and judges the records at FEED (feed.ts). Returns the index of one that the host must read itself; -1: all are judged. */
export function feed(): i32 {
  return feedAll();
}
