import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { LogClock } from '../../../src/consumers/decode/clock-order.ts';
import { timeZone } from '../../../src/consumers/decode/times.ts';

const MINUTE = 60_000;

/** Zones that set their clocks back, when they do, and by how much. */
const CHANGES = [
  ['Europe/Berlin', '2026-10-25T01:00:00Z', 60],
  ['America/New_York', '2026-11-01T06:00:00Z', 60],
  ['America/St_Johns', '2026-11-01T04:30:00Z', 60],
  ['Australia/Sydney', '2026-04-04T16:00:00Z', 60],
  ['Australia/Lord_Howe', '2026-04-04T15:00:00Z', 30],
  ['Asia/Pyongyang', '2015-08-14T15:00:00Z', 30],
] as const;

/** What clocks there show at an instant, as if it were UTC: by the formatter of the platform. */
function localOf(zone: string, at: number): number {
  const parts = new Intl.DateTimeFormat('en-GB', {
    ...{ timeZone: zone, year: 'numeric', month: '2-digit', day: '2-digit' },
    ...{ hour: '2-digit', minute: '2-digit', second: '2-digit', hourCycle: 'h23' },
  }).formatToParts(at);
  const of = (type: string): number => Number(parts.find((part) => part.type === type)?.value);
  return Date.UTC(of('year'), of('month') - 1, of('day'), of('hour'), of('minute'), of('second'));
}

const changes = fc.constantFrom(...CHANGES);

describe('the times of a log without a zone (specification: events 3.1)', () => {
  test('are the instants that were written, as long as it is in order to some minutes, and has none without a record for long', () => {
    fc.assert(
      fc.property(
        changes,
        fc.array(fc.record({ step: fc.nat(9), late: fc.nat(4) }), { minLength: 5, maxLength: 80, size: 'max' }),
        ([zone, change, back], rows) => {
          const unit = (back * MINUTE) / 60;
          // Before clocks show anything twice.
          let now = Date.parse(change) - (back + 10) * MINUTE;
          const written = rows.map(({ step, late }) => {
            now += step * unit;
            return now - late * unit;
          });
          const clock = new LogClock(zone);
          const read = written.map((at) => {
            clock.next();
            return clock.instantOf(localOf(zone, at));
          });
          expect(read).toEqual(written.map((at) => Math.floor(at / 1000) * 1000));
          const isTwice = (at: number): boolean => Math.abs(at - Date.parse(change) + 0.5) < back * MINUTE;
          expect(clock.times.twice).toBe(read.filter(isTwice).length);
          expect(clock.times.second).toBe(read.filter((at) => isTwice(at) && at >= Date.parse(change)).length);
          expect(clock.times).toMatchObject({ untold: 0, skipped: 0 });
        },
      ),
      { numRuns: 300 },
    );
  });

  test('are read as by anybody else where clocks show them once, or never', () => {
    fc.assert(
      fc.property(changes, fc.array(fc.integer({ min: -400, max: 400 }), { minLength: 1 }), ([name, change], days) => {
        const zone = timeZone(name);
        const clock = new LogClock(name);
        for (const day of days) {
          const local = localOf(name, Date.parse(change) + day * 6.5 * 60 * MINUTE);
          if (zone?.secondOf(local) === undefined) expect(clock.instantOf(local)).toBe(zone?.instantOf(local));
        }
      }),
    );
    const clock = new LogClock('Europe/Berlin');
    expect(clock.instantOf(Date.parse('2026-03-29T02:30:00Z'))).toBe(Date.parse('2026-03-29T01:30:00Z'));
    expect(clock.times).toMatchObject({ twice: 0, skipped: 1 });
    expect(clock.instantOf(Number.NaN)).toBeNaN();
  });

  const berlin = (...times: readonly string[]): LogClock & { readonly read: readonly string[] } => {
    const clock = new LogClock('Europe/Berlin');
    const read = times.map((time) => {
      clock.next();
      return new Date(clock.instantOf(Date.parse(`2026-10-25T${time}Z`))).toISOString().slice(11, 16);
    });
    return Object.assign(clock, { read });
  };

  test('one that is far off says nothing about those after it', () => {
    const { read } = berlin(
      '01:50',
      '02:10',
      '02:30',
      '02:50',
      '02:01',
      '02:10',
      '00:05',
      '02:12',
      '02:20',
      '09:00',
      '02:30',
    );
    expect(read).toEqual([
      '23:50',
      '00:10',
      '00:30',
      '00:50',
      '01:01',
      '01:10',
      '22:05',
      '01:12',
      '01:20',
      '08:00',
      '01:30',
    ]);
  });

  test('at the begin of a log are the first, and it is known that nothing tells', () => {
    expect(berlin('02:10', '02:20')).toMatchObject({ read: ['00:10', '00:20'], times: { twice: 2, untold: 2 } });
    expect(berlin('02:10', '02:20', '03:10')).toMatchObject({ times: { twice: 2, untold: 2 } });
    // What follows tells: there is no third.
    expect(berlin('02:40', '02:55', '02:05')).toMatchObject({
      read: ['00:40', '00:55', '01:05'],
      times: { twice: 3, second: 1, untold: 0 },
    });
    expect(berlin('01:55', '02:05')).toMatchObject({ read: ['23:55', '00:05'], times: { twice: 1, untold: 0 } });
  });

  test('of one record are read once, however often they are asked for', () => {
    const clock = berlin('01:55', '02:55');
    clock.next();
    const again = [1, 2, 3].map(() => clock.instantOf(Date.parse('2026-10-25T02:05:00Z')));
    expect(new Set(again)).toEqual(new Set([Date.parse('2026-10-25T01:05:00Z')]));
    expect(clock.times).toMatchObject({ twice: 2, second: 1 });
  });
});

test('a zone knows which of its times are shown twice, or never', () => {
  const zone = timeZone('Europe/Berlin');
  const at = (time: string): number => Date.parse(`2026-${time}Z`);
  for (const [time, isTwice] of [
    ['10-24T23:59:59.999', false],
    ['10-25T00:00:00', true],
    ['10-25T01:59:59.999', true],
    ['10-25T02:00:00', false],
  ] as const) {
    expect(zone?.isTwice(at(time))).toBe(isTwice);
  }
  for (const [time, second] of [
    ['10-25T01:59:59.999', undefined],
    ['10-25T02:00:00', at('10-25T01:00:00')],
    ['10-25T02:59:59.999', at('10-25T01:59:59.999')],
    ['10-25T03:00:00', undefined],
    ['03-29T02:30:00', undefined],
  ] as const) {
    expect(zone?.secondOf(at(time))).toBe(second);
  }
  for (const [time, isSkipped] of [
    ['03-29T01:59:59.999', false],
    ['03-29T02:00:00', true],
    ['03-29T02:59:59.999', true],
    ['03-29T03:00:00', false],
    ['10-25T02:30:00', false],
  ] as const) {
    expect(zone?.isSkipped(at(time))).toBe(isSkipped);
  }
  for (const name of ['UTC', '+01:00', 'Asia/Kolkata']) {
    const plain = timeZone(name);
    expect([plain?.secondOf(at('10-25T02:30:00')), plain?.isSkipped(at('03-29T02:30:00'))]).toEqual([undefined, false]);
    expect(plain?.isTwice(at('10-25T00:30:00'))).toBe(false);
  }
});
