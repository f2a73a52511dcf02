import { describe, expect, it } from 'vitest';
import { FIELD, OUT, SCORE_WIDTH, SUMS, SUMS_WIDTH, type SumsKind } from '../../src/measures/sums.ts';

const KINDS: readonly SumsKind[] = ['mean', 'fraction', 'means', 'classes', 'pairs', 'pairMeans', 'apart'];

const upTo = (width: number) => Array.from({ length: width }, (_, i) => i);

describe.each(KINDS)('the sums of kind %s', (kind) => {
  const { counted, values, squared, tail } = SUMS[kind];

  it('have as many fields as their parts, each at a place of its own, without a gap', () => {
    const width = (counted ? 2 : 0) + values.length + (squared ? 1 : 0) + tail.length;
    expect(SUMS_WIDTH[kind]).toBe(width);
    expect(Object.values(FIELD[kind])).toEqual(upTo(width));
  });

  it('begin with n and n+ where they count lists, then the values', () => {
    const names = Object.keys(FIELD[kind]);
    expect(names.slice(0, 2).join(' ') === 'n positives').toBe(counted);
    const some = names.slice(counted ? 2 : 0);
    expect(some.indexOf('squares')).toBe(squared ? values.length : -1);
    expect(some.slice(some.length - tail.length)).toEqual(tail);
  });

  it('are written behind the state, values first, and fit', () => {
    const written = Object.entries(OUT[kind]);
    expect(written.map(([, place]) => place)).toEqual(upTo(Math.max(1, values.length + tail.length)).map((i) => i + 1));
    expect(written.slice(written.length - tail.length).map(([name]) => name)).toEqual(tail);
    expect(written.length).toBeLessThan(SCORE_WIDTH);
  });
});
