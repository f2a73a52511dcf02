import fc from 'fast-check';
import { expect, test } from 'vitest';
import { parseDuration, printDuration } from '../../src/vocabulary/durations.ts';

test('what is printed parses back', () => {
  fc.assert(
    fc.property(
      fc.oneof(
        fc.nat(),
        fc.nat(100_000).map((n) => n * 1000),
      ),
      (ms) => {
        expect(parseDuration(printDuration(ms))).toBe(ms);
      },
    ),
  );
});

test.each([
  ['0s', 0],
  ['250ms', 250],
  ['30s', 30_000],
  ['5m', 300_000],
  ['24h', 86_400_000],
  ['7d', 604_800_000],
  ['007s', 7000],
])('%s is %d ms', (text, ms) => {
  expect(parseDuration(text)).toBe(ms);
});

test.each(['', '5', 's', '1.5s', '-1s', '1 s', ' 1s', '1s ', '1S', '1M', '1w', '1m30s', '1e3s', '９s'])(
  '%j is not a duration',
  (text) => {
    expect(parseDuration(text)).toBeUndefined();
  },
);

test('the largest unit that divides is printed', () => {
  expect([0, 1, 999, 1000, 90_000, 60_000, 3_600_000, 86_400_000, 90_000_000].map(printDuration)).toEqual([
    '0s',
    '1ms',
    '999ms',
    '1s',
    '90s',
    '1m',
    '1h',
    '1d',
    '25h',
  ]);
});

test('a duration ends at ten years', () => {
  expect(
    [parseDuration('3649d'), parseDuration('3650d'), parseDuration('3651d')].map((ms) => ms !== undefined),
  ).toEqual([true, true, false]);
});
