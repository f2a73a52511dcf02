import fc from 'fast-check';
import { expect, test } from 'vitest';
import { TimedHeap } from '../../../../src/consumers/source/files/files.ts';

const step = fc.oneof(
  fc.record({ add: fc.integer({ min: 0, max: 20 }) }),
  fc.record({ before: fc.oneof(fc.integer({ min: 0, max: 21 }), fc.constant(Number.POSITIVE_INFINITY)) }),
);

test('records come out by time, those of one time in the order in which they came', () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
      const heap = new TimedHeap<{ readonly time: number; readonly turn: number }>();
      const waiting: { readonly time: number; readonly turn: number }[] = [];
      for (const [turn, one] of steps.entries()) {
        if ('add' in one) {
          heap.add({ time: one.add, turn });
          waiting.push({ time: one.add, turn });
          continue;
        }
        waiting.sort((a, b) => a.time - b.time || a.turn - b.turn);
        const first = waiting.length > 0 && waiting[0].time < one.before ? waiting.shift() : undefined;
        expect(heap.before(one.before)).toEqual(first);
      }
    }),
  );
});

test.each([
  ['rise', (i: number) => i],
  ['fall', (i: number) => -i],
  ['are equal', () => 7],
  ['come in any order', (i: number) => (i * 7919) % 20_000],
])('times are compared n log n times where they %s', (_, timeOf) => {
  let reads = 0;
  const heap = new TimedHeap<{ readonly time: number }>();
  const count = 20_000;
  for (let i = 0; i < count; i++) {
    const own = timeOf(i);
    heap.add({
      get time() {
        reads++;
        return own;
      },
    });
  }
  let taken = 0;
  while (heap.before(Number.POSITIVE_INFINITY) !== undefined) taken++;
  expect(taken).toBe(count);
  expect(reads).toBeLessThan(6 * count * Math.log2(count));
});
