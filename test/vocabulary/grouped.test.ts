import fc from 'fast-check';
import { expect, test } from 'vitest';
import { grouped } from '../../src/vocabulary/grouped.ts';

test('numbers are grouped as Intl groups them in English', () => {
  const number = fc.oneof(fc.maxSafeInteger(), fc.double({ min: -1e15, max: 1e15, noNaN: true }), fc.integer());
  fc.assert(
    fc.property(number, (n) => {
      expect(grouped(n)).toBe((Math.round(n) + 0).toLocaleString('en-US'));
    }),
    { examples: [[0], [-0], [-0.4], [999], [1000], [-1000], [1_234_567.5], [Number.MAX_SAFE_INTEGER]] },
  );
});
