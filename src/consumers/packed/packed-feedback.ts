import { Buffer } from 'node:buffer';
import type { EpochMs, Feedback } from '../../vocabulary/events.ts';
import { textBound, writeText } from './text.ts';

/** Feedback with packed texts (text.ts) and the same values as `Feedback`. */
export interface FeedbackTexts {
  readonly ts: EpochMs;
  /** NaN if it has none. */
  readonly value: number;
  readonly u8: Buffer;
  /** Positions in `u8`. */
  readonly request: number;
  readonly item: number;
  readonly action: number;
  /** -1 if it has none. */
  readonly eventId: number;
}

const LEAST_BYTES = 1024;

/** One feedback event, in memory that the next one reuses: copy what must be kept. */
export class PackedFeedback implements FeedbackTexts {
  readonly kind = 'feedback';
  ts: EpochMs = 0;
  value = Number.NaN;
  u8 = Buffer.allocUnsafeSlow(LEAST_BYTES);
  request = 0;
  item = 0;
  action = 0;
  eventId = -1;

  /** Makes room for this many bytes of texts; the content is lost. */
  reserve(bytes: number): void {
    if (bytes > this.u8.length) this.u8 = Buffer.allocUnsafeSlow(2 * bytes);
  }

  pack({ ts, value, requestId, itemId, action, eventId }: Feedback): this {
    const texts = textBound(requestId.length) + textBound(itemId.length) + textBound(action.length);
    this.reserve(texts + textBound(eventId?.length ?? 0));
    const { u8 } = this;
    this.ts = ts;
    this.value = value ?? Number.NaN;
    this.request = 0;
    this.item = writeText(u8, 0, requestId);
    this.action = writeText(u8, this.item, itemId);
    const end = writeText(u8, this.action, action);
    this.eventId = eventId === undefined ? -1 : end;
    if (eventId !== undefined) writeText(u8, end, eventId);
    return this;
  }
}
