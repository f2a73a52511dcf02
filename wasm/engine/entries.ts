/** The entry of an impression. It is kept until 2H + b after the impression's time, to recognise duplicates and to be found by feedback. */
import { Arena, assertRecord, commit, reserve } from './arena';
import { impressionEvent } from './events';
import { Chained } from './request-table';
import { copyText, sameText, textEnd } from './texts';

/** After the fields: f64 offset and f64 watermark if they are wide | u32 page? | u32 missed horizons? | its request id. */
@unmanaged
export class Entry extends Chained {
  /** Address of its body; 0: the longest horizon has closed, or the record is a duplicate. */
  body: usize;
  sequence: u32;
  /** Times and offsets are whole numbers of 48 bits; a larger offset is stored wide. */
  private lowTs: u32;
  private lowOffset: u32;
  private highTs: u16;
  private highOffset: u16;
  /** Its time minus the watermark. */
  private lead: i32;
  flags: u8;

  ts(): f64 {
    return whole(this.lowTs, this.highTs);
  }

  offset(): f64 {
    return this.has(WIDE) ? load<f64>(changetype<usize>(this), FIELDS) : whole(this.lowOffset, this.highOffset);
  }

  /** Watermark of its topic just before the record. */
  watermark(): f64 {
    return this.has(WIDE) ? load<f64>(changetype<usize>(this), FIELDS + 8) : this.ts() - <f64>this.lead;
  }

  page(): u32 {
    return this.has(PAGED) ? load<u32>(this.behindWide()) : 0;
  }

  /** Bit h is set if the impression came too late for horizon h. */
  missed(): u32 {
    return this.has(MISSES) ? load<u32>(this.behindPage()) : 0;
  }

  /** Address of its request id. */
  request(): usize {
    const at = this.behindPage();
    return this.has(MISSES) ? at + 4 : at;
  }

  isAccepted(): bool {
    return this.has(ACCEPTED);
  }

  /** Whether its record was judged before the checkpoint and is read again by a replay. */
  isReplayed(): bool {
    return this.has(REPLAYED);
  }

  setTimes(ts: f64, offset: f64, lead: i32): void {
    this.lowTs = <u32>(<u64>ts);
    this.highTs = <u16>(<u64>ts >>> 32);
    this.lowOffset = <u32>(<u64>offset);
    this.highOffset = <u16>(<u64>offset >>> 32);
    this.lead = lead;
  }

  private has(flag: u8): bool {
    return (this.flags & flag) !== 0;
  }

  private behindWide(): usize {
    const at = changetype<usize>(this) + FIELDS;
    return this.has(WIDE) ? at + 16 : at;
  }

  private behindPage(): usize {
    const at = this.behindWide();
    return this.has(PAGED) ? at + 4 : at;
  }
}
const FIELDS: usize = offsetof<Entry>();

const ACCEPTED: u8 = 1;
const REPLAYED: u8 = 2;
const WIDE: u8 = 4;
const PAGED: u8 = 8;
const MISSES: u8 = 16;
const NARROW_OFFSETS: f64 = 281474976710656;

function whole(low: u32, high: u16): f64 {
  return <f64>(((<u64>high) << 32) | <u64>low);
}

export function entry(at: usize): Entry {
  assertRecord(at);
  return changetype<Entry>(at);
}

/**
 * Adds the entry of `impressionEvent`. `body` is 0 if the record is a duplicate. Bit h of `missed` is set if it came too late for horizon
 * h. `isReplayed`: it was judged before the checkpoint.
 */
export function addEntry(
  arena: Arena,
  hash: u32,
  offset: f64,
  watermark: f64,
  body: usize,
  missed: u32,
  isReplayed: bool,
  sequence: u32,
): usize {
  const request = impressionEvent.request();
  const at = reserve(arena, FIELDS + 24 + (textEnd(request) - request));
  const made = entry(at);
  const lead = <i32>(impressionEvent.ts - watermark);
  const isWide = <f64>lead !== impressionEvent.ts - watermark || offset >= NARROW_OFFSETS;
  made.hash = hash;
  made.next = 0;
  made.before = 0;
  made.body = body;
  made.sequence = sequence;
  made.setTimes(impressionEvent.ts, offset, lead);
  made.flags =
    (body === 0 ? 0 : ACCEPTED) |
    (isReplayed ? REPLAYED : 0) |
    (isWide ? WIDE : 0) |
    (impressionEvent.page !== 0 ? PAGED : 0) |
    (missed !== 0 ? MISSES : 0);
  let to = at + FIELDS;
  if (isWide) {
    store<f64>(to, offset);
    store<f64>(to, watermark, 8);
    to += 16;
  }
  if (impressionEvent.page !== 0) {
    store<u32>(to, impressionEvent.page);
    to += 4;
  }
  if (missed !== 0) {
    store<u32>(to, missed);
    to += 4;
  }
  commit(arena, copyText(to, request));
  return at;
}

export function isOfRequest(at: usize, request: usize): bool {
  return sameText(entry(at).request(), request);
}

/** Negative if `a` precedes `b` in the log. */
export function logOrder(a: usize, b: usize): i32 {
  return <i32>(entry(a).sequence - entry(b).sequence);
}
