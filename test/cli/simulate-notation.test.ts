import { expect, test } from 'vitest';
import {
  NotationError,
  parseNumber,
  parseRegression,
  parseTime,
  parseVariants,
  readDuration,
} from '../../src/cli/simulate.ts';
import { settingsProblems } from '../../src/simulate/simulation-settings.ts';
import { settings } from '../simulate/reading.ts';

const START = Date.UTC(2025, 10, 3, 8);

test('durations are whole numbers with a unit', () => {
  expect(['5ms', '4s', '3m', '2h', '1d'].map(readDuration)).toEqual([5, 4000, 180_000, 7_200_000, 86_400_000]);
  for (const text of ['5', 'm', '1.5m', '-1m', '1 m', '1w', ''])
    expect(() => readDuration(text)).toThrow(NotationError);
});

test('times are ISO 8601, and UTC where they name no zone', () => {
  for (const text of ['2025-11-03T08:00:00Z', '2025-11-03T08:00', '2025-11-03T09:00:00.000+01:00']) {
    expect(parseTime(text)).toBe(START);
  }
  expect(parseTime('2025-11-03')).toBe(Date.UTC(2025, 10, 3));
  for (const text of ['yesterday', '2025-13-01', '08:00', '1762156800000', '']) {
    expect(() => parseTime(text)).toThrow(NotationError);
  }
});

test('numbers are numbers', () => {
  expect(parseNumber('1e5')).toBe(100_000);
  for (const text of ['', ' ', 'x', '1,5']) expect(() => parseNumber(text)).toThrow(NotationError);
});

test('variants have a name, a weight and a quality, the last two by default', () => {
  expect(parseVariants('control:0.9:0.5,b:0.1')).toEqual([
    { name: 'control', weight: 0.9, quality: 0.5 },
    { name: 'b', weight: 0.1, quality: 0.7 },
  ]);
  expect(parseVariants('a,b,c,d,e').map(({ weight, quality }) => [weight, quality])).toEqual([
    [1, 0.6],
    [1, 0.7],
    [1, 0.8],
    [1, 0.9],
    [1, 0.9],
  ]);
  for (const text of ['', 'a,', ':1', 'a:x', 'a:1:2:3']) expect(() => parseVariants(text)).toThrow(NotationError);
});

test('a regression names its span by durations since the start, or by times', () => {
  const expected = { variant: 'treatment', from: START + 1_200_000, to: START + 2_400_000, share: 0.5 };
  expect(parseRegression('treatment@20m..40m:0.5', START)).toEqual(expected);
  expect(parseRegression('treatment@2025-11-03T08:20:00Z..2025-11-03T08:40:00Z:0.5', START)).toEqual(expected);
  for (const text of ['treatment', '@1m..2m:1', 'a@1m:1', 'a@1m..2m', 'a@1m..2m:', 'a@x..2m:1']) {
    expect(() => parseRegression(text, START)).toThrow(NotationError);
  }
});

test('settings are judged at their bounds', () => {
  const wrong = (changes: Parameters<typeof settings>[0]): number => settingsProblems(settings(changes)).length;
  expect(wrong({})).toBe(0);
  for (const events of [0, 0.5, Number.NaN]) expect(wrong({ events })).toBe(1);
  for (const events of [1, Number.POSITIVE_INFINITY]) expect(wrong({ events })).toBe(0);
  for (const items of [1, 1_000_001]) expect(wrong({ items })).toBe(1);
  expect(wrong({ window: 999 })).toBe(1);
  expect(wrong({ window: 1000 })).toBe(0);
  const regression = { variant: 'treatment', from: 10, to: 11, share: 1 };
  expect(wrong({ regression })).toBe(0);
  expect(wrong({ regression: { ...regression, to: 10 } })).toBe(1);
  expect(wrong({ regression: { ...regression, share: 1.01 } })).toBe(1);
  expect(wrong({ regression: { ...regression, variant: 'b' } })).toBe(1);
  expect(wrong({ variants: [{ name: 'a', weight: 0, quality: 0.5 }] })).toBe(1);
  expect(wrong({ faults: { ...settings().faults, late: -0.1, orphan: 1.1 } })).toBe(2);
});
