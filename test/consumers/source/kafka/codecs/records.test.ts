import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { withoutAborted } from '../../../../../src/consumers/source/kafka/flow/batches.ts';
import { ChunkReader, type FetchedBatch } from '../../../../../src/consumers/source/kafka/flow/chunks.ts';
import '../../../../../src/consumers/source/kafka/access/client.ts';
import { openBatch, Records } from '../../../../../src/consumers/source/kafka/codecs/records.ts';
import { RecordColumns } from '../../../../../src/consumers/source/kafka/codecs/reused-buffers.ts';
import { type LogRecord, recordsOf } from '../../../../../src/consumers/source/source-port.ts';
import { type Modules, ourKafkajs, type PartitionData, plainKafkajs } from '../plain-kafkajs.ts';
import { batchBytes, marker, type RawBatch, type RawRecord, recordBytes, recordSet, signed } from '../record-batch.ts';

const plain = plainKafkajs();
const ours = ourKafkajs();

type Seen = readonly [offset: number, timestamp: number | undefined, value: string | null];

const seen = ({ offset, timestamp, value }: LogRecord): Seen => [
  offset,
  timestamp,
  value === null ? null : Buffer.from(value).toString('latin1'),
];

const content = fc.option(fc.uint8Array({ maxLength: 200 }), { freq: 5 });
const times = fc.oneof(fc.bigInt({ min: -3n, max: 10n ** 13n }), fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }));
const record = fc.record({
  gap: fc.oneof(fc.constant(0), fc.nat(300)),
  timestampDelta: fc.oneof(fc.bigInt({ min: -100n, max: 100_000n }), times),
  key: content,
  value: content,
  headers: fc.array(fc.tuple(fc.string({ maxLength: 9 }), content), { maxLength: 3 }),
});
const batch = fc.record({
  gap: fc.oneof(fc.constant(0), fc.nat(50)),
  tail: fc.oneof(fc.constant(0), fc.nat(5)),
  codec: fc.constantFrom(0 as const, 1 as const, 2 as const, 3 as const),
  firstTimestamp: times,
  maxTimestamp: fc.bigInt({ min: -1n, max: 10n ** 13n }),
  isAppendTime: fc.boolean(),
  isControl: fc.boolean(),
  records: fc.array(record, { minLength: 1, maxLength: 30 }),
});
/** A log: batches with holes between and within them. */
const log = fc.tuple(fc.nat(1000), fc.array(batch, { minLength: 1, maxLength: 6 })).map(([start, batches]) => {
  let base = start;
  return batches.map(({ gap, tail, isControl, records, ...rest }): RawBatch => {
    base += gap;
    if (isControl) return marker(base++, 7, true);
    let delta = -1;
    const placed = records.map((one): RawRecord => {
      delta += 1 + one.gap;
      return { ...one, offsetDelta: delta };
    });
    const made = { ...rest, base, lastDelta: delta + tail, records: placed };
    base += delta + tail + 1;
    return made;
  });
});

function partition(messages: PartitionData['messages'], more: Partial<PartitionData> = {}): PartitionData {
  return { partition: 0, highWatermark: '9000000', messages, ...more };
}

async function fetched({ decodeMessages, Reader, Batch }: Modules, bytes: Buffer, from: number, aborted = {}) {
  const messages = await decodeMessages(new Reader(recordSet(bytes)));
  return new Batch('t', String(from), partition(messages, aborted));
}

