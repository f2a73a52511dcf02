import fc from 'fast-check';
import { expect, test } from 'vitest';
import { printable } from '../../src/vocabulary/error-text.ts';

test('what commands a terminal is shown as in JSON', () => {
  expect(printable('a\u001b[31mb\u0007\u009b1m\u202e\u2028\r\tc')).toBe(
    'a\\u001b[31mb\\u0007\\u009b1m\\u202e\\u2028\\u000d\\u0009c',
  );
});

test('other text and ends of lines stay', () => {
  expect(printable('größer 犬 \ud83d\ude00\nnext')).toBe('größer 犬 \ud83d\ude00\nnext');
  fc.assert(
    fc.property(
      fc.string({ unit: 'binary' }),
      (text) => !/[\p{Cc}\p{Bidi_Control}]/u.test(printable(text).replaceAll('\n', '')),
    ),
  );
});
