import { createDecoder, type Decoded } from '../../../src/consumers/decode/decoder.ts';
import type { DecoderOptions } from '../../../src/consumers/decode/decoder-settings.ts';
import type { Event } from '../../../src/vocabulary/events.ts';

export const BOTH: DecoderOptions = {
  adapter: 'canonical',
  role: { impressions: true, feedback: true },
  dimensions: ['country', 'experiment_ranker', 'model', 'surface', 'variant'],
  itemsPerList: 1000,
  impressionBytes: 256 * 1024,
  feedbackBytes: 64 * 1024,
  tsUnit: 'auto',
  positionBase: 1,
};
export const IMPRESSIONS = { impressions: true, feedback: false };
export const FEEDBACK = { impressions: false, feedback: true };

export function bytes(text: string): Uint8Array {
  return new TextEncoder().encode(text);
}

/** Decodes one value, given as JSON data or as the text itself. */
export function decode(value: unknown, options: Partial<DecoderOptions> = {}): Decoded {
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  return createDecoder({ ...BOTH, ...options }).decode(bytes(text), 'topic:0', 7);
}

/** The one event of a record that must be valid. */
export function event(value: unknown, options: Partial<DecoderOptions> = {}): Event {
  const decoded = decode(value, options);
  if ('refused' in decoded) throw new Error(`refused: ${JSON.stringify(decoded)}`);
  if (decoded.events.length !== 1) throw new Error(`${decoded.events.length} events`);
  return decoded.events[0];
}

/** `code field` of a record that must be invalid. */
export function refusal(value: unknown, options: Partial<DecoderOptions> = {}): string {
  const decoded = decode(value, options);
  if (!('refused' in decoded) || decoded.refused !== 'invalid')
    throw new Error(`not invalid: ${JSON.stringify(decoded)}`);
  return decoded.field === undefined ? decoded.code : `${decoded.code} ${decoded.field}`;
}

export const IMPRESSION = {
  requestId: 'r-1',
  ts: 1_795_248_000_123,
  items: [{ id: 'i7', score: 0.93 }, { id: 'i3', score: 0.71 }, { id: 'i9' }],
};
export const CLICK = { requestId: 'r-1', itemId: 'i3', ts: 1_795_248_005_000, action: 'click' };