/** What our reader gives, in chunks of these sizes, round and round. */
async function read(
  bytes: Buffer,
  from: number,
  sizes: readonly number[] = [1000],
  aborted = {},
  logEnd = Number.MAX_SAFE_INTEGER,
) {
  const { messages, lastOffset } = await fetched(ours, bytes, from, aborted).then((made) => ({
    messages: made.messages,
    lastOffset: made.messages.length === 0 ? from : Number(made.lastOffset()),
  }));
  const unused = { partition: 0, topic: 0, fetched: from, resolveOffset: () => {}, heartbeat: async () => {} };
  const source: FetchedBatch = {
    ...unused,
    messages,
    end: lastOffset + 1,
    logEnd,
    isRunning: () => true,
    isStale: () => false,
  };
  const reader = new ChunkReader(source);
  const records: LogRecord[] = [];
  let expected = from;
  for (let turn = 0; !reader.isDone; turn++) {
    const size = sizes[turn % sizes.length];
    const chunk = await reader.chunk(expected, size);
    const taken = recordsOf(chunk.runs);
    if (chunk.refusal !== undefined) return { records: records.map(seen), refusal: chunk.refusal, end: expected };
    expect(taken.length).toBeLessThanOrEqual(size);
    expect(chunk.next).toBeGreaterThan(Number(taken.at(-1)?.offset ?? expected - 1));
    expect(chunk.next).toBeGreaterThan(Number(chunk.last));
    records.push(...taken);
    expected = chunk.next;
  }
  return { records: records.map(seen), refusal: undefined, end: expected };
}

async function readPlainly(bytes: Buffer, from: number): Promise<readonly Seen[]> {
  const { messages } = await fetched(plain, bytes, from);
  return messages.map(({ offset, timestamp, value }) =>
    seen({ offset: Number(offset), timestamp: Number(timestamp) < 0 ? undefined : Number(timestamp), value }),
  );
}

function simple(base: number, count: number, more: Partial<RawBatch> = {}): RawBatch {
  const records = Array.from({ length: count }, (_, i) => ({
    offsetDelta: i,
    timestampDelta: BigInt(i),
    key: null,
    value: Buffer.from(`${base + i}`),
    headers: [],
  }));
  const header = { firstTimestamp: 1000n, maxTimestamp: 2000n, isAppendTime: false, codec: 0 } as const;
  return { ...header, base, lastDelta: Math.max(0, count - 1), records, ...more };
}

const offsets = (records: readonly Seen[]): number[] => records.map(([offset]) => offset);

/** A record whose time has no end: its length, its attributes, its time. */
const LONG_TIME = Buffer.concat([Buffer.from([40, 0]), Buffer.alloc(10, 0x80), Buffer.alloc(9)]);

/** A record whose key has a length of six bytes, all zero. */
const LONG_NUMBER = Buffer.concat([Buffer.from([40, 0, 0, 0]), Buffer.alloc(5, 0x80), Buffer.alloc(12)]);

/** The record that ends a transaction, with a number of headers that nothing follows. */
const MANY_HEADERS = Buffer.concat([
  Buffer.from([40, 0, 0, 0, 8]),
  Buffer.alloc(4),
  Buffer.from([1, 0x80, 0x80, 0x80, 0x80, 1]),
  Buffer.alloc(6),
]);

/** kafkajs itself cannot decode less of a batch. */
const LEAST = 17;

