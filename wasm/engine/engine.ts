/** What the host calls (src/consumers/engine/engine.ts). */
import { openClosing } from './closing';
import { openFeedback } from './feedback';
import { openItems } from './items';
import { openLongWaiting } from './long-waiting';
import { give, openMemory, take, taken } from './memory';
import { openPages } from './pages';
import { openRepeats } from './repeats';
import { judgeFeedback, judgeImpression, moveOn, openRules } from './rules';
import { openTimeline } from './timeline';
import { beginWork, closeUnit, endWork, openUnit, unitAt } from './unit';

/** Before all else: the memory is `bytes` long. */
export function open(bytes: usize): void {
  openMemory(bytes);
  openRepeats();
  openItems();
  openFeedback();
  openPages();
  openLongWaiting();
  openTimeline();
  openClosing();
  openRules();
}

/** A block of memory for the host. */
export function takeBlock(bytes: usize): usize {
  return take(bytes);
}

export function giveBlock(at: usize): void {
  give(at);
}

export function takenBytes(): f64 {
  return <f64>taken;
}

/** A unit with the settings at SETTINGS. */
export function begin(): usize {
  return changetype<usize>(openUnit());
}

export function end(unit: usize): void {
  closeUnit(unitAt(unit));
}

/** Judges the impression at SHOWN. Returns what became of it (rules.ts). */
export function impression(unit: usize, topic: u32, offset: f64, watermark: f64, silent: bool): i32 {
  beginWork();
  const verdict = judgeImpression(unitAt(unit), topic, offset, watermark, silent);
  endWork(unitAt(unit));
  return verdict;
}

/** Judges the feedback at TOLD. Returns whether its record is still needed. */
export function feedback(unit: usize, topic: u32, watermark: f64, silent: bool): bool {
  beginWork();
  const isNeeded = judgeFeedback(unitAt(unit), topic, watermark, silent);
  endWork(unitAt(unit));
  return isNeeded;
}

/** Closes, settles and forgets: the combined watermark moves from `from` to `to`. */
export function advance(unit: usize, from: f64, to: f64): void {
  beginWork();
  moveOn(unitAt(unit), from, to);
  endWork(unitAt(unit));
}
