import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { TS_UNITS, type TsUnit } from '../../../src/consumers/decode/decoder-settings.ts';
import { LATEST_TIME, parseTime, timeOf, timeZone } from '../../../src/consumers/decode/times.ts';

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
    ['2026-11-21 08:00:00.123 UTC', '2026-11-21T08:00:00.123Z'],
    ['2026-11-21 08:00:00UTC', '2026-11-21T08:00:00.000Z'],
    ['2026-11-21 08:00 GMT', '2026-11-21T08:00:00.000Z'],
    ['2026-11-21 08:00:00 +0100', '2026-11-21T07:00:00.000Z'],
    ['2026-11-21T08:00:00.123Z[UTC]', '2026-11-21T08:00:00.123Z'],
    ['2026-11-21T08:00:00.123456789+01:00[Europe/Berlin]', '2026-11-21T07:00:00.123Z'],
    ['2026-11-21T08:00-03:00[America/Argentina/ComodRivadavia][u-ca=iso8601]', '2026-11-21T11:00:00.000Z'],
    ['2024-02-29T23:59:59.999Z', '2024-02-29T23:59:59.999Z'],
  ])('%s is %s', (text, iso) => {
    expect(new Date(parseTime(text)).toISOString()).toBe(iso);
  });

  test.each([
    '2026-11-21T08:00:00',
    '2026-11-21 08:00:00  UTC',
    '2026-11-21 08:00:00 CET',
    '2026-11-21 08:00:00 UTC ',
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
    '2026-11-21T08:00:00[Europe/Berlin]',
    '2026-11-21T08:00:00Z[!u-ca=hebrew]',
    '2026-11-21T08:00:00Z[]',
    '2026-11-21T08:00:00Z[UTC] ',
    '2026-11-21T08:00:00Z UTC]',
    '1795248000123',
    'Nov 21 2026 08:00:00 GMT',
    '２０２６-11-21T08:00:00Z',
    '',
  ])('%j is no time', (text) => {
    expect(parseTime(text)).toBeNaN();
  });
});

describe('numbers', () => {
  /** 2001-09-09 to 2286-11-20. */
  const inRange = fc.integer({ min: 1e12, max: 1e13 - 1 });

  test.each(['auto', 'own'])('any whole millisecond is kept in each unit, told by %s', (unit) => {
    fc.assert(
      fc.property(inRange, fc.integer({ min: 0, max: 990_000 }), (ms, part) => {
        const as = (own: TsUnit): TsUnit => (unit === 'auto' ? 'auto' : own);
        expect(timeOf(ms, as('ms'))).toBe(ms);
        expect(timeOf(ms / 1000, as('s'))).toBe(ms);
        expect(timeOf(ms * 1000 + Math.floor(part / 1000), as('us'))).toBe(ms);
        expect(timeOf(Number(BigInt(ms) * 1_000_000n + BigInt(part)), as('ns'))).toBe(ms);
      }),
    );
  });

  test('a number as text is that number', () => {
    fc.assert(
      fc.property(inRange, fc.constantFrom(...TS_UNITS), fc.constantFrom(1e-3, 1, 1e3, 1e6), (ms, unit, factor) => {
        expect(timeOf(String(ms * factor), unit)).toBe(timeOf(ms * factor, unit));
      }),
    );
    expect(timeOf('1.795248e12', 'auto')).toBe(1_795_248_000_000);
    for (const text of ['', ' 1795248000123', '0x1', '1795248000123n', '-1795248000123', 'Infinity', '1_795_248_000'])
      expect(timeOf(text, 'auto'), text).toBeNaN();
  });

  test.each([
    ['s', 1e9],
    ['ms', 1e12],
    ['us', 1e15],
    ['ns', 1e18],
  ] as const)('%s reach from %d to ten times that, without it, and no other unit takes them', (unit, first) => {
    const begin = Date.parse('2001-09-09T01:46:40Z');
    const below = { s: 1, ms: 1, us: 1, ns: 128 }[unit];
    const belowEnd = { s: 1, ms: 1, us: 2, ns: 8192 }[unit];
    for (const told of [unit, 'auto'] as const) {
      expect(timeOf(first - below, told)).toBeNaN();
      expect(timeOf(first, told)).toBe(begin);
      expect(timeOf(first * 10 - belowEnd, told)).toBeLessThan(10 * begin);
      expect(timeOf(first * 10 - belowEnd, told)).toBeGreaterThanOrEqual(10 * begin - 1000);
      expect(timeOf(first * 10, told)).toBeNaN();
    }
    for (const other of TS_UNITS) if (other !== unit && other !== 'auto') expect(timeOf(first, other)).toBeNaN();
  });

  test('a part of a millisecond is cut', () => {
    expect(timeOf(1_795_248_000_123.999, 'ms')).toBe(1_795_248_000_123);
    expect(timeOf(1_795_248_000.123_9, 's')).toBe(1_795_248_000_123);
    expect(timeOf(1_795_248_000_123_999, 'us')).toBe(1_795_248_000_123);
    expect(timeOf(1_795_248_000_123_990_000, 'ns')).toBe(1_795_248_000_123);
  });

  test('texts end before 1970 and after 9999', () => {
    expect(timeOf('9999-12-31T23:59:59.999Z', 'ms')).toBe(LATEST_TIME);
    expect(timeOf('9999-12-31T23:59:59.999-00:01', 'ms')).toBeNaN();
    expect(timeOf('1970-01-01T00:00:00Z', 'ms')).toBe(0);
    expect(timeOf('1969-12-31T23:59:59.999Z', 'ms')).toBeNaN();
    for (const unit of TS_UNITS) {
      for (const value of [
        Number.POSITIVE_INFINITY,
        Number.NEGATIVE_INFINITY,
        Number.NaN,
        -0.5,
        -0,
        0,
        1,
        1e11,
        1e14,
      ]) {
        expect(timeOf(value, unit)).toBeNaN();
      }
    }
  });
});