describe('the records of a fetch', () => {
  it('are those that kafkajs itself decodes, from any offset, cut anywhere, in chunks of any size', async () => {
    const sizes = fc.array(fc.integer({ min: 1, max: 40 }), { minLength: 1, maxLength: 4 });
    await fc.assert(
      fc.asyncProperty(log, fc.nat(300), fc.nat(), sizes, async (batches, skipped, cut, sizes) => {
        const whole = Buffer.concat(batches.map((one) => batchBytes(one)));
        const from = batches[0].base + skipped;
        for (const bytes of [whole, whole.subarray(0, LEAST + (cut % (whole.length - LEAST)))]) {
          const { records, refusal } = await read(bytes, from, sizes);
          expect(refusal).toBeUndefined();
          expect(records).toEqual(await readPlainly(bytes, from));
        }
      }),
      { numRuns: 300 },
    );
  });

  it('are refused batch by batch when a producer wrote them damaged, and never throw or come in disorder', async () => {
    const changes = fc.array(fc.tuple(fc.nat(), fc.nat(255)), { minLength: 1, maxLength: 6 });
    await fc.assert(
      fc.asyncProperty(log, changes, async (batches, changes) => {
        const parts = batches.filter(({ isControl }) => isControl !== true).map((one) => batchBytes(one));
        fc.pre(parts.length > 0);
        for (const part of parts) {
          // Offsets, length and format are the broker's.
          for (const [at, byte] of changes) part[at % 5 === 0 ? 22 : 27 + (at % (part.length - 27))] = byte;
          const opened = await openBatch(signed(part));
          if (!(opened instanceof Records)) {
            expect(opened.to).toBeGreaterThan(opened.from);
            continue;
          }
          let last = -1;
          while (opened.next()) {
            expect(opened.offset).toBeGreaterThan(last);
            last = opened.offset;
            expect(opened.value?.length ?? 0).toBeLessThanOrEqual(opened.size);
            expect(opened.timestamp).not.toBeNaN();
          }
          expect(opened.left).toBe(0);
        }
        await read(Buffer.concat(parts), 0);
      }),
      { numRuns: 500 },
    );
  });

  it('have views into the batch for values, and nothing of what stands around them', async () => {
    const one = simple(3, 2);
    const opened = await openBatch(batchBytes(one));
    if (!(opened instanceof Records)) throw new Error(opened.reason);
    opened.next();
    expect(opened.value).toEqual(new Uint8Array(Buffer.from('3')));
    expect(opened.value?.constructor).toBe(Uint8Array);
    expect(opened.hasKey).toBe(false);
  });

  it('do not come before the offset asked for, and the rest of their batch does', async () => {
    const bytes = batchBytes(simple(10, 10));
    for (const [from, first] of [
      [9, 10],
      [10, 10],
      [11, 11],
      [19, 19],
    ]) {
      const { records, end } = await read(bytes, from, [3]);
      expect(offsets(records)[0]).toBe(first);
      expect(offsets(records).at(-1)).toBe(19);
      expect(end).toBe(20);
    }
  });

  it('may all be gone from a batch, whose end is the position all the same', async () => {
    const bytes = Buffer.concat([batchBytes(simple(5, 0, { lastDelta: 9, codec: 3 })), batchBytes(simple(20, 1))]);
    expect((await read(bytes.subarray(0, -70), 5)).end).toBe(15);
    expect(await read(bytes, 5)).toMatchObject({ end: 21, records: [[20, 1000, '20']] });
  });

  it('of formats before Kafka 0.11 come as kafkajs decodes them, also before a batch of today', async () => {
    const body = Buffer.concat([
      Buffer.from([1, 0]), // format, attributes
      Buffer.from([0, 0, 0, 0, 0, 0, 0, 9]), // time
      Buffer.from([0xff, 0xff, 0xff, 0xff]), // no key
      Buffer.from([0, 0, 0, 2]),
      Buffer.from('ab'),
    ]);
    const frame = Buffer.alloc(16);
    frame.writeBigInt64BE(41n, 0);
    frame.writeInt32BE(body.length + 4, 8);
    const old = Buffer.concat([frame, body]);
    expect(await readPlainly(old, 41)).toEqual([[41, 9, 'ab']]);
    expect((await read(Buffer.concat([old, batchBytes(simple(42, 1))]), 41)).records).toEqual([
      [41, 9, 'ab'],
      [42, 1000, '42'],
    ]);
    const bomb = Buffer.from(old);
    bomb[17] = 2; // snappy
    expect((await read(bomb, 0)).refusal).toMatchObject({ from: 41, to: 42, reason: 'snappy data is damaged' });
  });
});

it('the end of a transaction is read whatever headers it declares, in time and memory for its bytes', async () => {
  const end = batchBytes(marker(5, 7, true), MANY_HEADERS);
  const { records, end: next } = await read(
    Buffer.concat([batchBytes(simple(0, 5)), end, batchBytes(simple(6, 1))]),
    0,
  );
  expect(offsets(records)).toEqual([0, 1, 2, 3, 4, 6]);
  expect(next).toBe(7);
});

