import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import '../../../../../src/consumers/source/kafka/access/client.ts';
import { openBatch, Records } from '../../../../../src/consumers/source/kafka/codecs/records.ts';
import { Responses, responses } from '../../../../../src/consumers/source/kafka/codecs/reused-buffers.ts';
import { messagesOf } from '../../../../../src/consumers/source/kafka/flow/batches.ts';
import { ChunkReader } from '../../../../../src/consumers/source/kafka/flow/chunks.ts';
import { recordsOf } from '../../../../../src/consumers/source/source-port.ts';
import { batchBytes, type RawBatch } from '../record-batch.ts';

const SIZE = 100_000;

describe('memory for responses', () => {
  it('is never used again before all its batches are freed', () => {
    const act = fc.record({
      batches: fc.nat({ max: 3 }),
      isKept: fc.boolean(),
      size: fc.integer({ min: 1, max: 3 * SIZE }),
      free: fc.array(fc.nat(), { maxLength: 4 }),
    });
    fc.assert(
      fc.property(fc.array(act, { maxLength: 30 }), (acts) => {
        const pool = new Responses();
        const held: Buffer[] = [];
        const kept: Buffer[] = [];
        for (const { batches, isKept, size, free } of acts) {
          const response = pool.take(size);
          expect(response.length).toBe(size);
          const inUse = new Set([...held, ...kept].map(({ buffer }) => buffer));
          expect(inUse.has(response.buffer)).toBe(false);
          for (let i = 0; i < batches; i++) {
            pool.ref(response.subarray(0, 1));
            held.push(response);
          }
          if (isKept) {
            pool.keep(response);
            kept.push(response);
          }
          for (const which of free) {
            if (held.length > 0) pool.unref(held.splice(which % held.length, 1)[0]);
          }
        }
      }),
    );
  });

  it('is used again when they are', () => {
    const pool = new Responses();
    const response = pool.take(SIZE);
    pool.ref(response);
    pool.ref(response.subarray(7));
    pool.unref(response);
    expect(pool.take(SIZE).buffer).not.toBe(response.buffer);
    pool.unref(response.subarray(7));
    expect(pool.take(SIZE).buffer).toBe(response.buffer);
  });

  it('holds the records until they are handled, in whatever order responses are read', async () => {
    const sizes = fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 1, maxLength: 4 });
    const codec = fc.constantFrom(0 as const, 1 as const, 2 as const, 3 as const);
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.array(fc.tuple(sizes, codec), { minLength: 1, maxLength: 3 }), { minLength: 1, maxLength: 3 }),
        fc.array(fc.nat(), { minLength: 60, maxLength: 60 }),
        async (fetches, order) => {
          const written = fetches.map((partitions) => partitions.map(([counts, codec]) => logOf(counts, codec)));
          const readers = (await Promise.all(written.map(respond))).flat();
          const read = readers.map(() => [] as string[]);
          const unfinished = readers.map((_, i) => i);
          for (let turn = 0; unfinished.length > 0; turn++) {
            const at = order[turn % order.length] % unfinished.length;
            const which = unfinished[at];
            const chunk = await readers[which].chunk(read[which].length, 4);
            spoilFree();
            read[which].push(...recordsOf(chunk.runs).map(({ value }) => String(value && Buffer.from(value))));
            readers[which].handled();
            spoilFree();
            if (readers[which].isDone || chunk.refusal !== undefined) unfinished.splice(at, 1);
          }
          expect(read).toEqual(written.flat().map(({ values }) => values));
        },
      ),
      { numRuns: 60 },
    );
  });

  it('waits for the second batch, however often the first is freed', async () => {
    const response = responses.take(SIZE);
    const { bytes } = logOf([3, 3], 3);
    bytes.copy(response);
    const [first] = await messagesOf(response.subarray(0, bytes.length), decoders);
    if (first.stand?.kind !== 'batch') throw new Error('it is not decoded yet');
    const records = await openBatch(first.stand.bytes);
    if (!(records instanceof Records)) throw new Error(records.reason);
    records.free();
    records.free();
    expect(freeOnes()).not.toContain(response.buffer);
  });

  it('is not used again when a batch was damaged, skipped or never read', async () => {
    const whole = logOf([3, 3], 3);
    const damaged = Buffer.from(whole.bytes);
    damaged[damaged.length - 1] ^= 1;
    expect(await isUsedAgain(whole.bytes, 0)).toBe(true);
    expect(await isUsedAgain(damaged, 0)).toBe(false);
    expect(await isUsedAgain(whole.bytes, 3)).toBe(false);
    expect(await isUsedAgain(whole.bytes, 0, 1)).toBe(false);
  });
});

interface Written {
  readonly bytes: Buffer;
  readonly values: readonly string[];
}

/** Batches of so many records each. */
function logOf(counts: readonly number[], codec: RawBatch['codec']): Written {
  const values: string[] = [];
  const batches = counts.map((count) => {
    const base = values.length;
    const records = Array.from({ length: count }, (_, i) => {
      values.push(`record ${base + i} of ${codec}`);
      return { offsetDelta: i, timestampDelta: 0n, key: null, value: Buffer.from(values[base + i]), headers: [] };
    });
    const times = { firstTimestamp: 1000n, maxTimestamp: 1000n, isAppendTime: false };
    return batchBytes({ base, lastDelta: count - 1, codec, records, ...times });
  });
  return { bytes: Buffer.concat(batches), values };
}

const decoders = {
  control: () => Promise.reject(new Error('there is none')),
  set: () => Promise.reject(new Error('there is none')),
};

/** Readers of the partitions of one response. */
async function respond(partitions: readonly Written[]): Promise<readonly ChunkReader[]> {
  const response = responses.take(SIZE);
  let at = 0;
  const parts = partitions.map(({ bytes, values }) => {
    bytes.copy(response, at);
    at += bytes.length;
    return { part: response.subarray(at - bytes.length, at), end: values.length };
  });
  return Promise.all(parts.map(async ({ part, end }) => readerOf(await messagesOf(part, decoders), end)));
}

function readerOf(messages: Awaited<ReturnType<typeof messagesOf>>, end: number): ChunkReader {
  return new ChunkReader({
    partition: 0,
    topic: 0,
    fetched: 0,
    messages,
    end,
    logEnd: end,
    resolveOffset: () => {},
    heartbeat: async () => {},
    isRunning: () => true,
    isStale: () => false,
  });
}

/** Overwrites what is free, as the next response would. */
function spoilFree(): void {
  const taken = [responses.take(SIZE), responses.take(SIZE)];
  for (const response of taken) {
    response.fill(0xff);
    responses.ref(response);
    responses.unref(response);
  }
}

/** Whether the memory of a response is taken for the next one when it was read from an offset on, in at most so many chunks. */
async function isUsedAgain(bytes: Buffer, from: number, chunks = Number.POSITIVE_INFINITY): Promise<boolean> {
  const response = responses.take(SIZE);
  bytes.copy(response);
  const reader = readerOf(await messagesOf(response.subarray(0, bytes.length), decoders), 6);
  let expected = from;
  for (let read = 0; read < chunks && !reader.isDone; read++) {
    const { next, refusal } = await reader.chunk(expected, 2);
    if (refusal !== undefined) break;
    reader.handled();
    expected = next;
  }
  return freeOnes().includes(response.buffer);
}

/** The memory that the next responses would get. */
function freeOnes(): readonly ArrayBufferLike[] {
  const taken = Array.from({ length: 16 }, () => responses.take(SIZE));
  for (const one of taken) {
    responses.ref(one);
    responses.unref(one);
  }
  return taken.map(({ buffer }) => buffer);
}
