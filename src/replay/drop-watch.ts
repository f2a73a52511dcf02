/** Observes which events of files are dropped, and where each stands in its file, even if it had waited for its impression. */
import type { JoinEvent, JoinObserver, RecordPlace } from '../consumers/join/api.ts';
import type { FeedbackTexts } from '../consumers/packed/packed-events.ts';
import { readText } from '../consumers/packed/text.ts';
import type { Batch, FilePlace, LogRecord } from '../consumers/source/source-port.ts';
import type { InvalidRecord, PassedRecord } from '../unit/unit-contract.ts';
import type { FeedbackDrop, InvalidCode } from '../vocabulary/drops.ts';
import type { EpochMs, Side, TopicRole } from '../vocabulary/events.ts';

/** An event that is dropped, or a record that contains none. */
export interface Dropped {
  /** undefined: not known, for a record without a map in a log of both sides. */
  readonly side: Side | undefined;
  readonly reason: FeedbackDrop | 'unmapped';
  /** The code of an `invalid` record. */
  readonly code?: InvalidCode | undefined;
  /** The part of the event that is wrong, or the pointer of the condition that is not met; undefined: all of it, or neither. */
  readonly field?: string | undefined;
  /** undefined: the record contains no valid event. */
  readonly event?: DroppedEvent | undefined;
  /** Its record; undefined: too much feedback was waiting to keep it. */
  readonly record: DroppedRecord | undefined;
}

interface DroppedEvent {
  readonly requestId: string;
  readonly ts: EpochMs;
  /** For an impression, the number of slots before its page. */
  readonly offset?: number;
  readonly itemId?: string;
  readonly action?: string;
}

interface DroppedRecord {
  readonly place: FilePlace;
  /** The bytes in the file, or JSON; undefined: not requested. */
  readonly value: Uint8Array | undefined;
}

/**
 * Limits of the records of waiting feedback that are kept: their number if values are not requested, since some examples are enough, else
 * the bytes of their values.
 */
const MOST_PLACES = 20_000;
const MOST_BYTES = 2 ** 28;
/** Bytes of a record in memory, without its value. */
const RECORD_BYTES = 300;

export class DropWatch implements JoinObserver {
  readonly #roles: readonly TopicRole[];
  readonly #onDropped: (dropped: Dropped) => void;
  readonly #keepsValues: boolean;
  /** The records being judged, by topic. */
  readonly #batches: (Batch | undefined)[] = [];
  /** Records of waiting feedback by its content, in the order of arrival. */
  readonly #waiting = new Map<string, DroppedRecord[]>();
  #waitingBytes = 0;
  /** Feedback that has found its list, where it may be dropped. */
  #found: { readonly key: string; readonly record: DroppedRecord | undefined } | undefined;

  /**
   * @param roles of the topics
   * @param keepsValues whether records are requested with their values
   */
  constructor(roles: readonly TopicRole[], onDropped: (dropped: Dropped) => void, keepsValues: boolean) {
    this.#roles = roles;
    this.#onDropped = onDropped;
    this.#keepsValues = keepsValues;
  }

  /** Called before these records are judged. */
  reads(batch: Batch): void {
    this.#batches[batch.topic] = batch;
  }

  dropped(reason: FeedbackDrop, _list: number, texts: FeedbackTexts, from?: RecordPlace): void {
    const feedback = feedbackOf(texts);
    const { requestId, itemId, action, ts } = feedback;
    const key = keyOf(feedback);
    const record =
      from !== undefined ? this.#recordAt(from) : this.#found?.key === key ? this.#found.record : this.#take(key);
    this.#found = undefined;
    this.#onDropped({ side: 'feedback', reason, event: { requestId, itemId, action, ts }, record });
  }

  notTaken(why: 'waits' | 'future' | 'excluded' | 'late' | 'duplicate', event: JoinEvent, from: RecordPlace): void {
    this.#found = undefined;
    // Files deliver events as they are decoded.
    if (!('requestId' in event)) return;
    const record = this.#recordAt(from);
    if (event.kind === 'impression') {
      if (why === 'waits') return;
      const { requestId, ts, pageOffset: offset } = event;
      this.#onDropped({ side: 'impressions', reason: why, event: { requestId, ts, offset }, record });
      return;
    }
    const { requestId, itemId, action, ts } = event;
    if (why === 'waits') this.#keep(keyOf(event), record);
    else this.#onDropped({ side: 'feedback', reason: why, event: { requestId, itemId, action, ts }, record });
  }

  strayed(): void {}

  readonly invalid = ({ side, code, field, record }: InvalidRecord): void => {
    this.#onDropped({ side, reason: 'invalid', code, field, record: this.#recordOf(record) });
  };

  readonly passedOver = ({ topic, record, condition: { field } }: PassedRecord): void => {
    const { impressions, feedback } = this.#roles[topic];
    const side = impressions && feedback ? undefined : impressions ? 'impressions' : 'feedback';
    this.#onDropped({ side, reason: 'unmapped', field, record: this.#recordOf(record) });
  };

  found(texts: FeedbackTexts): void {
    const key = keyOf(feedbackOf(texts));
    this.#found = { key, record: this.#take(key) };
  }

  #recordAt({ topic, offset }: RecordPlace): DroppedRecord | undefined {
    const records = this.#batches[topic]?.records ?? [];
    return records.length === 0 ? undefined : this.#recordOf(records[offset - records[0].offset]);
  }

  #recordOf({ place, value }: LogRecord): DroppedRecord | undefined {
    if (place === undefined) return undefined;
    return { place, value: this.#keepsValues && value !== null ? value : undefined };
  }

  #keep(key: string, record: DroppedRecord | undefined): void {
    const bytes = this.#keepsValues ? MOST_BYTES : MOST_PLACES * RECORD_BYTES;
    if (record === undefined || this.#waitingBytes + bytesOf(record) > bytes) return;
    this.#waitingBytes += bytesOf(record);
    // The value may be a view of something much larger.
    const own = { ...record, value: record.value === undefined ? undefined : new Uint8Array(record.value) };
    const same = this.#waiting.get(key);
    if (same === undefined) this.#waiting.set(key, [own]);
    else same.push(own);
  }

  #take(key: string): DroppedRecord | undefined {
    const same = this.#waiting.get(key);
    const record = same?.shift();
    if (same?.length === 0) this.#waiting.delete(key);
    if (record !== undefined) this.#waitingBytes -= bytesOf(record);
    return record;
  }
}

function bytesOf({ value }: DroppedRecord): number {
  return RECORD_BYTES + (value?.length ?? 0);
}

interface SaidFeedback {
  readonly requestId: string;
  readonly itemId: string;
  readonly action: string;
  readonly ts: EpochMs;
  readonly value: number | undefined;
  readonly eventId: string | undefined;
}

function feedbackOf({ u8, request, item, action, eventId, ts, value }: FeedbackTexts): SaidFeedback {
  return {
    requestId: readText(u8, request),
    itemId: readText(u8, item),
    action: readText(u8, action),
    ts,
    value: Number.isNaN(value) ? undefined : value,
    eventId: eventId < 0 ? undefined : readText(u8, eventId),
  };
}

/** Key of feedback by its content. Feedback with equal content waits for the same list, and is dropped at the same time. */
function keyOf({ requestId, itemId, action, ts, value, eventId }: SaidFeedback): string {
  return JSON.stringify([requestId, itemId, action, ts, value, eventId]);
}
