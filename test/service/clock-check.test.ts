import { expect, it } from 'vitest';
import { ClockCheck } from '../../src/service/watchdog.ts';
import { WallClock } from '../../src/vocabulary/clock.ts';

/** The store's time is always 1,000,000; the worker's clock and the machine's are so much off it. */
class Clocks {
  readonly told: number[] = [];
  readonly said: string[] = [];
  isStoreThere = true;
  own: number;
  machine: number;
  readonly check: ClockCheck;

  constructor(own: number, machine: number) {
    this.own = own;
    this.machine = machine;
    const now = (off: number): number => 1_000_000 + off;
    this.check = new ClockCheck({
      clock: {
        now: () => now(this.own),
        set: (time) => {
          this.own = time - 1_000_000;
        },
      },
      store: {
        time: async () => {
          if (!this.isStoreThere) throw new Error('away');
          return 1_000_000;
        },
      },
      machine: () => now(this.machine),
      onSkew: (skew) => this.told.push(skew),
      log: {
        info: (_, message) => this.said.push(`info ${message}`),
        warn: (_, message) => this.said.push(`warn ${message}`),
      },
    });
  }
}

it.each([
  [30_000, false],
  [30_001, true],
  [-30_000, false],
  [-30_001, true],
])('a clock that is %i ms off is in doubt: %s', async (off, isWrong) => {
  const { check, told } = new Clocks(off, off);
  await check.look();
  expect(told).toEqual([off]);
  expect(check.trouble !== undefined).toBe(isWrong);
});

it('says once that nothing is read, and once that it goes on', async () => {
  const clocks = new Clocks(-3_600_000, -3_600_000);
  await clocks.check.look();
  await clocks.check.look();
  expect(clocks.check.trouble).toMatch(/the clock here is 3600 s behind that of Redis: nothing is read/);
  // Somebody synchronises the machine: what the clock showed before is not judged by, only what was compared since.
  clocks.machine = 5;
  await clocks.check.look();
  expect(clocks.check.trouble).toBeDefined();
  await clocks.check.look();
  expect(clocks.check.trouble).toBeUndefined();
  expect(clocks.told).toEqual([-3_600_000, -3_600_000, -3_600_000, 5]);
  expect(clocks.said).toEqual([
    'warn the clock here and that of Redis differ: nothing is read until they agree',
    'info the clock here and that of Redis agree again',
  ]);
});

it('a clock that agrees does not follow a machine that is set to another time', async () => {
  const clocks = new Clocks(100, 3_600_000);
  await clocks.check.look();
  expect(clocks.own).toBe(100);
});

it('while Redis does not tell its time nothing changes', async () => {
  const clocks = new Clocks(40_000, 40_000);
  await clocks.check.look();
  clocks.isStoreThere = false;
  await clocks.check.look();
  expect(clocks.told).toEqual([40_000]);
  expect(clocks.check.trouble).toBeDefined();
  expect(clocks.said.at(-1)).toBe('warn Redis did not report its time');
});

it('says when Redis does not tell its time, once a minute while that lasts, and when it does again', async () => {
  const clocks = new Clocks(0, 0);
  clocks.isStoreThere = false;
  for (let second = 0; second <= 60; second += 10) {
    clocks.own = second * 1000;
    await clocks.check.look();
  }
  expect(clocks.said).toEqual(['warn Redis did not report its time', 'warn Redis did not report its time']);
  clocks.own = 0;
  clocks.isStoreThere = true;
  await clocks.check.look();
  expect(clocks.said.at(-1)).toBe('info Redis reports its time again');
});

it("the worker's clock takes a time over and goes on from there", () => {
  const clock = new WallClock();
  const before = performance.now();
  clock.set(5_000_000);
  const now = clock.now();
  expect(now).toBeGreaterThanOrEqual(5_000_000);
  expect(now).toBeLessThanOrEqual(5_000_000 + performance.now() - before);
});
