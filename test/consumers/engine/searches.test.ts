import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { openParts } from './parts.ts';

describe('trees of times', () => {
  const { call, buffer } = openParts();
  /** Of the node that was found; 0: none. */
  const foundIn = (trees: number, node: number): number =>
    node === 0 ? 0 : new Uint32Array(buffer, call('nodeOf', trees, node) + 16, 1)[0];

  it('find the first of a span of time, as a search of all does, after any additions and removals', () => {
    const entry = fc.record({ ts: fc.integer({ min: -20, max: 60 }), order: fc.nat(1000), remove: fc.boolean() });
    const span = fc.tuple(fc.integer({ min: -25, max: 65 }), fc.integer({ min: 0, max: 40 }));
    fc.assert(
      fc.property(
        fc.array(entry, { maxLength: 80 }),
        fc.array(span, { maxLength: 20 }),
        fc.boolean(),
        (entries, spans, late) => {
          const trees = call('newTimeTrees', 0, 40, 30, false);
          let root = 0;
          let list = 0;
          // Of two with one order either could be the answer.
          const all = entries.map(({ ts, order, remove }, n) => ({
            ts,
            order: order * 100 + n,
            value: 7 * n + 1,
            remove,
          }));
          for (const { ts, order, value } of all) {
            if (late && value % 2 === 0) list = call('postpone', trees, list, ts, order, value);
            else root = call('addTo', trees, root, ts, order, value);
          }
          root = call('addAll', trees, root, list);
          for (const { ts, value, remove } of all) if (remove) root = call('removeFrom', trees, root, ts, value);
          const left = all.filter(({ remove }) => !remove).sort((a, b) => a.order - b.order);
          for (const [from, length] of spans) {
            const first = left.find(({ ts }) => ts >= from && ts < from + length);
            expect(foundIn(trees, call('firstIn', trees, root, from, from + length))).toBe(first?.value ?? 0);
          }
        },
      ),
    );
  });
});

describe('deadlines', () => {
  it('come out in their order, whatever was removed before', () => {
    fc.assert(
      fc.property(fc.array(fc.record({ at: fc.nat(50), remove: fc.nat(3) }), { maxLength: 300 }), (steps) => {
        const { call, buffer } = openParts(32);
        const heap = call('newDeadlines');
        const placeOf = (record: number): number => new Uint32Array(buffer, record + 12, 1)[0];
        const waiting = new Map<number, number>();
        for (const { at, remove } of steps) {
          const record = call('take', 64);
          call('addDeadline', heap, at, record);
          waiting.set(record, at);
          const [victim] = waiting.keys();
          if (remove !== 0) continue;
          call('removeDeadline', heap, placeOf(victim));
          waiting.delete(victim);
        }
        const order: number[] = [];
        for (let least = call('leastDeadline', heap); least < Infinity; least = call('leastDeadline', heap)) {
          const first = call('firstDue', heap);
          expect(waiting.get(first)).toBe(least);
          order.push(least);
          waiting.delete(first);
          call('removeDeadline', heap, 0);
        }
        expect(waiting.size).toBe(0);
        expect(order).toEqual([...order].sort((a, b) => a - b));
      }),
      { numRuns: 50 },
    );
  });
});

describe('the sort of numbers', () => {
  it('is that of the platform, for any length and order', () => {
    const { call, buffer } = openParts();
    fc.assert(
      fc.property(fc.array(fc.bigInt({ min: 0n, max: 2n ** 64n - 1n }), { maxLength: 300 }), (numbers) => {
        const at = call('take', 8 * 300);
        const view = new BigUint64Array(buffer, at, numbers.length);
        view.set(numbers);
        call('sortNumbers', at, numbers.length);
        expect([...view]).toEqual([...new BigUint64Array(numbers).sort()]);
        call('give', at);
      }),
    );
  });
});

describe('the hash of ids', () => {
  const { call, u8 } = openParts();
  const keysOf = new Map<bigint, number>();
  const hash = (seed: bigint, text: string): number => {
    const keys = keysOf.get(seed) ?? call('newKeys', seed);
    keysOf.set(seed, keys);
    const at = call('take', 1024);
    const end = at + u8.write(text, at, 'latin1');
    // What lies behind a text is not its part.
    u8.fill(Math.floor(256 * (text.length % 7)) % 251, end, end + 16);
    const found = call('hashBytes', keys, at, end) >>> 0;
    call('give', at);
    return found;
  };

  it('has other values by another seed, also in the bits of a seed above 32, and for other bytes', () => {
    const seeds = [0n, 1n, 2n ** 32n, 2n ** 47n, 2n ** 48n - 1n];
    expect(new Set(seeds.map((seed) => hash(seed, 'item'))).size).toBe(5);
    const texts = ['', '\0', '\0\0', 'a', 'b', 'ab', 'ba', 'x'.repeat(128), 'x'.repeat(129), 'x'.repeat(256)];
    const others = texts.slice(7).map((text) => `y${text.slice(1)}`);
    expect(new Set([...texts, ...others].map((text) => hash(7n, text))).size).toBe(13);
  });

  it('puts texts that differ little into cells as chance would', () => {
    const shapes = [
      (n: number) => `${String(n).padStart(6, '0')}?src=home-feed`,
      (n: number) => `https://shop.example/item/${n}`,
      (n: number) => `${'x'.repeat(300)}${n}`,
      (n: number) => String.fromCharCode(n & 255, n >>> 8),
    ];
    for (const shape of shapes) {
      const cells = new Map<number, number>();
      const count = 4096;
      for (let n = 0; n < count; n++) {
        const cell = hash(99n, shape(n)) & (count - 1);
        cells.set(cell, (cells.get(cell) ?? 0) + 1);
      }
      // By chance 63 % of as many cells are used, and no cell holds more than about eight.
      expect(cells.size).toBeGreaterThan(0.6 * count);
      expect(Math.max(...cells.values())).toBeLessThan(12);
    }
  });
});
