import type { Event, Feedback, Impression, Side } from '../../src/vocabulary/events.ts';
import type { LogRecord } from '../reference/logs.ts';

/**
 * Records of the proof's traffic as events, read by JSON.parse and a look at each field. It shares nothing with the
 * decoder, and knows only what this traffic holds.
 */
export class PlainDecoder {
  /** Texts that occur often are kept once. */
  readonly #texts = new Map<string, string>();

  decode(side: Side, offset: number, timestamp: number, value: Buffer | null): LogRecord {
    if (value === null) return { kind: 'refused', offset, side, reason: 'tombstone' };
    const text = value.toString();
    const event = this.#event(side, text);
    if (event === undefined) return { kind: 'refused', offset, side, reason: 'invalid' };
    const isBot = text.includes('"bot":true');
    return { kind: 'read', offset, timestamp, events: isBot ? [] : [event], excluded: isBot ? [event] : [] };
  }

  #event(side: Side, text: string): Event | undefined {
    const json = parsed(text);
    if (json === undefined || typeof json['requestId'] !== 'string' || typeof json['ts'] !== 'number') return undefined;
    return side === 'impressions' ? this.#impression(json) : this.#feedback(json);
  }

  #impression(json: Readonly<Record<string, unknown>>): Impression | undefined {
    const { requestId, ts, userId, offset, items, variant, cohorts } = json;
    if (typeof requestId !== 'string' || typeof ts !== 'number' || !Array.isArray(items)) return undefined;
    return {
      kind: 'impression',
      requestId,
      ts,
      userId: typeof userId === 'string' ? this.#once(userId) : undefined,
      pageOffset: typeof offset === 'number' ? offset : 0,
      items: items.map((item: unknown) => this.#once(typeof item === 'string' ? item : String(record(item)['id']))),
      ranks: undefined,
      dimensions: [variant, record(cohorts)['country']].map((value) =>
        this.#once(value === undefined ? '__none__' : String(value)),
      ),
    };
  }

  #feedback({
    requestId,
    ts,
    itemId,
    action,
    eventId,
    value,
  }: Readonly<Record<string, unknown>>): Feedback | undefined {
    if (typeof requestId !== 'string' || typeof ts !== 'number') return undefined;
    if (typeof itemId !== 'string' || typeof action !== 'string') return undefined;
    return {
      kind: 'feedback',
      requestId,
      ts,
      itemId: this.#once(itemId),
      action: this.#once(action),
      eventId: typeof eventId === 'string' ? eventId : undefined,
      value: typeof value === 'number' ? value : undefined,
    };
  }

  #once(text: string): string {
    const kept = this.#texts.get(text);
    if (kept !== undefined) return kept;
    this.#texts.set(text, text);
    return text;
  }
}

/** The dimensions that it reads, in this order. */
export const DIMENSIONS = ['variant', 'country'];

function parsed(text: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const json: unknown = JSON.parse(text);
    return typeof json === 'object' && json !== null && !Array.isArray(json) ? record(json) : undefined;
  } catch {
    return undefined;
  }
}

function record(json: unknown): Readonly<Record<string, unknown>> {
  return typeof json === 'object' && json !== null ? Object.fromEntries(Object.entries(json)) : {};
}
