import { describe, expect, it } from 'vitest';
import { adminOf, kafkajs } from '../../src/consumers/source/kafka/access/client.ts';
import { LogUnavailable } from '../../src/consumers/source/source-port.ts';
import { startOffset } from '../../src/service/start.ts';
import { freePort } from '../services/ports.ts';

/** A log whose group has committed `committed` of partition 0. */
function logOf(committed: number, failure?: unknown): Parameters<typeof startOffset>[0] {
  return {
    committedByGroup: async () => [[committed]],
    bounds: async () => {
      if (failure !== undefined) throw failure;
      return { start: 3, end: 9, openFrom: 7 };
    },
    offsetAt: async (_, __, at) => Math.max(at, 3),
  };
}

const FIRST = { from: 'earliest', rebuild: false, isFirst: true } as const;

describe('a unit without stored state', () => {
  it.each([
    ['earliest', FIRST, 3],
    ['latest', { ...FIRST, from: 'latest' }, 7],
    ['a time', { ...FIRST, from: { at: 5 } }, 5],
    ['a time before the oldest record', { ...FIRST, from: { at: 1 } }, 3],
    ['added later', { ...FIRST, from: 'latest', isFirst: false }, 3],
    ['rebuilt', { ...FIRST, from: 'latest', rebuild: true }, 3],
  ] as const)('begins where it should, and knows whether older records are gone: %s', async (_, beginning, offset) => {
    expect(await startOffset(logOf(-1), beginning, 0, 0)).toBe(offset);
  });

  it('was read before if the group has a position', async () => {
    expect(await startOffset(logOf(4), FIRST, 0, 0)).toBe('state_lost');
  });

  it('is asked for again while no broker is there, and not after another error', async () => {
    const broker = `127.0.0.1:${await freePort()}`;
    const retry = { retries: 1, initialRetryTime: 10 };
    const kafka = new kafkajs.Kafka({ brokers: [broker], logLevel: kafkajs.logLevel.NOTHING, retry });
    const failure: unknown = await adminOf(kafka, { retry })
      .connect()
      .catch((error: unknown) => error);
    expect(failure).toMatchObject({ retriable: false });
    await expect(startOffset(logOf(-1, failure), FIRST, 0, 0)).rejects.toBeInstanceOf(LogUnavailable);
    await expect(startOffset(logOf(-1, new TypeError('a defect')), FIRST, 0, 0)).rejects.toBeInstanceOf(TypeError);
  });
});
