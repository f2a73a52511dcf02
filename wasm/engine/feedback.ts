/** Attributed feedback, in a ring of its impression's body until the body is freed. A long ring has an index. */
import { Arena, assertRecord, commit, free, reserve } from './arena';
import { Body, body, indexesAt, indexesOf } from './bodies';
import { addCopy, ByteTable, closeByteTable, findBytes, newByteTable } from './byte-table';
import { FeedbackEvent } from './events';
import { give, giveShared, sizeOf, take, takeShared } from './memory';
import { copyText, sameText, textEnd } from './texts';
import { walk } from './work';

/** The topic, then flags, then the slot, which is below 100,000 (docs/configuration.md: limits). */
const TOPIC_MASK: u32 = 0xff;
const HAS_EVENT_ID: u32 = 0x100;
/** The value is 1 (IS_ONE), missing (IS_NONE), or else stored as f64. */
const IS_ONE: u32 = 0x200;
const IS_NONE: u32 = 0x400;
/** It does not count at some horizon: the u32 has bit h set for horizon h. */
const MISSES: u32 = 0x800;
/** Its time is too far from its impression's for 32 bits; the lag is stored as f64. */
const IS_FAR: u32 = 0x1000;
const SLOT_SHIFT: u32 = 15;

/** After the fields: f64 value? | u32 missed horizons? | f64 lag? | its event id, or the name of an unlisted action? */
@unmanaged
export class Feedback {
  /** The event that was attributed next; for the last one, the first. */
  next: usize;
  kind: u32;
  private nearLag: i32;
  /** Index of its action among the listed ones + 1; a configuration has fewer than 5,000. 0: the action is not listed. */
  private listed: u16;

  setUp(topic: u32, action: i32, slot: u32, nearLag: i32, flags: u32): void {
    this.next = changetype<usize>(this);
    this.kind = topic | flags | (slot << SLOT_SHIFT);
    this.nearLag = nearLag;
    this.listed = <u16>(action + 1);
  }

  topic(): u32 {
    return this.kind & TOPIC_MASK;
  }

  slot(): u32 {
    return this.kind >>> SLOT_SHIFT;
  }

  /** Index of its action among the listed ones; -1: it is not listed. */
  action(): i32 {
    return <i32>this.listed - 1;
  }

  hasEventId(): bool {
    return (this.kind & HAS_EVENT_ID) !== 0;
  }

  /** NaN if it has none. */
  value(): f64 {
    if ((this.kind & (IS_ONE | IS_NONE)) === 0) return load<f64>(changetype<usize>(this), FIELDS);
    return (this.kind & IS_ONE) !== 0 ? 1 : NaN;
  }

  /** Bit h is set if the event does not count at horizon h. */
  missed(): u32 {
    return (this.kind & MISSES) === 0 ? 0 : load<u32>(this.behindValue());
  }

  /** Its time minus that of its impression, in ms. */
  lag(): f64 {
    return (this.kind & IS_FAR) === 0 ? <f64>this.nearLag : load<f64>(this.behindMissed());
  }

  /** Its event id, or the name of an unlisted action. */
  text(): usize {
    const at = this.behindMissed();
    return (this.kind & IS_FAR) === 0 ? at : at + 8;
  }

  private behindValue(): usize {
    const at = changetype<usize>(this) + FIELDS;
    return (this.kind & (IS_ONE | IS_NONE)) === 0 ? at + 8 : at;
  }

  private behindMissed(): usize {
    const at = this.behindValue();
    return (this.kind & MISSES) === 0 ? at : at + 4;
  }
}
const FIELDS: usize = offsetof<Feedback>();

/** The identities of the feedback of one body, and the number of events by topic. */
@unmanaged
class FeedbackIndex {
  identities: ByteTable;
  /** u32 by topic. */
  counts: usize;
}
const COUNTS_BYTES: usize = 4 * (<usize>TOPIC_MASK + 1);

