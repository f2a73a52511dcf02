import type { PackedFeedback } from '../../../src/consumers/packed/packed-feedback.ts';
import type { PackedImpression } from '../../../src/consumers/packed/packed-impression.ts';
import type { DurationMs, EpochMs } from '../../../src/vocabulary/events.ts';
import type { ItemHash } from './byte-table.ts';
import { ENTRY_BEFORE_WORD, type ImpressionRecords } from './impressions.ts';
import { Pages } from './pages.ts';
import { copyOf, LongRequests, RequestTable } from './requests.ts';
import { spanAround } from './time-trees.ts';

interface AcceptedSettings {
  /** The longest horizon. */
  readonly attribution: DurationMs;
  readonly backward: DurationMs;
  /** Up to this many impressions of a request are searched one by one; for more an index is built. */
  readonly searchUpTo: number;
}

/**
 * The accepted impressions by request: finds the one that makes a record a duplicate, and those that feedback can be attributed
 * to (specification: join 3). Results are entries (impressions.ts); 0: none.
 */
export class AcceptedImpressions {
  readonly #records: ImpressionRecords;
  readonly #requests: RequestTable;
  /** Indexes of the requests that have many impressions. */
  readonly #pages = new LongRequests<Pages>();
  readonly #itemHash: ItemHash;
  readonly #attribution: DurationMs;
  readonly #backward: DurationMs;
  readonly #searchUpTo: number;
  #steps = 0;

  constructor(records: ImpressionRecords, itemHash: ItemHash, settings: AcceptedSettings) {
    this.#records = records;
    this.#requests = new RequestTable(records.entries, ENTRY_BEFORE_WORD);
    this.#itemHash = itemHash;
    this.#attribution = settings.attribution;
    this.#backward = settings.backward;
    this.#searchUpTo = settings.searchUpTo;
  }

  get bytes(): number {
    return this.#requests.bytes + this.#pages.bytes;
  }

  /** Number of entries that were examined. */
  get steps(): number {
    return this.#steps + this.#pages.steps;
  }

  /** To be called in the order of the log. `impression` is what `entry` was made of. */
  add(entry: number, impression: PackedImpression): void {
    this.#requests.insert(entry);
    const hash = this.#requests.hash(entry);
    const pages = this.#pages.of(hash, impression.u8, 0);
    if (pages === undefined) return;
    const { ts, pageOffset } = impression;
    if (!pages.covers(ts)) {
      this.#pages.remove(hash, pages);
      return;
    }
    const before = pages.bytes;
    pages.add(entry, ts, pageOffset, impression);
    this.#pages.grew(pages.bytes - before);
  }

  remove(entry: number): void {
    const records = this.#records;
    const hash = this.#requests.hash(entry);
    this.#requests.remove(entry);
    const pages = this.#pages.of(hash, records.requestTexts(entry), records.requestOf(entry));
    // Most have been forgotten: the next search that needs an index builds a new one.
    if (pages !== undefined && 2 * --pages.live < pages.added) this.#pages.remove(hash, pages);
  }

  /** The last that makes this record a duplicate. */
  predecessorOf(impression: PackedImpression, hash: number): number {
    const { u8, pageOffset, ts } = impression;
    const pages = this.#pages.of(hash, u8, 0);
    if (pages !== undefined) return pages.lastNear(pageOffset, ts, this.#attribution);
    const records = this.#records;
    const requests = this.#requests;
    let steps = 0;
    let ofRequest = 0;
    let at = requests.chain(hash);
    for (; at !== 0; at = requests.next(at)) {
      steps++;
      if (requests.hash(at) !== hash || !records.isOf(at, u8, 0)) continue;
      ofRequest++;
      if (records.page(at) !== pageOffset) continue;
      if (Math.abs(ts - records.ts(at)) < this.#attribution) break;
    }
    this.#walked(steps, ofRequest, u8, 0, hash);
    return at;
  }

  /**
   * Puts those that feedback of this time can be attributed to into `found`, newest first, and returns their number. If the
   * request has an index, only the one that decides is returned.
   */
  fitting(
    { u8, request, item }: PackedFeedback,
    hash: number,
    ts: EpochMs,
    watermark: EpochMs,
    found: number[],
  ): number {
    const pages = this.#pages.of(hash, u8, request);
    if (pages !== undefined) {
      const from = ts - this.#attribution + 1;
      const to = ts + this.#backward + 1;
      const decisive = pages.firstFor(u8, item, from, to, watermark - this.#attribution + 1);
      found[0] = decisive;
      return decisive === 0 ? 0 : 1;
    }
    const records = this.#records;
    const requests = this.#requests;
    let n = 0;
    let steps = 0;
    let ofRequest = 0;
    for (let at = requests.chain(hash); at !== 0; at = requests.next(at)) {
      steps++;
      if (requests.hash(at) !== hash || !records.isOf(at, u8, request)) continue;
      ofRequest++;
      const lag = ts - records.ts(at);
      if (lag >= -this.#backward && lag < this.#attribution) found[n++] = at;
    }
    this.#walked(steps, ofRequest, u8, request, hash);
    return n;
  }

  /**
   * Whether feedback of this time can be attributed to any impression of the request at `request` of `u8`. None of these is
   * removed before the feedback's deadline.
   */
  anyFits(u8: Uint8Array, request: number, hash: number, ts: EpochMs): boolean {
    const pages = this.#pages.of(hash, u8, request);
    if (pages !== undefined) return pages.hasAny(ts - this.#attribution + 1, ts + this.#backward + 1);
    const records = this.#records;
    const requests = this.#requests;
    let steps = 0;
    let ofRequest = 0;
    let at = requests.chain(hash);
    for (; at !== 0; at = requests.next(at)) {
      steps++;
      if (requests.hash(at) !== hash || !records.isOf(at, u8, request)) continue;
      ofRequest++;
      const apart = ts - records.ts(at);
      if (apart >= -this.#backward && apart < this.#attribution) break;
    }
    this.#walked(steps, ofRequest, u8, request, hash);
    return at !== 0;
  }

  /** A walk through a chain has met `ofRequest` impressions of the request. If they are many, an index is built for the next search. */
  #walked(steps: number, ofRequest: number, u8: Uint8Array, request: number, hash: number): void {
    this.#steps += steps;
    if (ofRequest > this.#searchUpTo) this.#index(u8, request, hash);
  }

  #index(u8: Uint8Array, request: number, hash: number): void {
    const records = this.#records;
    const requests = this.#requests;
    const entries: number[] = [];
    let least = Number.POSITIVE_INFINITY;
    let most = Number.NEGATIVE_INFINITY;
    for (let at = requests.chain(hash); at !== 0; at = requests.next(at)) {
      if (requests.hash(at) !== hash || !records.isOf(at, u8, request)) continue;
      entries.push(at);
      least = Math.min(least, records.ts(at));
      most = Math.max(most, records.ts(at));
    }
    const span = spanAround(least, most, 4 * this.#attribution + 2 * this.#backward);
    const pages = new Pages(copyOf(u8, request), this.#itemHash, span);
    // In their chain the newest comes first.
    for (const entry of entries.reverse()) {
      pages.add(entry, records.ts(entry), records.page(entry), records.texts(records.body(entry)));
    }
    this.#pages.add(hash, pages);
  }
}
