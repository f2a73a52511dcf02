/** A clock that was set back looks like disorder, and is named instead. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { setBackAfter } from '../../src/inspect/clock-set-back.ts';
import { LogsInFolder } from './logs-in-folder.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const NIGHT = Date.UTC(2026, 9, 25);

describe('times of a clock that was set back', () => {
  const night = (from: number, to: number): readonly number[] =>
    Array.from({ length: (to - from) / MINUTE }, (_, i) => NIGHT + from + i * MINUTE);
  it.each([
    ['go back once by an hour', [...night(HOUR, 3 * HOUR), ...night(2 * HOUR, 4 * HOUR)], NIGHT + 3 * HOUR - MINUTE],
    ['in some zones by half of one', [...night(HOUR, 2 * HOUR), ...night(1.5 * HOUR, 4 * HOUR)], NIGHT + 119 * MINUTE],
    ['do not go back by less', [...night(HOUR, 2 * HOUR), ...night(1.7 * HOUR, 4 * HOUR)], undefined],
    ['do not go back by more', [...night(HOUR, 3 * HOUR), ...night(1.9 * HOUR, 4 * HOUR)], undefined],
    [
      'do not go back twice',
      [...night(HOUR, 3 * HOUR), ...night(2 * HOUR, 3 * HOUR), ...night(2 * HOUR, 4 * HOUR)],
      undefined,
    ],
    ['do not go back by day', [...night(9 * HOUR, 11 * HOUR), ...night(10 * HOUR, 12 * HOUR)], undefined],
    ['do not go back where they are in order', night(HOUR, 4 * HOUR), undefined],
  ])('%s', (_, times, expected) => {
    expect(setBackAfter(times)).toBe(expected);
  });
});

describe('a log of the night on which clocks are set back', () => {
  let logs: LogsInFolder;
  beforeEach(() => {
    logs = new LogsInFolder();
  });
  afterEach(() => logs.remove());

  /** As a clock in Berlin shows it, unless it writes UTC. */
  const shown = (at: number, zone: string): string =>
    new Intl.DateTimeFormat('sv-SE', { timeZone: zone, dateStyle: 'short', timeStyle: 'medium' }).format(at) +
    (zone === 'UTC' ? 'Z' : '');

  const write = (zone: string): void => {
    const at = (n: number): number => NIGHT - HOUR + n * 40_000;
    const numbers = Array.from({ length: 360 }, (_, n) => n);
    const lists = numbers.map((n) => `r${n},${shown(at(n), zone)},a|b|c`);
    const clicks = numbers.filter((n) => n % 3 > 0).map((n) => `r${n},${shown(at(n) + 30_000, zone)},${'abc'[n % 3]}`);
    logs.write('shown.csv', ['request,at,items', ...lists, ''].join('\n'));
    logs.write('clicks.csv', ['request,at,item', ...clicks, ''].join('\n'));
  };
  const told = ['clock_change', 'out_of_order', 'feedback_before_list'];

  it.each([
    ['without a zone', 'Europe/Berlin', ['clock_change']],
    ['in UTC', 'UTC', []],
  ])('written %s', async (_, zone, expected) => {
    write(zone);
    const { findings } = await logs.look('shown.csv', 'clicks.csv');
    expect(findings.map(({ code }) => code).filter((code) => told.includes(code))).toEqual(expected);
  });
});