describe('a time without a zone', () => {
  const at = (name: string, text: string): string => {
    const zone = timeZone(name);
    if (zone === undefined) throw new Error(`no zone ${name}`);
    return new Date(parseTime(text, zone)).toISOString();
  };

  test.each([
    ['UTC', '2026-11-21 08:00:00', '2026-11-21T08:00:00.000Z'],
    ['Europe/Berlin', '2026-11-21 08:00:00.5', '2026-11-21T07:00:00.500Z'],
    ['Europe/Berlin', '2026-07-21T08:00', '2026-07-21T06:00:00.000Z'],
    ['America/New_York', '2026-11-21 08:00:00', '2026-11-21T13:00:00.000Z'],
    ['Asia/Kolkata', '2026-11-21 08:00:00', '2026-11-21T02:30:00.000Z'],
    ['+05:30', '2026-11-21 08:00:00', '2026-11-21T02:30:00.000Z'],
    ['-0800', '2026-11-21 08:00:00', '2026-11-21T16:00:00.000Z'],
    // Put forward at 02:00: what clocks never showed is an hour later.
    ['Europe/Berlin', '2026-03-29 01:59:59', '2026-03-29T00:59:59.000Z'],
    ['Europe/Berlin', '2026-03-29 02:30:00', '2026-03-29T01:30:00.000Z'],
    ['Europe/Berlin', '2026-03-29 03:00:00', '2026-03-29T01:00:00.000Z'],
    // Set back at 03:00: what they showed twice is the first of the two.
    ['Europe/Berlin', '2026-10-25 01:59:59', '2026-10-24T23:59:59.000Z'],
    ['Europe/Berlin', '2026-10-25 02:30:00', '2026-10-25T00:30:00.000Z'],
    ['Europe/Berlin', '2026-10-25 03:00:00', '2026-10-25T02:00:00.000Z'],
    ['Australia/Lord_Howe', '2026-04-05 01:45:00', '2026-04-04T14:45:00.000Z'],
  ])('in %s: %s is %s', (zone, text, iso) => {
    expect(at(zone, text)).toBe(iso);
  });

  test('is what clocks there show, but for the hours that they skip; a zone in the text wins', () => {
    for (const name of ['Europe/Berlin', 'America/Sao_Paulo', 'Australia/Lord_Howe', 'Asia/Kathmandu', 'UTC']) {
      const clock = new Intl.DateTimeFormat('sv-SE', {
        timeZone: name,
        dateStyle: 'short',
        timeStyle: 'medium',
      });
      fc.assert(
        fc.property(fc.integer({ min: 1e9, max: 4e9 }), (seconds) => {
          const shown = clock.format(seconds * 1000);
          const back = parseTime(shown, timeZone(name));
          expect(clock.format(back)).toBe(shown);
          expect(Math.abs(back - seconds * 1000)).toBeLessThanOrEqual(3_600_000);
          expect(parseTime(`${shown} UTC`, timeZone(name))).toBe(Date.parse(`${shown.replace(' ', 'T')}Z`));
        }),
        { numRuns: 200 },
      );
    }
  });

  test('no zone has a name that is none', () => {
    for (const name of ['', 'Europe/Nowhere', '+25:00', '+1:00', 'CEST5']) expect(timeZone(name), name).toBeUndefined();
  });
});
