import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { WaitingExposures } from '../../src/unit/unit-experiments.ts';

interface Exposure {
  readonly run: number;
  readonly user: number;
  readonly variant: number;
  readonly ts: number;
}

const exposure = fc.record({
  run: fc.nat(2),
  user: fc.nat(2 ** 52),
  variant: fc.nat(30),
  ts: fc.integer({ min: -2000, max: 12_000 }),
});

/** More at once than there is room for at first, and waits again for what became free. */
const steps = fc.array(
  fc.record({ added: fc.array(exposure, { maxLength: 150 }), until: fc.integer({ min: -2000, max: 12_000 }) }),
  { maxLength: 8 },
);

describe('exposures that wait', () => {
  it('leave once, when their time is passed, those of a second in the order in which they came', () => {
    fc.assert(
      fc.property(steps, (all) => {
        const waiting = new WaitingExposures();
        let model: Exposure[] = [];
        for (const { added, until } of all) {
          for (const each of added) waiting.add(each.run, each.user, each.variant, each.ts);
          model.push(...added);
          const left: Exposure[] = [];
          waiting.takeUpTo(until, (run, user, variant, ts) => left.push({ run, user, variant, ts }));
          expect(bySecond(left)).toEqual(bySecond(model.filter(({ ts }) => ts <= until)));
          model = model.filter(({ ts }) => ts > until);
        }
      }),
    );
  });

  it('use the memory again of those that left', () => {
    const waiting = new WaitingExposures();
    const fill = (from: number): void => {
      for (let n = 0; n < 1000; n++) waiting.add(0, n, 0, from + n);
    };
    fill(0);
    const { bytes } = waiting;
    for (let from = 1000; from < 50_000; from += 1000) {
      waiting.takeUpTo(from - 1, () => {});
      fill(from);
    }
    expect(waiting.bytes).toBe(bytes);
  });
});

function bySecond(exposures: readonly Exposure[]): ReadonlyMap<number, readonly Exposure[]> {
  const seconds = new Map<number, Exposure[]>();
  const sorted = [...exposures].map(({ ts }) => Math.floor(ts / 1000)).sort((a, b) => a - b);
  for (const second of sorted) seconds.set(second, []);
  for (const each of exposures) seconds.get(Math.floor(each.ts / 1000))?.push(each);
  return seconds;
}