export function feedback(at: usize): Feedback {
  assertRecord(at);
  return changetype<Feedback>(at);
}

function indexAt(at: usize): FeedbackIndex {
  return changetype<FeedbackIndex>(at);
}

/** Address of the index of a body's feedback; 0: none. */
function indexOf(owner: Body): usize {
  return owner.indexes() === 0 ? 0 : indexesAt(owner.indexes()).feedback;
}

/** Adds feedback. `lag` is its time minus that of its impression. Bit h of `missed` is set if it does not count at horizon h. */
export function addFeedback(
  arena: Arena,
  event: FeedbackEvent,
  topic: u32,
  action: i32,
  slot: u32,
  lag: f64,
  missed: u32,
): usize {
  const text = event.eventId !== 0 ? event.eventId : action < 0 ? event.action : 0;
  const at = reserve(arena, FIELDS + 20 + (text === 0 ? 0 : textEnd(text) - text));
  const made = feedback(at);
  const near = <i32>lag;
  const flags =
    (event.eventId !== 0 ? HAS_EVENT_ID : 0) |
    (event.value === 1 ? IS_ONE : isNaN(event.value) ? IS_NONE : 0) |
    (missed !== 0 ? MISSES : 0) |
    (<f64>near !== lag ? IS_FAR : 0);
  made.setUp(topic, action, slot, near, flags);
  let to = at + FIELDS;
  if ((flags & (IS_ONE | IS_NONE)) === 0) {
    store<f64>(to, event.value);
    to += 8;
  }
  if ((flags & MISSES) !== 0) {
    store<u32>(to, missed);
    to += 4;
  }
  if ((flags & IS_FAR) !== 0) {
    store<f64>(to, lag);
    to += 8;
  }
  commit(arena, text === 0 ? to : copyText(to, text));
  return at;
}

/** Appends it to the body's ring. */
export function append(bodyAt: usize, at: usize, ts: f64): void {
  const owner = body(bodyAt);
  const last = owner.lastFeedback();
  if (last !== 0) {
    feedback(at).next = feedback(last).next;
    feedback(last).next = at;
  }
  owner.setLastFeedback(at);
  const index = indexOf(owner);
  if (index !== 0) addToIndex(indexAt(index), at, ts);
}

/** The first feedback that was attributed to the body; 0: none. */
export function firstOf(bodyAt: usize): usize {
  const last = body(bodyAt).lastFeedback();
  return last === 0 ? 0 : feedback(last).next;
}

/** The feedback after `at`; 0: none. */
export function nextOf(bodyAt: usize, at: usize): usize {
  return at === body(bodyAt).lastFeedback() ? 0 : feedback(at).next;
}

/**
 * Number of events of the topic in the body's ring; -1 if one of them has the identity of this feedback: its event id, or else its item,
 * action, value and time. A ring of more than `longChain` events gets an index. `ts` is the time of the impression.
 */
export function countOf(
  keys: usize,
  list: usize,
  longChain: u32,
  bodyAt: usize,
  topic: u32,
  event: FeedbackEvent,
  action: i32,
  slot: u32,
  ts: f64,
): i32 {
  const owner = body(bodyAt);
  const index = indexOf(owner);
  if (index !== 0) return countIn(indexAt(index), topic, event, action, slot);
  const lag = event.ts - ts;
  let ofTopic = 0;
  let steps: u32 = 0;
  for (let at = firstOf(bodyAt); at !== 0; at = nextOf(bodyAt, at)) {
    steps++;
    if (feedback(at).topic() !== topic) continue;
    if (isSame(feedback(at), event, action, slot, lag)) {
      ofTopic = -1;
      break;
    }
    ofTopic++;
  }
  walk(steps);
  if (steps > longChain) makeIndex(keys, list, bodyAt, ts);
  return ofTopic;
}

