import { createRequire } from 'node:module';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
// Changes kafkajs.
import '../../../../../src/consumers/source/kafka/access/client.ts';
import type { RequestQueue } from '../../../../../src/consumers/source/kafka/access/kafkajs-parts.ts';

/** What else kafkajs and this test need of it. */
interface Queue extends RequestQueue {
  push(request: object): void;
  fulfillRequest(response: { readonly correlationId: number; readonly payload: null; readonly size: number }): void;
  maybeThrottle(time: number): void;
}

const require = createRequire(import.meta.url);
const Queue: new (options: object) => Queue = require('kafkajs/src/network/requestQueue/index.js');
const SILENT = { debug: () => {}, warn: () => {} };

let sent: number[];
let queue: Queue;
beforeEach(() => {
  vi.useFakeTimers();
  sent = [];
  const options = { maxInFlightRequests: 1, requestTimeout: 1000, enforceRequestTimeout: false, logger: SILENT };
  queue = new Queue({ ...options, clientId: 'test', broker: 'broker:9092' });
});
afterEach(() => {
  vi.useRealTimers();
});

function push(correlationId: number): void {
  const entry = { correlationId, apiKey: 1, apiVersion: 1, apiName: 'Fetch', resolve: () => {}, reject: () => {} };
  queue.push({ entry, expectResponse: true, sendRequest: () => sent.push(correlationId) });
}

function answer(correlationId: number): void {
  queue.fulfillRequest({ correlationId, payload: null, size: 0 });
}

it('a connection without requests sets no timer', () => {
  push(1);
  answer(1);
  expect([sent, vi.getTimerCount()]).toEqual([[1], 0]);
});

it('what must wait for a response is sent after it', () => {
  push(1);
  push(2);
  expect(sent).toEqual([1]);
  answer(1);
  expect(sent).toEqual([1, 2]);
  answer(2);
  vi.advanceTimersByTime(1000);
  expect(vi.getTimerCount()).toBe(0);
});

it('what comes while a broker wants a pause is sent at its end', () => {
  queue.maybeThrottle(500);
  push(1);
  vi.advanceTimersByTime(499);
  expect(sent).toEqual([]);
  vi.advanceTimersByTime(2);
  expect(sent).toEqual([1]);
  answer(1);
  vi.advanceTimersByTime(1000);
  expect(vi.getTimerCount()).toBe(0);
});
