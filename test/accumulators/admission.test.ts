import fc from 'fast-check';
import { describe, expect, it, vi } from 'vitest';
import { Admission, type AdmissionSettings, reservedCohorts, shownByName } from '../../src/accumulators/admission.ts';
import { type AdmissionState, isLarge, parseAdmission, wholeTable } from '../../src/accumulators/admission-state.ts';

const NEVER = Number.NEGATIVE_INFINITY;

function table(folded: number, entries: AdmissionState['entries']): AdmissionState {
  return { by: ['variant'], folded, entries };
}

const TAKEOVER = { candidates: 2, ratio: 10 };

function places(
  limit: number,
  reserved: readonly string[] = [],
  takeover: AdmissionSettings['takeover'] = TAKEOVER,
): AdmissionSettings {
  return { limit, reserved: new Set(reserved), takeover };
}

function again(admission: Admission, its: AdmissionSettings): Admission {
  return new Admission(['variant'], its, stateOf(admission));
}

/** What a reader of the checkpoint gets. */
function stateOf(admission: Admission): AdmissionState {
  const table = parseAdmission(JSON.parse(admission.stateText()), '');
  if (isLarge(table)) throw new Error('its entries are stored beside the checkpoint');
  return table;
}

describe('the admission table', () => {
  it('admits who comes first, and adds the next to the rest', () => {
    const admission = new Admission(['variant'], places(2));
    expect([
      admission.admit('A', 10),
      admission.admit('B', 10),
      admission.admit('C', 20),
      admission.admit('A', 5),
    ]).toEqual([true, true, false, true]);
    expect(stateOf(admission)).toEqual(
      table(20, [
        ['A', 10, NEVER],
        ['B', 10, NEVER],
      ]),
    );
  });

  it('keeps the end of the latest pane into which it folded, not of the last', () => {
    const admission = new Admission(['variant'], places(1));
    for (const [values, end] of [
      ['A', 10],
      ['B', 30],
      ['B', 20],
    ] as const)
      admission.admit(values, end);
    expect(stateOf(admission).folded).toBe(30);
  });

  it.each([
    [9, false],
    [10, true],
    [11, true],
  ])('loses an entry of the pane that ends at 10 when the panes up to %d go: %j', (end, left) => {
    const admission = new Admission(['variant'], places(1));
    admission.admit('A', 10);
    expect(admission.expire(end)).toBe(left);
    expect(admission.admit('B', 40)).toBe(left);
  });

  it('gives a later entry what had been folded before it', () => {
    const admission = new Admission(['variant'], places(1));
    admission.admit('A', 10);
    admission.admit('B', 20);
    admission.expire(10);
    admission.admit('B', 30);
    expect(stateOf(admission)).toEqual(table(20, [['B', 30, 20]]));
  });

  it('goes on from its state as if nothing had happened', () => {
    const values = fc.constantFrom('A', 'B', 'C', 'D', 'E');
    const step = fc.oneof(
      fc.record({ values, end: fc.nat(9) }),
      fc.record({ count: values }),
      fc.record({ had: fc.nat(5) }),
      fc.record({ pass: fc.integer({ min: 1, max: 3 }) }),
      fc.record({ expire: fc.nat(9) }),
    );
    const anyPlaces = fc.record({
      limit: fc.integer({ min: 1, max: 3 }),
      reserved: fc.constantFrom(new Set<string>(), new Set(['E']), new Set(['D', 'E'])),
      takeover: fc.constantFrom(undefined, { candidates: 1, ratio: 1 }, { candidates: 2, ratio: 1 }),
    });
    fc.assert(
      fc.property(anyPlaces, fc.array(fc.tuple(step, fc.boolean())), (its, steps) => {
        const one = new Admission(['variant'], its);
        let other = new Admission(['variant'], its);
        const both = <T>(ask: (table: Admission) => T): void => expect(ask(other)).toEqual(ask(one));
        for (const [what, restart] of steps) {
          if ('expire' in what) both((table) => table.expire(what.expire));
          else if ('count' in what) both((table) => table.count(what.count));
          else if ('had' in what) both((table) => table.review((name) => (name === 'A' ? what.had : 0)));
          else if ('pass' in what) both((table) => table.decay(what.pass));
          else both((table) => table.admit(what.values, what.end));
          if (restart) other = again(other, its);
        }
        expect(stateOf(other)).toEqual(stateOf(one));
      }),
      { numRuns: 2000 },
    );
  });

  it('admits what is reserved, and leaves to others what that does not need', () => {
    const admission = new Admission(['variant'], places(3, ['A', 'B']));
    expect(['x', 'y', 'B', 'z', 'A'].map((values) => admission.admit(values, 10))).toEqual([
      true,
      false,
      true,
      false,
      true,
    ]);
    expect(stateOf(admission).entries.map(([values]) => values)).toEqual(['A', 'B', 'x']);
  });

  it('admits all that is reserved, also beyond its limit, and then nobody else', () => {
    const admission = new Admission(['variant'], places(1, ['A', 'B']));
    expect(['x', 'A', 'B'].map((values) => admission.admit(values, 10))).toEqual([false, true, true]);
  });

  it.each([
    [19, false],
    [20, true],
    [21, true],
  ])('gives the place of one with a single impression to one with %d: %j', (impressions, given) => {
    const admission = new Admission(['variant'], places(1));
    admission.admit('old', 10);
    for (let i = 0; i < impressions; i++) {
      expect(admission.admit('new', 30)).toBe(false);
      admission.count('new');
    }
    expect(admission.review(() => 1)).toBe(given);
    expect([admission.has('old'), admission.has('new')]).toEqual([!given, given]);
    if (given) expect(stateOf(admission)).toEqual(table(30, [['new', 10, 30, impressions]]));
  });

  it('shows what is reserved in every window, whenever it comes, and forgets it never', () => {
    const admission = new Admission(['variant'], places(1, ['A']));
    admission.admit('x', 1000);
    expect(admission.admit('A', 1010)).toBe(true);
    expect(admission.expire(2000)).toBe(false);
    admission.admit('x', 3000);
    expect([-1, 0, 2999, 3000].map((start) => shownByName([stateOf(admission)], start)('A'))).toEqual(
      new Array(4).fill(true),
    );
  });

  it('shows what becomes reserved from then on', () => {
    const admission = new Admission(['variant'], places(1));
    admission.admit('x', 1000);
    admission.admit('A', 1000);
    const reserving = again(admission, places(2, ['A']));
    expect(reserving.admit('A', 1010)).toBe(true);
    expect([999, 1000].map((start) => shownByName([stateOf(reserving)], start)('A'))).toEqual([false, true]);
  });

  it('never gives away what is reserved', () => {
    const admission = new Admission(['variant'], places(1, ['A']));
    admission.admit('A', 10);
    for (let i = 0; i < 1000; i++) admission.count('new');
    expect(admission.review(() => 0)).toBe(false);
  });

  it('hides who lost its place from windows with one of its panes: no more are shown than there are places', () => {
    const admission = new Admission(['variant'], places(1));
    admission.admit('old', 10);
    admission.admit('new', 10);
    for (let i = 0; i < 100; i++) admission.count('new');
    admission.admit('old', 30);
    admission.review(() => 1);
    expect([29, 30].map((start) => shownByName([stateOf(admission)], start)('old'))).toEqual([false, true]);
    expect(stateOf(admission).folded).toBe(30);
  });

  it('halves a score with every hour, whether something closes or not', () => {
    const scoreOf = (hours: (table: Admission) => void): unknown => {
      const admission = new Admission(['variant'], places(1));
      admission.admit('A', 10);
      admission.review(() => 1001);
      hours(admission);
      return stateOf(admission).entries[0][3];
    };
    expect(scoreOf((admission) => admission.review(() => 7))).toBe(507);
    expect(scoreOf((admission) => admission.decay(3))).toBe(125);
    expect(scoreOf((admission) => [30, 40, 50].map(() => admission.review(() => 0)))).toBe(125);
    expect(scoreOf((admission) => admission.decay(5000))).toBeUndefined();
  });

  it('counts no candidate too high, and none too low by more than its share', () => {
    const k = 4;
    fc.assert(
      fc.property(fc.array(fc.constantFrom(...'aaaaaabbbcdefgh'), { maxLength: 400 }), (all) => {
        const admission = new Admission(['variant'], places(1, ['R'], { candidates: k, ratio: 1 }));
        for (const values of all) admission.count(values);
        const counted = new Map(stateOf(admission).candidates);
        expect(counted.size).toBeLessThanOrEqual(k);
        for (const values of new Set(all)) {
          const had = all.filter((one) => one === values).length;
          const found = counted.get(values) ?? 0;
          expect(found).toBeLessThanOrEqual(had);
          expect(had - found).toBeLessThanOrEqual(all.length / (k + 1));
        }
      }),
    );
  });

  it('reads what was stored before there were scores, candidates and reserved places, and lets go of who is too many', () => {
    const stored = JSON.parse('{"by":["variant"],"folded":20,"entries":[["x",30,null],["y",10,null],["A",5,20]]}');
    const admission = new Admission(['variant'], places(2, ['A']), wholeTable(parseAdmission(stored, ''), undefined));
    expect(stateOf(admission)).toEqual(
      table(30, [
        ['y', 10, NEVER],
        ['A', 5, 20],
      ]),
    );
  });

  it('writes anew only the entries that changed', () => {
    const admission = new Admission(['variant'], { ...places(1000), mostInCheckpoint: 1000 });
    for (let n = 0; n < 1000; n++) admission.admit(`cohort ${n}`, 10);
    const writes = vi.spyOn(JSON, 'stringify');
    const all = (seventh: number): AdmissionState['entries'] =>
      Array.from({ length: 1000 }, (_, n) => [`cohort ${n}`, n === 7 ? seventh : 10, NEVER]);
    const during = (act: () => void, entries: AdmissionState['entries']): number => {
      act();
      writes.mockClear();
      const state = stateOf(admission);
      const { length } = writes.mock.calls;
      expect(state).toEqual(table(NEVER, entries));
      return length;
    };
    try {
      const rest = during(() => {}, all(10)) - 1000;
      expect(during(() => {}, all(10))).toBe(0);
      expect(during(() => admission.admit('cohort 7', 10), all(10))).toBe(0);
      expect(during(() => admission.admit('cohort 7', 20), all(20))).toBe(1 + rest);
      expect(during(() => admission.expire(10), [['cohort 7', 20, NEVER]])).toBe(rest);
      expect(during(() => admission.admit('cohort 7', 30), [['cohort 7', 30, NEVER]])).toBe(1 + rest);
    } finally {
      writes.mockRestore();
    }
  });

  it('writes what a reader that knows no scores and candidates understands', () => {
    const admission = new Admission(['variant'], places(1));
    admission.admit('A', 10);
    admission.review(() => 7);
    admission.admit('B', 30);
    admission.count('B');
    expect(JSON.parse(admission.stateText())).toEqual({
      by: ['variant'],
      folded: 30,
      entries: [['A', 10, null, 7]],
      candidates: [['B', 1]],
    });
  });
});

describe('the cohorts that have a place of their own', () => {
  const named = new Map([
    ['variant', ['a', 'b', 'a']],
    ['experiment_x', ['on', 'off']],
  ]);

  it.each([
    [[], 100, []],
    [['variant'], 1, ['a', 'b']],
    [['country'], 100, []],
    [['variant', 'country'], 100, []],
    [['experiment_x', 'variant'], 7, []],
    [['experiment_x', 'variant'], 8, ['on,a', 'on,b', 'off,a', 'off,b']],
    [['variant', 'experiment_x'], 8, ['a,on', 'a,off', 'b,on', 'b,off']],
  ])('of %j with %d places are %j', (by, limit, cohorts) => {
    expect([...reservedCohorts(by, named, limit)]).toEqual(cohorts);
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
