import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ChunkSize } from '../../../../../src/consumers/source/kafka/flow/chunks.ts';

describe('the size of a chunk', () => {
  it('is twice as many records after a full chunk that took less than half of the time, up to 2,048', () => {
    const size = new ChunkSize();
    const sizes = [size.records];
    for (let n = 0; n < 6; n++) {
      size.took(4.9, size.records);
      sizes.push(size.records);
    }
    expect(sizes).toEqual([200, 400, 800, 1600, 2048, 2048, 2048]);
  });

  it('stays after one that is not full, or took about as long as it may', () => {
    const size = new ChunkSize();
    size.took(0.1, 199);
    size.took(5, 200);
    size.took(20, 200);
    expect(size.records).toBe(200);
  });

  it('is as many as would have taken the time, after one that took more than twice as long', () => {
    const size = new ChunkSize();
    size.took(40, 200);
    expect(size.records).toBe(50);
    size.took(1000, 1);
    expect(size.records).toBe(1);
    size.took(1, 1);
    expect(size.records).toBe(2);
  });

  it('keeps a chunk near its time, whatever records cost', () => {
    fc.assert(
      fc.property(fc.double({ min: 0.0001, max: 40, noNaN: true }), (each) => {
        const size = new ChunkSize();
        for (let n = 0; n < 40; n++) size.took(each * size.records, size.records);
        const time = each * size.records;
        expect(time <= 20 || size.records === 1).toBe(true);
        expect(time >= 5 || size.records === 2048 || each > 5).toBe(true);
      }),
    );
  });
});