describe('a batch that cannot be read', () => {
  const damaged = (change: (bytes: Buffer) => void, raw = simple(100, 5)): Buffer => {
    const bytes = batchBytes(raw);
    change(bytes);
    return signed(bytes);
  };

  it('because any one bit of it was turned after it was written is refused, and stays so', async () => {
    const whole = batchBytes(simple(100, 5, { codec: 1 }));
    // Of the header only what the broker does not change.
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 17 * 8, max: whole.length * 8 - 1 }), async (bit) => {
        const bytes = Buffer.from(whole);
        bytes[bit >>> 3] ^= 1 << (bit & 7);
        const opened = await openBatch(bytes);
        expect(opened).toMatchObject({ from: 100, reason: expect.stringContaining('checksum') });
      }),
    );
    expect(await openBatch(whole)).toBeInstanceOf(Records);
  });

  it.each([
    ['has a codec that nobody knows', damaged((bytes) => bytes.writeInt16BE(5, 21)), 'codec 5 is unknown'],
    ['has damaged compressed bytes', damaged((bytes) => bytes.writeInt16BE(2, 21)), 'snappy data is damaged'],
    ['counts more records than it has', damaged((bytes) => bytes.writeInt32BE(6, 57)), 'record 6 of the 6'],
    ['counts less than none', damaged((bytes) => bytes.writeInt32BE(-1, 57)), 'header'],
    ['has a record that is longer than the batch', damaged((bytes) => bytes.writeUInt8(0x7e, 61)), 'record 1 of the 5'],
    ['has a record of no length', damaged((bytes) => bytes.writeUInt8(0, 61)), 'record 1 of the 5'],
    ['has a number of six bytes', batchBytes(simple(100, 5), LONG_NUMBER), 'record 1 of the 5'],
    ['has a time of eleven bytes', batchBytes(simple(100, 5), LONG_TIME), 'record 1 of the 5'],
    ['has a record behind its last', batchBytes(simple(100, 6, { lastDelta: 4 })), 'record 6 of the 6'],
  ])('because it %s is refused as a whole, behind what was before it', async (_, bytes, reason) => {
    const before = batchBytes(simple(90, 3));
    const behind = batchBytes(simple(105, 3));
    const { records, refusal } = await read(Buffer.concat([before, bytes, behind]), 90);
    expect(offsets(records)).toEqual([90, 91, 92]);
    expect(refusal).toMatchObject({ from: 100, to: 105 });
    expect(refusal?.reason).toContain(reason);
    expect(offsets((await read(Buffer.concat([bytes, behind]), 105)).records)).toEqual([105, 106, 107]);
  });

  it.each([
    ['as many as its header says', simple(100, 5), 5, 5],
    ['one for each offset where the header has no such count', simple(100, 5), 9, 5],
    ['those that compaction has left', simple(100, 5, { lastDelta: 49 }), 5, 5],
    ['none if it only ends a transaction', { ...marker(100, 7, true) }, 1, 0],
  ])('reports how many records are lost with it: %s', async (_, raw, count, lost) => {
    const bytes = batchBytes(raw);
    bytes.writeInt32BE(count, 57);
    bytes[17] ^= 1;
    const { refusal } = await read(Buffer.concat([bytes, batchBytes(simple(200, 1))]), 100);
    expect(refusal).toMatchObject({ from: 100, to: 100 + raw.lastDelta + 1, records: lost });
    expect(Buffer.from(refusal?.bytes ?? []).equals(bytes)).toBe(true);
  });

  it('ends where the next one begins when its header says that it reaches further', async () => {
    const bytes = batchBytes(simple(100, 5));
    bytes.writeInt32BE(2 ** 30, 23);
    const behind = batchBytes(simple(105, 3));
    expect((await read(Buffer.concat([bytes, behind]), 100)).refusal).toMatchObject({ from: 100, to: 105, records: 5 });
    const alone = await read(bytes, 100, [1000], {}, 107);
    expect(alone.refusal).toMatchObject({ from: 100, to: 101, records: 1 });
    expect((await read(batchBytes(simple(100, 5, { codec: 3 })).fill(0, 70), 102)).refusal).toMatchObject({
      from: 102,
      to: 105,
      records: 3,
    });
  });

  it('because its frame is damaged ends what can be read of the fetch', async () => {
    for (const length of [-12, 0, 13]) {
      const { records, refusal } = await read(
        Buffer.concat([batchBytes(simple(0, 2)), damaged((bytes) => bytes.writeInt32BE(length, 8))]),
        0,
      );
      expect(offsets(records)).toEqual([0, 1]);
      expect(refusal).toMatchObject({ from: 100, reason: expect.stringContaining('length') });
    }
  });

  it('because of offsets in disorder is refused: equal or falling ones, not rising ones', async () => {
    for (const [second, isRefused] of [
      [3, true],
      [4, true],
      [5, false],
    ] as const) {
      const records = [4, second].map((offsetDelta) => ({ ...simple(0, 1).records[0], offsetDelta }));
      const { refusal } = await read(batchBytes({ ...simple(0, 1), lastDelta: 9, records }), 0);
      expect(refusal !== undefined).toBe(isRefused);
    }
  });

  it('because it is too large is refused at one byte above the limit', async () => {
    const limits = { bytes: recordBytes(simple(0, 1).records[0]).length, milliseconds: 1000 };
    const bytes = batchBytes(simple(0, 1, { codec: 1 }));
    expect(await openBatch(bytes, { limits })).toBeInstanceOf(Records);
    expect(await openBatch(bytes, { limits: { ...limits, bytes: limits.bytes - 1 } })).toMatchObject({
      from: 0,
      to: 1,
    });
  });
});

