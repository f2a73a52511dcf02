import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Admission, type AdmissionState, parseAdmission, shownByName } from '../../src/accumulators/admission.ts';

const NEVER = Number.NEGATIVE_INFINITY;

function table(folded: number, entries: AdmissionState['entries']): AdmissionState {
  return { by: ['variant'], folded, entries };
}

describe('the admission table', () => {
  it('admits who comes first, and adds the next to the rest', () => {
    const admission = new Admission(['variant'], 2);
    expect([
      admission.admit('A', 10),
      admission.admit('B', 10),
      admission.admit('C', 20),
      admission.admit('A', 5),
    ]).toEqual([true, true, false, true]);
    expect(admission.state()).toEqual(
      table(20, [
        ['A', 10, NEVER],
        ['B', 10, NEVER],
      ]),
    );
  });

  it('keeps the end of the latest pane into which it folded, not of the last', () => {
    const admission = new Admission(['variant'], 1);
    for (const [values, end] of [
      ['A', 10],
      ['B', 30],
      ['B', 20],
    ] as const)
      admission.admit(values, end);
    expect(admission.state().folded).toBe(30);
  });

  it.each([
    [9, false],
    [10, true],
    [11, true],
  ])('loses an entry of the pane that ends at 10 when the panes up to %d go: %j', (end, left) => {
    const admission = new Admission(['variant'], 1);
    admission.admit('A', 10);
    expect(admission.expire(end)).toBe(left);
    expect(admission.admit('B', 40)).toBe(left);
  });

  it('tells a later entry what had been folded before it', () => {
    const admission = new Admission(['variant'], 1);
    admission.admit('A', 10);
    admission.admit('B', 20);
    admission.expire(10);
    admission.admit('B', 30);
    expect(admission.state()).toEqual(table(20, [['B', 30, 20]]));
  });

  it('goes on from its state as if nothing had happened', () => {
    const step = fc.oneof(
      fc.record({ values: fc.constantFrom('A', 'B', 'C', 'D'), end: fc.nat(9) }),
      fc.record({ expire: fc.nat(9) }),
    );
    fc.assert(
      fc.property(fc.nat({ max: 2 }), fc.array(fc.tuple(step, fc.boolean())), (more, steps) => {
        const one = new Admission(['variant'], 1 + more);
        let other = new Admission(['variant'], 1 + more);
        for (const [what, restart] of steps) {
          if ('expire' in what) expect(other.expire(what.expire)).toBe(one.expire(what.expire));
          else expect(other.admit(what.values, what.end)).toBe(one.admit(what.values, what.end));
          if (restart)
            other = new Admission(['variant'], 1 + more, parseAdmission(JSON.parse(JSON.stringify(other.state())), ''));
        }
        expect(other.state()).toEqual(one.state());
      }),
    );
  });
});

describe('the rule of the reader', () => {
  it.each([
    [99, false],
    [100, true],
    [101, true],
  ])('an entry since 100 in a window that starts at %d: by name %j', (start, named) => {
    expect(shownByName([table(100, [['A', 200, 100]])], start)('A')).toBe(named);
  });

  it.each([
    [99, false],
    [100, true],
    [101, true],
  ])('no entry where 100 was folded in a window that starts at %d: by name %j', (start, named) => {
    expect(shownByName([table(100, [])], start)('A')).toBe(named);
  });

  it('asks every unit', () => {
    const here = table(100, [['A', 200, NEVER]]);
    expect(shownByName([here, here], 0)('A')).toBe(true);
    expect(shownByName([here, table(NEVER, [])], 0)('A')).toBe(true);
    expect(shownByName([here, table(50, [])], 0)('A')).toBe(false);
    expect(shownByName([here, table(50, [['A', 90, 50]])], 0)('A')).toBe(false);
    expect(shownByName([here, undefined], 0)('A')).toBe(true);
  });
});
