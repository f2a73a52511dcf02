import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { SCORE_WIDTH } from '../../src/measures/sums.ts';
import { ListSamples } from '../../src/unit/samples.ts';
import { GRADING, H, SCORER, shop } from './sampled-shop.ts';

describe('samples of lists', () => {
  it('hold a list as it closed at the longest horizon, with its feedback, grades and scores', () => {
    const { samples, shows, does, at } = shop();
    shows('r1', 0, ['a', 'b', 'c'], 10);
    does('r1', 'b', 2000);
    does('r1', 'c', 3000, 'rating', 4);
    at(H - 1);
    expect(samples.last).toEqual([]);
    at(H);
    expect(samples.last).toEqual([
      {
        requestId: 'r1',
        ts: 0,
        dimensions: ['control'],
        length: 3,
        slots: [
          { rank: 11, item: 'a', grade: 0, feedback: [] },
          { rank: 12, item: 'b', grade: 1, feedback: [{ action: 'click', value: undefined, delay: 2000 }] },
          { rank: 13, item: 'c', grade: 4, feedback: [{ action: 'rating', value: 4, delay: 3000 }] },
        ],
        moreFeedback: 0,
        scores: expect.any(Float64Array),
        drops: [],
      },
    ]);
    expect(samples.last[0].scores[SCORE_WIDTH + 1]).toBeCloseTo(1 / 12);
  });

  it('hold the newest, and take no more between two renewals', () => {
    const { samples, shows, at } = shop(2);
    const ids = () => samples.last.map(({ requestId }) => requestId);
    for (const n of [1, 2, 3]) shows(`r${n}`, n, ['a']);
    at(H + 3);
    expect(ids()).toEqual(['r2', 'r1']);
    samples.renew();
    shows('r4', H + 4, ['a']);
    at(3 * H);
    expect(ids()).toEqual(['r4', 'r2']);
  });

  it('say why feedback of a list was dropped: counted twice, too much, too late, of another list', () => {
    const { samples, shows, does, at } = shop(9, 'shown', 2);
    shows('r1', 0, ['a', 'b', 'c']);
    does('r1', 'a', 1000);
    does('r1', 'a', 1000);
    does('r1', 'b', 1001);
    does('r1', 'c', 1002);
    shows('r2', 1003, ['a']);
    does('r2', 'z', 2000);
    does('r9', 'a', 2001);
    at(H + 1003);
    does('r2', 'a', H + 1004);
    at(4 * H);
    const why = samples.last.map(({ requestId, drops }) => [
      requestId,
      drops.map(({ reason, itemId }) => [reason, itemId]),
    ]);
    expect(why).toEqual([
      [
        'r2',
        [
          ['not_in_list', 'z'],
          ['orphan', 'a'],
        ],
      ],
      [
        'r1',
        [
          ['duplicate', 'a'],
          ['capped', 'c'],
        ],
      ],
    ]);
    expect(samples.drops.map(({ reason, requestId }) => `${reason} ${requestId}`)).toEqual([
      'orphan r2',
      'orphan r9',
      'not_in_list r2',
      'duplicate r1',
      'capped r1',
    ]);
  });

  it('do not blame a list for feedback that found another page of its request', () => {
    const { samples, shows, does, at } = shop();
    shows('r1', 0, ['a', 'b']);
    does('r1', 'c', 10);
    shows('r1', 20, ['c', 'd'], 2);
    at(2 * H);
    expect(samples.withDrops).toEqual([]);
    expect(samples.last).toHaveLength(2);
  });

  it('say why feedback was dropped also behind a replay of many lists that miss some', () => {
    const LISTS = 70;
    const before = shop(100);
    const history = ({ shows, does }: typeof before): void => {
      for (let n = 0; n < LISTS; n++) {
        shows(`r${n}`, n, ['a']);
        does(`r${n}`, 'z', n + 100);
      }
    };
    history(before);
    // All lists have closed, but are remembered: a duplicate may come.
    before.at(H + 500);
    const after = shop(100, 'shown', 100, before.join.checkpoint());
    expect(after.join.position(0)).toBe(0);
    history(after);
    expect(after.join.replaying).toBe(false);
    after.samples.renew();
    after.shows('new', H + 600, ['a']);
    after.does('new', 'z', H + 700);
    // The list closes, and its feedback still waits for another list.
    after.at(2 * H + 600);
    expect(after.samples.last.map(({ requestId, drops }) => [requestId, drops.map(({ itemId }) => itemId)])).toEqual([
      ['new', ['z']],
    ]);
  });

  it('say of a list that was open before a replay why its feedback was dropped', () => {
    const before = shop();
    before.shows('r1', 0, ['a']);
    before.does('r1', 'z', 100);
    const after = shop(5, 'shown', 100, before.join.checkpoint());
    after.shows('r1', 0, ['a']);
    after.does('r1', 'z', 100);
    after.at(H);
    expect(after.samples.last.map(({ requestId, drops }) => [requestId, drops.map(({ itemId }) => itemId)])).toEqual([
      ['r1', ['z']],
    ]);
  });

  it('keep a list with dropped feedback when many others have closed since', () => {
    const { samples, shows, does, at } = shop(5);
    shows('bad', 0, ['a']);
    does('bad', 'z', 10);
    for (let n = 0; n < 20; n++) {
      shows(`r${n}`, 100 + n, ['a']);
      at(H + 100 + n);
      samples.renew();
    }
    expect(samples.last).toHaveLength(5);
    expect(samples.withDrops.map(({ requestId }) => requestId)).toEqual(['bad']);
  });

  it('keep lists whose feedback is lost rather than those where it was counted already', () => {
    const { samples, shows, does, at } = shop(5);
    shows('lost', 0, ['a']);
    does('lost', 'z', 10);
    for (let n = 0; n < 20; n++) {
      shows(`r${n}`, 100 + n, ['a']);
      for (const _ of [1, 2]) does(`r${n}`, 'a', 200 + n);
      samples.renew();
      at(H + 100 + n);
    }
    expect(samples.withDrops.map(({ requestId }) => requestId)).toEqual(['lost']);
    expect(samples.last[0].drops).toMatchObject([{ reason: 'duplicate' }]);
  });

  it('see a list with dropped feedback when no other may be looked at', () => {
    const { samples, shows, does, at } = shop(1);
    shows('r1', 0, ['a']);
    shows('bad', 1, ['a']);
    does('bad', 'z', 10);
    at(H + 1);
    expect(samples.last.map(({ requestId }) => requestId)).toEqual(['r1']);
    expect(samples.withDrops.map(({ requestId }) => requestId)).toEqual(['bad']);
  });

  it('mask ids: equal ones look equal, others do not, and no id can be read', () => {
    const { samples, shows, does, at } = shop(9, 'masked');
    shows('request-1', 0, ['item-a', 'item-b', 'item-a']);
    shows('request-2', 1, ['item-b']);
    does('request-2', 'item-z', 10);
    at(4 * H);
    const [second, first] = samples.last;
    expect(first.slots[0].item).toBe(first.slots[2].item);
    expect(first.slots[1].item).toBe(second.slots[0].item);
    expect(first.slots[0].item).not.toBe(first.slots[1].item);
    expect(first.slots[0].item).toMatch(/^#[0-9a-f]{10}$/);
    const text = JSON.stringify([samples.last, samples.withDrops, samples.drops]);
    expect(text).toContain('not_in_list');
    expect(text).not.toMatch(/request-|item-/);
  });

  it('mask by the key of the process', () => {
    const [one, other] = ['k1', 'k2'].map((key) => {
      const samples = new ListSamples({ most: 1, ids: 'masked', key }, GRADING, SCORER);
      const u8 = Buffer.from([4, 97]);
      return samples.dropOf('late', { u8, request: 0, item: 0, action: 0, ts: 0, value: 0, eventId: -1 }).itemId;
    });
    expect(one).not.toBe(other);
  });

  it('take few bytes, however long lists, ids and feedback are', () => {
    const { samples, shows, does, at } = shop(5);
    const long = 'é😀'.repeat(300);
    for (let n = 0; n < 9; n++) {
      shows(
        `${long}${n}`,
        n,
        Array.from({ length: 500 }, (_, i) => `${long}${i}`),
      );
      for (let i = 0; i < 80; i++) does(`${long}${n}`, `${long}${(i * 7) % 500}`, 100 + n, `${long}${i}`);
      for (let i = 0; i < 80; i++) does(`${long}${n}`, `${long}z${i}`, 200 + n, long);
    }
    at(4 * H);
    const { last, withDrops, drops } = samples;
    expect(last).toHaveLength(5);
    expect(last[0].length).toBe(500);
    expect(new Set(last[0].slots.map(({ item }) => item)).size).toBe(last[0].slots.length);
    expect(last[0].slots.reduce((sum, { feedback }) => sum + feedback.length, last[0].moreFeedback)).toBe(80);
    expect(JSON.stringify([last, withDrops, drops]).length).toBeLessThan(200_000);
    // JSON escapes halves of pairs.
    expect(JSON.stringify([last, withDrops, drops])).not.toMatch(/\\ud[89a-f]/);
  });

  it('hold all feedback that counts, and blame a list for none of its own items, whatever comes', () => {
    fc.assert(
      fc.property(
        fc.array(
          fc.record({
            what: fc.constantFrom('show', 'do', 'wait'),
            request: fc.nat(3),
            item: fc.nat(4),
            step: fc.nat(3000),
          }),
          { maxLength: 60 },
        ),
        (steps) => {
          const { samples, join, shows, does, at } = shop(200);
          let now = 0;
          for (const { what, request, item, step } of steps) {
            now += step;
            if (what === 'show') shows(`r${request}`, now, ['i0', 'i1', 'i2']);
            if (what === 'do') does(`r${request}`, `i${item}`, now);
            if (what === 'wait') at(now);
          }
          at(now + 5 * H);
          const counted = samples.last.reduce(
            (sum, { slots }) => sum + slots.reduce((of, { feedback }) => of + feedback.length, 0),
            0,
          );
          expect(counted).toBe(join.counts[1].feedback.attributed);
          for (const { requestId, slots, drops } of samples.last) {
            for (const drop of drops) {
              expect(drop.requestId).toBe(requestId);
              if (drop.reason === 'not_in_list') expect(slots.map(({ item }) => item)).not.toContain(drop.itemId);
            }
          }
        },
      ),
    );
  });
});
