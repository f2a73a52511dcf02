import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { MOST_RUNS, parseRuns, type RunSettings, type RunState, Runs, runsText } from '../../src/accumulators/runs.ts';
import { generationName } from '../../src/accumulators/store/generation.ts';

const ONE: RunSettings = { name: 'a', run: 'r1', dimension: 'variant', horizon: 0, variants: ['A'], start: undefined };
const OTHER: RunSettings = { ...ONE, name: 'b', run: 'r2', start: 100 };
const ALL = Number.NEGATIVE_INFINITY;
const STORED: readonly RunState[] = [
  { name: 'b', run: 'r2', begins: [3, 9], missing: 4, since: { mrr: ALL } },
  { name: 'a', run: 'r1', begins: [5, 0], missing: 1, since: { mrr: ALL } },
];

const runsOf = (settings: readonly RunSettings[], states: readonly RunState[], positions: readonly number[]): Runs =>
  new Runs(settings, ['mrr'], { states, positions, closedUpTo: 500 });

describe('runs', () => {
  it.each([
    [0, 4, 1],
    [0, 5, 0],
    [0, 6, 0],
    [1, 0, 0],
  ])('in topic %i an impression at offset %i: left out %i', (topic, offset, leftOut) => {
    expect(runsOf([ONE], STORED, [0, 0]).leftOut(topic, offset, 50)).toBe(leftOut);
  });

  it.each([
    [99, 2],
    [100, 0],
    [101, 0],
  ])('count from their start on: at %i left out %i', (ts, leftOut) => {
    expect(runsOf([ONE, OTHER], [], [0, 0]).leftOut(0, 7, ts)).toBe(leftOut);
  });

  it('that are not among the stored ones begin at the positions, the others where they began', () => {
    const changed = { ...ONE, run: 'r9' };
    const runs = runsOf([changed, OTHER], STORED, [20, 30]);
    expect(runs.state([])).toEqual([
      { name: 'a', run: 'r9', begins: [20, 30], missing: 0, since: { mrr: ALL } },
      STORED[0],
    ]);
    expect([runs.leftOut(0, 19, 100), runs.leftOut(0, 20, 100), runs.leftOut(1, 29, 100)]).toEqual([1, 0, 1]);
    expect([runs.leftOut(0, 2, 100), runs.leftOut(0, 19, 99)]).toEqual([3, 3]);
  });

  it('are distinguished by both names', () => {
    const same = { ...ONE, name: 'b' };
    expect(runsOf([same], STORED, [7, 7]).state([])).toEqual([
      { name: 'b', run: 'r1', begins: [7, 7], missing: 0, since: { mrr: ALL } },
    ]);
  });

  it('without positions count from the first record, and topics that are new do so, too', () => {
    const runs = runsOf([ONE], [], []);
    expect([runs.leftOut(0, 0, 0), runs.leftOut(3, 0, 0)]).toEqual([0, 0]);
    expect(runsOf([ONE], STORED, []).leftOut(2, 0, 0)).toBe(0);
  });

  it('have a measure that was added since then, and those that were there from the beginning on', () => {
    const states = [{ ...STORED[1], since: { mrr: ALL, ctr: 300, gone: 7 } }];
    const after = new Runs([ONE], ['mrr', 'ctr', 'hit@1'], { states, positions: [0, 0], closedUpTo: 500 });
    expect(after.state([])[0].since).toEqual({ mrr: ALL, ctr: 300, 'hit@1': 500 });
  });

  it('that have ended are kept, and begin anew if they are configured again', () => {
    const over = { ...STORED[1], ended: { at: 400, generation: '1' } };
    const runs = runsOf([ONE, OTHER], [STORED[0], over], [20, 30]);
    expect(runs.state([])).toEqual([
      { name: 'a', run: 'r1', begins: [20, 30], missing: 0, since: { mrr: ALL } },
      STORED[0],
      over,
    ]);
  });

  it('count what was lost, each since it began', () => {
    const runs = runsOf([{ ...ONE, run: 'r9' }, OTHER], STORED, [20, 30]);
    runs.lost(7);
    runs.lost(2);
    expect(runs.state([]).map(({ missing }) => missing)).toEqual([9, 13]);
    expect(STORED[0].missing).toBe(4);
  });

  it.each([
    [MOST_RUNS - 1, false],
    [MOST_RUNS, false],
    [MOST_RUNS + 1, true],
  ])('%i of them: refused %s', (count, refused) => {
    const settings = Array.from({ length: count }, (_, r) => ({ ...ONE, name: `e${r}`, start: r }));
    const make = () => runsOf(settings, [], []);
    if (refused) expect(make).toThrow('at most 31 experiments, not 32');
    // None has begun yet; all but the first; none is left out.
    else expect([-1, 0, count].map((ts) => make().leftOut(0, 0, ts))).toEqual([2 ** count - 1, 2 ** count - 2, 0]);
  });

  it('come back from their text', () => {
    const whole = fc.nat();
    const time = fc.oneof(whole, fc.constant(ALL));
    const since = fc.dictionary(fc.string({ minLength: 1 }), time, { noNullPrototype: true });
    const generation = fc.tuple(fc.integer({ min: 1 }), fc.boolean()).map(([number, c]) => generationName(number, c));
    const ended = fc.record({ at: time, generation });
    const state = fc.record(
      { name: fc.string(), run: fc.string(), begins: fc.array(whole), missing: whole, since, ended },
      { requiredKeys: ['name', 'run', 'begins', 'missing', 'since'] },
    );
    fc.assert(
      fc.property(fc.array(state), (states) => {
        expect(parseRuns(runsText(states))).toEqual(states);
      }),
    );
    expect(parseRuns(undefined)).toEqual([]);
    expect(parseRuns('[{"name":"a","run":"r","begins":[],"missing":0}]')[0].since).toEqual({});
  });

  it.each([
    ['{}', 'runs: expected a list'],
    ['[{"name":1,"run":"r","begins":[],"missing":0}]', 'runs[0].name: expected'],
    ['[{"name":"a","begins":[],"missing":0}]', 'runs[0].run: expected'],
    ['[{"name":"a","run":"r","begins":[1.5],"missing":0}]', 'runs[0].begins[0]: expected'],
    ['[{"name":"a","run":"r","begins":[],"missing":"3"}]', 'runs[0].missing: expected'],
    ['[{"name":"a","run":"r","begins":[],"missing":3,"since":[["mrr","x"]]}]', 'runs[0].since[0]: expected'],
    [
      '[{"name":"a","run":"r","begins":[],"missing":3,"since":[],"ended":{"at":1}}]',
      'runs[0].ended.generation: expected',
    ],
    ['[', 'runs'],
  ])('of a damaged text are refused: %s', (text, message) => {
    expect(() => parseRuns(text)).toThrow(message);
  });
});
