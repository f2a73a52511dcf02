/** Attributed feedback, in the chain of its impression's body until the body is freed. A chain that is long has an index. */
import { Arena, commit, free, reserve } from './arena';
import { body, indexesAt, indexesOf } from './bodies';
import { addCopy, ByteTable, closeByteTable, findBytes, newByteTable } from './byte-table';
import { Told } from './events';
import { give, giveShared, sizeOf, take, takeShared } from './memory';
import { copyText, sameText, textEnd } from './texts';
import { walk } from './work';

const TOPIC_MASK: u32 = 0xff;
const HAS_EVENT_ID: u32 = 0x100;
const ACTION_SHIFT: u32 = 9;

@unmanaged
export class Feedback {
  next: usize;
  slot: u32;
  /** Its topic, whether it has an event id, its action + 1. */
  kind: u32;
  /** Bit h is set: the event does not count at horizon h. */
  missed: u32;
  ts: f64;
  value: f64;

  topic(): u32 {
    return this.kind & TOPIC_MASK;
  }

  /** Index among the listed ones; -1: it is not listed. */
  action(): i32 {
    return <i32>(this.kind >>> ACTION_SHIFT) - 1;
  }

  hasEventId(): bool {
    return (this.kind & HAS_EVENT_ID) !== 0;
  }

  /** Its event id, or the name of an unlisted action. */
  text(): usize {
    return changetype<usize>(this) + TEXT;
  }
}
const TEXT: usize = offsetof<Feedback>();

/** The identities of the feedback of one body, and by topic how many there are. */
@unmanaged
class FeedbackIndex {
  identities: ByteTable;
  /** u32 by topic. */
  counts: usize;
}
const COUNTS_BYTES: usize = 4 * (<usize>TOPIC_MASK + 1);

export function feedback(at: usize): Feedback {
  return changetype<Feedback>(at);
}

function indexAt(at: usize): FeedbackIndex {
  return changetype<FeedbackIndex>(at);
}

export function addFeedback(arena: Arena, event: Told, topic: u32, action: i32, slot: u32, missed: u32): usize {
  const text = event.eventId !== 0 ? event.eventId : action < 0 ? event.action : 0;
  const at = reserve(arena, TEXT + (text === 0 ? 0 : textEnd(text) - text));
  const made = feedback(at);
  made.next = 0;
  made.slot = slot;
  made.kind = topic | (event.eventId !== 0 ? HAS_EVENT_ID : 0) | ((<u32>(action + 1)) << ACTION_SHIFT);
  made.missed = missed;
  made.ts = event.ts;
  made.value = event.value;
  commit(arena, text === 0 ? at + TEXT : copyText(at + TEXT, text));
  return at;
}

/** Puts it at the end of the body's chain. */
export function append(bodyAt: usize, at: usize): void {
  const owner = body(bodyAt);
  if (owner.lastFeedback === 0) owner.firstFeedback = at;
  else feedback(owner.lastFeedback).next = at;
  owner.lastFeedback = at;
  if (owner.indexes !== 0 && indexesAt(owner.indexes).feedback !== 0)
    addToIndex(indexAt(indexesAt(owner.indexes).feedback), at);
}

/**
 * Number of events of the topic in the chain of the body; -1: one of them has the identity of this feedback: its event id, else
 * item, action, value and time. A chain of more than `longChain` is given an index.
 */
export function countOf(
  keys: usize,
  list: usize,
  longChain: u32,
  bodyAt: usize,
  topic: u32,
  event: Told,
  action: i32,
  slot: u32,
): i32 {
  const owner = body(bodyAt);
  if (owner.indexes !== 0 && indexesAt(owner.indexes).feedback !== 0) {
    return countIn(indexAt(indexesAt(owner.indexes).feedback), topic, event, action, slot);
  }
  let ofTopic = 0;
  let steps: u32 = 0;
  for (let at = owner.firstFeedback; at !== 0; at = feedback(at).next) {
    steps++;
    if (feedback(at).topic() !== topic) continue;
    if (isSame(feedback(at), event, action, slot)) {
      ofTopic = -1;
      break;
    }
    ofTopic++;
  }
  walk(steps);
  if (steps > longChain) makeIndex(keys, list, bodyAt);
  return ofTopic;
}

function isSame(known: Feedback, event: Told, action: i32, slot: u32): bool {
  if (known.hasEventId()) return event.eventId !== 0 && sameText(known.text(), event.eventId);
  if (event.eventId !== 0) return false;
  return (
    known.slot === slot &&
    known.action() === action &&
    known.ts === event.ts &&
    (known.value === event.value || (isNaN(known.value) && isNaN(event.value))) &&
    (action >= 0 || sameText(known.text(), event.action))
  );
}

function countIn(index: FeedbackIndex, topic: u32, event: Told, action: i32, slot: u32): i32 {
  const hasEventId = event.eventId !== 0;
  const text = hasEventId ? event.eventId : action < 0 ? event.action : 0;
  const end = writeIdentity(topic, hasEventId, slot, action, event.ts, event.value, text);
  walk(1);
  if (findBytes(index.identities, identity, end) !== null) return -1;
  return load<i32>(index.counts + <usize>topic * 4);
}

function makeIndex(keys: usize, list: usize, bodyAt: usize): void {
  const index = indexAt(take(offsetof<FeedbackIndex>()));
  index.identities = newByteTable(keys, 0);
  index.counts = take(COUNTS_BYTES);
  memory.fill(index.counts, 0, COUNTS_BYTES);
  indexesOf(list, bodyAt).feedback = changetype<usize>(index);
  for (let at = body(bodyAt).firstFeedback; at !== 0; at = feedback(at).next) addToIndex(index, at);
}

function addToIndex(index: FeedbackIndex, at: usize): void {
  const known = feedback(at);
  const text = known.hasEventId() || known.action() < 0 ? known.text() : 0;
  const end = writeIdentity(known.topic(), known.hasEventId(), known.slot, known.action(), known.ts, known.value, text);
  addCopy(index.identities, identity, end);
  const count = index.counts + <usize>known.topic() * 4;
  store<u32>(count, load<u32>(count) + 1);
}

/** Frees the feedback of a body. */
export function freeFeedback(arena: Arena, bodyAt: usize): void {
  const owner = body(bodyAt);
  if (owner.indexes !== 0 && indexesAt(owner.indexes).feedback !== 0) {
    closeIndex(indexesAt(owner.indexes).feedback);
    indexesAt(owner.indexes).feedback = 0;
  }
  for (let at = owner.firstFeedback; at !== 0; ) {
    const next = feedback(at).next;
    free(arena, at);
    at = next;
  }
}

export function closeIndex(at: usize): void {
  closeByteTable(indexAt(at).identities);
  give(indexAt(at).counts);
  give(at);
}

/** The identity of an event: what makes another event the same. */
let identity: usize = 0;
const IDENTITY_TEXT: usize = 28;
const LEAST_IDENTITY: usize = 256;

/** Before all else. */
export function openFeedback(): void {
  identity = takeShared(LEAST_IDENTITY);
}

/** Writes an identity and returns where it ends. `text`: its event id or unlisted action; 0: none. */
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
  // A single zero and a single NaN, as the comparison treats them.
  store<f64>(identity, hasEventId ? 0 : isNaN(value) ? NaN : value + 0, 20);
  return text === 0 ? identity + IDENTITY_TEXT : copyText(identity + IDENTITY_TEXT, text);
}