describe('many batches that decompress to much', () => {
  it('are read one after the other, with a sign of life between', async () => {
    const records = [{ ...simple(0, 1).records[0], value: Buffer.alloc(12 * 2 ** 20) }];
    const one = batchBytes(simple(0, 1, { codec: 1, records }));
    const bytes = Buffer.concat([0, 1, 2, 3, 4, 5].map(() => one));
    for (let base = 0; base < 6; base++) bytes.writeBigInt64BE(BigInt(base), base * one.length);
    const { messages } = await fetched(ours, bytes, 0);
    const reader = new ChunkReader({
      ...{ partition: 0, topic: 0, fetched: 0, messages, end: 6, resolveOffset: () => {}, heartbeat: async () => {} },
      ...{ logEnd: 6, isRunning: () => true, isStale: () => false },
    });
    let next = 0;
    while (!reader.isDone) {
      const chunk = await reader.chunk(next, 200);
      expect(recordsOf(chunk.runs).length).toBeLessThanOrEqual(3);
      next = chunk.next;
    }
    expect(next).toBe(6);
  });
});

it('a chunk of large records ends at about two megabytes, whatever the batch unpacks to', async () => {
  const value = Buffer.alloc(250_000, 'x');
  const raw = simple(0, 60, { codec: 1 });
  const batch = { ...raw, records: raw.records.map((one) => ({ ...one, value })) };
  const { messages } = await fetched(ours, batchBytes(batch), 0);
  const reader = new ChunkReader({
    ...{ partition: 0, topic: 0, fetched: 0, messages, end: 60, resolveOffset: () => {}, heartbeat: async () => {} },
    ...{ logEnd: 60, isRunning: () => true, isStale: () => false },
  });
  const sizes: number[] = [];
  for (let next = 0; !reader.isDone; ) {
    const chunk = await reader.chunk(next, 200);
    sizes.push(recordsOf(chunk.runs).length);
    next = chunk.next;
    if (!reader.isDone) expect(reader.bytes).toBeGreaterThan(60 * 250_000);
  }
  expect(sizes).toEqual([9, 9, 9, 9, 9, 9, 6]);
});

