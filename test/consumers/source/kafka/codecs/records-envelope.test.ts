import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { openBatch, Records } from '../../../../../src/consumers/source/kafka/codecs/records.ts';
import { type LogRecord, recordsOf } from '../../../../../src/consumers/source/source-port.ts';
import { batchBytes, type RawBatch, signed } from '../record-batch.ts';

const content = fc.option(fc.uint8Array({ maxLength: 300 }), { freq: 4 });
const record = fc.record({
  timestampDelta: fc.bigInt({ min: -(2n ** 40n), max: 2n ** 60n }),
  key: content,
  value: content,
  headers: fc.array(fc.tuple(fc.string({ unit: 'grapheme', maxLength: 9 }), content), { maxLength: 70 }),
});

function batchOf(records: RawBatch['records'], codec: RawBatch['codec']): RawBatch {
  const header = { base: 5, firstTimestamp: 1000n, maxTimestamp: 2000n, isAppendTime: false };
  return { ...header, codec, lastDelta: records.length - 1, records };
}

async function taken(bytes: Buffer, withEnvelopes: boolean): Promise<readonly LogRecord[]> {
  const records = await openBatch(bytes);
  if (!(records instanceof Records)) throw new Error(records.reason);
  return recordsOf([records.take(0, { size: 1000, room: Number.POSITIVE_INFINITY }, withEnvelopes)]);
}

const plainly = (bytes: Uint8Array | null): string | null =>
  bytes === null ? null : Buffer.from(bytes).toString('hex');

describe('the envelope of a record', () => {
  it('has its key and all of its headers in their order, byte for byte', async () => {
    const codecs = fc.constantFrom<RawBatch['codec'][]>(0, 1);
    await fc.assert(
      fc.asyncProperty(fc.array(record, { minLength: 1, maxLength: 8 }), codecs, async (parts, codec) => {
        const records = parts.map((part, i) => ({ ...part, offsetDelta: i }));
        const read = await taken(batchBytes(batchOf(records, codec)), true);
        expect(
          read.map(({ envelope }) => [
            plainly(envelope?.key ?? null),
            envelope?.headers.map(({ name, value }) => [name, plainly(value)]),
          ]),
        ).toEqual(
          records.map(({ key, headers }) => [
            plainly(key),
            // A header's name is text; what is no text cannot be distinguished.
            headers.map(([name, value]) => [Buffer.from(name).toString(), plainly(value)]),
          ]),
        );
      }),
      { numRuns: 150 },
    );
  });

  it('is given only to those who asked for it', async () => {
    const one = { offsetDelta: 0, timestampDelta: 0n, key: null, value: null, headers: [] };
    const [record] = await taken(batchBytes(batchOf([one], 0)), false);
    expect(record).toEqual({ offset: 5, timestamp: 1000, value: null });
  });

  it('ends before headers that are damaged', async () => {
    const key = Buffer.from('k');
    const headers = [
      ['a', Buffer.from('1')],
      ['b', Buffer.from('2')],
    ] as const;
    const bytes = batchBytes(batchOf([{ offsetDelta: 0, timestampDelta: 0n, key, value: null, headers }], 0));
    for (let cut = 1; cut <= 8; cut++) {
      const damaged = Buffer.from(bytes);
      damaged[damaged.length - cut] = 0xff;
      const [read] = await taken(signed(damaged), true);
      expect(plainly(read.envelope?.key ?? null)).toBe('6b');
      expect(read.envelope?.headers.length).toBeLessThanOrEqual(2);
    }
  });
});