function isSame(known: Feedback, event: FeedbackEvent, action: i32, slot: u32, lag: f64): bool {
  if (known.hasEventId()) return event.eventId !== 0 && sameText(known.text(), event.eventId);
  if (event.eventId !== 0) return false;
  return (
    known.slot() === slot &&
    known.action() === action &&
    known.lag() === lag &&
    (known.value() === event.value || (isNaN(known.value()) && isNaN(event.value))) &&
    (action >= 0 || sameText(known.text(), event.action))
  );
}

function countIn(index: FeedbackIndex, topic: u32, event: FeedbackEvent, action: i32, slot: u32): i32 {
  const hasEventId = event.eventId !== 0;
  const text = hasEventId ? event.eventId : action < 0 ? event.action : 0;
  const end = writeIdentity(topic, hasEventId, slot, action, event.ts, event.value, text);
  walk(1);
  if (findBytes(index.identities, identity, end) !== null) return -1;
  return load<i32>(index.counts + <usize>topic * 4);
}

function makeIndex(keys: usize, list: usize, bodyAt: usize, ts: f64): void {
  const index = indexAt(take(offsetof<FeedbackIndex>()));
  index.identities = newByteTable(keys, 0);
  index.counts = take(COUNTS_BYTES);
  memory.fill(index.counts, 0, COUNTS_BYTES);
  indexesOf(list, bodyAt).feedback = changetype<usize>(index);
  for (let at = firstOf(bodyAt); at !== 0; at = nextOf(bodyAt, at)) addToIndex(index, at, ts);
}

function addToIndex(index: FeedbackIndex, at: usize, ts: f64): void {
  const known = feedback(at);
  const text = known.hasEventId() || known.action() < 0 ? known.text() : 0;
  const time = ts + known.lag();
  const end = writeIdentity(known.topic(), known.hasEventId(), known.slot(), known.action(), time, known.value(), text);
  addCopy(index.identities, identity, end);
  const count = index.counts + <usize>known.topic() * 4;
  store<u32>(count, load<u32>(count) + 1);
}

/** Frees the feedback of a body. */
export function freeFeedback(arena: Arena, bodyAt: usize): void {
  const owner = body(bodyAt);
  const last = owner.lastFeedback();
  const index = indexOf(owner);
  if (index !== 0) {
    closeIndex(index);
    indexesAt(owner.indexes()).feedback = 0;
  }
  if (last === 0) return;
  let at = feedback(last).next;
  while (true) {
    const next = feedback(at).next;
    free(arena, at);
    if (at === last) break;
    at = next;
  }
}

export function closeIndex(at: usize): void {
  closeByteTable(indexAt(at).identities);
  give(indexAt(at).counts);
  give(at);
}

/** The identity of an event. Events with equal identities are duplicates. */
let identity: usize = 0;
const IDENTITY_TEXT: usize = 28;
const LEAST_IDENTITY: usize = 256;

/** Must be called once, before anything else in this section. */
export function openFeedback(): void {
  identity = takeShared(LEAST_IDENTITY);
}

/** Writes an identity and returns its end. `text` is its event id or unlisted action; 0: none. */
function writeIdentity(topic: u32, hasEventId: bool, slot: u32, action: i32, ts: f64, value: f64, text: usize): usize {
  const bytes = IDENTITY_TEXT + 16 + (text === 0 ? 0 : textEnd(text) - text);
  if (bytes > sizeOf(identity)) {
    giveShared(identity);
    identity = takeShared(bytes);
  }
  store<u32>(identity, topic | (hasEventId ? HAS_EVENT_ID : 0));
  store<u32>(identity, hasEventId ? 0 : slot, 4);
  store<i32>(identity, hasEventId ? 0 : action, 8);
  store<f64>(identity, hasEventId ? 0 : ts, 12);
  // Zero and NaN each have one representation, as in the comparison.
  store<f64>(identity, hasEventId ? 0 : isNaN(value) ? NaN : value + 0, 20);
  return text === 0 ? identity + IDENTITY_TEXT : copyText(identity + IDENTITY_TEXT, text);
}
