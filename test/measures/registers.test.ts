import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { LONGEST_RUN, REGISTERS, Registers, registerOf } from '../../src/measures/registers.ts';

const SIGMA = 1.04 / Math.sqrt(REGISTERS);

function registersOf(items: Iterable<string>): Registers {
  const registers = new Registers();
  for (const item of items) registers.add(registerOf(item));
  return registers;
}

function* numbered(prefix: string, count: number): Iterable<string> {
  for (let i = 0; i < count; i++) yield `${prefix}${i}`;
}

const items = fc.array(fc.string({ maxLength: 3 }), { maxLength: 50 });

describe('registers', () => {
  it.each([1_000, 3_000, 10_000, 20_000, 50_000, 100_000, 1_000_000])('estimate %i items within 3 sigma', (count) => {
    for (const prefix of ['sku-', 'item:', '']) {
      const error = registersOf(numbered(prefix, count)).estimate() / count - 1;
      expect(Math.abs(error), `${prefix}: ${error}`).toBeLessThan(3 * SIGMA);
    }
  });

  it('have no bias where linear counting ends: 40 sets of 10,000 items', () => {
    let sum = 0;
    for (let set = 0; set < 40; set++) sum += registersOf(numbered(`${set}/`, 10_000)).estimate() / 10_000 - 1;
    expect(Math.abs(sum / 40)).toBeLessThan((3 * SIGMA) / Math.sqrt(40));
  });

  it('are exact, rounded, for a handful of items', () => {
    for (let count = 0; count <= 20; count++) {
      expect(Math.round(registersOf(numbered('x', count)).estimate())).toBe(count);
    }
    expect(registersOf(['a', 'b', 'c', 'd', 'e']).estimate()).toBeCloseTo(5.003, 3);
  });

  it('estimate like linear counting while most are empty', () => {
    const registers = registersOf(numbered('y', 500));
    const empty = registers.runs.filter((run) => run === 0).length;
    expect(registers.estimate() / (REGISTERS * Math.log(REGISTERS / empty))).toBeCloseTo(1, 2);
  });

  it('merge to those of all items at once, in any order', () => {
    fc.assert(
      fc.property(items, items, (a, b) => {
        const merged = registersOf(a);
        merged.merge(registersOf(b));
        const other = registersOf(b);
        other.merge(registersOf(a));
        expect(merged.runs).toEqual(registersOf([...a, ...b]).runs);
        expect(other.runs).toEqual(merged.runs);
      }),
    );
  });

  it('do not change by what they hold already', () => {
    fc.assert(
      fc.property(items, (all) => {
        const once = registersOf(all);
        const twice = registersOf([...all, ...all]);
        twice.merge(once);
        expect(twice.runs).toEqual(once.runs);
      }),
    );
  });

  it('stay finite when some are full, and 0 when all are empty', () => {
    expect(new Registers().estimate()).toBe(0);
    const full = new Registers();
    for (let i = 0; i < REGISTERS - 1; i++) full.raise(i, LONGEST_RUN);
    expect(Number.isFinite(full.estimate())).toBe(true);
  });
});
