import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { openParts } from './parts.ts';

const MIB = 2 ** 20;
const SEGMENT = 16_384;

describe('blocks of memory', () => {
  const act = fc.record({
    bytes: fc.oneof(fc.integer({ min: 1, max: 400 }), fc.integer({ min: 1, max: 200_000 })),
    trimsTo: fc.option(fc.double({ min: 0, max: 1, noNaN: true }), { freq: 1 }),
    gives: fc.nat(3),
    which: fc.nat(1000),
  });

  it('never overlap, begin at a multiple of their size, lose their end, and become one again', () => {
    const { call, u8 } = openParts();
    fc.assert(
      fc.property(fc.array(act, { maxLength: 100 }), (acts) => {
        const blocks = new Map<number, { readonly size: number; readonly filling: number }>();
        for (const [i, { bytes, trimsTo, gives, which }] of acts.entries()) {
          const at = call('take', bytes);
          const size = call('sizeOf', at);
          expect(size).toBeGreaterThanOrEqual(bytes);
          expect(size).toBeLessThan(Math.max(65, 2 * bytes));
          expect(at % size).toBe(0);
          u8.fill(i % 251, at, at + size);
          const needed = trimsTo === null ? size : 1 + Math.floor(trimsTo * (size - 1));
          if (trimsTo !== null) call('trim', at, needed);
          blocks.set(at, { size: 64 * Math.ceil(needed / 64), filling: i % 251 });
          for (let n = 0; n < gives && blocks.size > 0; n++) {
            const gone = [...blocks.keys()][which % blocks.size];
            call('givePieces', gone, blocks.get(gone)?.size ?? 0);
            blocks.delete(gone);
          }
          for (const [kept, block] of blocks) {
            expect([u8[kept], u8[kept + block.size - 1]]).toEqual([block.filling, block.filling]);
          }
        }
        expect(call('takenBytes')).toBe([...blocks.values()].reduce((sum, { size }) => sum + size, 0));
        for (const [at, { size }] of blocks) call('givePieces', at, size);
        expect(call('takenBytes')).toBe(0);
        // A quarter of all is in one piece.
        call('give', call('take', 4 * MIB));
      }),
    );
  });

  it('are given until there is none, and the host learns of it', () => {
    const { call } = openParts();
    const blocks: number[] = [];
    expect(() => {
      for (;;) blocks.push(call('take', SEGMENT));
    }).toThrow('out of memory');
    expect(blocks.length * SEGMENT).toBeGreaterThan(15 * MIB);
    expect(new Set(blocks).size).toBe(blocks.length);
  });

  it('reach to the end of the largest memory there is, where places need all 32 bits, when there is no other place left', () => {
    const { call, u8 } = openParts(2 ** 16 - 1);
    const take = (bytes: number): number => call('take', bytes) >>> 0;
    const low = [2 ** 30, ...Array.from({ length: 1000 }, () => 2 ** 19), 64].map(take);
    expect(Math.max(...low)).toBeLessThan(2 ** 31);
    const high = [1, 0.5, 0.25].map((gib) => take(gib * 2 ** 30));
    expect(Math.max(...high)).toBeGreaterThanOrEqual(2 ** 31);
    const blocks = [...low, ...high];
    for (const at of blocks) u8[at] = 1;
    for (const at of blocks) call('give', at);
    expect(call('takenBytes')).toBe(0);
  });
});

describe('an arena', () => {
  it('keeps every record as it was put there until it is freed, and gives its memory back', () => {
    const act = fc.record({
      bytes: fc.oneof(fc.integer({ min: 1, max: 400 }), fc.integer({ min: 1, max: 100_000 })),
      spare: fc.nat(300),
      frees: fc.nat(3),
      which: fc.nat(1000),
    });
    const { call, u8 } = openParts();
    fc.assert(
      fc.property(fc.array(act, { maxLength: 60 }), (acts) => {
        const before = call('takenBytes');
        const arena = call('newArena');
        const records = new Map<number, { readonly bytes: number; readonly filling: number }>();
        for (const [i, { bytes, spare, frees, which }] of acts.entries()) {
          const at = call('reserve', arena, bytes + spare);
          expect(records.has(at)).toBe(false);
          u8.fill(i % 251, at, at + bytes);
          call('commit', arena, at + bytes);
          records.set(at, { bytes, filling: i % 251 });
          for (let n = 0; n < frees && records.size > 0; n++) {
            const gone = [...records.keys()][which % records.size];
            records.delete(gone);
            call('free', arena, gone);
          }
          for (const [kept, { bytes: size, filling }] of records) {
            expect([u8[kept], u8[kept + size - 1]]).toEqual([filling, filling]);
          }
        }
        const isHalf = acts.length % 2 === 0;
        if (isHalf) for (const at of records.keys()) call('free', arena, at);
        if (isHalf) expect(call('takenBytes') - before).toBeLessThanOrEqual(SEGMENT + 64);
        call('closeArena', arena);
        expect(call('takenBytes')).toBe(before);
      }),
    );
  });

  it('uses the memory again of what comes and goes in order', () => {
    const { call } = openParts();
    const arena = call('newArena');
    const records: number[] = [];
    for (let i = 0; i < 100_000; i++) {
      const at = call('reserve', arena, 400);
      call('commit', arena, at + 400);
      records.push(at);
      if (records.length > 10_000) call('free', arena, records.shift() ?? 0);
    }
    expect(call('takenBytes')).toBeLessThan(1.05 * 10_000 * 400 + 2 * SEGMENT);
  });
});
