import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Arena } from '../../../src/consumers/join/arena.ts';

const KIB = 1024;

/** Puts a record of so many bytes there, filled with one number. */
function put(arena: Arena, bytes: number, filling: number): number {
  const handle = arena.reserve(bytes);
  const at = arena.unit(handle) * 8;
  arena.segment(handle).u8.fill(filling, at, at + bytes);
  arena.commit(bytes);
  return handle;
}

describe('an arena', () => {
  it('keeps every record as it was put there until it is freed, and has no handle twice', () => {
    const act = fc.record({
      bytes: fc.oneof(fc.integer({ min: 1, max: 400 }), fc.integer({ min: 1, max: 3_000_000 })),
      frees: fc.nat(3),
      which: fc.nat(1000),
    });
    fc.assert(
      fc.property(fc.array(act, { maxLength: 60 }), (acts) => {
        const arena = new Arena();
        const records = new Map<number, { readonly bytes: number; readonly filling: number }>();
        for (const [i, { bytes, frees, which }] of acts.entries()) {
          const handle = put(arena, bytes, i % 251);
          expect(handle).toBeGreaterThan(0);
          expect(records.has(handle)).toBe(false);
          records.set(handle, { bytes, filling: i % 251 });
          for (let n = 0; n < frees && records.size > 0; n++) {
            const gone = [...records.keys()][which % records.size];
            records.delete(gone);
            arena.free(gone);
          }
          for (const [kept, { bytes: size, filling }] of records) {
            const at = arena.unit(kept) * 8;
            const { u8 } = arena.segment(kept);
            expect([u8[at], u8[at + size - 1]]).toEqual([filling, filling]);
          }
        }
        const held = [...records.values()].reduce((sum, { bytes }) => sum + bytes, 0);
        expect(arena.bytes).toBeGreaterThanOrEqual(held);
        for (const handle of records.keys()) arena.free(handle);
        expect(arena.bytes).toBeLessThanOrEqual(16 * KIB);
      }),
    );
  });

  it('takes memory by what it holds: little for a few records, and at most twice as much and a segment for many', () => {
    const arena = new Arena();
    expect(arena.bytes).toBe(0);
    let held = 0;
    while (held < 8 * 1024 * KIB) {
      put(arena, 400, 1);
      held += 400;
      expect(arena.bytes).toBeLessThanOrEqual(Math.max(8 * KIB, Math.min(2.2 * held, 1.01 * held + 1100 * KIB)));
    }
  });

  it('uses the memory again of what comes and goes in order', () => {
    const arena = new Arena();
    const records: number[] = [];
    for (let i = 0; i < 100_000; i++) {
      records.push(put(arena, 400, 1));
      if (records.length > 10_000) arena.free(records.shift() ?? 0);
    }
    expect(arena.bytes).toBeLessThan(7 * 1024 * KIB);
  });
});