describe('batches of transactions', () => {
  interface Part {
    readonly producer: number;
    readonly isTransactional: boolean;
    readonly count: number;
    readonly ends: 'no' | 'commit' | 'abort';
  }
  const parts = fc.array(
    fc.record({
      producer: fc.nat(3),
      isTransactional: fc.boolean(),
      count: fc.integer({ min: 1, max: 4 }),
      ends: fc.constantFrom('no' as const, 'no' as const, 'commit' as const, 'abort' as const),
    }),
    { maxLength: 25 },
  );

  /** A log as brokers write it: what was aborted is listed in the order of the ends of the transactions. */
  function written(parts: readonly Part[]) {
    const batches: RawBatch[] = [];
    const open = new Map<number, { first: number; offsets: number[] }>();
    const committed: number[] = [];
    const abortedTransactions: { producerId: string; firstOffset: string; last: number }[] = [];
    let base = 0;
    const end = (producer: number, isCommit: boolean): void => {
      const transaction = open.get(producer);
      if (transaction === undefined) return;
      open.delete(producer);
      batches.push(marker(base, producer, isCommit));
      if (isCommit) committed.push(...transaction.offsets);
      else abortedTransactions.push({ producerId: `${producer}`, firstOffset: `${transaction.first}`, last: base });
      base++;
    };
    for (const { producer, isTransactional, count, ends } of parts) {
      const at = Array.from({ length: count }, (_, i) => base + i);
      if (isTransactional) {
        const transaction = open.get(producer) ?? { first: base, offsets: [] };
        open.set(producer, transaction);
        transaction.offsets.push(...at);
      } else committed.push(...at);
      batches.push(simple(base, count, isTransactional ? { producerId: producer } : {}));
      base += count;
      if (ends !== 'no') end(producer, ends === 'commit');
    }
    for (const producer of [...open.keys()]) end(producer, false);
    return { batches, committed: committed.sort((a, b) => a - b), abortedTransactions, end: base };
  }

  it('are read exactly if they were committed, from any offset, and the end is reached', async () => {
    await fc.assert(
      fc.asyncProperty(parts, fc.nat(60), async (parts, skipped) => {
        const { batches, committed, abortedTransactions, end } = written(parts);
        const from = end === 0 ? 0 : skipped % end;
        // As a broker answers: batches from the one that holds the offset, transactions that end behind it.
        const bytes = Buffer.concat(
          batches.filter(({ base, lastDelta }) => base + lastDelta >= from).map((one) => batchBytes(one)),
        );
        const told = abortedTransactions.filter(({ last }) => last >= from);
        const { records, end: reached } = await read(bytes, from, [2], { abortedTransactions: told });
        expect(offsets(records)).toEqual(committed.filter((offset) => offset >= from));
        const holdsData = batches.some(
          ({ base, lastDelta, isControl }) => isControl !== true && base + lastDelta >= from,
        );
        if (holdsData) expect(reached).toBe(end);
      }),
      { numRuns: 300 },
    );
  });

  it('that are aborted are not ended by a record that looks like a marker', () => {
    const context = { producerId: '7', inTransaction: true };
    const looks = { timestamp: '1', key: Buffer.alloc(4), value: null, batchContext: context };
    const marked = withoutAborted({
      messages: ['0', '1'].map((offset) => ({ ...looks, offset })),
      abortedTransactions: [{ producerId: '7', firstOffset: '0' }],
    });
    expect(marked.map(({ stand }) => stand?.kind)).toEqual(['aborted', 'aborted']);
  });

  it('gives its columns to the next batch once, however often it is freed', async () => {
    const opened = await openBatch(batchBytes(simple(0, 1)));
    if (!(opened instanceof Records)) throw new Error(opened.reason);
    opened.forget();
    opened.free();
    expect(RecordColumns.of(1)).not.toBe(RecordColumns.of(1));
  });
});
