import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { LATEST_TIME, parseTime, timeOf } from '../../../src/consumers/decode/times.ts';

describe('ISO 8601', () => {
  test('every time that Date prints is read back', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: LATEST_TIME }), (ms) => {
        expect(parseTime(new Date(ms).toISOString())).toBe(ms);
      }),
    );
  });

  test('a day is valid exactly when the calendar has it', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1970, max: 2400 }), fc.nat(13), fc.nat(32), (year, month, day) => {
        const date = `${year}-${String(month).padStart(2, '0')}-${String(day).padStart(2, '0')}`;
        const ms = Date.UTC(year, month - 1, day);
        const back = new Date(ms);
        const exists = back.getUTCMonth() === month - 1 && back.getUTCDate() === day;
        expect(parseTime(`${date}T00:00:00Z`)).toBe(exists ? ms : Number.NaN);
      }),
    );
  });

  test('an offset is taken away', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1e8, max: 1e12 }), fc.integer({ min: -1439, max: 1439 }), (ms, minutes) => {
        const local = new Date(ms + minutes * 60_000).toISOString().slice(0, -1);
        const [h, m] = [Math.trunc(Math.abs(minutes) / 60), Math.abs(minutes) % 60].map((n) =>
          String(n).padStart(2, '0'),
        );
        const sign = minutes < 0 ? '-' : '+';
        expect(parseTime(`${local}${sign}${h}:${m}`)).toBe(ms);
        expect(parseTime(`${local}${sign}${h}${m}`)).toBe(ms);
      }),
    );
  });

  test.each([
    ['2026-11-21T08:00:00.123Z', '2026-11-21T08:00:00.123Z'],
    ['2026-11-21T08:00Z', '2026-11-21T08:00:00.000Z'],
    ['2026-11-21t08:00:00z', '2026-11-21T08:00:00.000Z'],
    ['2026-11-21T08:00:00.1Z', '2026-11-21T08:00:00.100Z'],
    ['2026-11-21T08:00:00,12Z', '2026-11-21T08:00:00.120Z'],
    ['2026-11-21T08:00:00.1239999Z', '2026-11-21T08:00:00.123Z'],
    ['2019-11-24 00:03:13.442536+00:00', '2019-11-24T00:03:13.442Z'],
    ['2026-11-21T08:00:00+01', '2026-11-21T07:00:00.000Z'],
    ['2024-02-29T23:59:59.999Z', '2024-02-29T23:59:59.999Z'],
  ])('%s is %s', (text, iso) => {
    expect(new Date(parseTime(text)).toISOString()).toBe(iso);
  });

  test.each([
    '2026-11-21T08:00:00',
    '2026-11-21',
    '2026-11-21T24:00:00Z',
    '2026-11-21T08:60:00Z',
    '2026-11-21T08:00:60Z',
    '2026-11-21T08:00:00.Z',
    '2026-11-21T08:00:00Z ',
    '2026-11-21T08:00:00+1:00',
    '2026-11-21T08:00:00+24:00',
    '2026-13-01T08:00:00Z',
    '2025-02-29T08:00:00Z',
    '1795248000123',
    'Nov 21 2026 08:00:00 GMT',
    '２０２６-11-21T08:00:00Z',
    '',
  ])('%j is no time', (text) => {
    expect(parseTime(text)).toBeNaN();
  });
});

describe('numbers', () => {
  test('any whole millisecond is kept in each unit', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 4e12 }), (ms) => {
        expect(timeOf(ms, 'ms')).toBe(ms);
        expect(timeOf(ms / 1000, 's')).toBe(ms);
        expect(timeOf(ms * 1000 + 999, 'us')).toBe(ms);
      }),
    );
  });

  test('a part of a millisecond is cut', () => {
    expect(timeOf(1_795_248_000_123.999, 'ms')).toBe(1_795_248_000_123);
    expect(timeOf(1_795_248_000.123_9, 's')).toBe(1_795_248_000_123);
    expect(timeOf(1_795_248_000_123_999, 'us')).toBe(1_795_248_000_123);
  });

  test('times end before 1970 and after 9999', () => {
    expect([timeOf(-1, 'ms'), timeOf(0, 'ms'), timeOf(1, 'ms')]).toEqual([Number.NaN, 0, 1]);
    expect([timeOf(LATEST_TIME, 'ms'), timeOf(LATEST_TIME + 1, 'ms')]).toEqual([LATEST_TIME, Number.NaN]);
    expect(timeOf('9999-12-31T23:59:59.999Z', 'ms')).toBe(LATEST_TIME);
    expect(timeOf('9999-12-31T23:59:59.999-00:01', 'ms')).toBeNaN();
    expect(timeOf('1970-01-01T00:00:00Z', 'ms')).toBe(0);
    expect(timeOf('1969-12-31T23:59:59.999Z', 'ms')).toBeNaN();
    for (const unit of ['s', 'ms', 'us'] as const) {
      for (const value of [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY, Number.NaN, -0.5]) {
        expect(timeOf(value, unit)).toBeNaN();
      }
      expect(Object.is(timeOf(-0, unit), 0)).toBe(true);
    }
  });
});
