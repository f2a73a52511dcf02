import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Batch, LogRecord } from '../../src/consumers/source/source-port.ts';
import { LastRecords } from '../../src/unit/unit-reading.ts';

const record = (offset: number, value: Uint8Array | null = Buffer.from('abc'), timestamp: number | undefined = 7) =>
  ({ offset, timestamp, value }) satisfies LogRecord;
const batch = (records: readonly LogRecord[], next = (records.at(-1)?.offset ?? 0) + 1): Batch => ({
  partition: 0,
  topic: 0,
  records,
  next,
});

/** What the next owner has who finds this record stored. */
function stored(last: LogRecord): LastRecords {
  const before = new LastRecords(1, [undefined]);
  before.applied(0, last);
  return new LastRecords(1, before.texts());
}

const values = fc.oneof(fc.uint8Array({ maxLength: 40 }), fc.constant(null));
const times = fc.option(fc.integer({ min: -1, max: 2 ** 48 }), { nil: undefined });

describe('the last record of a topic', () => {
  it('is found again whatever its value and time, and distinguished from one with another value or time', () => {
    fc.assert(
      fc.property(fc.nat(2 ** 40), values, times, values, times, (offset, value, timestamp, other, otherTime) => {
        const last = { offset, timestamp, value };
        const same = stored(last);
        expect(
          same.compare(batch([{ offset, timestamp, value: value === null ? null : Uint8Array.from(value) }])),
        ).toBe(undefined);
        expect(same.awaits).toBe(false);
        const isSameValue = value === null ? other === null : other !== null && Buffer.from(value).equals(other);
        const found = stored(last).compare(batch([{ offset, timestamp: otherTime, value: other }]));
        if (!isSameValue) expect(found).toEqual({ topic: 0, offset, differs: 'value' });
        else if (timestamp !== otherTime) expect(found).toEqual({ topic: 0, offset, differs: 'timestamp' });
        else expect(found).toBeUndefined();
      }),
    );
  });

  it('differs by any one bit of its value, and by a byte more', () => {
    const value = Buffer.from('{"requestId":"r-1","items":["a","b"]}');
    for (let bit = 0; bit < 8 * value.length; bit++) {
      const other = Buffer.from(value);
      other[bit >> 3] ^= 1 << (bit & 7);
      expect(stored(record(3, value)).compare(batch([record(3, other)])), `bit ${bit}`).toBeDefined();
    }
    for (const other of [Buffer.concat([value, Buffer.alloc(1)]), value.subarray(1), Buffer.alloc(0)]) {
      expect(stored(record(3, value)).compare(batch([record(3, other)]))).toBeDefined();
    }
    expect(stored(record(3, Buffer.alloc(0))).compare(batch([record(3, null)]))).toBeDefined();
  });

  it('is waited for until something at or behind it has come', () => {
    for (const [records, next, awaited] of [
      [[record(8)], 9, 10],
      [[], 10, 10],
      [[record(8)], 11, undefined],
      [[record(10)], 11, undefined],
      [[record(8), record(11)], 12, undefined],
      [[], 11, undefined],
    ] as const) {
      const last = stored(record(10));
      expect(last.compare(batch(records, next))).toBeUndefined();
      expect(last.awaited(0)).toBe(awaited);
    }
  });

  it('is given up when the log begins behind it', () => {
    for (const [start, awaited] of [
      [9, 10],
      [10, 10],
      [11, undefined],
    ] as const) {
      const last = stored(record(10));
      last.giveUpBelow(0, start);
      expect(last.awaited(0)).toBe(awaited);
    }
  });

  it('is compared again when it is doubted, and a new one only then', () => {
    const last = new LastRecords(2, []);
    last.applied(1, record(4));
    expect(last.awaits).toBe(false);
    last.doubt();
    expect([last.awaited(0), last.awaited(1)]).toEqual([undefined, 4]);
    expect(last.compare({ ...batch([record(4, null)]), topic: 1 })).toEqual({ topic: 1, offset: 4, differs: 'value' });
  });

  it('stays when older ones come by again', () => {
    const last = stored(record(10));
    const before = last.texts();
    last.applied(0, record(9, null));
    last.applied(0, record(10, null));
    expect(last.texts()).toEqual(before);
    last.applied(0, record(11, null));
    expect(last.texts()).toEqual(['11:7:']);
  });

  it('is not kept as bytes: what the buffer holds later does not matter', () => {
    const buffer = Buffer.from('abc');
    const last = new LastRecords(1, []);
    last.applied(0, record(1, buffer));
    const before = last.texts();
    buffer.fill(0);
    expect(last.texts()).toEqual(before);
  });

  it('is not compared when it cannot be read', () => {
    for (const text of ['', 'x', '1:2', '1:2:zz', '-1:2:', '1:2:0123456789abcdef0']) {
      expect(new LastRecords(1, [text]).awaits, text).toBe(false);
    }
  });
});
