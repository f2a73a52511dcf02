/** An impression's entry: it is remembered until 2H + b after its time, so that duplicates are known and feedback finds it. */
import { Arena, commit, reserve } from './arena';
import { shown } from './events';
import { Chained } from './request-table';
import { copyText, sameText, textEnd } from './texts';

@unmanaged
export class Entry extends Chained {
  flags: u32;
  ts: f64;
  offset: f64;
  /** Of its topic, just before the record. */
  watermark: f64;
  /** 0: the longest horizon has closed, or the record is a duplicate. */
  body: usize;
  page: u32;
  sequence: u32;

  /** Its request id. */
  request(): usize {
    return changetype<usize>(this) + REQUEST;
  }

  isAccepted(): bool {
    return (this.flags & ACCEPTED) !== 0;
  }

  /** Its record is below the committed offset. */
  isBelow(): bool {
    return (this.flags & BELOW) !== 0;
  }
}
const REQUEST: usize = offsetof<Entry>();

const ACCEPTED: u32 = 1;
const BELOW: u32 = 2;

export function entry(at: usize): Entry {
  return changetype<Entry>(at);
}

/** `body` 0: the record is a duplicate. `below`: it is below the committed offset. */
export function addEntry(
  arena: Arena,
  hash: u32,
  offset: f64,
  watermark: f64,
  body: usize,
  below: bool,
  sequence: u32,
): usize {
  const request = shown.request();
  const at = reserve(arena, REQUEST + (textEnd(request) - request));
  const made = entry(at);
  made.hash = hash;
  made.next = 0;
  made.before = 0;
  made.flags = (body === 0 ? 0 : ACCEPTED) | (below ? BELOW : 0);
  made.ts = shown.ts;
  made.offset = offset;
  made.watermark = watermark;
  made.body = body;
  made.page = shown.page;
  made.sequence = sequence;
  commit(arena, copyText(at + REQUEST, request));
  return at;
}

export function isOfRequest(at: usize, request: usize): bool {
  return sameText(entry(at).request(), request);
}

/** Below 0: `a` comes before `b` in the log. */
export function logOrder(a: usize, b: usize): i32 {
  return <i32>(entry(a).sequence - entry(b).sequence);
}
